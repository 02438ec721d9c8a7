/* test_view.c - the view is legal, and grows at its end only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "view/view.h"

#define CALL(id) "{\"id\":\"" id "\",\"type\":\"function\",\"function\":" \
	"{\"name\":\"read\",\"arguments\":\"{}\"}}"
#define USER(t) "{\"role\":\"user\",\"content\":\"" t "\"}"
#define TOOL(id, t) "{\"role\":\"tool\",\"tool_call_id\":\"" id \
	"\",\"content\":\"" t "\"}"
#define ASSISTANT(calls) "{\"role\":\"assistant\",\"content\":null," \
	"\"tool_calls\":[" calls "]}"

static void
add(struct view *v, const char *line)
{
	struct scan s = { 0 };
	struct rec r;

	assert_int_equal(rec_parse(&s, line, strlen(line), &r), 0);
	view_add(v, &r);
	scan_release(&s);
}

static void
prints(struct view *v, const char *want)
{
	struct buf b = BUF_INIT(1 << 20);

	view_take_messages(v, &b);
	assert_string_equal(b.p, want);
	buf_release(&b);
}

static void
empty(void **state)
{
	struct view *v = view_new();

	(void)state;
	prints(v, "[]");
	view_free(v);
}

static void
grows_at_its_end(void **state)
{
	struct view *v = view_new();

	(void)state;
	add(v, USER("a"));
	prints(v, "[" USER("a") "]");
	add(v, USER("b"));
	prints(v, "[" USER("a\\n\\nb") "]");
	add(v, ASSISTANT(CALL("1")));
	add(v, TOOL("1", "r"));
	prints(v, "[" USER("a\\n\\nb") "," ASSISTANT(CALL("1")) ","
	    TOOL("1", "r") "]");
	add(v, "{\"role\":\"user\",\"content\":\"n\",\"meta\":"
	    "{\"by\":\"loop\"}}");
	prints(v, "[" USER("a\\n\\nb") "," ASSISTANT(CALL("1")) ","
	    TOOL("1", "r\\n\\n[loop] n") "]");
	assert_int_equal(v->pairing.open, 0);
	view_free(v);
}

static void
late_result_goes_to_its_call(void **state)
{
	struct view *v = view_new();

	(void)state;
	add(v, ASSISTANT(CALL("1") "," CALL("2")));
	add(v, TOOL("2", "two"));
	prints(v, "[" USER("(continued)") "," ASSISTANT(CALL("1") ","
	    CALL("2")) "," TOOL("1", "(no result)") "," TOOL("2", "two") "]");
	add(v, "{\"role\":\"assistant\",\"content\":\"x\"}");
	add(v, TOOL("1", "one"));
	add(v, TOOL("1", "again"));
	prints(v, "[" USER("(continued)") "," ASSISTANT(CALL("1") ","
	    CALL("2")) "," TOOL("1", "one") "," TOOL("2", "two")
	    ",{\"role\":\"assistant\",\"content\":\"x\"}]");
	view_free(v);
}

static void
later_system_messages(void **state)
{
	struct view *v = view_new();

	(void)state;
	add(v, "{\"role\":\"developer\",\"content\":\"s\"}");
	add(v, "{\"role\":\"system\",\"content\":\"t\"}");
	prints(v, "[{\"role\":\"system\",\"content\":\"s\"},"
	    USER("[system] t") "]");
	view_free(v);
}

static void
shown_folded_and_slim(void **state)
{
	struct view *v = view_new();
	uint64_t full;

	(void)state;
	add(v, USER("a"));
	add(v, ASSISTANT(CALL("1")));
	add(v, TOOL("1", "r"));
	full = view_sum(v);
	view_show(v, 1, SLICE("\"sum\""), 1);
	prints(v, "[" USER("sum") "," ASSISTANT(CALL("1")) ","
	    TOOL("1", "r") "]");
	assert_int_equal(view_count(v), 3);
	view_show(v, 0, SLICE(""), 0);
	assert_int_equal(view_sum(v), full);
	view_free(v);
}

static void
calls_in_the_text(void **state)
{
	struct view *v = view_new();

	(void)state;
	add(v, "{\"role\":\"assistant\",\"content\":\"<tool_call>{\\\"name\\\":"
	    "\\\"a\\\"}</tool_call><tool_call>{}</tool_call>\"}");
	add(v, USER("<tool_response>1</tool_response>"));
	assert_int_equal(v->nodes[0].ncalls, 2);
	assert_int_equal(v->nodes[0].answered, 1);
	add(v, USER("<tool_response>2</tool_response>"
	    "<tool_response>3</tool_response> and on"));
	prints(v, "[" USER("(continued)")
	    ",{\"role\":\"assistant\",\"content\":\"<tool_call>{"
	    "\\\"name\\\":\\\"a\\\"}</tool_call><tool_call>{}</tool_call>\"},"
	    USER("<tool_response>\\n1\\n</tool_response>\\n<tool_response>"
	    "\\n2\\n</tool_response>")
	    ",{\"role\":\"assistant\",\"content\":\"(interrupted)\"},"
	    USER(" and on") "]");
	assert_int_equal(view_count(v), 5);
	view_free(v);
}

static void
kept_and_cut(void **state)
{
	struct view *v = view_new();
	uint64_t full, slim;

	(void)state;
	add(v, USER("a"));
	add(v, ASSISTANT(CALL("1")));
	/* as a hook would */
	v->calls[0].stub = arena_dup(&v->arena, "\"s\"", 3);
	v->calls[0].stub_text = 1;
	add(v, TOOL("1", "result"));
	full = view_sum(v);
	view_show(v, 0, SLICE(""), 2);
	slim = view_sum(v);
	assert_true(slim < full);
	prints(v, "[" USER("a") "," ASSISTANT(CALL("1")) "," TOOL("1", "s")
	    "]");
	view_keep(v, 0, true);
	assert_int_equal(view_sum(v), full);
	prints(v, "[" USER("a") "," ASSISTANT(CALL("1")) ","
	    TOOL("1", "result") "]");
	view_cut(v, 0, arena_dup(&v->arena, "\"cut\"", 5));
	prints(v, "[" USER("a") "," ASSISTANT(CALL("1")) ","
	    TOOL("1", "cut") "]");
	view_cut(v, 0, NULL);
	view_keep(v, 0, false);
	assert_int_equal(view_sum(v), slim);
	view_free(v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(grows_at_its_end),
		cmocka_unit_test(late_result_goes_to_its_call),
		cmocka_unit_test(later_system_messages),
		cmocka_unit_test(shown_folded_and_slim),
		cmocka_unit_test(calls_in_the_text),
		cmocka_unit_test(kept_and_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
