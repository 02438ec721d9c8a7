/* snap_old.c - what snapshots hold: how two differ, single contents. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"

#include "snap_in.h"

/* ---- two snapshots ---- */

static void
add_change(struct snap *s, struct snap_changes *c, const char *head,
    const char *path)
{
	/* ":100644 100755 OLD NEW M" */
	struct snap_change ch = { .path = xstrdup(path) };
	const char *old = head + 15;
	size_t n = strcspn(old, " ");
	uint64_t *mode = map_get(&s->modes_before, slice_of(path));

	if (n < SNAP_OID && strncmp(head + 1, "000000", 6) != 0)
		memcpy(ch.oid, old, n);
	ch.mode = (mode_t)strtoul(head + 1, NULL, 8);
	if (mode != NULL && (*mode & S_IFMT) == (ch.mode & S_IFMT))
		ch.mode = (mode_t)*mode;
	ch.gone = strncmp(head + 8, "000000", 6) == 0;
	c->v = xgrow(c->v, c->n, &c->cap, sizeof *c->v);
	c->v[c->n++] = ch;
}

/* Of what the user's own objects hold, ours shall hold a copy. */
static int
hold(struct snap *s, const struct snap_changes *c)
{
	char *base = xasprintf("%s/objects/pack/pack", s->dir);
	const char *args[] = { "pack-objects", "-q", base, NULL };
	struct buf in = BUF_INIT(GIT_OUT_MAX);
	int r = 0;

	for (size_t i = 0; i < c->n; i++) {
		char *own = xasprintf("objects/%.2s/%s", c->v[i].oid,
		    c->v[i].oid[0] != '\0' ? c->v[i].oid + 2 : "");

		if (c->v[i].oid[0] != '\0' &&
		    faccessat(s->dirfd, own, F_OK, 0) < 0)
			buf_fmt(&in, "%s\n", c->v[i].oid);
		free(own);
	}
	if (in.len > 0)
		r = snap_git(s, args, buf_view(&in), NULL);
	buf_release(&in);
	free(base);
	return r;
}

int
snap_changes(struct snap *s, const char *before, const char *after,
    struct snap_changes *c, struct err *e)
{
	const char *args[] = { "diff-tree", "-r", "-z", "--raw",
		"--no-renames", "--no-abbrev", before, after, NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	size_t at = 0;
	int r = 0;

	*c = (struct snap_changes){ 0 };
	if (strcmp(before, after) == 0)
		return 0;
	r = snap_git(s, args, SLICE(""), &out);
	while (r == 0 && at < out.len) {
		const char *head = out.p + at;
		const char *path = head + strlen(head) + 1;

		if (path >= out.p + out.len || strlen(head) < 60)
			break;
		add_change(s, c, head, path);
		at += strlen(head) + 1 + strlen(path) + 1;
	}
	buf_release(&out);
	if (r == 0)
		r = hold(s, c);
	return r == 0 ? 0 : err_set(e, ST_SYSTEM, "two snapshots in %s could "
	    "not be compared", s->dir);
}

void
snap_changes_release(struct snap_changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].path);
	free(c->v);
	*c = (struct snap_changes){ 0 };
}

/* ---- contents ---- */

int
snap_store(struct snap *s, struct slice content, char oid[SNAP_OID],
    struct err *e)
{
	static const char *const args[] = { "hash-object", "-w", "--stdin",
		"--no-filters", NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	int r = snap_git(s, args, content, &out);

	if (r == 0 && !snap_oid(&out, oid))
		r = -1;
	buf_release(&out);
	return r == 0 ? 0 : err_set(e, ST_SYSTEM, "the old content could not "
	    "be kept in %s (%s)", s->dir, snap_git_why(s, r));
}

/* One answer of cat-file --batch, at *at: "OID blob SIZE LF content LF". */
static long long
take_object(const struct buf *in, size_t *at, struct buf *out)
{
	const char *line = in->p + *at;
	const char *lf = memchr(line, '\n', in->len - *at);
	char *end;
	long long n;

	if (lf == NULL)
		return -1;
	*at = (size_t)(lf - in->p) + 1;
	line = memmem(line, (size_t)(lf - line), " blob ", 6);
	if (line == NULL)
		return -1;	/* "OID missing" */
	n = strtoll(line + 6, &end, 10);
	if (end != lf || n < 0 || (size_t)n > in->len - *at)
		return -1;
	buf_add(out, in->p + *at, (size_t)n);
	*at += (size_t)n + 1;
	return n;
}

int
snap_fetch(struct snap *s, const char *const *oids, size_t n,
    struct buf *out, long long *len, struct err *e)
{
	static const char *const args[] = { "cat-file", "--batch", NULL };
	struct buf in = BUF_INIT(GIT_OUT_MAX), got = BUF_INIT(GIT_OUT_MAX);
	size_t at = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		buf_fmt(&in, "%s\n", oids[i]);
	r = n > 0 ? snap_git(s, args, buf_view(&in), &got) : 0;
	buf_add(out, "", 0);
	for (size_t i = 0; i < n && r == 0; i++)
		len[i] = take_object(&got, &at, out);
	buf_release(&in);
	buf_release(&got);
	return r == 0 ? 0 : err_set(e, ST_SYSTEM, "the old contents in %s "
	    "cannot be read", s->dir);
}
