/* internal.h - the interface between dialect.c and the readers of dialects.
 *
 * A block is read when its closing tag is there, or once the answer has ended:
 *
 *	llama3		<|python_tag|>{"name":N,"parameters":{...}}; also an
 *			answer that is nothing but such objects, or for auto a
 *			list of them
 *	mistral		[TOOL_CALLS][{"name":N,"arguments":{...}}], and
 *			[TOOL_CALLS]N[ARGS]{...}
 *	hermes		such a list also in <tool_call>, and in the marks of
 *			Granite, Phi 4, Nemotron, Apriel, Jamba, Command R and
 *			InternLM; of Apertus, <|tools_prefix|>[{N:{...}}]
 *	deepseek	<|tool_calls_begin|> with its own wide marks; since 3.2
 *			what minimax has, with |DSML| before each tag's name
 *	glm		<tool_call>N <arg_key>K</arg_key><arg_value>V
 *			</arg_value></tool_call>
 *	kimi		<|tool_call_begin|>functions.N:0
 *			<|tool_call_argument_begin|>{...}<|tool_call_end|>; of
 *			K3, <|open|>call tool="N" index="1"<|sep|>
 *			<|open|>argument key="K" type="string"<|sep|>V
 *			<|close|>argument<|sep|><|close|>call<|sep|>
 *	minimax		<invoke name="N"><parameter name="K">V</parameter>
 *			</invoke>; of M3, <invoke name="N"><K>V</K></invoke>
 *			(V may be <K>V</K> or <item>V</item> again);
 *			of MiniCPM 5, <function name="N"><param name="K">V
 *			</param></function>
 *	pythonic	[N(K="V"), N()], also in the marks of Llama 4 and LFM2;
 *			<function_calls>N(K="V")...
 *	gemma		<|tool_call>call:N{K:<|"|>V<|"|>,K:12}<tool_call|> of
 *			Gemma 4; <start_function_call>call:N{K:<escape>V
 *			<escape>}<end_function_call> of FunctionGemma; lines
 *			N(K="V") in a fence tool_code of Gemma 3
 *	json		```json {"name":N,"arguments":{...}} ```
 */
#pragma once

#include "dialect.h"
#include "match.h"
#include "json/scan.h"

#define CALL "<tool_call>"
#define CALL_END "</tool_call>"
#define NAME_END "<tool_sep>"		/* Hunyuan's form of glm */
#define FUNC "<function="
#define FUNC_END "</function>"
#define DS_CALLS "<｜tool▁calls▁begin｜>"
#define DS_CALLS_END "<｜tool▁calls▁end｜>"
#define DS_CALL "<｜tool▁call▁begin｜>"
#define DS_SEP "<｜tool▁sep｜>"
#define DS_END "<｜tool▁call▁end｜>"
#define DSML "<｜DSML｜"
#define DSML_INVOKE DSML "invoke name="
#define DSML_INVOKE_END "</｜DSML｜invoke>"
#define ASCII_DSML "<|DSML|"	/* some gateways narrow the marks */
#define ASCII_INVOKE ASCII_DSML "invoke name="
#define ASCII_INVOKE_END "</|DSML|invoke>"
#define KIMI_CALLS "<|tool_calls_section_begin|>"
#define KIMI_CALLS_END "<|tool_calls_section_end|>"
#define KIMI_CALL "<|tool_call_begin|>"
#define KIMI_ARGS "<|tool_call_argument_begin|>"
#define KIMI_END "<|tool_call_end|>"
#define K3_CALL "<|open|>call tool="
#define K3_CALL_END "<|close|>call<|sep|>"
#define PYTHON_TAG "<|python_tag|>"
#define FUNCTIONS "<function_calls>"
#define FUNCTIONS_END "</function_calls>"
#define MISTRAL "[TOOL_CALLS]"
#define MISTRAL_ARGS "[ARGS]"
#define GEMMA "<|tool_call>"
#define GEMMA_END "<tool_call|>"
#define GEMMA_FUNCTION "<start_function_call>"
#define GEMMA_FUNCTION_END "<end_function_call>"
#define TOOL_CODE "```tool_code"
#define INVOKE "<invoke name="
#define INVOKE_END "</invoke>"
#define MINICPM "<function name="
#define APERTUS "<|tools_prefix|>"
#define M3_MARK "]<]minimax[>["		/* before each tag of MiniMax M3 */

