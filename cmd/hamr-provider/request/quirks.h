/* quirks.h - what this server does not take, learned from its answers. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

enum quirk {
	QUIRK_NO_STREAM_OPTIONS = 1,
	QUIRK_COMPLETION_TOKENS = 2,	/* for max_tokens */
	QUIRK_PLAIN_MAX_TOKENS = 4,	/* the other way round */
	QUIRK_NO_PARALLEL = 8,
	QUIRK_NO_EFFORT = 16,
	QUIRK_NO_TEMPERATURE = 32,
	QUIRK_NO_TOOL_CHOICE = 64,
	QUIRK_REASONING = 128,		/* send it back anyway */
	QUIRK_NO_REASONING = 256,
	/* about the messages (messages.h, turns.h) */
	QUIRK_SHORT_IDS = 512,		/* ids of 9 letters and digits */
	QUIRK_ALTERNATE = 1024,		/* user and assistant in turn */
	QUIRK_AFTER_TOOL = 2048,	/* no user message behind a result */
	QUIRK_NO_STORE = 4096,
	QUIRK_NO_STREAM = 8192,		/* not with tools, it says */
	QUIRK_NO_TOOLS = 16384,		/* described as text instead */
	QUIRK_ONE_CALL = 32768,		/* unless asked for several */
	QUIRK_PLAIN_NAMES = 65536,	/* names of calls */
	QUIRK_DETAILS = 131072,		/* encrypted reasoning goes back */
	QUIRK_NO_INCLUDE = 262144,
	QUIRK_NO_CARRY = 524288,	/* thoughts of another model: no */
	QUIRK_LESS_OUTPUT = 1048576,	/* than was asked for */
	QUIRKS_OF_TURNS = QUIRK_ALTERNATE | QUIRK_AFTER_TOOL
};

/* The quirk that a refusal (status, its words) of this body tells of, that is
 * not known yet and that would change the body; 0 if none. */
unsigned quirks_learn(unsigned known, long status, struct slice words,
    struct slice body);

/* The most tokens that an answer may have, as the refusal of a body that asks
 * for more says; 0: it is about something else. */
long long quirks_most_output(struct slice words, struct slice body);

/* Append a field of the object named in (empty: of the body), whose "{" is
 * written, under the name it goes by or not at all.  In val, when it holds
 * settings of the body, the same is done. */
void quirks_field(unsigned known, struct slice in, struct slice key,
    struct slice val, struct buf *out);

/* Append body (checked JSON) with all its fields so. */
void quirks_body(unsigned known, struct slice body, struct buf *out);
