/* files.h - the tools that touch files: read, edit, write; one root, one set
 * of proofs.
 *
 * Everything is opened beneath the root (openat2 RESOLVE_BENEATH |
 * NO_MAGICLINKS from a directory fd, or component by component where openat2
 * is missing); checks, reads, hashes and writes go through fds.
 */
#ifndef HAMR_TOOL_FILES_H
#define HAMR_TOOL_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "result.h"

struct files;
struct lists;			/* secret.h */

struct files_opts {
	const char *root;	/* absolute */
	bool person;		/* one call from the shell: no prior read is
				 * needed for an edit */
	bool docs_only;		/* mode docs: *.md and kin only */
	bool may_write;		/* modes patch and docs */
	bool overwrite;		/* policy.overwrite */
	bool memory;		/* search_memory is there */
	size_t result_cap;	/* bytes; per-result cap of chapter 8.1 */
	size_t turn_cap;	/* bytes; per-turn read cap */
};

struct files *files_new(const struct files_opts *o, struct err *e);
void files_free(struct files *f);
void files_caps(struct files *f, size_t result_cap, size_t turn_cap);

/* A setting changed in the session. */
void files_mode(struct files *f, bool may_write, bool docs_only);
/* The user's lists of [policy]; what they point to stays the caller's. */
void files_policy(struct files *f, const struct lists *l);
/* Asked every so often while a search or a listing runs: true ends it with
 * what was found. */
void files_stop(struct files *f, bool (*stop)(void *), void *arg);

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
void files_on_change(struct files *f, files_see_change *see, void *arg);

/* A person's message: the per-turn read budget begins anew. */
void files_turn(struct files *f);
/* A new transcript: no proof is left. */
void files_reset(struct files *f);

/* A read that searches or lists, not one of a file; args as the model wrote
 * them. */
bool files_slow(struct files *f, struct slice text);
/* Bytes left of the turn's budget; what another process read is taken off. */
size_t files_left(const struct files *f);
void files_charge(struct files *f, size_t n);
/* Would a read not be refused, whatever n reads before it give? */
bool files_surely(const struct files *f, size_t n);

/* The id of the call that comes next, for meta.cached; borrowed. */
void files_call(struct files *f, const char *id);

/* Run one call.  args: a checked JSON object with canonical names (alias.h)
 * that has passed the schema. */
void files_read(struct files *f, struct slice args, struct result *r);
void files_edit(struct files *f, struct slice args, struct result *r);
void files_write(struct files *f, struct slice args, struct result *r);
/* vision: the model sees images. */
void files_view(struct files *f, struct slice args, bool vision,
    struct result *r);
/* What is refused before anything is begun, so that the call gets no start:
 * names that are kept, or lie outside the root, and arguments that no file can
 * fit.  False: r is the error.  The calls above ask it all again. */
bool files_judge(struct files *f, const char *tool, struct slice args,
    struct result *r);
/* Are the reads of this turn used up?  Then r is the one line that says so,
 * no error, and the call gets no start.  A read that repeats one of this turn
 * costs nothing and is not refused.  files_read asks it too. */
bool files_spent(struct files *f, struct slice args, struct result *r);
/* A read is refused: what is known of it already, if it repeats one of this
 * turn, is one line more in r's content. */
void files_known(struct files *f, struct slice args, struct result *r);

/* What an edit or a write would do. */
struct plan {
	char *path;		/* from the root, as UTF-8 */
	struct buf diff;	/* all of it */
	long added, removed;	/* lines */
	bool made;		/* the file is new */
};

/* For an ask: would it be done?  Then true, with p to be released; else r is
 * the error it would end with. */
bool files_plan(struct files *f, const char *tool, struct slice args,
    struct plan *p, struct result *r);
void plan_release(struct plan *p);
/* The same checks and the diff, but nothing is written (no approval). */
void files_preview(struct files *f, const char *tool, struct slice args,
    struct result *r);

/* Learn proofs, and what was spent of the turn's budget, from a recorded
 * result of the transcript (a tool message of read, edit or write: its text,
 * its meta as a JSON value, and the call's canonical args).  Never for a result
 * that files_read, files_edit or files_write of this same f made and that has
 * come back: those are known. */
void files_learn(struct files *f, const char *tool, struct slice args,
    struct slice content, struct slice meta);

/* A range elided by a compaction is no proof any more. */
void files_forget(struct files *f, const char *path, long first, long last);

/* An edit or write of these args was cut off by a crash: remove the temporary
 * files that may be left in its folder. */
void files_sweep(struct files *f, struct slice args);

/* The directory fd of the root, for bash's cwd. */
int files_root_fd(const struct files *f);
const char *files_root(const struct files *f);

#endif
