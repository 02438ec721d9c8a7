/* replay.c - answers from a file instead of a server. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "answer/calls.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "record/msg.h"

#include "exchange.h"
#include "replay.h"

/* The longest piece of text shown at once, and the longest wait for it. */
#define PIECE_MAX 64
#define DELAY_MAX_MS 10000

struct entry {
	struct slice line;
	struct slice usage;	/* the usage record between the previous
				 * answer and this one */
	bool is_error, is_tape;
};

struct replay {
	struct entry *v;
	size_t n, cap;
	struct arena lines;	/* what the entries hold */
	double speed;
};

/* ---- the file ---- */

bool
replay_counts(const struct rec *r)
{
	struct slice stage = rec_get(r, "stage");

	return r->kind == R_ASSISTANT || (r->kind == R_ERROR &&
	    (scan_str_is(stage, "provider") ||
	    scan_str_is(stage, "hamr-provider")));
}

struct replay *
replay_open(const char *path, double speed, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), got;
	struct slice usage = { NULL, 0 };
	const struct rec *r;
	struct rec_in in;

	if (fd < 0) {
		err_sys(e, errno == ENOENT || errno == ENOTDIR ? ST_NOINPUT :
		    ST_SYSTEM, "cannot open %s", path);
		return NULL;
	}
	struct replay *p = xcalloc(1, sizeof *p);
	p->speed = speed;
	rec_in_init(&in, fd, path, REC_MAX);
	while ((got = rec_next(&in, &r, e)) == 1) {
		bool is_tape = rec_str_is(r, "type", "exchange") &&
		    !scan_true(rec_get(r, "again"));
		struct slice line = { NULL, r->line.n };
		struct slice hex = rec_get(r, "response_hex");
		struct slice digits = scan_plain(hex);
		bool bad = hex.p != NULL && (digits.p == NULL ||
		    digits.n % 2 != 0);

		for (size_t i = 0; !bad && i < digits.n; i++)
			bad = num_hex(digits.p[i]) < 0;
		if (is_tape && bad) {
			got = err_set(e, ST_DATA, "%s:%zu: response_hex must "
			    "be a string of hexadecimal digits, two a byte",
			    path, r->no);
			break;
		}
		if (is_tape || replay_counts(r) || (r->kind == R_ERROR &&
		    rec_get(r, "stage").p == NULL)) {
			line.p = arena_dup(&p->lines, r->line.p, line.n);
			GROW(p->v, p->n, p->cap);
			p->v[p->n++] = (struct entry){ line, usage,
			    r->kind == R_ERROR, is_tape };
			usage = (struct slice){ NULL, 0 };
		} else if (r->kind == R_USAGE) {
			usage = line;
			usage.p = arena_dup(&p->lines, r->line.p, line.n);
		}
	}
	rec_in_release(&in);
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
	arena_release(&r->lines);
	FREE(r->v, r);
}

bool
replay_has_tapes(const struct replay *r)
{
	return r->n > 0 && r->v[0].is_tape;
}

/* ---- shown as deltas ---- */

/* Show a text (a JSON string, or content parts) as deltas of whole characters,
 * about a word each, or as one delta when not paced.  The part that was shown
 * is appended to shown, if not NULL.  False: the current work must end. */
static bool
show(struct provider *p, const char *kind, struct slice val, struct buf *shown)
{
	double speed = p->replay->speed;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	msg_text(val, &b);
	for (size_t at = 0; at < b.len && p->flags == 0;) {
		struct slice piece = slice_from(buf_view(&b), at);
		size_t max = num_min(piece.n, PIECE_MAX), n = 0;
		double ms = 0;

		while (n < max && piece.p[n] == ' ')
			n++;
		while (n < max && piece.p[n] != ' ' && piece.p[n] != '\n')
			n++;
		if (n < max && piece.p[n] == '\n')
			n++;
		n = utf8_cut(piece.p, piece.n, n);
		if (speed > 0 && n > 0)
			piece.n = n;
		if (speed > 0)
			ms = (double)piece.n / 4 / speed * 1000;
		if (!provider_pause(p, ms < DELAY_MAX_MS ? (long long)ms :
		    DELAY_MAX_MS))
			break;
		provider_delta(p, kind, piece);
		if (shown != NULL)
			buf_slice(shown, piece);
		at += piece.n;
	}
	buf_release(&b);
	return p->flags == 0;
}

/* ---- the message ---- */

/* Write one call: its own bytes if it has our form, but with what it lacks and
 * without a repeated id. */
static void
put_call(struct provider *p, struct map *fresh, struct slice call,
    struct buf *out, struct buf *malformed)
{
	struct buf args = BUF_INIT(BUF_RECORD_MAX);
	struct buf was = BUF_INIT(BUF_RECORD_MAX);
	struct buf id = BUF_INIT(BUF_RECORD_MAX);
	struct slice fn = scan_get(call, "function");
	struct call_delta delta = call_delta(call);
	struct calls one = { .v = NULL };

