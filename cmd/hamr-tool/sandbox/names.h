/* names.h - which names in the root are secrets, and which are protected.
 *
 * All folders are looked through once; later only those that have changed
 * (their ctime, which no command can set).  Links are not followed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/map.h"

struct lists;
struct texts;

/* What is looked for; .git and .hamr of the root itself are others' business.
 */
enum name_kind {
	NAME_NONE,
	NAME_SECRET,		/* of the secret list */
	NAME_GUARDED		/* other programs obey it (secret.h) */
};

struct name {
	char *rel;
	enum name_kind kind;
	bool is_dir, is_link;
	bool shown;		/* a secret that git tracks: not masked */
	unsigned since;		/* the look that found it, as it is, first */
	unsigned long ino;
	struct timespec ctime;	/* of a link, whose ino another may have by
				 * now */
};

/* Set the first four, which are borrowed: hide has the secrets (its list
 * secret, besides the built-in), and what is allowed of the protected names,
 * show the exceptions, also more that is protected. */
struct names {
	int rootfd;
	const struct lists *hide, *show;
	const struct texts *also;
	/* to be read */
	struct name *v;		/* sorted by rel */
	size_t n, cap;
	unsigned look;		/* number of the last one */
	unsigned changed;	/* and of the last that found a change */
	bool partial;		/* there were too many folders to see all */
	/* private */
	struct names_dir *dirs;
	size_t ndirs, capdirs;
	struct map known;	/* the folders, by rel */
};

void names_release(struct names *n);

/* Note which secrets git tracks (root: absolute): test certificates and the
 * like are shown, but .env* and what the user has listed are not. */
void names_note_tracked(struct names *n, const char *root);
/* Does it matter what git tracks? */
bool names_ask_git(const struct names *n);

/* How many secrets are masked, how many are shown, and protected names. */
struct names_count {
	size_t masked, shown, guarded;
};
void names_count(const struct names *n, struct names_count *c);

/* Look (again).  True when anything was added or went. */
bool names_look(struct names *n);
