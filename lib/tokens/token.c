/* token.c - estimates how many tokens a text has (chapter 8.1). */
#include <string.h>

#include "base/mem.h"
#include "token.h"
#include "token_tables.h"

#define FAMILIES (sizeof token_weight / sizeof *token_weight)
#define PAIRS_FROM 512	/* bytes; shorter texts do not pay for the table */
#define SCRIPTS_FROM 0xdc	/* the first byte of token_scripts */

/* The weight of two bytes in a row: by their script, or else by the classes of
 * both. */
static inline uint8_t
pair_weight(enum token_family f, unsigned a, unsigned b)
{
	const size_t n = sizeof token_scripts / sizeof *token_scripts;
	unsigned both = a << 8 | b;

	if (a >= SCRIPTS_FROM && b >> 6 == 2)
		for (size_t i = 0; i < n; i++)
			if (both >= token_scripts[i].first &&
			    both <= token_scripts[i].last)
				return token_scripts[i].weight[f];
	return token_weight[f][token_class[a] * 32 + token_class[b]];
}

static inline unsigned
pair_at(const uint8_t *pairs, const unsigned char *p)
{
	return pairs[p[0] | p[1] << 8];
}

uint64_t
token_sum(enum token_family f, const char *text, size_t n, unsigned *prev)
{
	static uint8_t *pairs[FAMILIES];	/* filled on first use */
	const unsigned char *p = (const unsigned char *)text;
	uint64_t sum = 0;

	if (n >= PAIRS_FROM && pairs[f] == NULL) {
		/* the weight of any two bytes in a row, the first one in the
		 * low half */
		pairs[f] = xmalloc(256 * 256);
		for (unsigned i = 0; i < 256 * 256; i++)
			pairs[f][i] = pair_weight(f, i & 255, i >> 8);
	}
	if (n > 0 && pairs[f] != NULL) {
		/* one independent look-up for each byte */
		const unsigned char *last = p + n - 1;
		const uint8_t *w = pairs[f];

		sum = pair_weight(f, *prev, *p);
		for (; last - p >= 8; p += 8)
			sum += pair_at(w, p) + pair_at(w, p + 1) +
			    pair_at(w, p + 2) + pair_at(w, p + 3) +
			    pair_at(w, p + 4) + pair_at(w, p + 5) +
			    pair_at(w, p + 6) + pair_at(w, p + 7);
		for (; p < last; p++)
			sum += pair_at(w, p);
		*prev = *last;
		return sum;
	}
	for (; n > 0; n--, p++) {
		sum += pair_weight(f, *prev, *p);
		*prev = *p;
	}
	return sum;
}

uint64_t
token_text(enum token_family f, const char *p, size_t n)
{
	unsigned prev = TOKEN_START;

	return token_at_least(token_sum(f, p, n, &prev), n);
}

uint64_t
token_count(enum token_family f, const char *p, size_t n)
{
	unsigned prev = TOKEN_START;

	return (token_sum(f, p, n, &prev) + 32) / 64;
}

int
token_family_named(const char *name)
{
	static const char *const names[] = { "modern", "o200k", "cl100k",
		"qwen25", "llama3", "llama2", "claude2" };

	for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return -1;
}

/* The first match wins, so the narrower names come first. */
static const struct {
	const char *part;
	enum token_family family;
} models[] = {
	{ "gpt-oss", TOK_O200K }, { "gpt-4o", TOK_O200K },
	{ "gpt-4.", TOK_O200K }, { "chatgpt-4o", TOK_O200K },
	{ "gpt-4", TOK_CL100K }, { "gpt-3.5", TOK_CL100K },
	{ "gpt-5", TOK_O200K }, { "claude", TOK_CLAUDE2 },
	{ "deepseek-r1-distill-llama", TOK_LLAMA3 },
	{ "qwen", TOK_QWEN25 }, { "qwq", TOK_QWEN25 },
	{ "deepseek", TOK_QWEN25 }, { "glm", TOK_QWEN25 },
	{ "kimi", TOK_QWEN25 }, { "minimax", TOK_QWEN25 },
	{ "codellama", TOK_LLAMA2 }, { "llama-2", TOK_LLAMA2 },
	{ "llama2", TOK_LLAMA2 }, { "mistral-7b", TOK_LLAMA2 },
	{ "phi-3", TOK_LLAMA2 }, { "phi3", TOK_LLAMA2 },
	{ "llama-3", TOK_LLAMA3 }, { "llama3", TOK_LLAMA3 },
};

enum token_family
token_family(const char *model)
{
	if (model == NULL)
		return TOK_MODERN;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		if (strcasestr(model, models[i].part) != NULL)
			return models[i].family;
	return TOK_MODERN;
}
