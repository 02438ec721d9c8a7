/* conf_keys.c - the one table of configuration keys, and its lookups. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "conf_keys.h"
#include "toml.h"

#define ROW(key, type, mark, def, min, max, words, source) \
	{ key, CONF_ ## type, MARK_ ## mark, def, min, max, words, source }
#define INT(key, mark, def, min, max, source) \
	ROW(key, INT, mark, def, min, max, NULL, source)
#define NUM(key, mark, def, min, max, source) \
	ROW(key, NUM, mark, def, min, max, NULL, source)
#define COUNT(key, mark, def, source) INT(key, mark, def, 1, 1000000, source)
#define COUNT_0(key, mark, def, source) INT(key, mark, def, 0, 1000000, source)
#define TOKENS(key, mark, def, source) \
	INT(key, mark, def, 0, 1000000000, source)
#define SECONDS(key, mark, def, source) NUM(key, mark, def, 0, 86400, source)
#define STR(key, mark, def, words, source) \
	ROW(key, STR, mark, def, 0, 0, words, source)
#define BOOL(key, mark, def, source) \
	ROW(key, BOOL, mark, def, 0, 0, NULL, source)
#define LIST(key, mark, def, source) \
	ROW(key, LIST, mark, def, 0, 0, NULL, source)
#define ARGVS(key, mark, def, source) \
	ROW(key, ARGVS, mark, def, 0, 0, NULL, source)

/* "chosen" as a source: the specification names the limit but no number. */
const struct conf_key conf_keys[] = {
	/* [agent] */
	COUNT("agent.max_model_steps", LESS, "64", "spec 7.1"),
	COUNT_0("agent.max_tool_calls", LESS_0, "192", "spec 7.1"),
	STR("agent.mode", LESS, "patch", "read-only|verify|docs|patch",
	    "spec 5.2"),
	STR("agent.contract", NO, "auto", "auto|change|none", "spec 7.2"),
	INT("agent.contract_nudges", LESS, "5", 0, 1000, "spec 7.2"),
	INT("agent.repair_attempts", LESS, "1", 0, 100, "spec 7.2"),
	SECONDS("agent.provider_wait", LESS, "600", "spec 7.3"),
	STR("agent.durability", MORE, "normal", "normal|all", "spec 7.4"),
	/* [budget], 0: no limit; a price: "MODEL IN OUT [CACHED]" per 10^6 */
	INT("budget.max_wall_seconds", LESS_0, "0", 0, 1000000000,
	    "spec 7.1: none"),
	INT("budget.max_tokens", LESS_0, "0", 0, 1000000000000000,
	    "spec 7.1: none"),
	NUM("budget.max_cost", LESS_0, "0", 0, 1000000000, "spec 7.1: none"),
	ROW("budget.prices", TEXTS, NO, "[]", 0, 1000000000, NULL,
	    "spec 7.1: none"),
	/* [context], 0: unlimited */
	TOKENS("context.context_budget_tokens", LESS_0, "131072", "spec 8.1"),
	TOKENS("context.window", NO, NULL, "spec 8.1: from limit"),
	TOKENS("context.reserved_output_tokens", YES, "8192", "spec 8.1"),
	TOKENS("context.keep_recent_tokens", YES, "20000", "spec 8.2"),
	COUNT_0("context.keep_recent_tool_turns", YES, "3", "spec 8.2"),
	TOKENS("context.max_single_read_result_tokens", LESS_0, "12000",
	    "spec 8.1"),
	TOKENS("context.max_total_read_result_tokens_per_turn", LESS_0, "40000",
	    "spec 8.1"),
	STR("context.strategy", YES, "auto",
	    "auto|aggressive|moderate|balanced|light|late|none|off",
	    "spec 8.2"),
	BOOL("context.every_call", YES, "false", "spec 8.2"),
	/* [loop_guard], [loop_control] */
	BOOL("loop_guard.enabled", MORE, "true", "notes: guards"),
	STR("loop_guard.profile", NO, "default",
	    "default|hamr|openfang|hermes|nanobot|kimi|strict|off", "spec 3.3"),
	COUNT("loop_guard.warn_threshold", LESS, "3", "notes: OpenFang"),
	COUNT("loop_guard.block_threshold", LESS, "5", "notes: OpenFang"),
	COUNT_0("loop_guard.max_warnings_before_block", LESS, "2",
	    "notes: Hermes"),
	COUNT("loop_guard.halt_threshold", LESS, "8", "spec 3.2"),
	INT("loop_guard.window_size", MORE, "128", 2, 1024, "spec 3.2"),
	COUNT("loop_guard.global_circuit_breaker", LESS, "30",
	    "notes: OpenFang"),
	COUNT("loop_guard.outcome_warn_threshold", LESS, "2",
	    "notes: OpenFang"),
	COUNT("loop_guard.outcome_block_threshold", LESS, "3",
	    "notes: OpenFang"),
	INT("loop_guard.ping_pong_min_repeats", LESS, "3", 2, 1000000,
	    "notes: OpenFang"),
	INT("loop_guard.poll_multiplier", LESS, "3", 1, 1000,
	    "notes: OpenFang"),
	LIST("loop_guard.poll_tools", NO, "[]", "spec 3.2: built-in list"),
	LIST("loop_guard.exempt_tools", NO, "[]", "spec 3.2: none"),
	LIST("loop_guard.normalize", NO, "[]", "spec 3.1: none"),
	LIST("loop_guard.tools", NO, "[]", "spec 2.5: built-in table"),
	COUNT("loop_guard.same_error_warn", LESS, "3", "spec 3.2"),
	COUNT("loop_guard.same_error_block", LESS, "8", "spec 3.2"),
	COUNT("loop_guard.same_answer_warn", LESS, "12", "spec 3.2"),
	COUNT("loop_guard.futile_edit_warn", LESS, "4", "spec 3.2"),
	INT("loop_guard.max_retries", LESS, "2", 0, 1000, "spec 3.2"),
	COUNT_0("loop_guard.soft_max_tool_calls", LESS_0, "96", "spec 3.2"),
	COUNT_0("loop_guard.warn_reads", LESS_0, "0", "spec 3.2: off"),
	COUNT_0("loop_guard.max_reads", LESS_0, "0", "spec 3.2: off"),
	COUNT_0("loop_guard.explore_nudge_after", LESS_0, "8", "spec 3.2"),
	COUNT("loop_guard.stall_warn_threshold", LESS, "4", "spec 3.2"),
	COUNT("loop_guard.interleaved_block_threshold", LESS, "8", "spec 3.2"),
	COUNT("loop_guard.stuck_at_cap", LESS, "6", "spec 3.2"),
	COUNT("loop_control.progress_stall_threshold", LESS, "8",
	    "notes: kimi"),
	COUNT_0("loop_control.progress_min_info_gain_length", MORE, "60",
	    "notes: kimi"),
	/* [provider] and [provider.NAME]; times in seconds */
	STR("provider.api", NO, "openai", NULL, "spec 4.1"),
	STR("provider.base_url", NO, "", NULL, "spec 4.1: looked for"),
	STR("provider.model", NO, "", NULL, "spec 4.1: looked for"),
	STR("provider.api_key_env", NO, "", NULL, "spec 4.1: looked for"),
	LIST("provider.api_key_command", NO, "[]", "spec 4.1: none"),
	LIST("provider.headers", NO, "[]", "spec 4.1: none"),
	STR("provider.ca_file", NO, "", NULL, "spec 4.1: the system's"),
	STR("provider.proxy", NO, "", NULL, "spec 4.4: none"),
	STR("provider.tool_dialect", YES, "auto", "auto|none|hermes|"
	    "qwen3-coder|llama3|mistral|deepseek|glm|kimi|minimax|pythonic|"
	    "gemma|json|fenced", "spec 4.2"),
	STR("provider.reasoning_replay", YES, "auto", "auto|always|never",
	    "spec 4.2"),
	BOOL("provider.system_in_place", YES, "false", "spec 4.3"),
	BOOL("provider.stream", YES, "true", "spec 4.2"),
	BOOL("provider.vision", YES, "true", "spec 5.1"),
	NUM("provider.temperature", YES, NULL, 0, 10, "spec 4.1: the server's"),
	TOKENS("provider.max_tokens", LESS_0, "0", "spec 4.1: the server's"),
	ROW("provider.params", JSON, NO, "", 0, 0, NULL, "spec 4.1: none"),
	ROW("provider.prices", NUMS, NO, "[]", 0, 1000000000, NULL,
	    "spec 4.1: none"),
	COUNT_0("provider.repeat_limit", LESS_0, "12", "spec 4.2"),
	INT("provider.max_retries", LESS, "4", 0, 1000, "spec 4.4"),
	SECONDS("provider.max_retry_after", LESS, "120", "spec 4.4"),
	SECONDS("provider.connect_timeout", LESS_0, "10", "spec 4.4"),
	SECONDS("provider.first_byte_timeout", LESS_0, "600", "spec 4.4"),
	SECONDS("provider.idle_timeout", LESS_0, "120", "spec 4.4"),
	NUM("provider.total_timeout", LESS_0, "3600", 0, 1000000, "spec 4.4"),
	INT("provider.max_response_bytes", LESS, "67108864", 1024, 1073741824,
	    "spec 4.4"),
	INT("provider.max_line_bytes", LESS, "16777216", 1024, 1073741824,
	    "chosen; spec 4.4"),
	INT("provider.max_event_bytes", LESS, "16777216", 1024, 1073741824,
	    "chosen; spec 4.4"),
	INT("provider.max_header_bytes", LESS, "262144", 1024, 16777216,
	    "chosen; spec 4.4"),
	/* [tools], [policy], [sandbox] (memory in bytes), [mcp.NAME] */
	LIST("tools.buffers", NO, "[]", "spec 2.3: none"),
	LIST("tools.plugins", NO, "[]", "spec 5.1: none"),
	LIST("tools.approve", NO, "[]", "spec 5.2: none"),
	INT("tools.jobs", LESS, "4", 1, 64, "spec 5"),
	INT("tools.undo_days", NO, "30", 0, 36500, "chosen"),
	INT("tools.undo_bytes", NO, "1073741824", 0, 1125899906842624,
	    "chosen"),
	BOOL("tools.bash.enabled", LESS, "true", "spec 5.1"),
	LIST("policy.secret", NO, "[]", "spec 5.2: built-in lists"),
	LIST("policy.no_write", NO, "[]", "spec 5.2: built-in lists"),
	LIST("policy.allow_write", NO, "[]", "spec 5.3: none"),
	LIST("policy.docs", NO, "[]", "spec 5.2: built-in lists"),
	BOOL("policy.overwrite", NO, "false", "spec 5.1"),
	STR("sandbox.mode", NO, "auto", "require|auto|off", "spec 5.3"),
	BOOL("sandbox.network", NO, "false", "spec 5.3"),
	BOOL("sandbox.ask_network", NO, "false", "spec 10.3"),
	BOOL("sandbox.unix_sockets", NO, "false", "spec 5.3"),
	BOOL("sandbox.git_write", NO, "false", "spec 5.3"),
	LIST("sandbox.env", NO, "[]", "spec 5.3: none"),
	LIST("sandbox.mask", NO, "[]", "spec 5.3: none"),
	LIST("sandbox.scratch", NO, "['build', 'target', 'out', 'dist']",
	    "spec 5.3"),
	INT("sandbox.memory", NO, "0", 0, 1125899906842624,
	    "chosen: not limited"),
	INT("sandbox.pids", NO, "4096", 0, 4194304, "chosen"),
	LIST("mcp.NAME.command", NO, "[]", "spec 5.1: none"),
	STR("mcp.NAME.url", NO, "", NULL, "spec 5.1: none"),
	LIST("mcp.NAME.headers", NO, "[]", "spec 5.1: none"),
	LIST("mcp.NAME.token_command", NO, "[]", "as api_key_command"),
	LIST("mcp.NAME.env", NO, "[]", "spec 5.1: none"),
	LIST("mcp.NAME.writable", NO, "[]", "spec 5.1: none"),
	BOOL("mcp.NAME.network", NO, "false", "spec 5.3"),
	BOOL("mcp.NAME.sandbox", NO, "true", "spec 5.3"),
	NUM("mcp.NAME.start_timeout", NO, "60", 1, 86400, "spec 5.1"),
	NUM("mcp.NAME.timeout", NO, "120", 1, 86400, "spec 5.1: as plug-ins"),
	BOOL("mcp.NAME.enabled", NO, "true", "spec 5.1"),
	/* [memory], [verification], [hooks], [ui], [stages], [record],
	 * [import] */
	BOOL("memory.enabled", LESS, "true", "spec 6"),
	LIST("memory.exclude", NO, "[]", "spec 6: none"),
	STR("verification.defaultCommand", NO, "", NULL, "spec 7.2: none"),
	STR("verification.profile", YES, "quick", "quick|full", "spec 7.2"),
	ARGVS("hooks.before_tool", NO, "[]", "spec 7.6: none"),
	ARGVS("hooks.after_tool", NO, "[]", "spec 7.6: none"),
	ARGVS("hooks.on_end", NO, "[]", "spec 7.6: none"),
	STR("ui.theme", NO, "auto", "auto|dark|light|none", "spec 10.4"),
	STR("ui.bell", NO, "off", "off|bell|notify", "spec 10.4"),
	BOOL("ui.markdown", NO, "true", "spec 10.4"),
	COUNT_0("ui.diff_lines", NO, "40", "spec 10.2"),
	COUNT_0("ui.output_lines", NO, "12", "spec 10.2"),
	BOOL("ui.plain", NO, "false", "spec 10.4"),
	LIST("stages.compact", NO, "['hamr-compact']", "spec 1.3"),
	LIST("stages.provider", NO, "['hamr-provider']", "spec 1.3"),
	LIST("stages.guard", NO, "['hamr-guard']", "spec 1.3"),
	LIST("stages.tool", NO, "['hamr-tool']", "spec 1.3"),
	LIST("stages.mem", NO, "['hamr-mem']", "spec 1.3"),
	INT("record.max_bytes", NO, "67108864", 1024, 67108864, "spec 2.1"),
	BOOL("import.sidechains", YES, "false", "spec 2.5"),
};

