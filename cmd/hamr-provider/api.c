/* api.c - the adapters' table, and an event on its way to one. */
#include <string.h>

#include "adapter.h"
#include "api.h"
#include "utf8.h"

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

void
api_stream_init(struct api_stream *st)
{
	*st = (struct api_stream){ .open = -1, .foreign = -1 };
	buf_init(&st->text, BUF_RECORD_MAX);
	buf_init(&st->mark, BUF_RECORD_MAX);
}

void
api_stream_release(struct api_stream *st)
{
	buf_release(&st->text);
	buf_release(&st->mark);
	scan_release(&st->scan);
}

/* ---- events ---- */

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

static unsigned
hex4(const char *p, const char *end)
{
	unsigned n = 0;

	for (int i = 0; i < 4 && p < end; i++, p++)
		n = n << 4 | (unsigned)(*p <= '9' ? *p - '0' :
		    (*p | 32) - 'a' + 10);
	return n;
}

/* Is there an escaped surrogate without its other half?  It becomes U+FFFD
 * where it is decoded. */
static bool
has_lone_surrogate(struct slice checked)
{
	const char *p = checked.p, *end = checked.p + checked.n;

	while ((p = memchr(p, '\\', (size_t)(end - p))) != NULL) {
		unsigned n = p[1] == 'u' ? hex4(p + 2, end) : 0;

		p += p[1] == 'u' ? 6 : 2;
		if (n < 0xd800 || n > 0xdfff)
			continue;
		if (n > 0xdbff || p[0] != '\\' || p[1] != 'u' ||
		    (hex4(p + 2, end) & 0xfc00) != 0xdc00)
			return true;
		p += 6;
	}
	return false;
}

/* Is data, or what repair makes of it in fixed, one JSON object? */
static bool
is_object(struct scan *sc, struct slice *data, struct buf *fixed,
    bool *lossy)
{
	*lossy = false;
	if (scan_record(sc, data->p, data->n) == 0) {
		*lossy = has_lone_surrogate(*data);
		return true;
	}
	repair(*data, fixed);
	if (fixed->len == 0 || scan_record(sc, fixed->p, fixed->len) < 0)
		return false;
	*data = buf_view(fixed);
	*lossy = true;
	return true;
}

static enum api_said
read_event(const struct api *api, struct api_stream *st, struct answer *a,
    struct slice data, struct failure *f, struct buf *fixed)
{
	bool lossy, object = is_object(&st->scan, &data, fixed, &lossy);

	if (!object && st->is_cut && (strchr("{[", *data.p) != NULL ||
	    (api->own == NULL && !st->is_error)))
		return API_MORE;	/* the beginning of one */
	if (st->is_error) {
		if (object)
			failure_event(f, data);
		else
			failure_words(f, data);
		return API_ERROR;
	}
	if (api->own != NULL)
		return adapter_event(api->own, st, a, data, f);
	if (!object) {
		failure_set(f, "server", true, true, "the server sent an "
		    "event that is not a JSON object: %s", st->scan.why);
		return API_ERROR;
	}
	if (lossy)
		answer_lossy(a);
	return api->read(st, &st->scan, a, data, f);
}

enum api_said
api_event(const struct api *api, struct api_stream *st, struct answer *a,
    struct slice data, struct failure *f)
{
	struct buf fixed = BUF_INIT(BUF_RECORD_MAX);
	enum api_said said;

	if (is_blank(data, "[DONE]"))
		return API_DONE;
	if (is_blank(data, ""))
		return API_MORE;
	said = read_event(api, st, a, data, f, &fixed);
	buf_release(&fixed);
	return said;
}
