/* test_dialect.c - calls in the text of an answer, cut at every place. */
#include "dialect_fix.h"

static void
check(const char *in, const char *want)
{
	check_as(DIALECT_AUTO, false, in, want);
}

static void
check_cut(const char *in, const char *want)
{
	check_as(DIALECT_AUTO, true, in, want);
}

#define H(args) "<tool_call>\n{\"name\": \"read\", \"arguments\": " args \
	"}\n</tool_call>"
#define P(k, v) "<parameter=" k ">\n" v "\n</parameter>\n"
#define F(name, params) "<function=" name ">\n" params "</function>"
#define U(name, params) "<tool_call>\n<function=" name ">\n" params \
	"</tool_call>"
#define Q(name, params) "<tool_call>\n" F(name, params) "\n</tool_call>"

/* ---- text ---- */

static void
test_text(void **state)
{
	(void)state;
	check("", "");
	check(" a\n\n< b <c> \n", "T[ a\n\n< b <c> \n]");
	check("<tool_calls> <functional> <function",
	    "T[<tool_calls> <functional> <function]");
	check("in <tool_call></tool_call> tags",
	    "T[in <tool_call></tool_call> tags]");
	check("a <tool_call> is never closed",
	    "T[a <tool_call> is never closed]");
	check("<function=f> is a tag", "T[<function=f> is a tag]");
	check("<function=read> is a tag", "T[<function=read> is a tag]");
	check_cut("a <tool_call> is b", "T[a <tool_call> is b]");
	check_as(DIALECT_NONE, false, H("{}") " \n", "T[" H("{}") " \n]");
}

static void
test_fences(void **state)
{
	static const char *const same[] = {
		"```\n" H("{}") "\n```\n",
		"a\n  ```xml\n" Q("read", P("path", "x")) "\n  ```",
		"~~~~\n~~~\n" H("{}") "\n~~~~~\nb",
		"````\n```\n" H("{}"),
		"write `<tool_call>{\"name\":\"read\"}</tool_call>` now",
		"`<function=read>` and `</function>`",
		"write `so. <tool_call>{\"name\":\"read\"}</tool_call>` now" };

	(void)state;
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		char *want = xasprintf("T[%s]", same[i]);

		check(same[i], want);
		check_as(DIALECT_QWEN3, false, same[i], want);
		free(want);
	}
	check("```c\nx\n```\n" H("{}"), "T[```c\nx\n```]C[read {}]");
	check("```x``` y\n" H("{}"), "T[```x``` y]C[read {}]");
	check("run `make`:" H("{}"), "T[run `make`:]C[read {}]");
}

/* ---- hermes ---- */

static void
test_hermes(void **state)
{
	(void)state;
	check(H("{\"path\": \"a\", \"n\":1.50}"),
	    "C[read {\"path\": \"a\", \"n\":1.50}]");
	check("Look.\n\n" H("{}") "\n" H("{\"path\":\"b\"}") "\n",
	    "T[Look.]C[read {}]C[read {\"path\":\"b\"}]");
	check("A\n" H("{}") "\n\nB " H("{}") " C",
	    "T[A]C[read {}]T[\n\nB]C[read {}]T[ C]");
	check(H("{\"path\":\"</tool_call>\\\"}{\"}"),
	    "C[read {\"path\":\"</tool_call>\\\"}{\"}]");
	check(H("{\"path\":\"<tool_call>{<function=read>\"}"),
	    "C[read {\"path\":\"<tool_call>{<function=read>\"}]");
	check("<tool_call>{\"name\":\"read\"}</tool_call>", "C[read {}]");
	check("<tool_call>{\"name\":\"r\\u0065ad\",\"arguments\":null}"
	    "</tool_call>", "C[read {}]");
	check("<tool_call>{\"name\":\"read\",\"arguments\":\"{\\\"a\\\":1}\"}"
	    "</tool_call>", "C[read {\"a\":1}]");
	/* the closing tag is missing */
	check("<tool_call>{\"name\":\"read\"}\n", "C[read {}]");
	check("<tool_call>{\"name\":\"read\"}\n</tool_", "C[read {}]");
	check("<tool_call>{\"name\":\"read\"}\n" H("{}"),
	    "C[read {}]C[read {}]");
}

