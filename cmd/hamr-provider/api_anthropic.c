/* api_anthropic.c - the Messages API of Anthropic: what comes. */
#include <string.h>

#include "api.h"
#include "api_anthropic.h"

static void
usage(struct answer *a, struct slice u)
{
	long long in = api_number(u, "input_tokens");
	long long read = api_number(u, "cache_read_input_tokens");
	long long made = api_number(u, "cache_creation_input_tokens");

	if (scan_kind(u) != SCAN_OBJECT)
		return;
	if (in >= 0)
		in += (read > 0 ? read : 0) + (made > 0 ? made : 0);
	api_usage(a, in, api_number(u, "output_tokens"), read, made);
}

/* A whole thought, kept as it must go back. */
static void
carry_thought(struct answer *a, struct slice text, struct slice mark)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	buf_adds(&b, "{\"type\":\"thinking\",\"thinking\":");
	scan_quote(&b, text.n > 0 ? text.p : "", text.n);
	buf_adds(&b, ",\"signature\":");
	scan_quote(&b, mark.n > 0 ? mark.p : "", mark.n);
	buf_addc(&b, '}');
	answer_carry(a, buf_view(&b));
	buf_release(&b);
}

static long
index_of(const struct scan *sc)
{
	int64_t n;

	return scan_int(api_member(sc, "index"), &n) && n >= 0 ? (long)n : 0;
}

static void
block_start(struct api_stream *st, const struct scan *sc, struct answer *a)
{
	struct slice c = api_member(sc, "content_block");
	struct slice type = scan_get(c, "type"), input = scan_get(c, "input");

	if (scan_str_is(type, "thinking")) {
		api_stream_reset(st);
		st->open = index_of(sc);
	} else if (scan_str_is(type, "redacted_thinking")) {
		answer_carry(a, c);
	} else if (scan_str_is(type, "tool_use")) {
		st->foreign = -1;	/* gateways that say 0 for every block */
		api_call(a, index_of(sc), scan_get(c, "id"),
		    scan_get(c, "name"), scan_kind(input) == SCAN_OBJECT &&
		    input.n > 2 ? input : (struct slice){ NULL, 0 });
	} else {
		/* what the server calls by itself has an input, too */
		if (input.p != NULL)
			st->foreign = index_of(sc);
		api_text(a, scan_get(c, "text"), answer_content);
	}
}

static void
block_delta(struct api_stream *st, const struct scan *sc, struct answer *a)
{
	struct slice d = api_member(sc, "delta"), type = scan_get(d, "type");
	struct slice none = { NULL, 0 };

	if (scan_str_is(type, "text_delta")) {
		api_text(a, scan_get(d, "text"), answer_content);
	} else if (scan_str_is(type, "thinking_delta")) {
		scan_str(scan_get(d, "thinking"), &st->text);
		api_text(a, scan_get(d, "thinking"), answer_reasoning);
	} else if (scan_str_is(type, "signature_delta")) {
		scan_str(scan_get(d, "signature"), &st->mark);
	} else if (scan_str_is(type, "input_json_delta") &&
	    index_of(sc) != st->foreign) {
		api_call(a, index_of(sc), none, none,
		    scan_get(d, "partial_json"));
	}
}

/* An answer without a stream. */
static enum api_said
whole(const struct scan *sc, struct answer *a)
{
	struct slice list = api_member(sc, "content"), c;
	struct walk w;
	long n = 0;

	walk_in(&w, list);
	while (scan_kind(list) == SCAN_ARRAY && walk_next(&w, NULL, &c)) {
		struct slice type = scan_get(c, "type");

		if (scan_str_is(type, "thinking"))
			api_text(a, scan_get(c, "thinking"),
			    answer_reasoning);
		if (scan_str_is(type, "thinking") ||
		    scan_str_is(type, "redacted_thinking"))
			answer_carry(a, c);
		else if (scan_str_is(type, "tool_use"))
			api_call(a, n++, scan_get(c, "id"),
			    scan_get(c, "name"), scan_get(c, "input"));
		else
			api_text(a, scan_get(c, "text"), answer_content);
	}
	api_text(a, api_member(sc, "model"), answer_model);
	api_text(a, api_member(sc, "stop_reason"), answer_finish);
	usage(a, api_member(sc, "usage"));
	return API_DONE;
}

static enum api_said
read(struct api_stream *st, const struct scan *sc, struct answer *a,
    struct slice data, struct failure *f)
{
	struct slice type = api_member(sc, "type"), m;

	if (scan_str_is(type, "error") ||
	    scan_kind(api_member(sc, "error")) == SCAN_OBJECT) {
		failure_event(f, data);
		return API_ERROR;
	}
	if (scan_str_is(type, "message"))
		return whole(sc, a);
	if (scan_str_is(type, "message_start")) {
		m = api_member(sc, "message");
		api_text(a, scan_get(m, "model"), answer_model);
		usage(a, scan_get(m, "usage"));
	} else if (scan_str_is(type, "content_block_start")) {
		block_start(st, sc, a);
	} else if (scan_str_is(type, "content_block_delta")) {
		block_delta(st, sc, a);
	} else if (scan_str_is(type, "content_block_stop")) {
		if (st->open >= 0 && st->open == index_of(sc)) {
			carry_thought(a, buf_view(&st->text),
			    buf_view(&st->mark));
			st->open = -1;
		}
	} else if (scan_str_is(type, "message_delta")) {
		usage(a, api_member(sc, "usage"));
		/* it counts when message_stop has come */
		buf_reset(&st->mark);
		scan_str(scan_get(api_member(sc, "delta"), "stop_reason"),
		    &st->mark);
	} else if (scan_str_is(type, "message_stop")) {
		answer_finish(a, st->mark.len > 0 ? buf_view(&st->mark) :
		    SLICE("end_turn"));
		return API_DONE;
	}
	return API_MORE;
}

const struct api api_anthropic = {
	.name = "anthropic",
	.own_url = "https://api.anthropic.com",
	.own_host = "https://api.anthropic.com",
	.url_env = "ANTHROPIC_BASE_URL",
	.key_env = "ANTHROPIC_API_KEY",
	.key_header = "x-api-key: ",
	.header = "anthropic-version: 2023-06-01",
	.models = "/v1/models",
	.one_system = true,
	.mark = "\"content\"",
	.path = "/v1/messages",
	.body = anthropic_body,
	.read = read,
};
