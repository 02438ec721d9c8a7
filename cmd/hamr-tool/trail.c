/* trail.c - what a call changed, kept so that it can be taken back. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mem.h"
#include "sha.h"
#include "utf8.h"

#include "extra.h"
#include "files_in.h"
#include "journal.h"
#include "prune.h"
#include "snap.h"
#include "trail.h"

#define NAMED_MAX 10		/* in a first line: "; changed: a, b" */
#define MUTATED_MAX 1000	/* in meta; the journal has all */
#define HURRY_MS 1500		/* for what a cancelled call changed */
#define CHUNK ((size_t)1 << 16)

struct trail {
	struct tool *t;
	struct snap *snap;
	bool broken;		/* it was tried, and said, in this turn */
	char *checkpoint;	/* of this turn; NULL: none yet */
	char tree[SNAP_OID];	/* the last snapshot */
	bool fresh;		/* nobody but us has run since */
	struct timespec begun;	/* when the call in hand did, as files tell */
	struct undo_entry entry;	/* of the call in hand */
};

/* ---- the change of one file by edit or write ---- */

static int
missing_folders(const struct files *f, const char *rel)
{
	char *dir = xstrdup(rel), *slash;
	int n = 0, fd;

	while ((slash = strrchr(dir, '/')) != NULL) {
		*slash = '\0';
		fd = path_open(&f->root, dir, O_PATH | O_NOFOLLOW);
		if (fd >= 0) {
			close(fd);
			break;
		}
		n++;
	}
	free(dir);
	return n;
}

/* A file is about to be changed: its old content is kept, or it is not. */
static int
on_change(void *arg, const struct files_change *ch, struct err *why)
{
	struct trail *tr = arg;
	struct trace *t;

	/* where no snapshot could be made, one content may be kept still */
	if (tr->snap == NULL && ch->old.p != NULL)
		tr->snap = snap_open(tr->t->files, true, why);
	if (tr->snap == NULL)
		return ch->old.p == NULL ? 0 : -1;
	t = entry_trace(&tr->entry, ch->rel);
	t->new_mode = S_IFREG | (ch->mode & 07777);
	memcpy(t->sha, ch->sha, SHA_HEX);
	if (ch->old.p == NULL) {
		t->folders = missing_folders(tr->t->files, ch->rel);
		return 0;
	}
	t->old_mode = t->new_mode;
	if (snap_store(tr->snap, ch->old, t->oid, why) == 0)
		return 0;
	entry_release(&tr->entry);
	return -1;
}

/* ---- setting up ---- */

struct trail *
trail_new(struct tool *t)
{
	struct trail *tr = xcalloc(1, sizeof *tr);

	tr->t = t;
	files_on_change(t->files, on_change, tr);
	return tr;
}

void
trail_free(struct trail *tr)
{
	struct prune_limits limits;

	if (tr == NULL)
		return;
	limits.days = conf_int(tr->t->conf, "tools.undo_days");
	limits.bytes = conf_int(tr->t->conf, "tools.undo_bytes");
	entry_release(&tr->entry);
	if (tr->snap != NULL)
		snap_prune(tr->snap, &limits);
	snap_free(tr->snap);
	free(tr->checkpoint);
	free(tr);
}

void
trail_turn(struct trail *tr)
{
	free(tr->checkpoint);
	tr->checkpoint = NULL;
	tr->broken = tr->fresh = false;
}

void
trail_known(struct trail *tr, const char *id)
{
	free(tr->checkpoint);
	tr->checkpoint = xstrdup(id);
}

void
trail_pause(struct trail *tr)
{
	tr->fresh = false;
}

/* Does it change one file, which it keeps itself? */
static bool
is_one(const struct job *j)
{
	return j->schema->id == TOOL_EDIT || j->schema->id == TOOL_WRITE;
}

/* ---- snapshots ---- */

static void
give_up(struct trail *tr, const struct err *e)
{
	struct files *f = tr->t->files;
	struct stage *s = tr->t->stage;
	char *words = xasprintf("%s; what follows cannot be undone", e->text);

	snap_free(tr->snap);
	tr->snap = NULL;
	tr->broken = true;
	if (files_stopped(f, LLONG_MAX) && tr->entry.call == NULL)
		;		/* cancelled before it did anything */
	else if (tr->t->person || tr->t->serve != NULL)
		err_say("%s", words);
	else
		stage_error(s, "spawn_failed", false, words, NULL);
	free(words);
}