static void
test_hermes_broken(void **state)
{
	static const char odd[] = "<tool_call>{\"name\":\"read\",\"arguments\""
	    ":{\"path\":\"a}}</tool_call>";
	static const char extra[] = "<tool_call>{\"name\":\"read\"}}"
	    "</tool_call>";
	char *want;

	(void)state;
	want = xasprintf("M[%s]T[x]", odd);
	check("<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a}}"
	    "</tool_call>x", want);
	free(want);
	want = xasprintf("T[a]M[%s]T[b]", extra);
	check("a<tool_call>{\"name\":\"read\"}}</tool_call>b", want);
	free(want);
	check(H("[1]"), "M[" H("[1]") "]");
	check(H("{\"a\":1,\"a\":2}"), "M[" H("{\"a\":1,\"a\":2}") "]");
	check("<tool_call>not json</tool_call>",
	    "M[<tool_call>not json</tool_call>]");
	check("<tool_call>{\"name\":\"read\",\"argu",
	    "M[<tool_call>{\"name\":\"read\",\"argu]");
	check("x <tool_call>\n", "T[x]M[<tool_call>\n]");
	check_as(DIALECT_HERMES, false, Q("read", ""), "M[" Q("read", "") "]");
}

static void
test_auto_needs_a_tool(void **state)
{
	static const char other[] = "<tool_call>{\"name\":\"rm\"}</tool_call>";

	(void)state;
	check("a <tool_call>{\"name\":\"rm\"}</tool_call> b",
	    "T[a <tool_call>{\"name\":\"rm\"}</tool_call> b]");
	check("<tool_call>{\"name\":\"rm\" \"x\"}</tool_call>",
	    "T[<tool_call>{\"name\":\"rm\" \"x\"}</tool_call>]");
	check(Q("rm", P("p", Q("read", ""))),
	    "T[" Q("rm", P("p", Q("read", ""))) "]");
	check_as(DIALECT_HERMES, false, other, "C[rm {}]");
	check_as(DIALECT_QWEN3, false, F("rm", P("x", "1")),
	    "C[rm {\"x\":\"1\"}]");
	check_cut("<tool_call>{\"name\":\"rm\",\"",
	    "T[<tool_call>{\"name\":\"rm\",\"]");
}

/* ---- qwen3-coder ---- */

static void
test_qwen3(void **state)
{
	(void)state;
	check("Go.\n" Q("read", P("path", "a.c") P("first", "10")) "\n",
	    "T[Go.]C[read {\"path\":\"a.c\",\"first\":10}]");
	check(Q("read", ""), "C[read {}]");
	check("<tool_call><function=read></function></tool_call>",
	    "C[read {}]");
	check("<function=read><parameter=path>a</parameter></function>",
	    "C[read {\"path\":\"a\"}]");
	/* the leading tag is missing */
	check(F("read", P("path", "a")) "\n</tool_call>\n"
	    F("read", P("path", "b")) "\n</tool_call>",
	    "C[read {\"path\":\"a\"}]C[read {\"path\":\"b\"}]");
	check(Q("read", P("path", "a")) "\nthen\n" Q("write", P("x", "1")),
	    "C[read {\"path\":\"a\"}]T[then]C[write {\"x\":\"1\"}]");
	/* both in one */
	check("<tool_call>\n" F("read", P("path", "a")) "\n"
	    F("write", P("x", "b")) "\n</tool_call>",
	    "C[read {\"path\":\"a\"}]C[write {\"x\":\"b\"}]");
	check(Q("read", P("path", "a")) H("{}"),
	    "C[read {\"path\":\"a\"}]C[read {}]");
}

