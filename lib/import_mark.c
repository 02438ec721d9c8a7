/* import_mark.c - what is typical of one format, in one JSON value. */
#include <string.h>

#include "import_mark.h"
#include "scan.h"

#define FEW 40			/* elements of a list that are looked at */

static bool
is_object(struct slice u, const char *key)
{
	return scan_kind(scan_get(u, key)) == SCAN_OBJECT;
}

static bool
is_array(struct slice u, const char *key)
{
	return scan_kind(scan_get(u, key)) == SCAN_ARRAY;
}

static bool
is_string(struct slice u, const char *key)
{
	return scan_kind(scan_get(u, key)) == SCAN_STRING;
}

static bool
has(struct slice u, const char *key)
{
	return scan_get(u, key).p != NULL;
}

/* The string at key is one of the words. */
static bool
is_one_of(struct slice u, const char *key, const char *const *words)
{
	struct slice val = scan_get(u, key);

	for (; *words != NULL; words++)
		if (scan_str_is(val, *words))
			return true;
	return false;
}

/* The string at key, unescaped or not, starts with or contains text. */
static bool
starts(struct slice u, const char *key, const char *text)
{
	struct slice val = scan_get(u, key);

	return scan_kind(val) == SCAN_STRING && val.n > strlen(text) &&
	    memcmp(val.p + 1, text, strlen(text)) == 0;
}

static bool
contains(struct slice val, const char *text)
{
	return val.p != NULL && memmem(val.p, val.n, text, strlen(text)) !=
	    NULL;
}

/* One of the first elements of the list at key answers yes. */
static bool
any(struct slice u, const char *key, bool (*is)(struct slice))
{
	struct slice list = scan_get(u, key), el;
	struct walk w;

	if (scan_kind(list) != SCAN_ARRAY)
		return false;
	walk_in(&w, list);
	for (int i = 0; i < FEW && walk_next(&w, NULL, &el); i++)
		if (is(el))
			return true;
	return false;
}

/* ---- messages and their parts ---- */

static bool
is_tool_part(struct slice part)
{
	static const char *const types[] = { "tool_use", "tool_result", NULL };

	return is_one_of(part, "type", types);
}

static bool
is_codex_part(struct slice part)
{
	static const char *const types[] = { "input_text", "output_text",
		"input_image", NULL };

	return is_one_of(part, "type", types);
}

static bool
is_pi_part(struct slice part)
{
	return scan_str_is(scan_get(part, "type"), "toolCall");
}

static bool
is_role(struct slice m)
{
	return is_string(m, "role") && !starts(m, "role", "_");
}

static bool
has_tool_parts(struct slice m)
{
	return is_role(m) && any(m, "content", is_tool_part);
}

static bool
is_mini_message(struct slice m)
{
	struct slice text = scan_get(m, "content");

	return is_role(m) && (contains(text, "```mswea_bash_command") ||
	    starts(m, "content", "<returncode>") ||
	    is_array(scan_get(m, "extra"), "actions"));
}

static bool
is_swe_message(struct slice m)
{
	return is_role(m) && (has(m, "message_type") || starts(m, "content",
	    "OBSERVATION:") || (scan_str_is(scan_get(m, "role"), "assistant") &&
	    contains(scan_get(m, "content"), "<function=")));
}

/* ---- formats ---- */

static bool
is_claude_code(struct slice u)
{
	static const char *const says[] = { "user", "assistant", NULL };
	static const char *const notes[] = { "system", "progress",
		"attachment", NULL };

	if (is_one_of(u, "type", says))
		return has(scan_get(u, "message"), "content") &&
		    (has(u, "parentUuid") || is_string(u, "sessionId") ||
		    is_string(u, "uuid") || is_string(u, "session_id"));
	if (is_one_of(u, "type", notes))
		return has(u, "isSidechain");
	return (scan_str_is(scan_get(u, "type"), "summary") &&
	    is_string(u, "leafUuid")) ||
	    (scan_str_is(scan_get(u, "type"), "file-history-snapshot") &&
	    is_object(u, "snapshot"));
}

static bool
is_codex(struct slice u)
{
	static const char *const types[] = { "session_meta", "response_item",
		"event_msg", "turn_context", "compacted", "world_state", NULL };
	static const char *const bare[] = { "function_call",
		"function_call_output", "local_shell_call",
		"custom_tool_call", "custom_tool_call_output", NULL };

	if (is_object(u, "payload"))
		return is_one_of(u, "type", types);
	/* flat: a header without a type, notes with a record_type */
	if (is_string(u, "id") && is_string(u, "timestamp") &&
	    (has(u, "instructions") || is_object(u, "git")) &&
	    !has(u, "type") && !has(u, "role"))
		return true;
	if (is_string(u, "record_type") && !has(u, "type") && !has(u, "role"))
		return true;
	return (is_one_of(u, "type", bare) && is_string(u, "call_id")) ||
	    (scan_str_is(scan_get(u, "type"), "message") &&
	    any(u, "content", is_codex_part));
}

static bool
is_pi(struct slice u)
{
	struct slice m = scan_get(u, "message");

	if (scan_str_is(scan_get(u, "type"), "session"))
		return is_string(u, "cwd") && is_string(u, "timestamp");
	return scan_str_is(scan_get(u, "type"), "message") &&
	    (scan_str_is(scan_get(m, "role"), "toolResult") ||
	    any(m, "content", is_pi_part));
}

static bool
is_opencode_message(struct slice m)
{
	return is_object(m, "info") && is_array(m, "parts");
}

