/* quirks.c - what this server does not take, learned from its answers. */
#include <stdio.h>
#include <string.h>

#include "quirks.h"
#include "scan.h"

static const struct row {
	enum quirk quirk;
	const char *field;	/* as it stands in the body, or OBJECT.FIELD */
	const char *renamed;	/* NULL: left out */
} rows[] = {
	{ QUIRK_NO_STREAM_OPTIONS, "stream_options", NULL },
	{ QUIRK_PLAIN_MAX_TOKENS, "max_completion_tokens", "max_tokens" },
	{ QUIRK_COMPLETION_TOKENS, "max_tokens", "max_completion_tokens" },
	{ QUIRK_NO_PARALLEL, "parallel_tool_calls", NULL },
	{ QUIRK_NO_EFFORT, "reasoning_effort", NULL },
	{ QUIRK_NO_EFFORT, "reasoning.effort", NULL },
	{ QUIRK_NO_TEMPERATURE, "temperature", NULL },
	{ QUIRK_NO_TOOL_CHOICE, "tool_choice", NULL },
	{ QUIRK_NO_STORE, "store", NULL },
};

#define NROWS (sizeof rows / sizeof *rows)

static bool
has(struct slice s, const char *word)
{
	return s.n > 0 && memmem(s.p, s.n, word, strlen(word)) != NULL;
}

/* Is "name": in the body?  A text that holds it has its quotes escaped. */
static bool
sends_text(struct slice body, const char *name)
{
	char quoted[64];

	snprintf(quoted, sizeof quoted, "\"%s\":", name);
	return has(body, quoted);
}

/* ---- fields ---- */

/* Does the field key of the object named in (empty: of the body) go by this
 * row? */
static bool
is_of(const struct row *r, struct slice in, struct slice key)
{
	const char *dot = strchr(r->field, '.');

	if (dot == NULL)
		return slice_is(key, r->field);
	return in.n == (size_t)(dot - r->field) &&
	    memcmp(in.p, r->field, in.n) == 0 && slice_is(key, dot + 1);
}

/* The objects of a body that hold settings, and nothing of the conversation
 * or of a schema. */
static bool
is_settings(struct slice key, struct slice val)
{
	static const char *const names[] = { "generationConfig",
		"generation_config", "inferenceConfig", "options",
		"parameters", "extra_body", "reasoning" };

	if (val.n == 0 || scan_kind(val) != SCAN_OBJECT)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (slice_is(key, names[i]))
			return true;
	return false;
}

/* Would knowing this row change the body? */
static bool
changes(const struct row *r, struct slice in, struct slice object)
{
	struct slice key, val;
	struct walk w;

	if (scan_kind(object) != SCAN_OBJECT)
		return false;
	walk_in(&w, object);
	while (walk_next(&w, &key, &val))
		if (is_of(r, in, key) || (in.n == 0 &&
		    is_settings(key, val) && changes(r, key, val)))
			return true;
	return false;
}

/* The name a field goes by; NULL when it is left out. */
static struct slice
name_of(unsigned known, struct slice in, struct slice key)
{
	for (size_t i = 0; i < NROWS; i++)
		if ((known & rows[i].quirk) && is_of(&rows[i], in, key))
			return rows[i].renamed != NULL ?
			    slice_of(rows[i].renamed) :
			    (struct slice){ NULL, 0 };
	return key;
}

static void
put_object(unsigned known, struct slice in, struct slice object,
    struct buf *out);

static void
put_field(unsigned known, struct slice in, struct slice key,
    struct slice val, struct buf *out, bool *first)
{
	struct slice name = name_of(known, in, key);

	if (name.p == NULL)
		return;
	buf_adds(out, *first ? "{\"" : ",\"");
	*first = false;
	buf_slice(out, name);
	buf_adds(out, "\":");
	if (known != 0 && in.n == 0 && is_settings(key, val))
		put_object(known, key, val, out);
	else
		buf_slice(out, val);
}

static void
put_object(unsigned known, struct slice in, struct slice object,
    struct buf *out)
{
	struct slice key, val;
	bool first = true;
	struct walk w;

	walk_in(&w, object);
	while (walk_next(&w, &key, &val))
		put_field(known, in, key, val, out, &first);
	buf_adds(out, first ? "{}" : "}");
}

void
quirks_field(unsigned known, struct slice key, struct slice val,
    struct buf *out, bool *first)
{
	put_field(known, SLICE(""), key, val, out, first);
}

void
quirks_body(unsigned known, struct slice body, struct buf *out)
{
	if (scan_kind(body) == SCAN_OBJECT)
		put_object(known, SLICE(""), body, out);
	else
		buf_slice(out, body);
}

/* ---- learning ---- */

/* A name that is no word of English; such a one in quotes or behind a colon. */
static bool
is_named(struct slice words, const char *field)
{
	size_t n = strlen(field);
	const char *p, *end;

	if (strpbrk(field, "_.") != NULL || strcmp(field, "temperature") == 0)
		return has(words, field);
	if (words.n == 0)
		return false;
	end = words.p + words.n;
	for (p = words.p; (p = memmem(p, (size_t)(end - p), field, n)) != NULL;
	    p += n)
		if ((p > words.p && memchr("'\"`", p[-1], 3) != NULL) ||
		    (p - words.p >= 2 && memcmp(p - 2, ": ", 2) == 0))
			return true;
	return false;
}

/* Templates refuse with whatever status. */
static unsigned
learn_turns(unsigned known, struct slice words)
{
	static const struct {
		const char *words;
		unsigned quirk;
	} said[] = {
		{ "a-z, A-Z, 0-9", QUIRK_SHORT_IDS },
		{ "must alternate", QUIRK_ALTERNATE },
		{ "after role 'tool'", QUIRK_AFTER_TOOL },
		{ "after role tool", QUIRK_AFTER_TOOL },
	};

	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		if (!(known & said[i].quirk) && has(words, said[i].words))
			return said[i].quirk;
	return 0;
}

/* Old llama.cpp, with 500 as with 400, or in the answer itself. */
static bool
refuses_stream(struct slice words)
{
	return has(words, "annot use tools with stream");
}

unsigned
quirks_learn(unsigned known, long status, struct slice words,
    struct slice body)
{
	if (!(known & QUIRK_NO_STREAM) && refuses_stream(words))
		return QUIRK_NO_STREAM;
	if ((status == 400 || status == 422 || status == 500) &&
	    learn_turns(known, words) != 0)
		return learn_turns(known, words);
	if (status != 400 && status != 422)
		return 0;
	if (has(words, "reasoning_content")) {
		bool sent = sends_text(body, "reasoning_content");
		unsigned q = sent ? QUIRK_NO_REASONING : QUIRK_REASONING;

		/* one change of mind only */
		return known & (QUIRK_REASONING | QUIRK_NO_REASONING) ? 0 : q;
	}
	for (size_t i = 0; i < NROWS; i++) {
		const struct row *r = &rows[i];
		bool undoes = r->renamed != NULL && (known &
		    (QUIRK_PLAIN_MAX_TOKENS | QUIRK_COMPLETION_TOKENS)) != 0;

		if (!(known & r->quirk) && !undoes && is_named(words, r->field) &&
		    changes(r, SLICE(""), body))
			return r->quirk;
	}
	return 0;
}
