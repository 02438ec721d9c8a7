/* body.h - the body of one request, spliced together out of slices.
 *
 * Everything that stays the same from request to request comes first, then
 * the messages, then what may change: the bytes of two requests of one
 * conversation are the same up to the end of the shorter one's messages.
 */
#ifndef PROVIDER_BODY_H
#define PROVIDER_BODY_H

#include <stdbool.h>

#include "buf.h"
#include "dialect.h"
#include "messages.h"

struct body {
	const char *model;		/* "" or NULL: none is named */
	bool stream, system_in_place, reasoning, blind;
	enum dialect_kind dialect;
	bool has_temperature;
	double temperature;
	long long max_tokens;		/* 0: not sent */
	long long window;		/* to be asked for; 0: the server's */
	unsigned quirks;		/* quirks.h */
	struct slice conf_params;	/* a JSON object, or {NULL, 0} */
	/* of the request; JSON or {NULL, 0} */
	struct slice messages, tools, tool_choice, params;
	struct messages_past *past;	/* of the request before, or NULL */
};

/* The legal messages, as the chat completions API has them; with carry calls
 * keep what must go back with them. */
void body_messages(const struct body *b, bool forbidden, bool carry,
    struct buf *out);

/* The body of the chat completions API. */
void body_print(const struct body *b, struct buf *out);

#endif
