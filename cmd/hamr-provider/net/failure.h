/* failure.h - what went wrong, as a code of chapter 2.3 with plain words. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "http.h"

struct failure {
	const char *code;	/* of the closed list; NULL: nothing failed */
	bool retryable;		/* later it may work */
	bool again;		/* we may try again ourselves, now */
	bool loading;		/* the server is still starting: wait for it */
	bool partial;		/* it broke off in the middle of an answer */
	long long limit;	/* the true window, 0: unknown */
	long long wait_ms;	/* Retry-After, -1: none */
	struct buf message;
};

#define FAILURE_MAX ((size_t)1 << 20)
void failure_init(struct failure *f);
void failure_release(struct failure *f);

/* A failure in our own words; whether it may be tried again goes by its code.
 * Returns -1, to end a function with. */
int failure_set(struct failure *f, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, but it is never to be tried again. */
#define failure_final(f, ...) \
	(failure_set(f, __VA_ARGS__), (f)->retryable = (f)->again = false)

/* The one of the codes that a JSON string says, or NULL. */
const char *failure_code(struct slice val);

/* The answer of a server with a status other than 200. */
void failure_status(struct failure *f, long status, struct slice body);

/* An error object within an answer of status 200 (checked JSON). */
void failure_event(struct failure *f, struct slice object);

/* The same in words that are not JSON. */
void failure_words(struct failure *f, struct slice text);

/* Do a server's words say that it, or its model, has no tools of its own? */
bool words_no_tools(struct slice words);

/* A transfer that did not come to its end. */
void failure_transfer(struct failure *f, const struct http_reply *r,
    const char *where);

/* Retry-After in both forms, in milliseconds from now (unix time); -1 when
 * it is neither.  What is in the past is 0. */
long long retry_after_ms(const char *header, long long now);