static void
test_qwen3_closing_tags_missing(void **state)
{
	(void)state;
	check("<tool_call>\n" F("read", P("path", "a")),
	    "C[read {\"path\":\"a\"}]");
	check("<tool_call>\n" F("read", P("path", "a")) "\n</tool_cal",
	    "C[read {\"path\":\"a\"}]");
	check("<function=read>\n" P("path", "a"), "C[read {\"path\":\"a\"}]");
	check("<tool_call><function=read>\n" P("path", "a") "</func",
	    "C[read {\"path\":\"a\"}]");
	check("<function=read>\n", "C[read {}]");
	check("<function=read>\n<parameter=path>\na",
	    "M[<function=read>\n<parameter=path>\na]");
	check("<tool_call>\n" F("read", P("path", "a")) "\n" Q("write", ""),
	    "C[read {\"path\":\"a\"}]C[write {}]");
	/* </function> */
	check(U("read", P("path", "a")), "C[read {\"path\":\"a\"}]");
	check("Go.\n" U("read", P("path", "a")) "\n" U("read", P("path", "b"))
	    "\n", "T[Go.]C[read {\"path\":\"a\"}]C[read {\"path\":\"b\"}]");
	check(U("read", P("path", "a")) Q("write", ""),
	    "C[read {\"path\":\"a\"}]C[write {}]");
	check(U("read", P("path", "a")) H("{}"),
	    "C[read {\"path\":\"a\"}]C[read {}]");
	check(U("read", P("path", "a")) "\nx",
	    "C[read {\"path\":\"a\"}]T[x]");
	check(U("read", "") " x " U("read", "") U("write", ""),
	    "C[read {}]T[x]C[read {}]C[write {}]");
	check("<function=read>\n" P("path", "a") "</tool_call>",
	    "C[read {\"path\":\"a\"}]");
	check(Q("write", P("a", U("read", P("path", "x"))) P("b", "2")),
	    "C[write {\"a\":\"<tool_call>\\n<function=read>\\n"
	    "<parameter=path>\\nx\\n</parameter>\\n</tool_call>\","
	    "\"b\":\"2\"}]");
	check(Q("write", P("a", "x</parameter>\n</tool_call>") P("b", "2")),
	    "C[write {\"a\":\"x</parameter>\\n</tool_call>\","
	    "\"b\":\"2\"}]");
}

static void
test_qwen3_coerced(void **state)
{
	(void)state;
	check(Q("read", P("path", "10") P("first", " 10 ") P("ratio", "-1.5e3")
	    P("all", "True") P("list", "[1, \"a\"]") P("o", "{\"a\": 1}")
	    P("s", "null") P("none", "7")),
	    "C[read {\"path\":\"10\",\"first\":10,\"ratio\":-1.5e3,"
	    "\"all\":true,\"list\":[1, \"a\"],\"o\":{\"a\": 1},\"s\":null,"
	    "\"none\":\"7\"}]");
	check(Q("read", P("path", "null") P("first", "ten") P("ratio", "None")
	    P("all", "yes") P("list", "['a']") P("o", "[]") P("s", "5")),
	    "C[read {\"path\":\"null\",\"first\":\"ten\",\"ratio\":null,"
	    "\"all\":\"yes\",\"list\":\"['a']\",\"o\":\"[]\",\"s\":\"5\"}]");
}

static void
test_qwen3_newlines(void **state)
{
	(void)state;
	check(Q("write", P("a", "") P("b", "\n") P("c", "x\n") P("d", "\n\tx")),
	    "C[write {\"a\":\"\",\"b\":\"\\n\",\"c\":\"x\\n\","
	    "\"d\":\"\\n\\tx\"}]");
	check(Q("write", "<parameter=a>x</parameter>"
	    "<parameter=b>\n</parameter><parameter=c> x </parameter>"
	    "<parameter=d>\r\nx\r\n</parameter>"),
	    "C[write {\"a\":\"x\",\"b\":\"\",\"c\":\" x \",\"d\":\"x\"}]");
}

/* Values are whatever a file may hold. */
static void
test_qwen3_values(void **state)
{
	(void)state;
	check(Q("write", P("a", "<b>&amp;</b> <parameter=x> </parameter> y")),
	    "C[write {\"a\":\"<b>&amp;</b> <parameter=x> </parameter> y\"}]");
	check(Q("write", P("a", "</parameter> </function> </tool_call> y")),
	    "C[write {\"a\":\"</parameter> </function> </tool_call> y\"}]");
	check(Q("write", P("a", "</tool_call><tool_call>{\"name\":\"read\"}")),
	    "C[write {\"a\":\"</tool_call><tool_call>{\\\"name\\\":"
	    "\\\"read\\\"}\"}]");
	/* closed twice */
	check(Q("write", P("a", "x\n</parameter>") P("b", "1")),
	    "C[write {\"a\":\"x\",\"b\":\"1\"}]");
	check(Q("write", P("a", "<parameter=x>\n</parameter>")),
	    "C[write {\"a\":\"<parameter=x>\\n</parameter>\"}]");
	/* a whole call within */
	check(Q("write", P("a", "x\n" Q("read", P("path", "p") P("b", "1"))
	    "\ny") P("b", "2")) "\nend",
	    "C[write {\"a\":\"x\\n<tool_call>\\n<function=read>\\n"
	    "<parameter=path>\\np\\n</parameter>\\n<parameter=b>\\n1\\n"
	    "</parameter>\\n</function>\\n</tool_call>\\ny\",\"b\":\"2\"}]"
	    "T[end]");
	/* a key again is text */
	check(Q("write", P("a", "x</parameter>\n<parameter=a>y")),
	    "C[write {\"a\":\"x</parameter>\\n<parameter=a>y\"}]");
	/* half a call within, and then another block */
	check(Q("write", P("a", "<function=read>\n<parameter=path>\np"))
	    "\n" Q("read", ""),
	    "C[write {\"a\":\"<function=read>\\n<parameter=path>\\np\"}]"
	    "C[read {}]");
	check(Q("write", P("a", "<function=read>\n<parameter=path>\np")) "\n",
	    "C[write {\"a\":\"<function=read>\\n<parameter=path>\\np\"}]");
}

