/* test_dialect_render.c - tools and calls written as text for a server. */
#include "dialect_fix.h"
#include "json/scan.h"

static void
rendered(enum dialect_kind kind, const char *messages, const char *tool_list,
    const char *want)
{
	struct buf out = BUF_INIT(1 << 20);
	struct scan sc = { .m = NULL };

	dialect_render(kind, slice_of(messages), tool_list != NULL ?
	    slice_of(tool_list) : (struct slice){ NULL, 0 }, &out);
	assert_int_equal(scan_value(&sc, out.p, out.len), 0);
	assert_string_equal(out.p, want);
	scan_release(&sc);
	buf_release(&out);
}

#define USER "{\"role\": \"user\",\"content\":\"hi\",\"x\":1.0}"
#define CALL_OF(id, args) "{\"id\":\"" id "\",\"type\":\"function\"," \
	"\"function\":{\"name\":\"read\",\"arguments\":\"" args "\"}}"
#define RESULT(id, text) "{\"role\":\"tool\",\"tool_call_id\":\"" id \
	"\",\"content\":\"" text "\"}"

static void
test_rendered(void **state)
{
	static const char talk[] = "[" USER ",{\"role\":\"assistant\","
	    "\"content\":\"ok\",\"reasoning\":\"r\",\"tool_calls\":["
	    CALL_OF("a", "{\\\"path\\\":\\\"x\\\\ny\\\",\\\"n\\\":1.50}") ","
	    CALL_OF("b", "{}") "]}," RESULT("a", "one") ","
	    RESULT("b", "two") "," USER "]";

	(void)state;
	rendered(DIALECT_HERMES, "[" USER "]", NULL, "[" USER "]");
	rendered(DIALECT_HERMES, "[]", "[]", "[]");
	rendered(DIALECT_HERMES, talk, NULL, "[" USER ",{\"role\":"
	    "\"assistant\",\"content\":\"ok\\n<tool_call>\\n{\\\"name\\\": "
	    "\\\"read\\\", \\\"arguments\\\": {\\\"path\\\":\\\"x\\\\ny\\\","
	    "\\\"n\\\":1.50}}\\n</tool_call>\\n<tool_call>\\n{\\\"name\\\": "
	    "\\\"read\\\", \\\"arguments\\\": {}}\\n</tool_call>"
	    "\",\"reasoning\":\"r\"},{\"role\":\"user\",\"content\":"
	    "\"<tool_response>\\none\\n</tool_response>\\n"
	    "<tool_response>\\ntwo\\n</tool_response>\"}," USER "]");
	rendered(DIALECT_QWEN3, talk, NULL, "[" USER ",{\"role\":"
	    "\"assistant\",\"content\":\"ok\\n<tool_call>\\n<function=read>"
	    "\\n<parameter=path>\\nx\\ny\\n</parameter>\\n<parameter=n>\\n1.50"
	    "\\n</parameter>\\n</function>\\n</tool_call>\\n<tool_call>\\n"
	    "<function=read>\\n"
	    "</function>\\n</tool_call>\",\"reasoning\":\"r\"},"
	    "{\"role\":\"user\",\"content\":\"<tool_response>\\none"
	    "\\n</tool_response>\\n<tool_response>\\ntwo\\n</tool_response>"
	    "\"}," USER "]");
}

static void
test_tools_described(void **state)
{
	static const char system[] = "[{\"role\":\"system\",\"content\":"
	    "\"be\"}," USER "]";
	struct buf a = BUF_INIT(1 << 20), b = BUF_INIT(1 << 20);

	(void)state;
	dialect_render(DIALECT_HERMES, slice_of(system), slice_of(tools), &a);
	buf_addc(&a, '\0');
	assert_ptr_equal(strstr(a.p, "[{\"role\":\"system\",\"content\":"
	    "\"be\\n\\n# Tools"), a.p);
	assert_non_null(strstr(a.p, "<tools>\\n{\\\"type\\\":"));
	assert_non_null(strstr(a.p, "</tool_call>\"}," USER "]"));
	dialect_render(DIALECT_QWEN3, SLICE("[" USER "]"), slice_of(tools), &b);
	buf_addc(&b, '\0');
	assert_ptr_equal(strstr(b.p, "[{\"role\":\"system\",\"content\":"
	    "\"# Tools"), b.p);
	buf_release(&a);
	buf_release(&b);
}

/* A call rendered and lifted again is the same call. */
static void
test_round(void **state)
{
	static const char args[] = "{\"path\":\"a\\n</parameter>\\n\",\"first\""
	    ":3,\"list\":[1,{}],\"all\":false,\"s\":null}";
	static const enum dialect_kind kinds[] = { DIALECT_HERMES,
		DIALECT_QWEN3 };
	struct buf messages = BUF_INIT(1 << 20), quoted = BUF_INIT(1 << 20);
	char *want = xasprintf("C[read %s]", args);

	(void)state;
	scan_quote(&quoted, args, strlen(args));
	buf_adds(&messages, "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":"
	    "\"a\",\"function\":{\"name\":\"read\",\"arguments\":");
	buf_slice(&messages, buf_view(&quoted));
	buf_adds(&messages, "}}]}]");
	for (size_t i = 0; i < 2; i++) {
		struct buf out = BUF_INIT(1 << 20);
		struct slice key, val;
		struct walk w;
		char *text;

		dialect_render(kinds[i], buf_view(&messages),
		    (struct slice){ NULL, 0 }, &out);
		w = walk_of(buf_view(&out));
		assert_true(walk_next(&w, &key, &val));
		text = scan_strdup(scan_get(val, "content"));
		check_as(kinds[i], false, text, want);
		free(text);
		buf_release(&out);
	}
	free(want);
	buf_release(&messages);
	buf_release(&quoted);
}

int
main(void)
{
	const struct CMUnitTest tests_list[] = {
		cmocka_unit_test(test_rendered),
		cmocka_unit_test(test_tools_described),
		cmocka_unit_test(test_round),
	};

	return cmocka_run_group_tests(tests_list, NULL, NULL);
}