enum block_end { BLOCK_GROWS, BLOCK_STOPS, BLOCK_CUT };	/* more to come? */

enum block_result {
	BLOCK_NONE,		/* not a call: it is text */
	BLOCK_CALLS,		/* calls, up to at */
	BLOCK_UNCLOSED,		/* the same, but the last one is not closed */
	BLOCK_OPEN,		/* calls, the last one incomplete */
	BLOCK_BROKEN		/* a call that cannot be read */
};

/* A call: the name decoded, the arguments as the text of an object. */
struct block_call {
	struct buf name, args;
};

/* A block. */
struct reading {
	struct slice s;
	enum block_end e;
	size_t open;		/* bytes of its opening */
	bool weak;		/* it may be something else */
	size_t at;
	enum dialect_kind kind;
	struct slice tools;
	struct scan scan;
	struct block_call *v;	/* the calls in it; made are set up */
	size_t n, made, cap;
	bool again;		/* it had to be read twice */
	bool ended;		/* at is its end, although it is broken */
};

/* Is this dialect read? */
bool reading_includes(const struct reading *r, enum dialect_kind kind);

/* May a call of this name be lifted?  auto lifts only names in tools. */
bool reading_lifts(const struct reading *r, struct slice name);

/* An empty call to fill in; it counts once r->n is incremented. */
struct block_call *reading_add_call(struct reading *r);

typedef enum block_result block_read(struct reading *r);
block_read read_call, read_qwen3;
block_read read_llama3, read_bare, read_mistral, read_list, read_fence,
    read_functions, read_glm, read_pythonic;
block_read read_tagged;		/* of deepseek and kimi */
block_read read_invokes;	/* of minimax, DSML and Kimi K3 */
block_read read_gemma, read_tool_code;
block_read python_call;		/* one N(K=V), or N{K:V} */
/* Read lines N(K=V) from r->at up to end; a line may print or assign the
 * value. */
enum block_result python_lines(struct reading *r, const char *end);
/* Read a call with this name; the JSON object of its arguments is at r->at. */
enum block_result named_object(struct reading *r, struct slice name);
/* Read objects with name and arguments from r->at, bare or in a list. */
block_read read_objects;
/* Skip an end-of-turn token, which some servers leave in the text. */
size_t skip_turn_end(struct slice s, size_t at);

/* Does s begin with a tag <function=NAME>?  1: yes, and *n is its length; -1:
 * perhaps; 0: no. */
int qwen3_opening(struct slice s, size_t *n);

/* ---- tools ---- */

/* The "function" of the tool of this name (decoded), or {NULL, 0}. */
struct slice tools_find(struct slice tools, struct slice name);
bool tools_any(struct slice tools);		/* an array with an element */
/* The schema of a tool's parameter of this name, or of its canonical name
 * (alias.h), or {NULL, 0}.  fn is from tools_find. */
struct slice tools_parameter(struct slice fn, struct slice tool,
    struct slice key);
/* Append text as JSON: a value of a type in the schema if it can be read as
 * one, else a string. */
void tools_coerce(struct slice schema, struct slice text, struct scan *sc,
    struct buf *out);
/* The same, but objects and lists are written as <KEY>VALUE</KEY> and
 * <item>VALUE</item>; depth: within how many of them. */
void tools_nested(struct slice schema, unsigned depth, struct slice text,
    struct scan *sc, struct buf *out);