static void
test_qwen3_broken(void **state)
{
	(void)state;
	check("<tool_call>\n<function=read>\n{\"path\":1]\n</function>\n"
	    "</tool_call>",
	    "M[<tool_call>\n<function=read>\n{\"path\":1]\n</function>\n"
	    "</tool_call>]");
	check("<function=read>[]</function>",
	    "M[<function=read>[]</function>]");
	check("<tool_call>\n<function=write>\n<parameter=a>\n"
	    Q("read", P("path", "a")),
	    "M[<tool_call>\n<function=write>\n<parameter=a>\n"
	    Q("read", P("path", "a")) "]");
	check("<function=rm>{}</function>", "T[<function=rm>{}</function>]");
}

static void
test_function_object(void **state)
{
	(void)state;
	check("<tool_call>\n<function=read>\n{\"path\":1}\n</function>\n"
	    "</tool_call>", "C[read {\"path\":1}]");
	check("a <function=read>{}</function> b", "T[a]C[read {}]T[ b]");
	check("<function=read>{\"path\":\"</function>\"} <function=read>{}",
	    "C[read {\"path\":\"</function>\"}]C[read {}]");
}

/* A closing tag within a value does not end the block, nor does half of one
 * behind it. */
static void
test_ends_in_values(void **state)
{
#define G "<|tool_call>call:read{path:<|\"|>}<tool_call|><|\"|>}"
#define K "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0" \
	"<|tool_call_argument_begin|>" \
	"{\"path\":\"<|tool_calls_section_end|>\"}<|tool_call_end|>"
#define J "<tool_call>{\"name\":\"read\",\"arguments\":" \
	"{\"path\":\"</tool_call>\"}}"
#define GGOT "C[read {\"path\":\"}<tool_call|>\"}]"
#define KGOT "C[read {\"path\":\"<|tool_calls_section_end|>\"}]"

	(void)state;
	check(G "<tool_call|>x", GGOT "T[x]");
	check(G "<tool_", GGOT);
	check(G "x", GGOT "T[x]");
	check(K "<|tool_calls_section_end|>x", KGOT "T[x]");
	check(K "<|tool_calls_s", KGOT);
	check(K "x", KGOT "T[x]");
	check(J "x", "C[read {\"path\":\"</tool_call>\"}]T[x]");
	check(J "x</tool_call>", "M[" J "x</tool_call>]");
	check_as(DIALECT_MINIMAX, false, "<invoke name=\"read\"></invoke>"
	    "</invoke>x", "C[read {}]T[</invoke>x]");
}

/* ---- cut by length ---- */

static void
test_cut(void **state)
{
	(void)state;
	check_cut("a " H("{}") "\n<tool_call>{\"name\":\"read\",\"arg",
	    "T[a]C[read {}]D1");
	check_cut(Q("read", "") "\n<tool_call>\n<function=write>\n"
	    "<parameter=a>\nx\n</parameter>\n", "C[read {}]D1");
	check_cut("a\n<tool_c", "T[a]D1");
	check_cut("a\n<tool_call>", "T[a]D1");
	check_cut("a\n<tool_call>\n<funct", "T[a]D1");
	check_cut("a\n<function=rea", "T[a]D1");
	check_cut("a\n<function=read>", "T[a]D1");
	check_cut("a <t", "T[a <t]");
	check_cut("<tool_call>{\"name\":\"read\"}", "D1");
	check_cut("<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":"
	    "\"</tool_call> x", "D1");
	check_cut(H("{}") "\nand so", "C[read {}]T[and so]");
	check_cut(F("read", P("path", "a")), "C[read {\"path\":\"a\"}]");
	check_cut("<tool_call>" F("read", P("path", "a")), "D1");
	check_cut(U("read", P("path", "a")), "D1");
	check_cut(U("read", P("path", "a")) Q("write", ""),
	    "C[read {\"path\":\"a\"}]C[write {}]");
	/* the end of what is written about is not the end */
	check_cut("<tool_call>\n<function=write>\n<parameter=a>\n"
	    Q("read", P("path", "a")), "D1");
}

