/* body.h - the body of one request, assembled from slices.
 *
 * Everything that stays the same from request to request comes first, then
 * the messages, then what may change: the bytes of two requests of one
 * conversation are the same up to the end of the shorter one's messages.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "dialect/dialect.h"
#include "messages.h"

struct body {
	const char *model;		/* "": not sent */
	bool stream;
	struct messages_rules rules;
	enum dialect_kind dialect;
	double temperature;		/* -1: not sent */
	long long max_tokens;		/* 0: not sent */
	long long window;		/* to request; 0: the server's own */
	unsigned quirks;		/* quirks.h */
	struct slice conf_params;	/* a JSON object, or {NULL, 0} */
	/* of the request; JSON or {NULL, 0} */
	struct slice messages, tools, tool_choice, params;
	struct messages_cache *cache;	/* of the previous request, or NULL */
};

/* Append the messages, made legal, in the form of the chat completions API. */
void body_messages(const struct body *b, struct buf *out);

/* Append "{", the fields of own, and those of the configuration's and the
 * request's params that are not named in ours, see quirks_fields. */
void fields_begin(const struct body *b, struct slice own,
    const char *const *ours, struct buf *out);
/* Append one more field; if val is empty, the caller appends the value. */
void fields_put(const struct body *b, const char *key, struct slice val,
    struct buf *out);

bool body_has_tools(const struct body *b);

/* Append the temperature and ,"MAX_TOKENS":max_tokens, if they are to be sent;
 * that key may be NULL. */
void body_numbers(const struct body *b, const char *max_tokens,
    struct buf *out);