static bool
take(struct trail *tr, struct snap_left *left)
{
	struct err e;

	if (tr->snap == NULL && !tr->broken) {
		tr->snap = snap_open(tr->t->files, true, &e);
		if (tr->snap == NULL)
			give_up(tr, &e);
	}
	if (tr->snap == NULL)
		return false;
	if (snap_take(tr->snap, tr->tree, left, &e) < 0) {
		give_up(tr, &e);
		return false;
	}
	tr->fresh = true;
	return true;
}

/* May this call, as it was allowed, change what is in the root? */
static bool
writes(const struct job *j)
{
	return job_writes(j) && (extra_of(j->schema) == NULL || j->allowed);
}

static void
put_checkpoint(struct trail *tr, const struct job *j,
    const struct snap_left *left)
{
	struct json *o = json_object(), *paths = json_array(), *not;
	char *path = scan_strdup(scan_get(buf_view(&j->args), "path"));

	json_str(o, "type", "checkpoint");
	json_str(o, "id", tr->checkpoint);
	if (path != NULL)
		json_str(paths, NULL, path);
	json_add(o, "paths", paths);
	if (left->large + left->nested + left->unreadable > 0) {
		not = json_object();
		if (left->large > 0)
			json_int(not, "large", left->large);
		if (left->nested > 0)
			json_int(not, "repositories", left->nested);
		if (left->unreadable > 0)
			json_int(not, "unreadable", left->unreadable);
		json_add(o, "not_covered", not);
	}
	stage_put_json(tr->t->stage, R_CHECKPOINT, o);
	free(path);
}

void
trail_checkpoint(struct trail *tr, struct job *j)
{
	struct undo_entry c = { .is_checkpoint = true };
	struct snap_left left = { 0 };
	struct err e;

	entry_release(&tr->entry);
	clock_gettime(CLOCK_REALTIME_COARSE, &tr->begun);
	if (!writes(j))
		return;
	/* edit and write keep the one file they change themselves */
	if ((tr->checkpoint != NULL || tr->broken) &&
	    (tr->fresh || is_one(j))) {
		if (tr->snap == NULL && !tr->broken)
			tr->snap = snap_open(tr->t->files, true, &e);
		return;
	}
	if (!take(tr, &left) || tr->checkpoint != NULL)
		return;
	if (journal_add(tr->snap, &c, &e) < 0) {
		give_up(tr, &e);
	} else {
		tr->checkpoint = xstrdup(c.id);
		if (!tr->t->person && tr->t->serve == NULL)
			put_checkpoint(tr, j, &left);
	}
	entry_release(&c);
}

/* ---- what a command changed ---- */

/* What is there now: its mode and its hash; "" when nothing is. */
static void
look_at(const struct files *f, struct trace *t)
{
	char *chunk, target[PATH_TEXT_MAX + 1];
	int fd = path_open(&f->root, t->path, O_PATH | O_NOFOLLOW);
	struct sha *sha;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || S_ISDIR(st.st_mode))
		goto out;
	t->new_mode = st.st_mode;
	if (S_ISLNK(st.st_mode)) {
		n = readlinkat(fd, "", target, sizeof target);
		sha256_hex(target, n > 0 ? (size_t)n : 0, t->sha);
		goto out;
	}
	close(fd);
	fd = S_ISREG(st.st_mode) ? path_open(&f->root, t->path, O_RDONLY) : -1;
	if (fd < 0)
		goto out;
	chunk = xmalloc(CHUNK);
	sha = sha_new();
	while ((n = read(fd, chunk, CHUNK)) > 0)
		sha_add(sha, chunk, (size_t)n);
	sha_hex(sha, t->sha);
	sha_free(sha);
	free(chunk);
out:
	if (fd >= 0)
		close(fd);
}

static void
put_mutated(const struct undo_entry *c, struct result *r)
{
	struct json *list = json_array();

	for (size_t i = 0; i < c->n && i < MUTATED_MAX; i++) {
		struct buf rel = BUF_INIT(BUF_RECORD_MAX);
		struct json *o = json_object();

		utf8_clean(&rel, c->v[i].path, strlen(c->v[i].path));
		json_slice(o, "path", buf_view(&rel));
		if (c->v[i].sha[0] != '\0')
			json_str(o, "sha256", c->v[i].sha);
		else
			json_null(o, "sha256");
		json_add(list, NULL, o);
		buf_release(&rel);
	}
	json_add(r->meta, "mutated", list);
	if (c->n > MUTATED_MAX)
		json_int(r->meta, "mutated_more", (long long)(c->n -
		    MUTATED_MAX));
}

