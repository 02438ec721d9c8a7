/* token.c - how many tokens a text has, estimated (chapter 8.1). */
#include <string.h>

#include "buf.h"
#include "scan.h"
#include "token.h"
#include "token_tables.h"

/* Four sums at once: a table look-up a byte, none waits for another. */
uint64_t
token_sum(enum token_family f, const char *text, size_t n, unsigned *prev)
{
	const uint8_t *w = token_weight[f];
	const unsigned char *p = (const unsigned char *)text;
	uint64_t s[4] = { 0, 0, 0, 0 };
	unsigned a = *prev;

	for (; n >= 4; n -= 4, p += 4) {
		unsigned b = token_class[p[0]], c = token_class[p[1]];
		unsigned d = token_class[p[2]], e = token_class[p[3]];

		s[0] += w[a * 32 + b];
		s[1] += w[b * 32 + c];
		s[2] += w[c * 32 + d];
		s[3] += w[d * 32 + e];
		a = e;
	}
	for (; n > 0; n--, p++) {
		unsigned b = token_class[*p];

		s[0] += w[a * 32 + b];
		a = b;
	}
	*prev = a;
	return s[0] + s[1] + s[2] + s[3];
}

/* The UTF-8 of an escape at p (behind its backslash); its length in JSON. */
static size_t
unescape(const char *p, const char *end, char out[5], size_t *n)
{
	static const char one[256] = { ['b'] = '\b', ['f'] = '\f',
		['n'] = '\n', ['r'] = '\r', ['t'] = '\t' };
	struct buf b = BUF_INIT(16);
	char quoted[16] = "\"\\";
	size_t len = 1;

	*n = 1;
	if (*p != 'u') {
		out[0] = one[(unsigned char)*p] != 0 ?
		    one[(unsigned char)*p] : *p;
		return 1;
	}
	len = end - p >= 11 && p[5] == '\\' && p[6] == 'u' &&
	    (p[1] == 'd' || p[1] == 'D') && strchr("89aAbB", p[2]) ? 11 : 5;
	memcpy(quoted + 2, p, len);
	quoted[len + 2] = '"';
	scan_str((struct slice){ quoted, len + 3 }, &b);
	*n = b.len < 5 ? b.len : 4;
	memcpy(out, b.p, *n);
	buf_release(&b);
	return len;
}

uint64_t
token_sum_json(enum token_family f, const char *p, size_t n, unsigned *prev)
{
	const uint8_t *w = token_weight[f];
	const char *end = p + n;
	unsigned a = *prev, b;
	uint64_t sum = 0;
	char c[5];

	while (p < end) {
		if (*p != '\\') {
			b = token_class[(unsigned char)*p++];
			sum += w[a * 32 + b];
			a = b;
			continue;
		}
		p++;
		p += unescape(p, end, c, &n);
		sum += token_sum(f, c, n, &a);
	}
	*prev = a;
	return sum;
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

/* First match wins, so the narrower names stand first. */
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
