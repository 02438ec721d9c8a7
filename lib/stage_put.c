/* stage_put.c - what a stage writes: its records, through --jq; its status. */
#include <stdlib.h>

#include "mem.h"
#include "stage.h"

static bool
is_written(const struct stage *s, enum rec_kind kind)
{
	if (s->mute)
		return false;
	if (s->mode != STAGE_FILTER || !rec_is_passing(kind))
		return true;
	return kind == R_REQUEST ||
	    (s->stream && (kind == R_DELTA || kind == R_OUTPUT));
}

/* A line through --jq: what comes of it.  A record it cannot do with is said
 * and makes the status 65; without it there is nothing more to write. */
static void
put_filtered(struct stage *s, struct slice line)
{
	struct buf made = BUF_INIT(BUF_RECORD_MAX * 2);
	struct err e;
	int r = program_run(s->jq, line, &made, &e);

	if (made.len > 0)
		rec_put(&s->out, (struct slice){ made.p, made.len - 1 });
	if (r > 0)
		stage_status(s, err_report(&e));
	if (r < 0)
		stage_fail(s, &e);
	buf_release(&made);
}

static void
put_line(struct stage *s, struct slice line)
{
	if (s->jq == NULL)
		rec_put(&s->out, line);
	else if (!s->failed)
		put_filtered(s, line);
}

void
stage_put(struct stage *s, enum rec_kind kind, struct slice line)
{
	if (is_written(s, kind))
		put_line(s, line);
}

void
stage_put_parts(struct stage *s, enum rec_kind kind, const struct slice *part,
    size_t n)
{
	struct buf line = BUF_INIT((size_t)1 << 40);

	if (!is_written(s, kind))
		return;
	if (s->jq == NULL) {
		rec_put_parts(&s->out, part, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		buf_slice(&line, part[i]);
	put_line(s, buf_view(&line));
	buf_release(&line);
}

void
stage_put_json(struct stage *s, enum rec_kind kind, struct json *o)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (is_written(s, kind)) {
		json_print(o, &b);
		put_line(s, buf_view(&b));
	}
	buf_release(&b);
	json_free(o);
}

void
stage_error(struct stage *s, const char *code, bool retryable,
    const char *message, struct json *extra)
{
	struct json *o = json_object();
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice key, val;
	struct walk w;

	json_str(o, "type", "error");
	json_str(o, "stage", s->ops->name);
	json_str(o, "code", code);
	json_str(o, "message", message);
	json_bool(o, "retryable", retryable);
	if (extra != NULL) {
		json_print(extra, &b);
		walk_in(&w, buf_view(&b));
		while (walk_next(&w, &key, &val)) {
			char *k = xmemdup0(key.p, key.n);

			json_raw(o, k, val);
			free(k);
		}
		json_free(extra);
		buf_release(&b);
	}
	stage_put_json(s, R_ERROR, o);
}

void
stage_status(struct stage *s, int status)
{
	if (s->status == 0 || (s->status < 65 && status >= 65))
		s->status = status;
}

void
stage_fail(struct stage *s, const struct err *e)
{
	if (s->failed)
		return;
	s->failed = true;
	s->err = *e;
}
