/* test_token.c - the class-bigram table gives the golden sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tokens/token.h"

static const char HELLO[] = "Hello, world! int main(void){return 0;}\n";

static void
golden_sums(void **state)
{
	static const uint64_t want[] = { 834, 784, 754, 786, 767, 1017, 875 };

	(void)state;
	for (int f = 0; f < 7; f++) {
		unsigned prev = TOKEN_START;

		assert_int_equal(token_sum((enum token_family)f, HELLO,
		    strlen(HELLO), &prev), want[f]);
	}
}

static void
pieces_add_up(void **state)
{
	/* hello in Lao: five characters, whose first two bytes tell so */
	static const char lao[] = "\u0eaa\u0eb0\u0e9a\u0eb2\u0e8d";
	static const char *const texts[] = { HELLO, lao };
	static const uint64_t want[] = { 834, 623 };

	(void)state;
	for (int i = 0; i < 2; i++)
		for (size_t n = strlen(texts[i]), cut = 0; cut <= n; cut++) {
			unsigned prev = TOKEN_START;
			uint64_t sum = token_sum(TOK_MODERN, texts[i], cut,
			    &prev);

			sum += token_sum(TOK_MODERN, texts[i] + cut, n - cut,
			    &prev);
			assert_int_equal(sum, want[i]);
		}
}

static void
counts_are_rounded(void **state)
{
	(void)state;
	assert_int_equal(token_count(TOK_MODERN, HELLO, strlen(HELLO)), 13);
	assert_int_equal(token_count(TOK_LLAMA2, HELLO, strlen(HELLO)), 16);
	assert_int_equal(token_count(TOK_MODERN, "", 0), 0);
}

static void
families(void **state)
{
	(void)state;
	assert_int_equal(token_family(NULL), TOK_MODERN);
	assert_int_equal(token_family("some-model"), TOK_MODERN);
	assert_int_equal(token_family("Qwen3-Coder-30B"), TOK_QWEN25);
	assert_int_equal(token_family("gpt-4o-mini"), TOK_O200K);
	assert_int_equal(token_family("gpt-4-turbo"), TOK_CL100K);
	assert_int_equal(token_family("meta/llama-3.1-8b"), TOK_LLAMA3);
	assert_int_equal(token_family("codellama-34b"), TOK_LLAMA2);
	assert_int_equal(token_family("claude-sonnet"), TOK_CLAUDE2);
	assert_int_equal(token_family_named("claude2"), TOK_CLAUDE2);
	assert_int_equal(token_family_named("nonsense"), -1);
}

/* Sums of long texts, from every place and in pieces, by the table itself. */
static void
long_texts(void **state)
{
	enum { N = 5000 };
	char text[N];
	uint32_t seed = 7;

	(void)state;
	for (int i = 0; i < N; i++) {
		seed = seed * 1664525 + 1013904223;
		/* half of it has two bytes in a row of scripts, too */
		text[i] = (char)(i % 3 == 0 || i > N / 2 ? seed >> 24 :
		    32 + (seed >> 24) % 95);
	}
	for (int f = 0; f < 7; f++)
		for (size_t n = 0; n < N; n += 1 + n / 9) {
			unsigned a = TOKEN_START, b = TOKEN_START;
			uint64_t one = 0;

			for (size_t i = 0; i < n; i++)
				one += token_sum((enum token_family)f,
				    text + i, 1, &a);
			assert_int_equal(token_sum((enum token_family)f, text,
			    n, &b), one);
			assert_int_equal(a, b);
		}
}

static void
a_text_is_never_for_nothing(void **state)
{
	char z[1600];

	(void)state;
	memset(z, 'z', sizeof z);
	assert_int_equal(token_count(TOK_MODERN, z, sizeof z), 26);
	assert_int_equal(token_text(TOK_MODERN, z, sizeof z), 100 * 64);
	memset(z, 'A', sizeof z);
	assert_int_equal((token_text(TOK_MODERN, z, sizeof z) + 32) / 64,
	    token_count(TOK_MODERN, z, sizeof z));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_sums),
		cmocka_unit_test(pieces_add_up),
		cmocka_unit_test(counts_are_rounded),
		cmocka_unit_test(families),
		cmocka_unit_test(long_texts),
		cmocka_unit_test(a_text_is_never_for_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
