/* files_in.h - what the file tools know of each other; for files.c, read.c,
 * list.c, search.c, write.c only.
 */
#ifndef HAMR_TOOL_FILES_IN_H
#define HAMR_TOOL_FILES_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache.h"
#include "files.h"
#include "path.h"
#include "diff.h"
#include "proof.h"
#include "secret.h"

#define FILE_MAX ((size_t)64 << 20)	/* hashed, proved, edited up to here */
#define SEARCH_FILE_MAX ((off_t)16 << 20)
#define WALK_MS 10000			/* a search or listing ends after it */
#define FILES_LINE_CHARS 2000		/* of a line; what is longer is cut */
#define BINARY_LOOK 8192		/* a NUL in these: not text */

struct files {
	struct root root;
	struct files_opts o;
	struct lists lists;
	struct proofs proofs;
	struct cache cache;
	const char *call;	/* id of the call in hand; NULL: none */
	size_t used;		/* of the turn's read budget, in bytes */
	bool (*stop)(void *);	/* asked now and then; NULL: never */
	void *stop_arg;
	files_see_change *on_change;
	void *change_arg;
	bool told;		/* that the index could not be read */
};

/* ---- arguments: checked JSON with canonical names ---- */

/* A string argument decoded into out; false when absent or null. */
bool arg_str(struct slice args, const char *key, struct buf *out);
/* An integer, or a decimal string; def when absent or null. */
int64_t arg_int(struct slice args, const char *key, int64_t def);
bool arg_bool(struct slice args, const char *key);

/* ---- shared steps ---- */

/* path_find and the list of secrets.  On failure r is the error. */
bool files_find(struct files *f, struct slice text, struct path *p,
    struct result *r);
/* Is this name kept from everybody? */
bool files_hidden(const struct files *f, const char *rel);
/* A regular file that has names outside the root, or may have: it is described,
 * neither shown nor changed. */
bool files_foreign(struct files *f, const char *rel,
    const struct stat *st);
#define FOREIGN_WORDS "has hard links outside the root, and git does not " \
	"track it"
/* meta.path, cleaned; nothing when rel is NULL. */
void files_path_meta(struct result *r, const char *rel);
/* r becomes the error of f. */
void files_fault(struct result *r, const struct fault *fault);
/* All of the regular file open at fd, and its identity; false with a fault
 * when it cannot be read or changes meanwhile. */
bool files_load(int fd, const char *rel, struct stat *st, struct buf *text,
    struct fault *fault);
/* Bytes a read result may have now; SIZE_MAX when nothing limits it. */
size_t files_room(const struct files *f);
bool files_stopped(const struct files *f, long long deadline);

bool is_binary(struct slice text);
/* Does every line end in CRLF (and is there one)? */
bool is_crlf(struct slice text);

/* Is the code one of those that refuse a call before it is begun? */
bool is_refusal(const char *code);
/* files_judge for edit and write. */
bool files_judge_change(struct files *f, bool edit, struct slice args,
    struct result *r);

/* ---- the kinds of read ---- */

void list_run(struct files *f, const struct path *p, struct slice args,
    struct result *r);
void search_run(struct files *f, const struct path *p, struct slice args,
    struct result *r);

/* ---- reads that repeat one of this turn (again.c) ---- */

/* What a read of this file and these args repeats; NULL: it is new. */
struct cached *again_find(struct files *f, const struct path *p,
    struct slice args);
/* The same for a call whose path is not looked at yet. */
bool again_has(struct files *f, struct slice args);
/* The line that stands for it. */
void again_line(const struct cached *e, struct buf *out);
/* Its result. */
void again_put(struct files *f, struct cached *e, struct result *r);
/* A file was read, as st (NULL: somebody else did): r is its result. */
void again_keep(struct files *f, const char *rel, const struct stat *st,
    const char *sha, long from, long to, long lines, struct slice args,
    const struct result *r);
void again_learn(struct files *f, const char *rel, struct slice args,
    struct slice content, struct slice meta);

/* ---- folders ---- */

struct ignored;
struct gitignore;

/* The rules of the root, no folder entered; yours. */
struct gitignore *files_rules(struct files *f);

/* What git ignores beneath rel.  Nothing is, if rel itself is ignored: who
 * names it wants to see it. */
struct ignored *ignored_load(struct files *f, const char *rel);
/* The folder rel, or one in the folder entered last, is entered; dirfd is
 * closed.  Then its entries can be asked about. */
void ignored_enter(struct ignored *ig, int dirfd, const char *rel);
void ignored_leave(struct ignored *ig);
bool ignored_has(const struct ignored *ig, const char *rel, bool is_dir);
/* Does git ignore this one file, which need not exist? */
bool ignored_file(struct files *f, const char *rel);
/* Does git track it? */
bool tracked_file(struct files *f, const char *rel);
void ignored_free(struct ignored *ig);

/* A thing in a folder. */
struct seen {
	const char *rel;	/* true name */
	const struct stat *st;	/* NULL: it, or what is in it, is closed to us
				 * or could not be read */
	int dir;		/* its folder, and its name there; -1: to be */
	const char *base;	/* opened by rel */
};

/* Called for each, in byte order of names; true: stop. */
typedef bool tree_see(void *arg, const struct seen *s);

/* Walk beneath the folder rel, depth folders deep (1: its own entries), past
 * what is hidden, ignored or a temporary of ours.  True: it was stopped. */
bool tree_walk(struct files *f, struct ignored *ig, const char *rel,
    int depth, tree_see *see, void *arg);

#endif
