/* journal_calls.c - record what a call changed, so that it can be undone. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "json/sha.h"

#include "extras/extra.h"
#include "extras/mcp.h"
#include "files/files.h"
#include "undo/journal.h"
#include "undo/snap.h"
#include "journal_calls.h"

#define NAMED_MAX 10		/* in the first line: "; changed: a, b" */
#define MUTATED_MAX 1000	/* in meta; the journal has all */
#define HURRY_MS 1500		/* to find what a cancelled call changed */
#define SETTLE_MS 1500		/* hamr-loop waits 2 s for us to end */
#define SETTLE_ALONE_MS 60000

/* A call of this turn that has ended, and when. */
struct past {
	char *tool, *call;
	int64_t end;		/* snap_time */
};

struct journal_calls {
	struct tool *t;
	struct snap *snap;
	bool broken;		/* it failed in this turn, and was reported */
	char *checkpoint;	/* of this turn; NULL: none yet */
	bool fresh;		/* the last snapshot is up to date */
	struct undo_entry entry;	/* of the current call */
	int64_t begun;		/* snap_time of this turn's first snapshot */
	struct past *past;
	size_t npast, cap;
};

/* A file is about to be changed: store its old content.  -1 with why prevents
 * the change. */
static int
on_change(void *arg, const char *rel, struct slice old, const char *sha,
    mode_t mode, struct err *why)
{
	struct journal_calls *jc = arg;
	char *slash;

	/* if no snapshot could be made, we may still store one content */
	if (jc->snap == NULL && old.p != NULL)
		jc->snap = snap_open(jc->t->files, true, why);
	if (jc->snap == NULL)
		return old.p == NULL ? 0 : -1;
	struct undo_path *t = undo_entry_add(&jc->entry, rel);
	t->new_mode = S_IFREG | (mode & 07777);
	memcpy(t->sha, sha, SHA_HEX);
	if (old.p == NULL) {
		/* the folders that it needs are made with it */
		char *dir = xstrdup(rel);
		while ((slash = strrchr(dir, '/')) != NULL) {
			*slash = '\0';
			int fd = path_open(&jc->t->files->root, dir,
			    O_PATH | O_NOFOLLOW);
			file_close(fd);
			if (fd >= 0)
				break;
			/* of any mode */
			undo_entry_add_folder(&jc->entry, dir)->new_mode =
			    S_IFDIR;
		}
		free(dir);
	} else {
		t->old_mode = t->new_mode;
		if (snap_store(jc->snap, old, t->oid, why) < 0) {
			undo_entry_release(&jc->entry);
			return -1;
		}
	}
	journal_begin(jc->snap, &jc->entry);
	return 0;
}

/* ---- setting up ---- */

struct journal_calls *
journal_calls_new(struct tool *t)
{
	struct journal_calls *jc = xcalloc(1, sizeof *jc);

	jc->t = t;
	t->files->on_change = on_change;
	t->files->change_arg = jc;
	return jc;
}

void
journal_calls_free(struct journal_calls *jc)
{
	undo_entry_release(&jc->entry);
	if (jc->snap != NULL) {
		snap_copy_old(jc->snap, jc->t->stage->mode == STAGE_RESIDENT ?
		    SETTLE_MS : SETTLE_ALONE_MS);
		snap_prune(jc->snap, conf_int(jc->t->conf, "tools.undo_days"),
		    conf_int(jc->t->conf, "tools.undo_bytes"));
	}
	snap_free(jc->snap);
	journal_calls_turn(jc);
	FREE(jc->past, jc);
}

void
journal_calls_turn(struct journal_calls *jc)
{
	xset(&jc->checkpoint, NULL);
	jc->broken = jc->fresh = false;
	jc->begun = 0;
	while (jc->npast > 0) {
		free(jc->past[--jc->npast].tool);
		free(jc->past[jc->npast].call);
	}
}

void
journal_calls_known(struct journal_calls *jc, char *id)
{
	if (id != NULL)
		xset(&jc->checkpoint, id);
}

void
journal_calls_pause(struct journal_calls *jc)
{
	jc->fresh = false;
}

void
journal_calls_idle(struct journal_calls *jc)
{
	if (jc->snap != NULL)
		snap_copy_old(jc->snap, SETTLE_MS);
}

/* ---- snapshots ---- */

static void
give_up(struct journal_calls *jc, const struct err *e)
{
	struct stage *s = jc->t->stage;
	char *words = xasprintf("%s; what follows cannot be undone", e->text);

	snap_free(jc->snap);
	jc->snap = NULL;
	/* not if the call was cancelled before it did anything */
	jc->broken = jc->entry.call != NULL ||
	    !files_stopped(jc->t->files, LLONG_MAX);
	if (jc->broken && (jc->t->person || jc->t->serve != NULL))
		err_say("%s", words);
	else if (jc->broken)
		stage_error(s, "spawn_failed", false, words, SLICE(""));
	free(words);
}

