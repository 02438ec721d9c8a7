/* overflow.c - the words servers have for "your context is too large". */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "overflow.h"

#define TEXT_MAX ((size_t)64 << 10)	/* no error text is longer */

/* All in lower case, as seen on the wire (llama.cpp, vLLM, LM Studio, Ollama,
 * OpenAI, Anthropic, Gemini, OpenRouter, Together, xAI, Groq, Mistral, Kimi,
 * MiniMax, Copilot, Bedrock). */
static const char *const texts[] = {
	"exceeds the available context size",
	"context size has been exceeded",
	"exceed_context_size_error",
	"maximum context length",
	"greater than the context length",
	"when context the overflows",
	"exceeds the context length",
	"longer than the context length",
	"exceeded max context length",
	"no user query found in messages",
	"exceeds the context window",
	"context_length_exceeded",
	"context_exceeded",
	"prompt is too long",
	"prompt too long",
	"request_too_large",
	"exceeds the maximum number of tokens allowed",
	"longer than the model's context length",
	"maximum prompt length is",
	"reduce the length of the messages",
	"exceeded model token limit",
	"context window exceeds limit",
	"exceeds the limit of",
	"input is too long for requested model",
	"exceeds the maximum allowed input length",
};

static const char *const not_these[] = {
	"rate limit", "rate_limit", "too many requests", "throttlingexception",
	/* of Bedrock; Cohere's "too many tokens: " is about the window */
	"too many tokens, ", "too many tokens per",
};

/* The window stands behind these... */
static const char *const behind[] = {
	"available context size (", "available context size of ",
	"maximum context length is ", "context length is only ",
	"context length is ", "n_ctx: ", "tokens allowed (",
	"model's context length (", "maximum prompt length is ",
	"exceeded model token limit: ", "exceeds the limit of ",
	"context window of ", "allowed input length of ", "tokens > ",
	"context length of only ", "while limit is ", "\"n_ctx\":",
};

/* ...or before this. */
static const char before[] = " maximum context length";

static long long
number_at(const char *p)
{
	long long n = 0;

	while (*p == ' ')
		p++;
	for (; (isdigit((unsigned char)*p) || (*p == ',' && n > 0)) &&
	    n < 1000000000000LL; p++)
		if (*p != ',')
			n = n * 10 + (*p - '0');
	return n;
}

static long long
number_of(const char *text)
{
	const char *p;

	for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
		p = strstr(text, behind[i]);
		if (p != NULL && number_at(p + strlen(behind[i])) > 0)
			return number_at(p + strlen(behind[i]));
	}
	p = strstr(text, before);
	if (p == NULL)
		return 0;
	while (p > text && (isdigit((unsigned char)p[-1]) || p[-1] == ','))
		p--;
	return number_at(p);
}

static bool
has_any(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(text, list[i]) != NULL)
			return true;
	return false;
}

bool
is_overflow(struct slice text, long long *limit)
{
	char *low;
	bool yes;

	*limit = 0;
	if (text.n == 0)
		return false;
	low = xmemdup0(text.p, text.n < TEXT_MAX ? text.n : TEXT_MAX);
	for (char *p = low; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	yes = has_any(low, texts, sizeof texts / sizeof *texts) &&
	    !has_any(low, not_these, sizeof not_these / sizeof *not_these);
	if (yes)
		*limit = number_of(low);
	free(low);
	return yes;
}
