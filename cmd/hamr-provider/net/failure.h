/* failure.h - what went wrong, as a code of chapter 2.3 with plain words. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "http.h"

struct failure {
	const char *code;	/* of the closed list; NULL: nothing failed */
	bool retryable;		/* it may work later */
	bool again;		/* we may retry now, by ourselves */
	bool loading;		/* the server is still starting: wait for it */
	bool partial;		/* it broke off in the middle of an answer */
	long long limit;	/* the real window in tokens; 0: unknown */
	long long wait_ms;	/* Retry-After, -1: none */
	struct buf message;
};

#define FAILURE_MAX ((size_t)1 << 20)
void failure_init(struct failure *f);
void failure_release(struct failure *f);

/* Set code and message; the code decides whether it may be retried.  Always
 * returns -1, so that callers can return it. */
int failure_set(struct failure *f, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, but never to be retried. */
#define failure_final(f, ...) \
	(failure_set(f, __VA_ARGS__), (f)->retryable = (f)->again = false)

/* The failure code that a JSON string names, or NULL. */
const char *failure_code(struct slice val);

/* The answer of a server with a status other than 200. */
void failure_status(struct failure *f, long status, struct slice body);

/* An error within an answer of status 200.  object: the same text as checked
 * JSON, or {NULL, 0}. */
void failure_event(struct failure *f, struct slice text, struct slice object);

/* Does a server's message say that it, or its model, does not support
 * tools? */
bool words_no_tools(struct slice words);

/* A transfer that did not complete. */
void failure_transfer(struct failure *f, const struct http_reply *r,
    const char *where);