	if (scan_kind(scan_get(fn, "name")) != SCAN_STRING ||
	    !scan_str(scan_get(fn, "arguments"), &args) ||
	    slice_is(buf_view(&args), "null") ||
	    slice_trim(buf_view(&args)).n == 0) {
		calls_merge(&one, &delta, &was);
		calls_put(&one, &p->ids, fresh, out, malformed);
		calls_reset(&one);
	} else {
		scan_str(scan_get(call, "id"), &was);
		ids_make(&p->ids, fresh, buf_view(&was), &id);
		if (!scan_is_json(buf_view(&args)))
			scan_put(malformed, malformed->len > 0 ? ",@" : "@",
			    buf_view(&id));
		if (slice_eq(buf_view(&was), buf_view(&id)) &&
		    scan_str_is(scan_get(call, "type"), "function"))
			scan_put(out, "$$", scan_comma(out), call);
		else {
			scan_put(out, "${'id':@,'type':'function',"
			    "'function':$", scan_comma(out), buf_view(&id), fn);
			msg_put_carried(call, false, out);
			buf_addc(out, '}');
		}
	}
	bufs_release(BUFS(&args, &was, &id));
}

/* Keep the meta of the recorded message, except the keys that we set. */
static void
put_message(struct provider *p, struct slice line, struct slice reasoning)
{
	struct buf out = BUF_INIT((size_t)1 << 40);
	struct buf malformed = BUF_INIT(BUF_RECORD_MAX);
	struct slice content = scan_get(line, "content"), key, val;
	struct slice calls = scan_only(SCAN_ARRAY, scan_get(line,
	    "tool_calls"));
	struct slice finish = scan_only(SCAN_STRING, scan_get(line,
	    "finish_reason"));
	struct slice meta = scan_only(SCAN_OBJECT, scan_get(line, "meta"));
	bool has_calls = msg_count_calls(calls) > 0;
	struct map fresh = { NULL, 0, 0 };

	if (scan_kind(content) != SCAN_STRING &&
	    scan_kind(content) != SCAN_ARRAY)
		content = has_calls ? SLICE("null") : SLICE("\"\"");
	scan_put(&out, "{'role':'assistant','content':$", content);
	if (reasoning.n > 2)
		scan_put(&out, ",'reasoning':$", reasoning);
	if (has_calls) {
		scan_put(&out, ",'tool_calls':[");
		for (struct walk w = walk_of(calls);
		    walk_next(&w, NULL, &val); )
			if (scan_kind(val) == SCAN_OBJECT)
				put_call(p, &fresh, val, &out, &malformed);
		buf_addc(&out, ']');
		map_release(&fresh);
	}
	scan_put(&out, ",'finish_reason':$,'meta':{", finish.p != NULL ?
	    finish : has_calls ? SLICE("\"tool_calls\"") :
	    SLICE("\"stop\""));
	val = scan_get(meta, "model");
	scan_put(&out, val.p != NULL ? "'model':$,'api':'replay'" :
	    "'api':'replay'", val);
	for (struct walk w = walk_of(meta); walk_next(&w, &key, &val); )
		if (!slice_is(key, "model") && !slice_is(key, "api") &&
		    !slice_is(key, "malformed"))
			scan_put(&out, ",'$':$", key, val);
	scan_put(&out, malformed.len > 0 ? ",'malformed':[$]}}" : "}}",
	    buf_view(&malformed));
	buf_release(&malformed);
	provider_put(p, R_ASSISTANT, &out);
}

void
replay_answer(struct provider *p, const struct ask *ask)
{
	const struct replay *r = p->replay;
	const struct entry *a = p->answers < r->n ? &r->v[p->answers] : NULL;
	struct failure f = { .message = BUF_INIT(BUF_RECORD_MAX) };
	struct buf shown = BUF_INIT(BUF_RECORD_MAX), partial = shown;
	struct call c;

	if (a == NULL) {
		provider_fail_final(p, "server", SLICE(""), "the replay has "
		    "%zu answer%s and this would be number %zu; record more, "
		    "or use a server", r->n, r->n == 1 ? "" : "s",
		    p->answers + 1);
		return;
	}
	if (a->is_tape) {
		exchange_play(p, ask, a->line);
		return;
	}
	if (a->is_error) {
		char *code = scan_strdup(scan_get(a->line, "code"));
		f.code = code != NULL ? code : "server";
		f.retryable = scan_true(scan_get(a->line, "retryable"));
		if (!scan_str(scan_get(a->line, "message"), &f.message))
			buf_adds(&f.message, "a recorded failure");
		provider_fail(p, &f, scan_only(SCAN_OBJECT, scan_get(a->line,
		    "partial")));
		failure_release(&f);
		free(code);
		return;
	}
	struct slice reasoning = scan_only(SCAN_STRING, scan_get(a->line,
	    "reasoning"));
	struct walk w = walk_elements(scan_get(a->line, "tool_calls"));
	if (reasoning.p == NULL)
		reasoning = scan_only(SCAN_STRING, scan_get(a->line,
		    "reasoning_content"));
	bool whole = show(p, "reasoning", reasoning, NULL) &&
	    show(p, "content", scan_get(a->line, "content"), &shown);
	while (whole && msg_next_call(&w, &c))
		whole = show(p, "tool_call", c.name, NULL) &&
		    show(p, "tool_call", c.args, NULL);
	if (whole) {
		if (a->usage.p != NULL)
			stage_put(p->stage, R_USAGE, a->usage);
		put_message(p, a->line, reasoning);
	} else if (p->flags == STAGE_CANCEL) {
		scan_put(&partial, "{'content':@}", buf_view(&shown));
		provider_fail_final(p, "interrupted", buf_view(&partial),
		    "cancelled");
	}
	bufs_release(BUFS(&shown, &partial));
}
