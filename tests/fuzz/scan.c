/* scan.c - fuzz: a record's verdict and slices, walked and quoted again, and
 * the door whole against cut anywhere. */
#include <fcntl.h>
#include <unistd.h>

#include "fuzz.h"
#include "record/rec.h"
#include "json/scan.h"

/* ---- slices ---- */

static void
inside(struct slice outer, struct slice s)
{
	HOLDS(s.p >= outer.p && s.p + s.n <= outer.p + outer.n && s.n > 0);
}

/* Decoded, quoted, scanned and decoded again, a string is the same. */
static void
string(struct slice val)
{
	struct buf once = BUF_INIT(1 << 24), quoted = BUF_INIT(1 << 26);
	struct buf twice = BUF_INIT(1 << 24);
	struct scan s = { 0 };

	HOLDS(scan_str(val, &once));
	scan_quote(&quoted, once.p, once.len);
	HOLDS(scan_value(&s, quoted.p, quoted.len) == 0);
	HOLDS(scan_str(buf_view(&quoted), &twice));
	fuzz_same(&once, &twice);
	scan_release(&s);
	buf_release(&once);
	buf_release(&quoted);
	buf_release(&twice);
}

/* What is walked over is checked JSON itself, and lies in its container. */
static void
walk(struct slice val, int depth)
{
	struct scan s = { 0 };
	struct slice key, v;
	struct walk w;
	size_t n = 0;

	if (depth < 3) {
		HOLDS(scan_value(&s, val.p, val.n) == 0);
		scan_release(&s);
	}
	if (scan_kind(val) == SCAN_STRING)
		string(val);
	if (depth > 40 || (scan_kind(val) != SCAN_OBJECT &&
	    scan_kind(val) != SCAN_ARRAY))
		return;
	w = walk_of(val);
	while (walk_next(&w, &key, &v)) {
		inside(val, v);
		walk(v, depth + 1);
		HOLDS(++n <= val.n);
	}
}

static void
members(const struct scan *s, struct slice text)
{
	struct walk w;
	struct slice key, val;
	size_t i = 0;

	w = walk_of(text);
	while (walk_next(&w, &key, &val)) {
		HOLDS(i < s->n);
		HOLDS(key.p == s->m[i].key.p && key.n == s->m[i].key.n);
		HOLDS(val.p == s->m[i].val.p && val.n == s->m[i].val.n);
		i++;
	}
	HOLDS(i == s->n);
}

/* ---- the door ---- */

static void
note(struct buf *log, int got, const struct rec *r, const struct err *e)
{
	if (got > 0) {
		buf_fmt(log, "%zu %d %zu:", r->no, (int)r->kind, r->n);
		buf_slice(log, r->line);
	} else if (got < 0) {
		buf_fmt(log, "! %d %s", (int)e->status, e->text);
	}
	buf_addc(log, '\n');
}

/* Read through a pipe, in pieces by rule (a pipe holds what we write). */
static void
door(const char *p, size_t n, int rule, struct buf *log)
{
	const struct rec *r;
	struct rec_in in;
	struct err e;
	size_t at = 0, i = 0;
	int fd[2], got;

	HOLDS(pipe2(fd, O_CLOEXEC) == 0);
	rec_in_init(&in, fd[0], "in", 1 << 12);
	for (;;) {
		while ((got = rec_take(&in, &r, &e)) != 0)
			note(log, got, r, &e);
		if (in.eof)
			break;
		if (at < n) {
			size_t k = rule < 0 ? n - at :
			    fuzz_piece((uint8_t)rule, i++, n - at);

			HOLDS(write(fd[1], p + at, k) == (ssize_t)k);
			at += k;
		} else if (fd[1] >= 0) {
			close(fd[1]);
			fd[1] = -1;
		}
		HOLDS(rec_fill(&in, &e) >= 0);
	}
	rec_in_release(&in);
	close(fd[0]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf whole = BUF_INIT(1 << 24), cut = BUF_INIT(1 << 24);
	uint8_t rule = fuzz_byte(&data, &n);
	char *p = fuzz_copy(data, n);
	struct scan s = { 0 };

	if (scan_record(&s, p, n) == 0) {
		/* a value begins at its first byte */
		members(&s, slice_trim((struct slice){ p, n }));
		walk((struct slice){ p, n }, 0);
	} else {
		HOLDS(s.why != NULL && s.at <= n);
	}
	scan_release(&s);
	if (n < 1 << 15) {
		door(p, n, -1, &whole);
		door(p, n, rule, &cut);
		fuzz_same(&whole, &cut);
	}
	buf_release(&whole);
	buf_release(&cut);
	free(p);
	return 0;
}