static bool
take(struct journal_calls *jc, struct snap_left *left)
{
	struct err e;

	if (jc->snap == NULL && jc->broken)
		return false;
	if (jc->snap == NULL)
		jc->snap = snap_open(jc->t->files, true, &e);
	jc->fresh = jc->snap != NULL && snap_take(jc->snap, left, &e) == 0;
	if (!jc->fresh)
		give_up(jc, &e);
	return jc->fresh;
}

/* May this call change the root, or a folder in it that its server may change
 * in any case? */
static bool
writes(const struct job *j)
{
	const struct extra *x = extra_of(j->schema);

	return j->writes || (x != NULL && x->server != NULL &&
	    mcp_has_folder(x->server, j->t->root));
}

/* Take a snapshot: the first of a turn, which a record reports; later ones only
 * if something may have changed since. */
static void
checkpoint(struct journal_calls *jc, struct job *j)
{
	struct undo_entry c = { .is_checkpoint = true };
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct snap_left left = { 0 };
	struct err e;

	/* edit and write store the old content of their one file themselves */
	if ((jc->checkpoint != NULL || jc->broken) &&
	    (jc->fresh || job_has_plan(j))) {
		if (jc->snap == NULL && !jc->broken)
			jc->snap = snap_open(jc->t->files, true, &e);
		return;
	}
	if (!take(jc, &left))
		return;
	if (jc->begun == 0)
		jc->begun = snap_time(jc->snap);
	bool first = jc->checkpoint == NULL;
	if (first && journal_add(jc->snap, &c, &e) < 0)
		give_up(jc, &e);
	else
		snap_finish(jc->snap);
	if (first && jc->snap != NULL)
		jc->checkpoint = xstrdup(c.id);
	undo_entry_release(&c);
	if (!first || jc->snap == NULL || jc->t->person || jc->t->serve != NULL)
		return;
	const struct { const char *what; long n; } rows[] = {
		{ "large", left.large }, { "repositories", left.nested },
		{ "unreadable", left.unreadable } };
	char *path = scan_strdup(scan_get(buf_view(&j->args), "path"));
	bool any = false;
	scan_put(&b, path != NULL ? "{'type':'checkpoint','id':@,'paths':[@]" :
	    "{'type':'checkpoint','id':@,'paths':[]",
	    slice_of(jc->checkpoint), slice_of(path));
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].n > 0) {
			buf_fmt(&b, "%s\"%s\":%ld", any ? "," :
			    ",\"not_covered\":{", rows[i].what, rows[i].n);
			any = true;
		}
	buf_adds(&b, any ? "}}" : "}");
	stage_put(jc->t->stage, R_CHECKPOINT, buf_view(&b));
	buf_release(&b);
	free(path);
}

void
journal_calls_checkpoint(struct journal_calls *jc, struct job *j)
{
	struct undo_entry *c = &jc->entry;

	undo_entry_release(c);
	if (!writes(j))
		return;
	/* first record what a killed process changed */
	if (jc->snap != NULL)
		journal_recover(jc->snap);
	checkpoint(jc, j);
	c->tool = xstrdup(j->call->name);
	c->call = xstrdup(j->call->id);
	if (jc->checkpoint != NULL)
		c->checkpoint = xstrdup(jc->checkpoint);
}

int
journal_calls_begin(struct journal_calls *jc, struct job *j)
{
	const struct extra *x = extra_of(j->schema);

	jc->entry.boxed = (x == NULL || !x->bare) && strcmp(conf_str(
	    jc->t->conf, "sandbox.mode"), "off") != 0;
	jc->entry.git = conf_bool(jc->t->conf, "sandbox.git_write");
	/* for edit and write, on_change does this */
	return writes(j) && jc->snap != NULL && !job_has_plan(j) ?
	    journal_begin(jc->snap, &jc->entry) : -1;
}

/* ---- what a command changed ---- */

/* A file that existed before the call is not the call's, and undo leaves it
 * alone; if the call moved it over another file, only the loss of that one is
 * recorded.  If an earlier call of this turn made it where no snapshot looked
 * then, record it under that call. */
