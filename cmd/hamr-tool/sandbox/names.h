/* names.h - which names in the root are secrets, and which are protected.
 *
 * All folders are scanned once, and later only those whose ctime, which a
 * command cannot set, has changed.  Links are not followed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "base/map.h"

struct lists;
struct root;
struct texts;

/* What names_look finds; .git and .hamr of the root are handled elsewhere. */
enum name_kind {
	NAME_NONE,
	NAME_SECRET,		/* of the secret list */
	NAME_SHUT,		/* a folder with such names in it that is shut,
				 * but that a command, as its owner, could
				 * open; or one that is too deep to look into */
	NAME_GUARDED		/* other programs obey it (secret.h) */
};

struct name {
	char *rel;
	enum name_kind kind;
	bool is_dir, is_link;
	bool shown;		/* a secret that git tracks: not masked */
	unsigned since;		/* the first scan that found it as it is */
	ino_t ino;
	struct timespec ctime;	/* of a link, as its ino may be reused */
};

/* Set the first four, which are borrowed: hide has the secrets (its list
 * secret, besides the built-in), and what is allowed of the protected names,
 * show the exceptions, also more that is protected.  unsure: commands may write
 * git's index. */
struct names {
	int rootfd;
	bool unsure;
	const struct lists *hide, *show;
	const struct texts *also;
	/* to be read */
	struct name *v;		/* sorted by rel */
	size_t n, cap;
	unsigned look;		/* number of the last one */
	unsigned changed;	/* and of the last look that found a change */
	bool partial;		/* there were too many folders to see all */
	/* private */
	bool through;		/* we see what is in shut folders */
	struct names_dir *dirs;
	size_t ndirs, capdirs;
	struct map known;	/* the folders, by rel */
	/* protected names that were there (file_remember) */
	struct map guarded;
};

void names_release(struct names *n);

/* The numbers of masked secrets, shown secrets and protected names. */
struct names_count {
	size_t masked, shown, guarded;
};

/* Note which secrets git tracks (root: absolute): test certificates and the
 * like are shown, but .env* and what the user has listed are not. */
struct names_count names_note_tracked(struct names *n, const char *root);
/* This file, or what it leads to if it is a link, is masked: it is a secret
 * even if a command renames a folder above it.  True: it has other names, which
 * must be looked for. */
bool names_note_masked(struct names *n, const char *rel);
/* Does it matter which files git tracks? */
bool names_ask_git(const struct names *n);

/* Look (again).  True if any name was added or removed. */
bool names_look(struct names *n);

/* A call was killed before what it left behind was looked at: move the
 * protected names that are its to .hamr/quarantine, and tell the user.  git:
 * it could make a .git. */
typedef bool names_of_call_fn(void *arg, const struct name *name);
void names_quarantine(const struct root *root, const struct lists *lists,
    bool git, names_of_call_fn *is_its, void *arg);
