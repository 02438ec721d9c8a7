/* replay.c - answers out of a file instead of a server. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "replay.h"
#include "utf8.h"

/* The longest piece of text shown at once, and the longest wait for it. */
#define PIECE_MAX 64
#define DELAY_MAX_MS 10000

struct entry {
	char *line, *usage;	/* owned; usage may be NULL */
	size_t n, usage_n;
	bool is_error, is_tape;
};

struct replay {
	struct entry *v;
	size_t n, cap;
	double speed;
};

static bool
is_provider(struct slice stage)
{
	return scan_str_is(stage, "provider") ||
	    scan_str_is(stage, "hamr-provider");
}

bool
replay_counts(const struct rec *r)
{
	return r->kind == R_ASSISTANT ||
	    (r->kind == R_ERROR && is_provider(rec_get(r, "stage")));
}

static bool
is_tape(const struct rec *r)
{
	return rec_str_is(r, "type", "exchange") &&
	    !scan_true(rec_get(r, "again"));
}

static bool
is_answer(const struct rec *r)
{
	return replay_counts(r) || is_tape(r) ||
	    (r->kind == R_ERROR && rec_get(r, "stage").p == NULL);
}

static void
take(struct replay *p, const struct rec *r, struct buf *usage)
{
	struct entry e = { .line = xmemdup0(r->line.p, r->line.n),
		.n = r->line.n, .is_error = r->kind == R_ERROR,
		.is_tape = is_tape(r), .usage_n = usage->len };

	if (usage->len > 0)
		e.usage = xmemdup0(usage->p, usage->len);
	buf_reset(usage);
	p->v = xgrow(p->v, p->n, &p->cap, sizeof *p->v);
	p->v[p->n++] = e;
}

static int
load(struct replay *p, int fd, const char *path, struct err *e)
{
	struct buf usage = BUF_INIT(REC_MAX);
	const struct rec *r;
	struct rec_in in;
	int got;

	rec_in_init(&in, fd, path, REC_MAX);
	while ((got = rec_next(&in, &r, e)) == 1)
		if (is_answer(r))
			take(p, r, &usage);
		else if (r->kind == R_USAGE) {
			buf_reset(&usage);
			buf_slice(&usage, r->line);
		}
	rec_in_release(&in);
	buf_release(&usage);
	return got;
}

struct replay *
replay_open(const char *path, double speed, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct replay *p;
	int got;

	if (fd < 0) {
		err_sys(e, errno == ENOENT || errno == ENOTDIR ? ST_NOINPUT :
		    ST_SYSTEM, "cannot open %s", path);
		return NULL;
	}
	p = xcalloc(1, sizeof *p);
	p->speed = speed;
	got = load(p, fd, path, e);
	close(fd);
	if (got == 0)
		return p;
	replay_free(p);
	return NULL;
}

void
replay_free(struct replay *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i].line);
		free(r->v[i].usage);
	}
	free(r->v);
	free(r);
}

size_t
replay_count(const struct replay *r)
{
	return r->n;
}

bool
replay_has_tapes(const struct replay *r)
{
	return r->n > 0 && r->v[0].is_tape;
}

/* The value of key if it is of this kind. */
static struct slice
get(struct slice line, const char *key, enum scan_kind kind)
{
	struct slice v = scan_get(line, key);

	return scan_kind(v) == kind ? v : (struct slice){ NULL, 0 };
}

static void
get_message(struct slice line, struct replay_answer *a)
{
	struct slice content = scan_get(line, "content");

	switch (scan_kind(content)) {
	case SCAN_STRING:
	case SCAN_ARRAY:
	case SCAN_NULL:
		a->content = content;
		break;
	default:
		break;
	}
	a->reasoning = get(line, "reasoning", SCAN_STRING);
	if (a->reasoning.p == NULL)
		a->reasoning = get(line, "reasoning_content", SCAN_STRING);
	a->tool_calls = get(line, "tool_calls", SCAN_ARRAY);
	a->finish = get(line, "finish_reason", SCAN_STRING);
	a->meta = get(line, "meta", SCAN_OBJECT);
}

bool
replay_get(const struct replay *r, size_t i, struct replay_answer *a)
{
	struct slice line;

	*a = (struct replay_answer){ .is_error = false };
	if (i >= r->n)
		return false;
	line = (struct slice){ r->v[i].line, r->v[i].n };
	if (r->v[i].is_tape) {
		a->tape = line;
		return true;
	}
	a->usage = (struct slice){ r->v[i].usage, r->v[i].usage_n };
	a->is_error = r->v[i].is_error;
	if (!a->is_error) {
		get_message(line, a);
		return true;
	}
	a->code = get(line, "code", SCAN_STRING);
	a->message = get(line, "message", SCAN_STRING);
	a->retryable = scan_get(line, "retryable");
	a->partial = get(line, "partial", SCAN_OBJECT);
	return true;
}

/* ---- pacing ---- */

size_t
replay_piece(const struct replay *r, struct slice text)
{
	size_t max = text.n < PIECE_MAX ? text.n : PIECE_MAX, n = 0;

	if (!(r->speed > 0))
		return text.n;
	while (n < max && text.p[n] == ' ')
		n++;
	while (n < max && text.p[n] != ' ' && text.p[n] != '\n')
		n++;
	if (n < max && text.p[n] == '\n')
		n++;
	n = utf8_cut(text.p, text.n, n);
	return n > 0 ? n : text.n;
}

int
replay_delay(const struct replay *r, size_t piece)
{
	double ms;

	if (!(r->speed > 0))
		return 0;
	ms = (double)piece / 4 / r->speed * 1000;
	return ms < DELAY_MAX_MS ? (int)ms : DELAY_MAX_MS;
}
