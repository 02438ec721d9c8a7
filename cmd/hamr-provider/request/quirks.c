/* quirks.c - what this server does not accept, learned from its answers. */
#include <ctype.h>
#include <string.h>

#include "json/scan.h"

#include "quirks.h"

#define OUTPUT_MIN 1024		/* smaller numbers are other things */

static const struct row {
	enum quirk quirk;
	const char *field;	/* its name in the body, or OBJECT.FIELD */
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
	{ QUIRK_NO_INCLUDE, "include", NULL },
	/* Anthropic refuses it after calls of a model that did not think */
	{ QUIRK_NO_THINKING, "thinking", NULL },
};

#define NROWS (sizeof rows / sizeof *rows)

/* ---- fields ---- */

/* Does this row apply to the field `key` of the object named `in` (empty: of
 * the body)? */
static bool
is_of(const struct row *r, struct slice in, struct slice key)
{
	const char *dot = strchr(r->field, '.');

	if (dot == NULL)
		return slice_is(key, r->field);
	return in.n == (size_t)(dot - r->field) &&
	    memcmp(in.p, r->field, in.n) == 0 && slice_is(key, dot + 1);
}

/* Is this an object of the body that holds settings only, and no part of the
 * conversation or of a schema? */
static bool
is_settings(struct slice key, struct slice val)
{
	static const char *const names[] = { "generationConfig",
		"generation_config", "inferenceConfig", "options",
		"parameters", "extra_body", "reasoning", NULL };

	return scan_kind(val) == SCAN_OBJECT && slice_in(key, names);
}

/* Would knowing this row change the body? */
static bool
changes(const struct row *r, struct slice in, struct slice object)
{
	struct slice key, val;

	if (scan_kind(object) != SCAN_OBJECT)
		return false;
	for (struct walk w = walk_of(object); walk_next(&w, &key, &val); )
		if (is_of(r, in, key) || (in.n == 0 &&
		    is_settings(key, val) && changes(r, key, val)))
			return true;
	return false;
}

bool
quirks_field(unsigned known, struct slice in, struct slice key,
    struct slice val, struct buf *out)
{
	struct slice name = key;

	for (size_t i = 0; i < NROWS; i++)
		if ((known & rows[i].quirk) && is_of(&rows[i], in, key)) {
			if (rows[i].renamed == NULL)
				return false;
			name = slice_of(rows[i].renamed);
			break;
		}
	scan_put(out, "$'$':$", scan_comma(out), name, val);
	return true;
}

static struct slice
member(struct slice object, struct slice key)
{
	struct slice name, val;

	for (struct walk w = walk_of(object); walk_next(&w, &name, &val); )
		if (slice_eq(name, key))
			return val;
	return (struct slice){ NULL, 0 };
}

void
quirks_fields(unsigned known, struct slice in, const struct slice *from,
    size_t n, const char *const *ours, struct buf *out)
{
	struct slice key, val, last, sub[QUIRKS_FROM];

	for (size_t k = 0; k < n; k++)
		for (struct walk w = walk_of(from[k]);
		    walk_next(&w, &key, &val); ) {
			const char *const *own = ours;
			size_t j = 0, nsub = 0;
			bool mine = false;

			for (; own != NULL && *own != NULL; own++)
				mine |= scan_key_is(key, *own);
			while (j < k && member(from[j], key).p == NULL)
				j++;
			if (j < k || (k > 0 && mine))
				continue;	/* written, or will be */
			for (; j < (mine ? 1 : n); j++) {
				last = j == k ? val : member(from[j], key);
				if (last.p == NULL)
					continue;
				if (!is_settings(key, last) || (nsub > 0 &&
				    scan_kind(sub[0]) != SCAN_OBJECT))
					nsub = 0;
				sub[nsub++] = last;
			}
			last = nsub > 0 ? sub[nsub - 1] : val;
			if (!is_settings(key, last) || in.n > 0 ||
			    (known == 0 && nsub == 1))
				quirks_field(known, in, key, last, out);
			else if (quirks_field(known, in, key, SLICE("{"),
			    out)) {
				quirks_fields(known, key, sub, nsub, NULL,
				    out);
				buf_addc(out, '}');
			}
		}
}

/* ---- learning ---- */

/* Do the words name this field?  A field that is also an English word counts
 * only in quotes or after a colon. */
static bool
is_named(struct slice words, const char *field)
{
	const char *p = words.p;

	if (strpbrk(field, "_.") != NULL || strcmp(field, "temperature") == 0)
		return slice_has(words, field);
	for (size_t at = 0; (at = slice_find(words, at, field)) < words.n; at++)
		if ((at > 0 && memchr("'\"`", p[at - 1], 3) != NULL) ||
		    (at >= 2 && memcmp(p + at - 2, ": ", 2) == 0))
			return true;
	return false;
}

