/* files.h - the tools that touch files: read, edit, write; one root, one set
 * of proofs.
 *
 * Everything is opened beneath the root (openat2 RESOLVE_BENEATH |
 * NO_MAGICLINKS from a directory fd, or component by component where openat2
 * is missing); checks, reads, hashes and writes go through fds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/image.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/sha.h"
#include "record/line_set.h"
#include "root/path.h"
#include "root/result.h"
#include "root/secret.h"
#include "tokens/token.h"

#define FILE_MAX ((size_t)64 << 20)	/* hashed, proved, edited up to here */
#define FILES_LINE_CHARS 2000	/* a longer line is cut */

struct gitignore;
struct stage;

/* A read of this turn, by the range that was asked for. */
struct cached {
	const char *rel;	/* of its proof */
	char *id;		/* of the call */
	int64_t first, last;	/* as asked; INT64_MAX: to the end */
	long from, to, lines;	/* as shown; from 0: no line was */
	char *text;		/* the content */
	long long bytes;
	bool truncated, lossy;
	bool elided;		/* a compaction took it away */
};

/* Which lines of which content of a file the model has been shown.  The hash
 * identifies the content, so the texts need not be kept. */
struct proof {
	char *rel;		/* true name */
	char hash[SHA_HEX];	/* "": none is valid */
	struct line_set lines;	/* shown, as one text where they adjoin */
	struct cached *v;	/* the reads of this turn that showed it */
	size_t n, cap;
};

struct proofs {
	struct map by_path;	/* true name -> index */
	struct proof *v;
	size_t n, cap;
};

/* Called right before edit or write changes a file: its true name and content
 * (p NULL: it is new), of the new content the hash, and the mode.  -1 with why
 * and errno prevents it. */
typedef int files_change_fn(void *arg, const char *rel, struct slice old,
    const char *sha, mode_t mode, struct err *why);

/* The caller sets the members from person on and keeps ownership of what they
 * point to. */
struct files {
	struct root root;
	char *skills;		/* the user's, with a slash; NULL: none */
	struct proofs proofs;
	bool told;		/* that the index could not be read */
	size_t used;		/* of the turn's read budget, in bytes; other
				 * processes' reads are added */
	/* what may be done; it may change */
	bool person;		/* one call from the shell: no prior read is
				 * needed for an edit */
	bool docs_only;		/* mode docs: *.md and kin only */
	bool may_write;		/* modes patch and docs */
	bool overwrite;		/* policy.overwrite */
	bool memory;		/* search_memory is there */
	size_t result_cap;	/* bytes; per-result cap of chapter 8.1 */
	size_t result_tokens;	/* the same as hamr-compact counts it */
	enum token_family family;
	size_t turn_cap;	/* bytes; per-turn read cap; SIZE_MAX: none */
	struct lists lists;	/* of [policy] */
	/* polled while a search or a listing runs: a cancel ends it with what
	 * was found so far; may be NULL */
	struct stage *stage;
	files_change_fn *on_change;
	void *change_arg;
	/* an editor can be asked for its text of an open file, and wants to be
	 * sent the new text after an edit or write */
	bool editor_reads, editor_writes;
	bool hides_bom;		/* its last text lacked the file's BOM */
	size_t nasked;		/* requests made of the editor */
	struct texts unsaved;	/* open files whose text is known to differ
				 * from the disk's */
};

struct files *files_new(const char *root, struct err *e);
void files_free(struct files *f);

/* A person's message: the per-turn read budget starts over. */
void files_turn(struct files *f);
/* A new transcript: no proof is left. */
void files_reset(struct files *f);

/* Does this read search or list, instead of reading a file?  args need not have
 * passed the schema. */
bool files_walks(struct files *f, struct slice args);
/* Bytes a read result may have now. */
size_t files_room(const struct files *f);
/* Is a read sure not to be refused, whatever n reads before it return? */
bool files_read_is_sure(const struct files *f, size_t n);

/* Run one call: read; edit, or write; view_image.  args: a checked JSON object
 * with canonical names (alias.h) that has passed the schema.  What is not
 * allowed is checked, and shown as a diff, but not made. */
void files_read(struct files *f, struct slice args, struct result *r);
void files_make_change(struct files *f, bool edit, bool allowed,
    struct slice args, struct result *r);
/* vision: the model sees images. */
void files_view(struct files *f, struct slice args, bool vision,
    struct result *r);
/* Append the content part of an image that image_probe knows; a comma goes
 * before it where out is not empty. */
void image_part(struct buf *out, const struct image *im, struct slice bytes);

/* Refuse a call before it begins, so that it gets no start record: hidden
 * names, names outside the root, and arguments that fit no file.  False: r is
 * the error.  The calls above check all this again. */
bool files_judge(struct files *f, const char *tool, struct slice args,
    struct result *r);
/* Is the turn's read budget used up?  Then r is one line that says so (not an
 * error), and the call gets no start.  A read that repeats one of this turn
 * costs nothing and is not refused.  files_read checks this too. */
bool files_over_budget(struct files *f, struct slice args, struct result *r);
/* A read is refused: if it repeats one of this turn, append a line to r's
 * content that says what is already known. */
void files_known(struct files *f, struct slice args, struct result *r);

/* For an ask, what an edit or a write would do: the whole diff, and further
 * members of the ask (more).  False: r is the error it would end with. */
bool files_plan(struct files *f, bool edit, struct slice args,
    struct buf *diff, struct buf *more, struct result *r);

/* Learn proofs, and what was spent of the turn's budget, from a result of this
 * process or another (a tool message of read, edit or write: the call's id and
 * canonical args, its text, and its meta as a JSON value). */
void files_learn_proofs(struct files *f, const char *id, const char *tool,
    struct slice args, struct slice content, struct slice meta);

/* A compaction elided these lines: they are not proof any more. */
void files_forget(struct files *f, const char *path, long first, long last);

/* ---- for others that look at files ---- */

/* A key of maps: which file it is, by whatever name. */
#define FILE_KEY(st) \
	((struct slice){ (const char *)(uint64_t[]){ (st)->st_dev, \
	    (st)->st_ino }, 2 * sizeof(uint64_t) })

/* Is this true name hidden by policy? */
bool files_hidden(const struct files *f, const char *rel);
/* Cancelled, or past the deadline? */
bool files_stopped(const struct files *f, long long deadline);
/* The ignore rules of the root, with no folder entered.  The caller frees
 * them. */
struct gitignore *files_rules(struct files *f);
/* Does git ignore this one file, which need not exist? */
bool files_ignored(struct files *f, const char *rel);
/* Append a file's state, {path, sha256}, to a list whose [ is written; sha "":
 * the file is gone. */
void files_put_state(struct buf *list, const char *rel, const char *sha);