static void
test_cut_regions(void **state)
{
	(void)state;
	/* all there but its end: more arguments may have followed */
	check_cut("a<tool_call>read\n<arg_key>path</arg_key>\n"
	    "<arg_value>x</arg_value>\n", "T[a]D1");
	check_cut("a<invoke name=\"read\">\n<parameter name=\"path\">x"
	    "</parameter>\n", "T[a]D1");
	check_cut("a<invoke name=\"read\">", "T[a]D1");
	check_cut("a<minimax:tool_call>\n<invoke name=\"read\">\n</invoke>\n"
	    "<invoke name=\"read\">\n<para", "T[a]C[read {}]D1");
	/* only begun */
	check_cut("a[TOOL_CALLS]", "T[a]D1");
	check_cut("a[TOOL_CALLS]read[AR", "T[a]D1");
	check_cut("a[TOOL_CALLS]read[ARGS]{}[TOOL_CALLS]re",
	    "T[a]C[read {}]D1");
	check_cut("a<|python_tag|>{\"name\":\"read\",\"parameters\":{}}"
	    "<|python", "T[a]C[read {}]D1");
	check_cut("a<｜tool▁calls▁begin｜><｜tool▁c",
	    "T[a]D1");
	check_cut("a<|tool_calls_section_begin|>", "T[a]D1");
	check_cut("a<minimax:tool_call>\n<invoke n", "T[a]D1");
	/* words behind it are words */
	check_cut("a <minimax:tool_call> is a tag", "T[a <minimax:tool_call> "
	    "is a tag]");
	/* not cut, the end may be missing */
	check("a<tool_call>read\n<arg_key>path</arg_key>\n"
	    "<arg_value>x</arg_value>\n", "T[a]C[read {\"path\":\"x\"}]");
	check_cut("```json\n{\"name\":\"read\",\"arguments\":{}}\n``",
	    "C[read {}]");
}

/* ---- what an attacker sends ends soon ---- */

static void
flood(const char *piece, size_t times)
{
	static const struct dialect_out out = { on_got_text, on_got_call,
		on_got_malformed };
	struct got g = { BUF_INIT(1 << 28), false };
	struct dialect *d = dialect_new(DIALECT_AUTO, slice_of(tools), &out,
	    &g);

	for (size_t i = 0; i < times; i++)
		dialect_feed(d, slice_of(piece));
	dialect_end(d, false);
	dialect_free(d);
	buf_release(&g.log);
}

static void
test_floods(void **state)
{
	static const char *const pieces[] = { "<tool_call>", "<function=read>",
		"<tool_call>{", "<function=read><parameter=path>",
		"<function=read><parameter=path></parameter></function>x",
		"<function=a><parameter=b><function=c><parameter=d>"
		"</parameter></function>", "<function=read>x", " ", "<", "`",
		"<tool_call>{\"name\":\"read\",\"a\":\"</tool_call>", "\n```",
		"<tool_call>x" };

	(void)state;
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		flood(pieces[i], 20000);
}

int
main(void)
{
	const struct CMUnitTest tests_list[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_fences),
		cmocka_unit_test(test_hermes),
		cmocka_unit_test(test_hermes_broken),
		cmocka_unit_test(test_auto_needs_a_tool),
		cmocka_unit_test(test_qwen3),
		cmocka_unit_test(test_qwen3_closing_tags_missing),
		cmocka_unit_test(test_qwen3_coerced),
		cmocka_unit_test(test_qwen3_newlines),
		cmocka_unit_test(test_qwen3_values),
		cmocka_unit_test(test_qwen3_broken),
		cmocka_unit_test(test_function_object),
		cmocka_unit_test(test_ends_in_values),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cut_regions),
		cmocka_unit_test(test_floods),
	};

	return cmocka_run_group_tests(tests_list, NULL, NULL);
}