const size_t conf_nkeys = sizeof conf_keys / sizeof *conf_keys;

/* Names that other programs use for these keys. */
static const struct {
	const char *name, *key;
} aliases[] = {
	{ "loop_guard.max_tool_calls", "agent.max_tool_calls" },
	{ "agent.context_budget_tokens", "context.context_budget_tokens" },
	{ "agent.reserved_output_tokens", "context.reserved_output_tokens" },
	{ "agent.keep_recent_tokens", "context.keep_recent_tokens" },
	{ "agent.keep_recent_tool_turns", "context.keep_recent_tool_turns" },
	{ "agent.max_single_read_result_tokens",
	    "context.max_single_read_result_tokens" },
	{ "agent.max_total_read_result_tokens_per_turn",
	    "context.max_total_read_result_tokens_per_turn" },
	{ "agent.strategy", "context.strategy" },
	{ "agent.context_strategy", "context.strategy" },
	{ "loop_guard.repetition_threshold", "loop_guard.warn_threshold" },
	{ "loop_guard.warn_at", "loop_guard.warn_threshold" },
	{ "loop_guard.halt_at", "loop_guard.halt_threshold" },
	{ "loop_guard.window", "loop_guard.window_size" },
	{ "loop_guard.warn_reads_per_turn", "loop_guard.warn_reads" },
	{ "loop_guard.max_reads_per_turn", "loop_guard.max_reads" },
	{ "verification.default_command", "verification.defaultCommand" },
};

