/* exchange.h - a request and its answer, in one attempt or more. */
#pragma once

#include "api/adapter.h"
#include "api/api.h"
#include "net/sse.h"
#include "server/provider.h"

/* Ask the server and put what comes of it. */
void exchange(struct provider *p, const struct ask *ask);

/* The same out of a line of a cassette. */
void exchange_play(struct provider *p, const struct ask *ask,
    struct slice line);

/* ---- one attempt ---- */

enum form_of_answer { FORM_UNKNOWN, FORM_SSE, FORM_WHOLE };

struct exchange {
	struct provider *p;
	const struct ask *ask;
	struct sse sse;
	struct buf body;		/* what is sent */
	struct buf raw;			/* what came, unless it is events */
	struct buf tape;		/* all that came, when it is recorded */
	struct failure failure;
	struct http_reply reply;
	enum form_of_answer form;
	enum api_said said;
	struct api_stream stream;
	struct adapter_call call;	/* what an adapter wants sent */
	bool is_whole;			/* it is not lines */
	long long started, first;	/* ms; first 0: nothing came yet */
	char *url, *where;
};

/* Zero x and give it provider and ask first. */
void attempt_init(struct exchange *x);
void attempt_release(struct exchange *x);

/* Send the request and read the answer; x->failure.code is NULL when there is
 * one. */
void attempt_do(struct exchange *x);

/* The same with an exchange of a cassette (its line), cut into pieces of
 * chunk bytes (0: one). */
void attempt_play(struct exchange *x, struct slice line, size_t chunk);

/* ---- cassettes (chapter 4.5) ----
 *
 * NDJSON, one exchange a line: {"type":"exchange","v":1,"api","request",
 * "status","end","response"}; response_hex instead where the bytes are no
 * text.  The key is blanked, and no header is in it.
 */

/* Append what happened to the cassette p->record, if there is one; again: it
 * is tried once more, so that no answer came of it. */
void cassette_add(struct exchange *x, bool again);

/* The bytes of the response, and how it ended. */
void cassette_read(struct slice line, struct buf *out, struct http_reply *r);
