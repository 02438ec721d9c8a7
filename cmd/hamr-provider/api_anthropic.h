/* api_anthropic.h - the two halves of the Messages API of Anthropic. */
#ifndef PROVIDER_API_ANTHROPIC_H
#define PROVIDER_API_ANTHROPIC_H

#include "body.h"

/* The body of a request; messages are legal (messages.h). */
void anthropic_body(const struct body *b, struct slice messages,
    struct buf *out);

#endif
