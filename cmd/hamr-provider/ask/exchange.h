/* exchange.h - a request and its answer, in one attempt or more. */
#pragma once

#include "api/adapter.h"
#include "api/api.h"
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
