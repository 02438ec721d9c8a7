/* test_conf_keys.c - the table of keys and its lookups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conf/internal.h"

static void
test_table(void **state)
{
	struct conf *c;
	struct err e = { 0 };
	struct conf_opts o = { .none = true };

	(void)state;
	c = conf_load(&o, &e);
	assert_non_null(c);
	for (size_t i = 0; i < conf_nkeys; i++) {
		const struct conf_key *k = &conf_keys[i];

		assert_ptr_equal(conf_key_find(k->key), k);
		assert_true(k->source != NULL && *k->source != '\0');
		if (k->def == NULL)
			continue;
		if (!conf_value_fits(k, &c->def[i].v))
			fail_msg("default of %s", k->key);
		if (k->mark != MARK_YES && k->mark != MARK_NO)
			assert_true(k->words != NULL || k->type <= CONF_BOOL);
	}
	conf_free(c);
}

static void
near_is(const char *key, const char *want)
{
	char *s = conf_key_nearest(key);

	assert_string_equal(s, want);
	free(s);
}

static void
test_nearest(void **state)
{
	(void)state;
	near_is("agent.max_model_step", "agent.max_model_steps");
	near_is("agent.mdoe", "agent.mode");
	near_is("agent.max_step", "agent.max_model_steps");
	near_is("agent.max_steps", "agent.max_model_steps");
	near_is("max_model_steps", "agent.max_model_steps");
	near_is("context.max_model_steps", "agent.max_model_steps");
	near_is("agent.warn_threshold", "loop_guard.warn_threshold");
	near_is("provider.fast.modle", "provider.fast.model");
	near_is("mcp.files.comand", "mcp.files.command");
	near_is("provider.baseurl", "provider.base_url");
	near_is("sandbox.netwrok", "sandbox.network");
}

static void
test_find(void **state)
{
	(void)state;
	assert_string_equal(conf_key_find("loop_guard.warn_at")->key,
	    "loop_guard.warn_threshold");
	assert_string_equal(conf_key_find("agent.context_strategy")->key,
	    "context.strategy");
	assert_string_equal(conf_key_find("agent.strategy")->key,
	    "context.strategy");
	assert_string_equal(conf_key_find("loop_guard.max_tool_calls")->key,
	    "agent.max_tool_calls");
	assert_string_equal(conf_key_find("provider.x.model")->key,
	    "provider.model");
	assert_string_equal(conf_key_find("mcp.x.env")->key, "mcp.NAME.env");
	assert_null(conf_key_find("provider.model.model"));
	assert_null(conf_key_find("provider.a b.model"));
	assert_null(conf_key_find("agent"));
	assert_true(conf_key_is_table("provider.x"));
	assert_true(conf_key_is_table("mcp"));
	assert_true(conf_key_is_table("tools"));
	assert_false(conf_key_is_table("provider.x.y"));
	assert_false(conf_key_is_table("provider.model"));
	assert_false(conf_key_is_table("tool"));
	assert_string_equal(conf_key_env("HAMR_TOOLS_BASH_ENABLED")->key,
	    "tools.bash.enabled");
	assert_null(conf_key_env("HAMR_MCP_NAME_COMMAND"));
	assert_null(conf_key_env("HAMR_AGENT"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
