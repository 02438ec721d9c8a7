/* quirks.c - what this server does not take, learned from its answers. */
#include <stdio.h>
#include <string.h>

#include "quirks.h"
#include "scan.h"

static const struct row {
	enum quirk quirk;
	const char *field;	/* as it stands in the body */
	const char *renamed;	/* NULL: left out */
} rows[] = {
	{ QUIRK_NO_STREAM_OPTIONS, "stream_options", NULL },
	{ QUIRK_PLAIN_MAX_TOKENS, "max_completion_tokens", "max_tokens" },
	{ QUIRK_COMPLETION_TOKENS, "max_tokens", "max_completion_tokens" },
	{ QUIRK_NO_PARALLEL, "parallel_tool_calls", NULL },
	{ QUIRK_NO_EFFORT, "reasoning_effort", NULL },
	{ QUIRK_NO_TEMPERATURE, "temperature", NULL },
	{ QUIRK_NO_TOOL_CHOICE, "tool_choice", NULL },
};

#define NROWS (sizeof rows / sizeof *rows)

static bool
has(struct slice s, const char *word)
{
	return s.n > 0 && memmem(s.p, s.n, word, strlen(word)) != NULL;
}

/* Is "name": in the body?  A text that holds it has its quotes escaped. */
static bool
sends(struct slice body, const char *name)
{
	char quoted[64];

	snprintf(quoted, sizeof quoted, "\"%s\":", name);
	return has(body, quoted);
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

unsigned
quirks_learn(unsigned known, long status, struct slice words,
    struct slice body)
{
	if ((status == 400 || status == 422 || status == 500) &&
	    learn_turns(known, words) != 0)
		return learn_turns(known, words);
	if (status != 400 && status != 422)
		return 0;
	if (has(words, "reasoning_content")) {
		bool sent = sends(body, "reasoning_content");
		unsigned q = sent ? QUIRK_NO_REASONING : QUIRK_REASONING;

		/* one change of mind only */
		return known & (QUIRK_REASONING | QUIRK_NO_REASONING) ? 0 : q;
	}
	for (size_t i = 0; i < NROWS; i++) {
		const struct row *r = &rows[i];
		bool undoes = r->renamed != NULL && (known &
		    (QUIRK_PLAIN_MAX_TOKENS | QUIRK_COMPLETION_TOKENS)) != 0;

		if (!(known & r->quirk) && !undoes && has(words, r->field) &&
		    sends(body, r->field))
			return r->quirk;
	}
	return 0;
}

struct slice
quirks_field(unsigned known, struct slice name)
{
	for (size_t i = 0; i < NROWS; i++)
		if ((known & rows[i].quirk) && slice_is(name, rows[i].field))
			return rows[i].renamed != NULL ?
			    slice_of(rows[i].renamed) :
			    (struct slice){ NULL, 0 };
	return name;
}

void
quirks_body(unsigned known, struct slice body, struct buf *out)
{
	struct slice key, val;
	bool first = true;
	struct walk w;

	if (scan_kind(body) != SCAN_OBJECT) {
		buf_slice(out, body);
		return;
	}
	walk_in(&w, body);
	while (walk_next(&w, &key, &val)) {
		key = quirks_field(known, key);
		if (key.p == NULL)
			continue;
		buf_adds(out, first ? "{\"" : ",\"");
		buf_slice(out, key);
		buf_adds(out, "\":");
		buf_slice(out, val);
		first = false;
	}
	buf_adds(out, first ? "{}" : "}");
}