static bool
is_opencode(struct slice u)
{
	struct slice info = scan_get(u, "info");

	/* an export whose first message, or all of them, come late */
	return any(u, "messages", is_opencode_message) ||
	    (is_string(info, "id") && is_string(info, "directory")) ||
	    (is_string(u, "projectID") && is_string(u, "directory")) ||
	    (is_string(u, "messageID") && starts(u, "id", "prt_")) ||
	    (is_string(u, "sessionID") && is_object(u, "time") &&
	    is_string(u, "role")) ||
	    (is_string(u, "messageID") && is_string(u, "sessionID") &&
	    is_string(u, "type"));
}

static bool
is_gemini_message(struct slice m)
{
	return scan_str_is(scan_get(m, "type"), "gemini") ||
	    (is_string(m, "role") && is_array(m, "parts") &&
	    !has(m, "content"));
}

static bool
is_gemini(struct slice u)
{
	return (is_string(u, "sessionId") && is_string(u, "projectHash")) ||
	    has(u, "$set") || has(u, "$rewindTo") || is_gemini_message(u) ||
	    any(u, "messages", is_gemini_message) ||
	    any(u, "history", is_gemini_message);
}

static bool
is_qwen(struct slice u)
{
	return is_string(u, "uuid") && (is_object(u, "systemPayload") ||
	    is_array(scan_get(u, "message"), "parts"));
}

static bool
is_kimi(struct slice u)
{
	static const char *const roles[] = { "_system_prompt", "_checkpoint",
		"_usage", NULL };

	return is_one_of(u, "role", roles) ||
	    starts(u, "type", "context.append_") ||
	    (is_string(u, "protocol_version") &&
	    scan_str_is(scan_get(u, "type"), "metadata")) ||
	    (has(u, "timestamp") && is_string(scan_get(u, "message"), "type") &&
	    is_object(scan_get(u, "message"), "payload"));
}

static bool
is_swe_step(struct slice step)
{
	return is_string(step, "action") && is_string(step, "observation");
}

static bool
is_swe_agent(struct slice u)
{
	return any(u, "trajectory", is_swe_step) ||
	    any(u, "history", is_swe_message) ||
	    (any(u, "messages", is_swe_message) && !has(u, "info"));
}

static bool
is_mini_swe_agent(struct slice u)
{
	return starts(u, "trajectory_format", "mini-swe-agent") ||
	    any(u, "messages", is_mini_message);
}

static bool
is_openhands_event(struct slice u)
{
	static const char *const sources[] = { "agent", "user", "environment",
		"hook", NULL };
	struct slice kind = scan_get(u, "kind");

	if (scan_kind(kind) == SCAN_STRING && kind.n > 7 &&
	    memcmp(kind.p + kind.n - 6, "Event\"", 6) == 0)
		return is_string(u, "source");
	return (is_string(u, "action") || is_string(u, "observation")) &&
	    (is_one_of(u, "source", sources) || is_object(u, "args") ||
	    is_object(u, "extras"));
}

/* An element of the history of a resolver's output. */
static bool
is_openhands_step(struct slice u)
{
	return is_openhands_event(u) || (!has(u, "role") &&
	    (is_string(u, "action") || is_string(u, "observation"))) ||
	    (scan_kind(u) == SCAN_ARRAY);
}

static bool
is_openhands(struct slice u)
{
	return is_openhands_event(u) || (any(u, "history", is_openhands_step) &&
	    !is_array(u, "trajectory"));
}

static bool
is_sharegpt_turn(struct slice m)
{
	return is_string(m, "from") && has(m, "value");
}

static bool
is_sharegpt(struct slice u)
{
	return any(u, "conversations", is_sharegpt_turn);
}

static bool
is_atif(struct slice u)
{
	return starts(u, "schema_version", "ATIF") ||
	    (is_array(u, "steps") && is_object(u, "agent"));
}

static bool
is_cline(struct slice u)
{
	return any(u, "messages", has_tool_parts) ||
	    (is_array(u, "messages") && is_string(u, "sessionId") &&
	    has(u, "updated_at"));
}

static bool
is_copilot(struct slice u)
{
	static const char *const starts_of[] = { "session.", "user.",
		"assistant.", "tool.", "system.", "hook.", "subagent.", NULL };

	if (!is_object(u, "data"))
		return false;
	for (size_t i = 0; starts_of[i] != NULL; i++)
		if (starts(u, "type", starts_of[i]))
			return true;
	return false;
}

static bool
is_sample(struct slice u)
{
	return any(u, "messages", is_role);
}

static bool
is_openai(struct slice u)
{
	/* a request of ours has messages, too, and a type */
	return (any(u, "messages", is_role) && !has(u, "steps") &&
	    !is_string(u, "type")) || any(u, "samples", is_sample) ||
	    (is_object(u, "eval") && is_string(u, "status"));
}

unsigned
import_marks(struct slice u, bool in_list)
{
	static bool (*const is[NMARKS])(struct slice) = { is_openai,
		is_claude_code, is_codex, is_pi, is_opencode, is_gemini,
		is_qwen, is_kimi, is_swe_agent, is_mini_swe_agent,
		is_openhands, is_sharegpt, is_atif, is_cline, is_copilot };
	unsigned marks = 0;

	for (unsigned i = 0; i < NMARKS; i++)
		marks |= (unsigned)is[i](u) << i;
	if (in_list && has_tool_parts(u))
		marks |= 1u << MARK_CLINE;
	if (in_list && is_mini_message(u))
		marks |= 1u << MARK_MINI_SWE_AGENT;
	return marks;
}

unsigned
import_marks_together(unsigned marks)
{
	const unsigned others = 1u << MARK_OPENCODE | 1u << MARK_GEMINI |
	    1u << MARK_SWE_AGENT | 1u << MARK_MINI_SWE_AGENT |
	    1u << MARK_CLINE;

	if ((marks & others) != 0)
		marks &= ~(1u << MARK_OPENAI);
	return marks;
}