/* "; changed: a.c, b.c" behind the status in the first line. */
static void
put_changed(const struct undo_entry *c, struct result *r)
{
	struct buf b = BUF_INIT(RESULT_MAX);
	size_t at = r->content.len > 0 ? strcspn(r->content.p, ";\n") : 0;
	size_t was = r->content.len;

	buf_add(&b, r->content.p != NULL ? r->content.p : "", at);
	for (size_t i = 0; i < c->n && i < NAMED_MAX; i++) {
		buf_adds(&b, i == 0 ? "; changed: " : ", ");
		path_show(&b, c->v[i].path);
	}
	if (c->n > NAMED_MAX)
		buf_fmt(&b, " and %zu more", c->n - NAMED_MAX);
	buf_add(&b, r->content.p != NULL ? r->content.p + at : "",
	    r->content.len - at);
	buf_release(&r->content);
	r->content = b;
	if (r->bytes >= 0)
		r->bytes += (long long)(b.len - was);
}

/* Was the folder made since the call began?  Its birth tells; where the file
 * system does not know it, the folder counts as older. */
static bool
is_made(const struct trail *tr, const char *dir)
{
	int fd = path_open(&tr->t->files->root, dir, O_PATH | O_NOFOLLOW);
	struct statx st = { .stx_mask = 0 };
	bool made;

	if (fd < 0)
		return false;
	made = statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &st) == 0 &&
	    (st.stx_mask & STATX_BTIME) != 0 &&
	    (st.stx_btime.tv_sec > tr->begun.tv_sec ||
	    (st.stx_btime.tv_sec == tr->begun.tv_sec &&
	    (long)st.stx_btime.tv_nsec >= tr->begun.tv_nsec));
	close(fd);
	return made;
}

/* So many folders above a new file. */
static int
made_folders(const struct trail *tr, const char *path)
{
	char *dir = xstrdup(path), *slash;
	int n = 0;

	while ((slash = strrchr(dir, '/')) != NULL) {
		*slash = '\0';
		if (!is_made(tr, dir))
			break;
		n++;
	}
	free(dir);
	return n;
}

static void
compare(struct trail *tr, struct job *j)
{
	struct snap_changes ch = { 0 };
	struct snap_left left = { 0 };
	char before[SNAP_OID];
	struct err e;

	memcpy(before, tr->tree, sizeof before);
	/* what a cancelled command did is worth this while */
	snap_hurry(tr->snap, HURRY_MS);
	if (!take(tr, &left))
		return;
	if (snap_changes(tr->snap, before, tr->tree, &ch, &e) < 0) {
		give_up(tr, &e);
		return;
	}
	for (size_t i = 0; i < ch.n; i++) {
		struct trace *t = entry_trace(&tr->entry, ch.v[i].path);

		memcpy(t->oid, ch.v[i].oid, sizeof t->oid);
		t->old_mode = ch.v[i].mode;
		if (t->oid[0] == '\0')
			t->folders = made_folders(tr, t->path);
		look_at(tr->t->files, t);
	}
	snap_changes_release(&ch);
	if (tr->entry.n > 0) {
		put_mutated(&tr->entry, &j->r);
		if (j->schema->id == TOOL_BASH)
			put_changed(&tr->entry, &j->r);
	}
}

void
trail_end(struct trail *tr, struct job *j)
{
	bool one = is_one(j);
	struct undo_entry *c = &tr->entry;
	struct err e;

	if (!writes(j) || tr->snap == NULL)
		return;
	c->tool = xstrdup(j->call->name);
	c->call = xstrdup(j->call->id);
	if (!one)
		compare(tr, j);
	else
		tr->fresh = false;
	if (tr->snap != NULL)
		snap_hurry(tr->snap, 0);
	if (c->n > 0 && tr->snap != NULL && !(one && j->r.is_error)) {
		if (tr->checkpoint != NULL)
			c->checkpoint = xstrdup(tr->checkpoint);
		if (journal_add(tr->snap, c, &e) < 0)
			give_up(tr, &e);
	}
	entry_release(c);
}