/* Words of templates, which fail with any status, and of servers. */
static const struct {
	unsigned quirk;
	const char *words[12];
} said[] = {
	{ QUIRK_PLAIN_NAMES, { "unction name", "name': string too long",
	    "a-zA-Z0-9_-" } },
	{ QUIRK_SHORT_IDS, { "a-z, A-Z, 0-9", "id': string too long",
	    "alphanumeric strings with length 9" } },
	/* templates of Mistral, whose users follow no results, and of Gemma 2,
	 * which has none */
	{ QUIRK_ALTERNATE, { "must alternate" } },
	{ QUIRK_AFTER_TOOL, { "must alternate", "after role 'tool'",
	    "after role tool" } },
	{ QUIRK_NO_TOOLS, { "must alternate" } },
	{ QUIRK_SPLIT_CALLS, { "single tool-calls at once" } },	/* Llama 3 */
	{ QUIRK_NO_CARRY, { "invalid_encrypted_content",
	    "nvalid `signature` in `thinking`", "message cannot be modified",
	    "required following item", "orrupted thought signature" } },
	{ QUIRK_DETAILS, { "reasoning details", "thought_signature",
	    "must start with a thinking block" } },
	/* OpenAI, Qwen, Groq, GLM; GLM has the same words if it takes no
	 * images at all */
	{ QUIRK_USER_IMAGES, { "only allowed for messages with role 'user'",
	    "call should be 'Input text'", "for 'role:tool' the following",
	    "messages.content.type" } },
	/* llama.cpp, OpenRouter, LM Studio, DeepSeek, vLLM (twice), Ollama,
	 * xAI, Qwen, GLM, Groq */
	{ QUIRK_NO_IMAGES, { "mage input is not supported",
	    "support image input", "does not support image",
	    "unknown variant `image_url`", "is not a multimodal model",
	    "At most 0 image", "missing data required for image input",
	    "mage inputs are not supported", "nexpected item type in content",
	    "messages.content.type", "content' : value must be a string" } },
};

unsigned
quirks_learn(unsigned known, long status, struct slice words,
    struct slice body)
{
	/* old llama.cpp, with status 500 or 400, or in the answer itself */
	if (!(known & QUIRK_NO_STREAM) &&
	    slice_has(words, "annot use tools with stream"))
		return QUIRK_NO_STREAM;
	/* Anthropic itself gets thoughts that it signed anyway */
	unsigned not = scan_get(body, "thinking").p != NULL ? QUIRK_DETAILS : 0;
	if (status == 400 || status == 404 || status == 422 || status == 500)
		for (size_t i = 0; i < sizeof said / sizeof *said; i++)
			for (const char *const *w = said[i].words; *w != NULL;
			    w++)
				if (!((known | not) & said[i].quirk) &&
				    slice_has(words, *w))
					return said[i].quirk;
	if (status != 400 && status != 422)
		return 0;
	if (slice_has(words, "reasoning_content")) {
		/* change our mind only once */
		if (known & (QUIRK_REASONING | QUIRK_NO_REASONING))
			return 0;
		/* in a message's text these quotes would be escaped */
		return slice_has(body, "\"reasoning_content\":") ?
		    QUIRK_NO_REASONING : QUIRK_REASONING;
	}
	for (size_t i = 0; i < NROWS; i++) {
		const struct row *r = &rows[i];
		bool undoes = r->renamed != NULL && (known &
		    (QUIRK_PLAIN_MAX_TOKENS | QUIRK_COMPLETION_TOKENS)) != 0;

		if (!(known & r->quirk) && !undoes &&
		    is_named(words, r->field) &&
		    changes(r, SLICE(""), body))
			return r->quirk;
	}
	return 0;
}

long long
quirks_most_output(struct slice words, struct slice body)
{
	static const char *const names[] = { "max_tokens",
		"max_completion_tokens", "max_output_tokens" };
	int64_t most = 0, n = 0, asked = 0;
	bool named = false;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		named |= slice_has(words, names[i]);
		if (scan_int(scan_get(body, names[i]), &n))
			asked = n;
	}
	if (!named || slice_has(words, "upported"))	/* not about a number */
		return 0;
	n = 0;
	for (size_t i = 0; i < words.n; i++) {
		int digit = words.p[i] - '0';

		if (!isdigit((unsigned char)words.p[i]))
			n = 0;
		else if (n < asked)
			n = n * 10 + digit;
		bool ends = i + 1 == words.n ||
		    !isdigit((unsigned char)words.p[i + 1]);
		if (ends && n >= OUTPUT_MIN && n < asked && n > most)
			most = n;
	}
	return most;
}