static void
give_older(struct journal_calls *jc)
{
	struct undo_entry *c = &jc->entry;
	size_t n = c->n;
	struct err e;

	c->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct undo_entry theirs = { .v = &c->v[i], .n = 1,
			.since = c->since, .checkpoint = jc->checkpoint };
		size_t k = 0;

		while (k < jc->npast && jc->past[k].end < c->v[i].born)
			k++;
		bool made = k < jc->npast && c->v[i].born >= jc->begun;
		if (c->v[i].born == 0 || c->v[i].oid[0] != '\0') {
			if (c->v[i].born != 0 && !made) {
				c->v[i].sha[0] = '\0';
				c->v[i].new_mode = 0;
			}
			c->v[c->n++] = c->v[i];
			continue;
		}
		if (made) {
			theirs.tool = jc->past[k].tool;
			theirs.call = jc->past[k].call;
			journal_add(jc->snap, &theirs, &e);
			free(theirs.id);
		}
		free(c->v[i].path);
	}
}

/* Report the changes (c NULL: they are not known) in meta, and as "; changed:
 * a.c, b.c" after the status in the first line. */
static void
tell_changes(const struct undo_entry *c, struct job *j)
{
	struct buf b = BUF_INIT(RESULT_MAX), *meta = &j->r.meta;
	struct slice text = buf_view(&j->r.content);
	size_t n = c != NULL ? c->n : 0;

	if (c == NULL)
		scan_put(meta, "'mutated':null,");
	if (n > 0) {
		scan_put(meta, "'mutated':[");
		for (size_t i = 0; i < n && i < MUTATED_MAX; i++)
			files_put_state(meta, c->v[i].path,
			    strchr(c->v[i].sha, ':') == NULL ? c->v[i].sha :
			    "");
		buf_adds(meta, "],");
	}
	if (n > MUTATED_MAX)
		buf_fmt(meta, "\"mutated_more\":%zu,", n - MUTATED_MAX);
	if ((c == NULL || n > 0) && extra_of(j->schema) == NULL) {
		size_t at = strcspn(text.p, ";\n");

		buf_add(&b, text.p, at);
		buf_adds(&b, "; changed: ");
		buf_adds(&b, c == NULL ? "not known" : "");
		for (size_t i = 0; i < n && i < NAMED_MAX; i++) {
			buf_adds(&b, i > 0 ? ", " : "");
			path_show(&b, c->v[i].path);
			if (undo_path_is_lost(&c->v[i]))
				buf_adds(&b, " (too large to undo)");
		}
		if (n > NAMED_MAX)
			buf_fmt(&b, " and %zu more", n - NAMED_MAX);
		buf_slice(&b, slice_from(text, at));
		if (j->r.bytes >= 0)
			j->r.bytes += (long long)(b.len - text.n);
		buf_release(&j->r.content);
		j->r.content = b;
	}
}

void
journal_calls_tell_killed(struct journal_calls *jc, struct job *j)
{
	struct err e;

	if (jc->snap == NULL && !jc->broken)
		jc->snap = snap_open(jc->t->files, false, &e);
	const struct undo_entry *c = jc->snap != NULL ?
	    journal_recovered(jc->snap, j->call->id) : NULL;
	if (c != NULL)
		tell_changes(c, j);
}

void
journal_calls_end(struct journal_calls *jc, struct job *j)
{
	bool one = job_has_plan(j);
	struct undo_entry *c = &jc->entry;
	struct err e;

	if (!writes(j))
		return;
	if (jc->snap == NULL) {
		if (!one)
			tell_changes(NULL, j);
		return;
	}
	/* even after a cancel, take the time to find out what changed */
	snap_set_grace(jc->snap, HURRY_MS);
	if (one) {
		jc->fresh = false;
	} else if (!take(jc, NULL)) {
		tell_changes(NULL, j);
	} else {
		snap_changes(jc->snap, c);
		for (size_t i = 0; i < c->n; i++)
			undo_path_look(jc->t->files, &c->v[i], NULL);
		tell_changes(c, j);
		if (c->n + c->nfolders > 0)	/* else nothing to undo */
			journal_add_concurrent(jc->snap, c);
		give_older(jc);
		GROW(jc->past, jc->npast, jc->cap);
		jc->past[jc->npast++] = (struct past){
			xstrdup(j->call->name), xstrdup(j->call->id),
			snap_time(jc->snap) };
	}
	if (jc->snap != NULL)
		snap_set_grace(jc->snap, 0);
	if (c->n + c->nfolders > 0 && jc->snap != NULL &&
	    !(one && j->r.is_error) && journal_add(jc->snap, c, &e) < 0)
		give_up(jc, &e);
	if (jc->snap != NULL) {
		snap_finish(jc->snap);
		journal_end(jc->snap);
	}
	undo_entry_release(c);
}
