/* internal.h - what the file tools share: arguments, names, contents. */
#pragma once

#include <stdint.h>

#include "diff.h"
#include "files.h"
#include "git/gitignore.h"

#define WALK_MS 10000			/* limit of a search or a listing */
#define LINE_CUT " more bytes in this line]\n"	/* ends a line in part */
#define UNSAVED_NOTE "[as it is in the editor, not saved; commands see the " \
	"file on the disk]\n"
#define BINARY_LOOK 8192		/* a NUL in these: not text */
#define BOM "\xef\xbb\xbf"

/* ---- arguments: checked JSON with canonical names ---- */

/* An integer, or a decimal string; def when absent or null. */
int64_t arg_int(struct slice args, const char *key, int64_t def);
/* Is it a read that searches? */
bool arg_is_search(struct slice args);

/* ---- names ---- */

/* The path of a read, which the caller frees, or NULL; "skill:NAME" becomes the
 * file's. */
char *arg_path(const struct files *f, struct slice args);
/* Is it a path in the user's own skills, which may be read although they are
 * outside the root? */
bool files_is_skill(const struct files *f, struct slice path);

/* path_find and the list of secrets: 0, or -1 with fault, which may be NULL. */
int files_find(struct files *f, struct slice text, struct path *p,
    struct fault *fault);
/* Does this regular file have, or may it have, names outside the root, or a
 * secret's?  Then it is only described, not shown or changed.  kept: what was
 * found out for the first file serves the next, if soon; or NULL. */
struct links {
	struct map names;	/* of files that have several */
	struct gitignore *rules;
};
bool files_foreign(struct files *f, const char *rel, const struct stat *st,
    struct links *kept);
void links_release(struct links *l);
#define FOREIGN_WORDS "has hard links outside the root and git does not " \
	"track it, or one with a secret's name"
/* Walk everything beneath the folder rel that is not ignored; true: the walk
 * was stopped.  see must skip what files_skips: hidden files and our
 * temporaries. */
bool files_walk(struct files *f, const char *rel, gitignore_visit *see,
    void *arg);
bool files_skips(const struct files *f, const struct gitignore_seen *s);
/* meta.path, as UTF-8; nothing when rel is NULL. */
void files_path_meta(struct result *r, const char *rel);
/* r becomes the error of fault. */
void files_fault(struct result *r, const struct fault *fault);
/* fault becomes not_found: rel does not exist; what it may mean, or where to
 * look. */
void files_missing(const struct files *f, const char *rel,
    struct fault *fault);
/* Is the code one of those that refuse a call before it is begun? */
bool is_refusal(const char *code);

/* ---- contents ---- */

/* Read the whole regular file open at fd, and its identity; false with a fault
 * if it cannot be read or changes meanwhile. */
bool files_load(int fd, const char *rel, struct stat *st, struct buf *text,
    struct fault *fault);
/* As files_load, but if an editor has the file open, text is what the editor
 * shows.  If the file's content differs, *unsaved is set and disk (unless NULL)
 * is that content. */
bool files_load_shown(struct files *f, int fd, const char *rel,
    struct stat *st, struct buf *text, struct buf *disk, bool *unsaved,
    struct fault *fault);
/* Ask the editor for its text of a file, or (text not NULL) send it a new one.
 * Returns the content of its reply, which the caller frees; NULL: none. */
char *files_ask_editor(struct files *f, const char *rel, const char *text);
/* Note whether the editor's text differs from the disk's. */
void files_note_unsaved(struct files *f, const char *rel, bool is);
bool is_binary(struct slice text);
/* Does every line end in CRLF (and is there one)? */
bool is_crlf(struct slice text);
/* Bytes left of the turn's budget. */
size_t files_budget_left(const struct files *f);

#define ROOM_MIN 400		/* less left of the turn's budget is none */

/* ---- what was shown ---- */

/* The proof of a true name; made, empty, when there is none yet.  Valid until
 * the next call. */
struct proof *proofs_of(struct proofs *ps, const char *rel);
void proofs_turn(struct proofs *ps);	/* no read can be repeated */
void proofs_reset(struct proofs *ps);	/* nothing was ever shown */

/* Content with this hash was read; a new hash empties the set. */
void proof_read(struct proof *p, const char *hash);
/* We changed the content from hash before to after.  By an edit, d: the lines
 * move along, and the new ones count as shown; or by a write of that many lines
 * (an edit: -1). */
void proof_change(struct proof *p, const char *before, const char *after,
    const struct diff *d, long written);

/* ---- a read that repeats one of this turn: not made twice ----
 *
 * A file is the same when its content is.
 */

/* The earlier read that a read of this file with these args repeats; NULL:
 * none.  Valid until the next change. */
struct cached *repeated_find(struct files *f, const struct path *p,
    struct slice args);
/* As repeated_find, for a call whose path has not been resolved yet. */
struct cached *repeated_by(struct files *f, struct slice args);
/* Append the line that stands for a repeated read. */
void repeated_line(const struct cached *e, struct buf *out);
/* Make r the result of a repeated read. */
void repeated_put(struct files *f, const struct cached *e, struct result *r);

/* ---- the tools ---- */

/* files_judge for edit and write. */
bool files_judge_change(struct files *f, bool edit, struct slice args,
    struct result *r);
/* The other kinds of read. */
void list_run(struct files *f, const struct path *p, struct slice args,
    struct result *r);
void search_run(struct files *f, const struct path *p, struct slice args,
    struct result *r);
