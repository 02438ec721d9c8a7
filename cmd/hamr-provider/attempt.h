/* attempt.h - one request to a server and what became of it. */
#ifndef PROVIDER_ATTEMPT_H
#define PROVIDER_ATTEMPT_H

#include "adapter.h"
#include "api.h"
#include "provider.h"
#include "sse.h"

enum form { FORM_UNKNOWN, FORM_SSE, FORM_WHOLE };

struct exchange {
	struct provider *p;
	const struct ask *ask;
	struct sse sse;
	struct buf body;		/* what is sent */
	struct buf raw;			/* what came, unless it is events */
	struct buf tape;		/* all that came, when it is recorded */
	struct failure failure;
	struct http_reply reply;
	enum form form;
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

/* Wait for descriptors; not 0: something ends the work in hand. */
int attempt_wait(void *p, struct pollfd *fds, size_t n, int ms);

#endif
