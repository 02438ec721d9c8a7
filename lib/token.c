/* token.c - how many tokens a text has, estimated (chapter 8.1). */
#include <stdbool.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "buf.h"
#include "scan.h"
#include "token.h"
#include "token_tables.h"

/* ---- 64 bytes at once ----
 *
 * Where the processor looks up bytes in registers (AVX-512 VBMI), all tables
 * fit into these.  The sums are the same.
 */

#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#define WIDE_LEAST 96		/* bytes: less is not worth it */

static bool
is_wide(void)
{
	return __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512vbmi");
}

WIDE static inline __m512i
wide_load(const void *p)
{
	return _mm512_loadu_si512(p);
}

WIDE static inline __mmask64
wide_mask(size_t n)
{
	return n >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << n) - 1;
}

WIDE static inline __m512i
wide_class(__m512i x, const __m512i t[4])
{
	return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x),
	    _mm512_permutex2var_epi8(t[0], x, t[1]),
	    _mm512_permutex2var_epi8(t[2], x, t[3]));
}

/* The bytes at `at` of the two registers, where row is 4 * k. */
WIDE static inline __m512i
wide_look(__m512i row, int k, __m512i v, __m512i at, __m512i behind)
{
	return _mm512_maskz_permutex2var_epi8(_mm512_cmpeq_epi8_mask(row,
	    _mm512_set1_epi8((char)(k * 4))), v, at, behind);
}

#define OR(a, b) _mm512_or_si512(a, b)
#define LOOK(k) wide_look(row, k, v##k, at, x##k)
#define ROWS(k) v##k = wide_load(w + 128 * k), \
	x##k = wide_load(w + 128 * k + 64)

/* Of n bytes; p[-1] is there too.  The index into w has 10 bits: 3 choose one
 * of 8 pairs of registers, 7 a byte of that.  No loop over the 8: -O2 would
 * keep it one, and the tables in memory. */
WIDE static uint64_t
wide_sum(const uint8_t *w, const unsigned char *p, size_t n)
{
	const __m512i zero = _mm512_setzero_si512();
	__m512i ROWS(0), ROWS(1), ROWS(2), ROWS(3), ROWS(4), ROWS(5), ROWS(6),
	    ROWS(7), sum = zero, t[4] = { wide_load(token_class),
		wide_load(token_class + 64), wide_load(token_class + 128),
		wide_load(token_class + 192) };

	for (size_t i = 0; i < n; i += 64) {
		__mmask64 here = wide_mask(n - i);
		__m512i this = _mm512_maskz_loadu_epi8(here, p + i);
		__m512i before = wide_class(_mm512_maskz_loadu_epi8(here,
		    p + i - 1), t);
		__m512i row = _mm512_and_si512(before, _mm512_set1_epi8(0x1c));
		__m512i at = OR(wide_class(this, t), _mm512_slli_epi16(
		    _mm512_and_si512(before, _mm512_set1_epi8(3)), 5));
		__m512i all = OR(OR(OR(LOOK(0), LOOK(1)), OR(LOOK(2),
		    LOOK(3))), OR(OR(LOOK(4), LOOK(5)), OR(LOOK(6),
		    LOOK(7))));

		all = _mm512_maskz_mov_epi8(here, all);
		sum = _mm512_add_epi64(sum, _mm512_sad_epu8(all, zero));
	}
	return (uint64_t)_mm512_reduce_add_epi64(sum);
}
#else
#define WIDE_LEAST SIZE_MAX

static bool
is_wide(void)
{
	return false;
}

static uint64_t
wide_sum(const uint8_t *w, const unsigned char *p, size_t n)
{
	(void)w, (void)p, (void)n;
	return 0;
}
#endif

/* ---- one byte after the other ---- */

/* Four sums at once: a table look-up a byte, none waits for another. */
static uint64_t
narrow_sum(const uint8_t *w, const unsigned char *p, size_t n, unsigned *prev)
{
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

uint64_t
token_sum(enum token_family f, const char *text, size_t n, unsigned *prev)
{
	const unsigned char *p = (const unsigned char *)text;
	const uint8_t *w = token_weight[f];
	uint64_t sum;

	if (n >= WIDE_LEAST && is_wide()) {
		sum = narrow_sum(w, p, 1, prev) + wide_sum(w, p + 1, n - 1);
		*prev = token_class[p[n - 1]];
		return sum;
	}
	return narrow_sum(w, p, n, prev);
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
token_text(enum token_family f, const char *p, size_t n)
{
	unsigned prev = TOKEN_START;
	uint64_t sum = token_sum(f, p, n, &prev);

	return sum > n * TOKEN_LEAST ? sum : n * TOKEN_LEAST;
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