#define NAMES (conf_nkeys + sizeof aliases / sizeof *aliases)

/* ---- lookups ---- */

/* All full names, keys first. */
static const char *
name_at(size_t i)
{
	return i < conf_nkeys ? conf_keys[i].key : aliases[i - conf_nkeys].name;
}

/* The part of a full name after its last '.'. */
static const char *
last(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL ? dot + 1 : name;
}

static const struct conf_key *
row(const char *name)
{
	for (size_t i = 0; i < NAMES; i++)
		if (strcmp(name_at(i), name) == 0)
			return i < conf_nkeys ? &conf_keys[i] :
			    row(aliases[i - conf_nkeys].key);
	return NULL;
}

const char *
conf_key_name(const char *key, size_t *len)
{
	const char *p = strncmp(key, "provider.", 9) == 0 ? key + 9 :
	    strncmp(key, "mcp.", 4) == 0 ? key + 4 : NULL;

	if (p == NULL)
		return NULL;
	*len = strcspn(p, ".");
	if (p[*len] != '.' || *len > 64)
		return NULL;
	char *table = xmemdup0(key, (size_t)(p - key) + *len);
	/* [provider] may have a key with that name */
	bool ok = toml_is_bare(table + (p - key)) &&
	    (*key != 'p' || row(table) == NULL);
	free(table);
	return ok ? p : NULL;
}

