/* api.c - find an API by name; check events and pass them to it. */
#include <ctype.h>
#include <string.h>

#include "record/msg.h"

#include "adapter.h"
#include "api.h"

const char api_names[] = "openai, responses, anthropic, gemini, ollama, "
    "replay";

const struct api *
api_named(const char *name)
{
	static const struct api *const all[] = { &api_openai, &api_responses,
		&api_anthropic, &api_gemini, &api_ollama, NULL };

	for (size_t i = 0; all[i] != NULL; i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}

const char *
api_url_hint(const struct api *api)
{
	return strstr(api->own_url, "/v1") != NULL ?
	    "check base_url (it often ends in /v1)" : "check base_url";
}

void
api_stream_reset(struct api_stream *st)
{
	bufs_reset(BUFS(&st->text, &st->mark));
	st->open = st->foreign = -1;
	st->deltas = false;
}

/* ---- events ---- */

enum api_said
api_event(const struct api *api, struct api_stream *st, struct answer *a,
    struct slice data, struct failure *f)
{
	static const char *const alive[] = { "ping", "keep-alive",
		"heartbeat", NULL };
	struct buf fixed = BUF_INIT(BUF_RECORD_MAX);
	struct slice trimmed = slice_trim(data);
	enum api_said said = API_ERROR;
	bool over = answer_finished(a) && a->finish != FINISH_ERROR;

	if (trimmed.n == 0 || (api->own == NULL && slice_in(trimmed, alive)))
		return API_MORE;
	if (slice_is(trimmed, "[DONE]"))
		return API_DONE;
	if (api->own == NULL)		/* for an adapter, blanks may be text */
		data = trimmed;
	bool object = scan_record(&st->scan, data.p, data.n) == 0;
	bool lossy = object && scan_lone_surrogate(data) != NULL;
	if (!object) {		/* it may become valid when repaired */
		scan_repair(data, &fixed);
		object = lossy = fixed.len > 0 &&
		    scan_record(&st->scan, fixed.p, fixed.len) == 0;
		data = object ? buf_view(&fixed) : data;
	}
	/* ignore what follows the answer, and an object that was cut */
	if (!object && ((api->own == NULL && answer_finished(a)) ||
	    (st->sse->is_cut && (strchr("{[", *data.p) != NULL ||
	    (api->own == NULL && !st->sse->is_error)))))
		said = answer_finished(a) ? API_FINISHED : API_MORE;
	else if (st->sse->is_error && object)
		api_fails(f, data);
	else if (st->sse->is_error || (!object && api->own == NULL &&
	    isalpha((unsigned char)*data.p)))
		failure_event(f, data, (struct slice){ NULL, 0 });
	else if (api->own != NULL)
		said = adapter_event(api->own, st, a, data, f);
	else if (!object)
		failure_set(f, "server", "the server sent an event that is "
		    "not a JSON object: %s", st->scan.why);
	else {
		a->lossy |= lossy;
		said = api->read(st, a, data, f);
	}
	buf_release(&fixed);
	if (said == API_ERROR && over) {	/* it says nothing new */
		failure_release(f);
		failure_init(f);
		said = API_FINISHED;
	}
	return said;
}

/* ---- for those who read events ---- */

struct slice
api_member(const struct api_stream *st, const char *key)
{
	return scan_member(st->scan.m, st->scan.n, key);
}

enum api_said
api_fails(struct failure *f, struct slice object)
{
	failure_event(f, object, object);
	return API_ERROR;
}

bool
api_text(struct answer *a, struct slice val, api_text_fn *fn)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	bool any = msg_text(val, &b) && b.len > 0;

	if (any)
		fn(a, buf_view(&b));
	buf_release(&b);
	return any;
}

void
api_apart(struct answer *a, size_t had, api_text_fn *fn)
{
	if (had > 0)
		fn(a, SLICE("\n\n"));
}

void
api_call(struct answer *a, long index, struct slice id, struct slice name,
    struct slice args)
{
	struct call_delta d = { .id = id, .name = name, .args = args,
		.index = index >= 0 ? SCAN_INT(index) :
		(struct slice){ NULL, 0 } };

	answer_call(a, &d);
}
