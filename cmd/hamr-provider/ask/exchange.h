/* exchange.h - a request and its answer, in one or more attempts. */
#pragma once

#include "api/adapter.h"
#include "api/api.h"
#include "server/provider.h"

/* Ask the server, with retries, and put the answer or the error. */
void exchange(struct provider *p, const struct ask *ask);

/* The same, answered from a line of a cassette. */
void exchange_play(struct provider *p, const struct ask *ask,
    struct slice line);

/* ---- one attempt ---- */

enum form_of_answer { FORM_UNKNOWN, FORM_SSE, FORM_WHOLE };

struct exchange {
	struct provider *p;
	const struct ask *ask;
	struct answer *answer;
	struct sse sse;
	struct buf body;		/* what is sent */
	struct buf raw;			/* received, unless as events */
	struct buf held;		/* an event whose text ends in half a
					 * surrogate pair */
	struct buf tape;		/* all received bytes, when recording */
	struct failure failure;
	struct http_reply reply;
	enum form_of_answer form;
	enum api_said said;
	struct api_stream stream;
	struct adapter_call call;	/* the adapter's request */
	bool is_whole;			/* one object, not lines */
	long long started, first;	/* ms; first 0: nothing received yet */
	char *url, *where;
};

/* Send the request and read the answer; x->failure.code is NULL on success.
 * Before the first attempt, zero x and set p and ask. */
void attempt_do(struct exchange *x);
void attempt_release(struct exchange *x);