/* The full key as in the table: without the NAME of a table. */
static char *
plain_key(const char *key)
{
	size_t n;
	const char *name = conf_key_name(key, &n);

	if (name == NULL)
		return xstrdup(key);
	return xasprintf("%s%s", *key == 'p' ? "provider" : "mcp.NAME",
	    name + n);
}

const struct conf_key *
conf_key_find(const char *key)
{
	char *plain = plain_key(key);
	const struct conf_key *k = row(plain);

	free(plain);
	return k;
}

const char *
conf_key_canon(const struct conf_key *k, const char *key)
{
	size_t n;

	return conf_key_name(key, &n) != NULL ? key : k->key;
}

bool
conf_key_is_table(const char *path)
{
	char *inner = xasprintf("%s.", path);
	size_t n;
	const char *name = conf_key_name(inner, &n);
	bool found = name != NULL && name[n + 1] == '\0';

	for (size_t i = 0; i < NAMES && !found; i++)
		found = strncmp(name_at(i), inner, strlen(inner)) == 0;
	free(inner);
	return found;
}

const struct conf_key *
conf_key_env(const char *var)
{
	const char *best = NULL;
	size_t longest = 0;

	if (strncmp(var, "HAMR_", 5) != 0)
		return NULL;
	for (size_t i = 0; i < NAMES; i++) {
		const char *name = name_at(i), *p = name, *v = var + 5;
		size_t n = (size_t)(last(name) - name);

		for (; *p != '\0'; p++, v++)
			if (*v != (*p == '.' ? '_' : *p >= 'a' && *p <= 'z' ?
			    *p - 'a' + 'A' : *p))
				break;
		if (*p != '\0' || *v != '\0' || n <= longest ||
		    strncmp(name, "mcp.", 4) == 0)
			continue;
		longest = n;
		best = name;
	}
	return best != NULL ? row(best) : NULL;
}

