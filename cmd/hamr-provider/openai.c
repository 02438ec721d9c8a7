/* openai.c - chunks and answers of the chat completions API, read. */
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "openai.h"
#include "utf8.h"

#define EVENT_MAX BUF_RECORD_MAX

/* ---- small steps ---- */

static bool
is_blank(struct slice s, const char *text)
{
	while (s.n > 0 && strchr(" \t\r\n", *s.p) != NULL) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && strchr(" \t\r\n", s.p[s.n - 1]) != NULL)
		s.n--;
	return slice_is(s, text);
}

/* Bytes the door refuses: bad UTF-8, and NUL escaped.  \u0000 and \ufffd have
 * one length, so this is done in place. */
static void
repair(struct slice data, struct buf *out)
{
	utf8_clean(out, data.p, data.n);
	for (size_t i = 0; i + 5 < out->len; i++) {
		if (out->p[i] != '\\')
			continue;
		if (memcmp(out->p + i, "\\u0000", 6) == 0)
			memcpy(out->p + i, "\\ufffd", 6);
		i++;
	}
}

static struct slice
member(const struct scan *sc, const char *key)
{
	for (size_t i = 0; i < sc->n; i++)
		if (scan_key_is(sc->m[i].key, key))
			return sc->m[i].val;
	return (struct slice){ NULL, 0 };
}

typedef void feed_fn(struct answer *a, struct slice text);

/* A string, or an array of text parts, decoded. */
static bool
feed(struct answer *a, struct slice val, feed_fn *fn)
{
	struct buf b = BUF_INIT(EVENT_MAX);
	bool is_text = msg_text(val, &b) && b.len > 0;

	if (is_text)
		fn(a, buf_view(&b));
	buf_release(&b);
	return is_text;
}

/* ---- parts of a chunk ---- */

static void
read_details(struct answer *a, struct slice list)
{
	struct slice key, val;
	struct walk w;

	walk_in(&w, list);
	while (walk_next(&w, &key, &val))
		if (!feed(a, scan_get(val, "text"), answer_reasoning))
			feed(a, scan_get(val, "summary"), answer_reasoning);
}

static void
read_calls(struct answer *a, struct slice list)
{
	struct slice key, val;
	struct walk w;

	if (scan_kind(list) != SCAN_ARRAY)
		return;
	walk_in(&w, list);
	while (walk_next(&w, &key, &val))
		if (scan_kind(val) == SCAN_OBJECT)
			answer_call(a, val);
}

/* A delta, or the message of an answer without a stream. */
static void
read_delta(struct answer *a, struct slice d)
{
	if (!feed(a, scan_get(d, "reasoning_content"), answer_reasoning) &&
	    !feed(a, scan_get(d, "reasoning"), answer_reasoning) &&
	    scan_kind(scan_get(d, "reasoning_details")) == SCAN_ARRAY)
		read_details(a, scan_get(d, "reasoning_details"));
	if (!feed(a, scan_get(d, "content"), answer_content))
		feed(a, scan_get(d, "refusal"), answer_content);
	read_calls(a, scan_get(d, "tool_calls"));
	if (scan_kind(scan_get(d, "function_call")) == SCAN_OBJECT)
		answer_call(a, scan_get(d, "function_call"));
}

static void
read_choice(struct answer *a, struct slice c)
{
	struct slice d = scan_get(c, "delta");
	struct buf b = BUF_INIT(4096);
	int64_t index;

	if (scan_int(scan_get(c, "index"), &index) && index != 0)
		return;
	if (scan_kind(d) == SCAN_OBJECT)
		read_delta(a, d);
	else if (!answer_started(a))
		read_delta(a, scan_get(c, "message"));
	if (scan_str(scan_get(c, "finish_reason"), &b))
		answer_finish(a, buf_view(&b));
	answer_usage(a, scan_get(c, "usage"));
	buf_release(&b);
}

static bool
is_error(const struct scan *sc, struct slice choices)
{
	struct slice e = member(sc, "error");

	if (scan_kind(e) == SCAN_OBJECT || scan_kind(e) == SCAN_STRING)
		return true;
	if (scan_str_is(member(sc, "object"), "error") ||
	    scan_str_is(member(sc, "type"), "error"))
		return true;
	return choices.p == NULL && (member(sc, "detail").p != NULL ||
	    member(sc, "message").p != NULL);
}

static enum openai_said
read_chunk(const struct scan *sc, struct answer *a, struct slice data,
    struct failure *f)
{
	struct slice choices = member(sc, "choices"), key, val;
	struct buf b = BUF_INIT(4096);
	struct walk w;

	if (is_error(sc, choices)) {
		failure_event(f, data);
		return OPENAI_ERROR;
	}
	if (scan_str(member(sc, "model"), &b))
		answer_model(a, buf_view(&b));
	buf_release(&b);
	if (scan_kind(choices) == SCAN_ARRAY) {
		walk_in(&w, choices);
		while (walk_next(&w, &key, &val)) {
			if (scan_kind(scan_get(val, "error")) == SCAN_OBJECT) {
				failure_event(f, val);
				return OPENAI_ERROR;
			}
			read_choice(a, val);
		}
	}
	answer_usage(a, scan_get(member(sc, "x_groq"), "usage"));
	answer_usage(a, member(sc, "usage"));
	return answer_finished(a) ? OPENAI_FINISHED : OPENAI_MORE;
}

enum openai_said
openai_read(struct scan *sc, struct answer *a, struct slice data,
    struct failure *f)
{
	struct buf fixed = BUF_INIT(EVENT_MAX);
	enum openai_said said;

	if (is_blank(data, "[DONE]"))
		return OPENAI_DONE;
	if (is_blank(data, ""))
		return OPENAI_MORE;
	if (scan_record(sc, data.p, data.n) < 0) {
		repair(data, &fixed);
		if (scan_record(sc, fixed.p, fixed.len) < 0) {
			failure_set(f, "server", true, true, "the server sent "
			    "an event that is no JSON object: %s", sc->why);
			buf_release(&fixed);
			return OPENAI_ERROR;
		}
		answer_lossy(a);
		data = buf_view(&fixed);
	}
	said = read_chunk(sc, a, data, f);
	buf_release(&fixed);
	return said;
}
