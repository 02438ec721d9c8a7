/* test_reasoning.c - reasoning split off the content, cut at every place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../cmd/hamr-provider/dialect/fence.c"
#include "../../cmd/hamr-provider/dialect/match.c"
#include "../../cmd/hamr-provider/answer/reasoning.c"

struct got {
	struct buf content, reasoning;
};

/* As a caller does: what is taken back was reasoning. */
static void
take(void *ctx, enum reasoning_kind kind, struct slice s)
{
	struct got *g = ctx;

	switch (kind) {
	case SPLIT_CONTENT:
		assert_true(s.n > 0);
		buf_slice(&g->content, s);
		break;
	case SPLIT_REASONING:
		assert_true(s.n > 0);
		buf_slice(&g->reasoning, s);
		break;
	case SPLIT_RECLASSIFY:
		assert_true(g->content.len > 0);
		buf_slice(&g->reasoning, buf_view(&g->content));
		while (is_whitespace(g->reasoning.p[g->reasoning.len - 1]))
			g->reasoning.len--;
		buf_reset(&g->content);
		break;
	}
}

static bool
in_call(void *ctx)
{
	const struct got *g = ctx;

	return slice_has(buf_view(&g->content), "(");
}

static void
same(const struct buf *b, const char *want, const char *in, size_t step)
{
	if (b->len == strlen(want) &&
	    (b->len == 0 || memcmp(b->p, want, b->len) == 0))
		return;
	print_error("of \"%s\" in steps of %zu:\n%.*s\nwanted:\n%s\n", in,
	    step, (int)b->len, b->len > 0 ? b->p : "", want);
	fail();
}

/* first bytes, then steps of the size given. */
static void
run(const char *in, size_t first, size_t step, const char *reasoning,
    const char *content)
{
	struct got g = { BUF_INIT(1 << 20), BUF_INIT(1 << 20) };
	struct reasoning *t = reasoning_new(take, in_call, &g);
	size_t n = strlen(in), at = first;

	reasoning_feed(t, (struct slice){ in, first });
	for (; at < n; at += step)
		reasoning_feed(t, (struct slice){ in + at,
		    step < n - at ? step : n - at });
	reasoning_end(t);
	same(&g.reasoning, reasoning, in, step);
	same(&g.content, content, in, step);
	reasoning_free(t);
	buf_release(&g.content);
	buf_release(&g.reasoning);
}

static void
check(const char *in, const char *reasoning, const char *content)
{
	size_t n = strlen(in);

	for (size_t i = 0; i <= n; i++)
		run(in, i, n + 1, reasoning, content);
	for (size_t step = 1; step < 9; step++)
		run(in, 0, step, reasoning, content);
}

static void
test_forms(void **state)
{
	(void)state;
	check("", "", "");
	check("plain", "", "plain");
	check("  \n plain \n", "", "  \n plain \n");
	check("  \n", "", "  \n");
	check("<think>A</think>B", "A", "B");
	check("\n <think>\nA b\n\n c \n</think>\n\nB\n", "A b\n\n c", "B\n");
	check("<think></think>B", "", "B");
	check("<think>\n\n</think>\n\nB", "", "B");
	check("<think>A", "A", "");
	check("<think>A\n</thi", "A\n</thi", "");
	check("<think> <b>x</b> </thin> y</think>z", "<b>x</b> </thin> y",
	    "z");
	check("<think>A</think>", "A", "");
}

static void
test_opening_tag_missing(void **state)
{
	(void)state;
	check("A\nb\n</think>\n\nB", "A\nb", "B");
	check("</think>\n\nB", "", "B");
	check("A</think>", "A", "");
	check("`a`</think>B", "`a`", "B");
	/* the next one is content */
	check("A</think>B</think>C", "A", "B</think>C");
	check("<think>A</think>B</think>C", "A", "B</think>C");
}

static void
test_again(void **state)
{
	(void)state;
	check("<think>A</think>\n<think>B</think>C", "A\n\nB", "C");
	check("<think>A</think>B\n<think>C</think>\nD", "A\n\nC", "B\nD");
	check("a<think>b</think>c", "b", "ac");
	check("a\n<think>b", "b", "a\n");
}

static void
test_text_about_tags(void **state)
{
	(void)state;
	check("the <think> tag opens", "", "the <think> tag opens");
	check("the `</think>` tag", "", "the `</think>` tag");
	check("the `<think>` and `</think>` tags", "",
	    "the `<think>` and `</think>` tags");
	check("`<think>A</think>` or `A</think>`", "",
	    "`<think>A</think>` or `A</think>`");
	check("an ` alone\nA</think>B", "an ` alone\nA", "B");
	check("x\n```\nA</think>\n<think>\n```\ny", "",
	    "x\n```\nA</think>\n<think>\n```\ny");
	check("x\n  ~~~~ c\n~~~\nA</think>\n~~~~~ \ny</think>z",
	    "x\n  ~~~~ c\n~~~\nA</think>\n~~~~~ \ny", "z");
	check("a < b, <b>, <thin", "", "a < b, <b>, <thin");
}

static void
test_of_mistral(void **state)
{
	(void)state;
	check("[THINK]A[/THINK] B", "A", "B");
	check("[THINK] [TOOL_CALLS]f{} </think> A", "[TOOL_CALLS]f{} </think> A",
	    "");
	check("A[/THINK]\nB", "A", "B");
	check("x [THINK]A[/THINK] y", "A", "x y");
	check("the [THINK] tag, a </think> behind it", "",
	    "the [THINK] tag, a </think> behind it");
	check("<think>A[/THINK]</think>B", "A[/THINK]", "B");
}

/* What stands in a call is the call's: here, what follows (. */
static void
test_within_a_call(void **state)
{
	(void)state;
	check("a (<think>x</think>", "", "a (<think>x</think>");
	check("(</think>", "", "(</think>");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_opening_tag_missing),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_text_about_tags),
		cmocka_unit_test(test_of_mistral),
		cmocka_unit_test(test_within_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
