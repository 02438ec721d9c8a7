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
#include "base/mem.h"
#include "proof.h"
#include "root/path.h"
#include "root/result.h"
#include "root/secret.h"

#define FILES_LINE_CHARS 2000	/* of a line; what is longer is cut */

struct gitignore;
struct stage;

/* A read of this turn, by its path and the range that was asked for. */
struct cached {
	char *rel, *id;		/* true name; of the call */
	int64_t first, last;	/* as asked; INT64_MAX: to the end */
	long from, to, lines;	/* as shown; from 0: no line was */
	char sha[SHA_HEX];
	char *text;		/* the content */
	size_t len;
	long long bytes;
	bool truncated, lossy;
	bool elided;		/* a compaction took it away */
	struct stat st;		/* st_ino 0: not to be relied on */
};

struct cache {
	struct cached *v;
	size_t n, cap;
};

/* A file that edit or write is about to change. */
struct files_change {
	const char *rel;	/* true name */
	struct slice old;	/* its content; p NULL: it is new */
	const char *sha;	/* of the new content, in hex */
	unsigned mode;		/* of the new one */
};
/* Called for each, right before it is done; -1 with why: then it is not. */
typedef int files_see_change(void *arg, const struct files_change *ch,
    struct err *why);

/* From person on what follows is the caller's to set; what is pointed to stays
 * theirs. */
struct files {
	struct root root;
	struct proofs proofs;
	struct cache cache;
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
	size_t turn_cap;	/* bytes; per-turn read cap */
	struct lists lists;	/* of [policy] */
	const char *call;	/* id of the call in hand; NULL: none */
	/* asked every so often while a search or a listing runs: a cancel ends
	 * it with what was found; may be NULL */
	struct stage *stage;
	files_see_change *on_change;	/* asked before edit or write changes */
	void *change_arg;
	/* an editor tells what it shows of files that it has open, and wants
	 * to be told what edit or write has made of one */
	bool editor_reads, editor_writes;
	size_t nasked;		/* so often */
	struct texts unsaved;	/* names of those with other text than the disk
				 * has, as far as they were looked at */
};

struct files *files_new(const char *root, struct err *e);
void files_free(struct files *f);

/* A person's message: the per-turn read budget begins anew. */
void files_turn(struct files *f);
/* A new transcript: no proof is left. */
void files_reset(struct files *f);

/* A read that searches or lists, not one of a file; args as the model wrote
 * them. */
bool files_walks(struct files *f, struct slice text);
/* Bytes left of the turn's budget. */
size_t files_left(const struct files *f);
/* Would a read not be refused, whatever n reads before it give? */
bool files_certain(const struct files *f, size_t n);

/* Run one call: read; edit, or write; view_image.  args: a checked JSON object
 * with canonical names (alias.h) that has passed the schema. */
void files_read(struct files *f, struct slice args, struct result *r);
void files_make_change(struct files *f, bool edit, struct slice args,
    struct result *r);
/* vision: the model sees images. */
void files_view(struct files *f, struct slice args, bool vision,
    struct result *r);
/* Append the content part of an image that image_probe knows; a comma goes
 * before it where out is not empty. */
void image_part(struct buf *out, const struct image *im, struct slice bytes);

/* What is refused before anything is begun, so that the call gets no start:
 * names that are kept, or lie outside the root, and arguments that no file can
 * fit.  False: r is the error.  The calls above ask it all again. */
bool files_judge(struct files *f, const char *tool, struct slice args,
    struct result *r);
/* Are the reads of this turn used up?  Then r is the one line that says so,
 * no error, and the call gets no start.  A read that repeats one of this turn
 * costs nothing and is not refused.  files_read asks it too. */
bool files_over_budget(struct files *f, struct slice args, struct result *r);
/* A read is refused: what is known of it already, if it repeats one of this
 * turn, is one line more in r's content. */
void files_known(struct files *f, struct slice args, struct result *r);

/* For an ask, what an edit or a write would do: all of the diff, and more
 * members of the ask.  False: r is the error it would end with. */
bool files_plan(struct files *f, bool edit, struct slice args,
    struct buf *diff, struct buf *more, struct result *r);
/* The same checks and the diff, but nothing is written (no approval). */
void files_preview(struct files *f, bool edit, struct slice args,
    struct result *r);

/* Learn proofs, and what was spent of the turn's budget, from a recorded
 * result of the transcript (a tool message of read, edit or write: its text,
 * its meta as a JSON value, and the call's canonical args).  Never for a result
 * that files_read or files_make_change of this same f made and that has come
 * back: those are known. */
void files_learn(struct files *f, const char *tool, struct slice args,
    struct slice content, struct slice meta);

/* A range elided by a compaction is no proof any more. */
void files_forget(struct files *f, const char *path, long first, long last);

/* ---- for who looks at files, too ---- */

/* Is this true name kept from everybody? */
bool files_hidden(const struct files *f, const char *rel);
/* Cancelled, or past the deadline? */
bool files_stopped(const struct files *f, long long deadline);
/* What git ignores beneath the root, no folder entered; yours. */
struct gitignore *files_rules(struct files *f);
/* Append what a file is now, {path, sha256}, to a list whose [ is there; it is
 * gone where sha is "". */
void files_put_state(struct buf *list, const char *rel, const char *sha);
