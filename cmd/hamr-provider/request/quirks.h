/* quirks.h - what this server does not accept, learned from its answers. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

enum quirk {
	QUIRK_NO_STREAM_OPTIONS = 1,
	QUIRK_COMPLETION_TOKENS = 2,	/* instead of max_tokens */
	QUIRK_PLAIN_MAX_TOKENS = 4,	/* the reverse */
	QUIRK_NO_PARALLEL = 8,
	QUIRK_NO_EFFORT = 16,
	QUIRK_NO_TEMPERATURE = 32,
	QUIRK_NO_TOOL_CHOICE = 64,
	QUIRK_REASONING = 128,		/* must be sent back */
	QUIRK_NO_REASONING = 256,
	/* about the messages (messages.h, body.c) */
	QUIRK_SHORT_IDS = 512,		/* ids of 9 letters and digits */
	QUIRK_ALTERNATE = 1024,		/* user and assistant in turn */
	QUIRK_AFTER_TOOL = 2048,	/* no user message after a result */
	QUIRK_NO_STORE = 4096,
	QUIRK_NO_STREAM = 8192,		/* no streaming with tools */
	QUIRK_NO_TOOLS = 16384,		/* described as text instead */
	QUIRK_ONE_CALL = 32768,		/* unless asked for several */
	QUIRK_PLAIN_NAMES = 65536,	/* names of calls */
	QUIRK_DETAILS = 131072,		/* send back encrypted or signed
					 * reasoning; Gemini: or what stands
					 * for it */
	QUIRK_NO_INCLUDE = 262144,
	QUIRK_NO_CARRY = 524288,	/* no thoughts of another model */
	QUIRK_LESS_OUTPUT = 1048576,	/* lower limit than we asked for */
	QUIRK_NO_THINKING = 2097152,
	QUIRK_USER_IMAGES = 4194304,	/* no images in results */
	QUIRK_NO_IMAGES = 8388608,	/* none at all */
	QUIRK_SPLIT_CALLS = 16777216,	/* one call a message */
	QUIRKS_OF_TURNS = QUIRK_ALTERNATE | QUIRK_AFTER_TOOL |
	    QUIRK_SPLIT_CALLS
};

/* The quirk that a refusal (its status and message) of this body reveals, if
 * it is not known yet and would change the body; else 0. */
unsigned quirks_learn(unsigned known, long status, struct slice words,
    struct slice body);

/* The most tokens that an answer may have, according to the refusal of a body
 * that asks for more; 0: the refusal is about something else. */
long long quirks_most_output(struct slice words, struct slice body);

/* Append a field of the object named `in` (empty: the body), whose "{" is
 * written already; known quirks rename it, or drop it (false). */
bool quirks_field(unsigned known, struct slice in, struct slice key,
    struct slice val, struct buf *out);

/* Append the fields of n <= QUIRKS_FROM objects, each as quirks_field does; of
 * all objects but the first those not named in ours (NULL: all of them).  A
 * later field replaces an earlier one of the same name; an object of settings,
 * such as Ollama's options, is merged into the earlier one. */
#define QUIRKS_FROM 3
void quirks_fields(unsigned known, struct slice in, const struct slice *from,
    size_t n, const char *const *ours, struct buf *out);