void
conf_key_wanted(const struct conf_key *k, struct buf *out)
{
	static const char *const names[] = { "an integer", "a number",
	    "true or false", "a string", "a string that holds a JSON object",
	    "an array of strings",
	    "an array of strings or of such arrays, none empty",
	    "an array of numbers", "an array of strings or numbers" };

	if (k->words != NULL) {
		buf_adds(out, "one of \"");
		for (const char *p = k->words; *p != '\0'; p++)
			if (*p == '|')
				buf_adds(out, "\", \"");
			else
				buf_addc(out, *p);
		buf_addc(out, '"');
	} else {
		buf_adds(out, names[k->type]);
	}
	if (k->min < k->max)
		buf_fmt(out, " from %lld to %lld", (long long)k->min,
		    (long long)k->max);
}

/* ---- the nearest key ---- */

size_t
conf_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), w = m + 1;
	size_t *d = xcalloc((n + 1) * w, sizeof *d);

	for (size_t i = 0; i <= n; i++) {
		for (size_t j = 0; j <= m; j++) {
			size_t *at = &d[i * w + j];

			if (i == 0 || j == 0) {
				*at = 3 * i + 2 * j;
				continue;
			}
			*at = num_min(num_min(*(at - w) + 3, *(at - 1) + 2),
			    *(at - w - 1) + 3 * (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				*at = num_min(*at, *(at - 2 * w - 2) + 2);
		}
	}
	size_t r = d[n * w + m];
	free(d);
	return r;
}

char *
conf_key_nearest(const char *key)
{
	char *plain = plain_key(key), *r;
	const char *best = NULL;
	size_t least = SIZE_MAX, n;
	const char *name = conf_key_name(key, &n);

	if (strlen(plain) > 200)	/* longer than any key */
		plain[200] = '\0';
	size_t table = (size_t)(last(plain) - plain);
	/* the right key in a wrong table, or in none, is near too, but a key of
	 * the same table is nearer, above all one that contains the word */
	for (size_t i = 0; i < NAMES; i++) {
		const char *key_last = last(name_at(i));
		size_t d = num_min(conf_distance(plain, name_at(i)),
		    5 + conf_distance(last(plain), key_last));

		if (table != (size_t)(key_last - name_at(i)) ||
		    strncmp(plain, name_at(i), table) != 0)
			d *= 2;
		else if (strlen(last(plain)) > 2 &&
		    strstr(key_last, last(plain)) != NULL)
			d = num_min(d, 4);
		if (d >= least)
			continue;
		least = d;
		best = name_at(i);
	}
	if (name != NULL && (strncmp(best, "provider.", 9) == 0 ||
	    strncmp(best, "mcp.", 4) == 0))
		r = xasprintf("%.*s.%s", (int)(name + n - key), key,
		    last(best));
	else
		r = xstrdup(best);
	free(plain);
	return r;
}

char *
conf_key_nearest_table(const char *path)
{
	size_t least = SIZE_MAX;
	char *best = NULL;

	for (size_t i = 0; i < NAMES; i++) {
		const char *name = name_at(i);
		char *table = xmemdup0(name, (size_t)(last(name) - 1 - name));
		size_t d = conf_distance(path, table);

		if (d < least) {
			least = d;
			xset(&best, table);
		} else
			free(table);
	}
	return best;
}
