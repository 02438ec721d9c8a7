/* test_conf.c - the layers of configuration: which value is in force. */
#include "conf_fix.h"

static size_t
lines(const char *s)
{
	size_t n = 0;

	while (*s != '\0')
		n += *s++ == '\n';
	return n;
}

static void
test_defaults(void **state)
{
	struct fix *f = *state;
	struct conf *c = loads(f, NULL, NULL);
	size_t n;

	assert_int_equal(conf_int(c, "agent.max_model_steps"), 64);
	assert_int_equal(conf_int(c, "loop_guard.max_tool_calls"), 192);
	assert_string_equal(conf_str(c, "agent.mode"), "patch");
	assert_string_equal(conf_str(c, "provider.x.api"), "openai");
	assert_string_equal(conf_str(c, "provider.base_url"), "");
	assert_true(conf_num(c, "provider.connect_timeout") == 10);
	assert_true(conf_bool(c, "mcp.x.enabled"));
	assert_false(conf_is_set(c, "provider.temperature"));
	assert_string_equal(conf_origin(c, "agent.mode"), "default");
	assert_string_equal(conf_list(c, "stages.mem", &n)[0], "hamr-mem");
	assert_int_equal(n, 1);
	conf_argvs(c, "hooks.on_end", &n);
	assert_int_equal(n, 0);
	conf_names(c, "mcp", &n);
	assert_int_equal(n, 0);
	assert_string_equal(f->said, "");
	conf_free(c);
}

static void
test_precedence(void **state)
{
	struct fix *f = *state;
	struct conf *c;

	steps_are(f, NULL, 64, "default");
	put_file(f, "etc.toml", "\nagent.max_model_steps = 60");
	steps_are(f, NULL, 60, "/etc.toml:2");
	put_file(f, "home/hamr/config.toml", "[agent]\nmax_model_steps = 61");
	steps_are(f, NULL, 61, "/home/hamr/config.toml:2");
	put_file(f, "repo/.hamr/config.toml", "agent.max_model_steps = 59");
	steps_are(f, NULL, 59, "/repo/.hamr/config.toml:1");
	setenv("HAMR_AGENT_MAX_MODEL_STEPS", "70", 1);
	steps_are(f, NULL, 70, "HAMR_AGENT_MAX_MODEL_STEPS");
	steps_are(f, "agent.max_model_steps=80", 80, "-o");
	c = loads(f, "agent.max_model_steps=80", "agent.max_model_steps=81");
	assert_int_equal(conf_int(c, "agent.max_model_steps"), 81);
	assert_int_equal(conf_set(c, "agent.max_model_steps", "90", "--steps",
	    &f->e), 0);
	assert_int_equal(conf_int(c, "agent.max_model_steps"), 90);
	assert_string_equal(conf_origin(c, "agent.max_model_steps"),
	    "--steps");
	assert_int_equal(conf_set(c, "agent.mode", "x", NULL, &f->e), -1);
	assert_string_equal(f->e.text, "flag: key "
	    "\"agent.mode\" must be one of "
	    "\"read-only\", \"verify\", \"docs\", \"patch\", not \"x\"");
	conf_free(c);
	unsetenv("HAMR_AGENT_MAX_MODEL_STEPS");
}

static void
test_no_config(void **state)
{
	struct fix *f = *state;
	const char *set[] = { "agent.mode=docs" };
	struct conf_opts o = { .none = true, .root = f->repo, .set = set,
	    .nset = 1 };
	struct conf *c;

	put_file(f, "etc.toml", "nonsense");
	setenv("HAMR_AGENT_CONTRACT_NUDGES", "7", 1);
	c = conf_load(&o, &f->e);
	unsetenv("HAMR_AGENT_CONTRACT_NUDGES");
	assert_non_null(c);
	assert_int_equal(conf_int(c, "agent.contract_nudges"), 5);
	assert_string_equal(conf_str(c, "agent.mode"), "docs");
	conf_free(c);
}

static void
test_option_values(void **state)
{
	struct fix *f = *state;
	struct conf *c;
	const char *const *l;
	size_t n;

	c = loads(f, "stages.mem=['a b', \"c\"]", "provider.x.model=123");
	l = conf_list(c, "stages.mem", &n);
	assert_int_equal(n, 2);
	assert_string_equal(l[0], "a b");
	assert_string_equal(l[1], "c");
	assert_null(l[2]);
	assert_string_equal(conf_str(c, "provider.x.model"), "123");
	assert_false(conf_is_set(c, "provider.model"));
	assert_string_equal(conf_names(c, "provider", &n)[0], "x");
	assert_int_equal(n, 1);
	conf_free(c);
	c = loads(f, "provider.prices=[1.5, 1_0.0]", "agent.strategy='light'");
	assert_string_equal(conf_list(c, "provider.prices", &n)[1], "10.0");
	assert_string_equal(conf_str(c, "context.strategy"), "light");
	assert_string_equal(conf_str(c, "agent.context_strategy"), "light");
	conf_free(c);
	c = loads(f, "verification.default_command=make \"check\"", NULL);
	assert_string_equal(conf_str(c, "verification.defaultCommand"),
	    "make \"check\"");
	conf_free(c);
}

static void
test_argvs(void **state)
{
	struct fix *f = *state;
	struct conf *c = loads(f, "hooks.on_end=['a b', \"c\"]",
	    "hooks.after_tool=[['a'], ['b', 'x']]");
	const char *const *const *l;
	size_t n;

	l = conf_argvs(c, "hooks.on_end", &n);
	assert_int_equal(n, 1);
	assert_string_equal(l[0][0], "a b");
	assert_string_equal(l[0][1], "c");
	assert_null(l[0][2]);
	l = conf_argvs(c, "hooks.after_tool", &n);
	assert_int_equal(n, 2);
	assert_string_equal(l[0][0], "a");
	assert_null(l[0][1]);
	assert_string_equal(l[1][0], "b");
	assert_string_equal(l[1][1], "x");
	assert_null(l[1][2]);
	conf_argvs(c, "hooks.before_tool", &n);
	assert_int_equal(n, 0);
	conf_free(c);
}

static void
test_environment(void **state)
{
	struct fix *f = *state;
	struct conf *c;

	setenv("HAMR_TOOLS_BASH_ENABLED", "false", 1);
	setenv("HAMR_LOOP_GUARD_WARN_AT", "4", 1);
	setenv("HAMR_PROVIDER_X_MODEL", "m", 1);
	setenv("HAMR_SHARE", "/s", 1);
	c = loads(f, NULL, NULL);
	assert_false(conf_bool(c, "tools.bash.enabled"));
	assert_int_equal(conf_int(c, "loop_guard.warn_threshold"), 4);
	assert_string_equal(conf_origin(c, "loop_guard.warn_threshold"),
	    "HAMR_LOOP_GUARD_WARN_AT");
	assert_string_equal(f->said, "hamr: unknown variable "
	    "HAMR_PROVIDER_X_MODEL in the environment; nearest known key is "
	    "\"provider.model\"\n");
	conf_free(c);
	unsetenv("HAMR_PROVIDER_X_MODEL");
	setenv("HAMR_BIN", "/b", 1);
	conf_free(loads(f, NULL, NULL));
	assert_string_equal(f->said, "hamr: unknown variable HAMR_BIN in the "
	    "environment\n");
	unsetenv("HAMR_BIN");
	setenv("HAMR_LOOP_GUARD_WARN_AT", "no", 1);
	fails(f, NULL, ST_CONFIG, "HAMR_LOOP_GUARD_WARN_AT: key "
	    "\"loop_guard.warn_threshold\" must be an integer from 1 to "
	    "1000000, not a string");
	unsetenv("HAMR_LOOP_GUARD_WARN_AT");
	unsetenv("HAMR_TOOLS_BASH_ENABLED");
	unsetenv("HAMR_SHARE");
	setenv("HAMR_SET", "agent.mode=docs\n\nloop_guard.warn_threshold=5", 1);
	c = loads(f, NULL, NULL);
	assert_string_equal(conf_str(c, "agent.mode"), "docs");
	assert_string_equal(conf_origin(c, "agent.mode"), "HAMR_SET");
	assert_int_equal(conf_int(c, "loop_guard.warn_threshold"), 5);
	assert_string_equal(f->said, "");
	conf_free(c);
	setenv("HAMR_SET", "agent.mdoe=docs", 1);
	fails(f, NULL, ST_CONFIG, "HAMR_SET: unknown key \"agent.mdoe\"; nearest "
	    "known key is \"agent.mode\"");
	unsetenv("HAMR_SET");
}

/* One warning a variable; none where another stage says them. */
static void
test_quiet(void **state)
{
	struct fix *f = *state;
	struct conf_opts o = { .root = f->repo };
	struct conf *c;

	put_file(f, "repo/.hamr/config.toml", "hooks.on_end = ['evil']\n");
	setenv("HAMR_AGENT_MDOE", "docs", 1);
	setenv("HAMR_TOOL_JOBS", "2", 1);
	c = loads_as(f, &o);
	assert_non_null(strstr(f->said, "hamr: unknown variable "
	    "HAMR_AGENT_MDOE in the environment; nearest known key is "
	    "\"agent.mode\"\n"));
	assert_non_null(strstr(f->said, "hamr: unknown variable "
	    "HAMR_TOOL_JOBS in the environment; nearest known key is "
	    "\"tools.jobs\"\n"));
	assert_non_null(strstr(f->said, "ignored: hooks.on_end\n"));
	assert_int_equal(lines(f->said), 3);
	conf_free(c);
	o.quiet = true;
	c = loads_as(f, &o);
	assert_string_equal(f->said, "");
	conf_free(c);
	unsetenv("HAMR_AGENT_MDOE");
	unsetenv("HAMR_TOOL_JOBS");
}

static void
test_block_from_warnings(void **state)
{
	struct fix *f = *state;
	struct conf *c;

	c = loads(f, "loop_guard.max_warnings_before_block=4", NULL);
	assert_int_equal(conf_int(c, "loop_guard.block_threshold"), 7);
	conf_set(c, "loop_guard.warn_threshold", "5", "-w", NULL);
	assert_int_equal(conf_int(c, "loop_guard.block_threshold"), 9);
	conf_set(c, "loop_guard.block_threshold", "6", "-b", NULL);
	assert_int_equal(conf_int(c, "loop_guard.block_threshold"), 6);
	conf_free(c);
	put_file(f, "home/hamr/config.toml", "loop_guard.block_threshold=3");
	put_file(f, "repo/.hamr/config.toml",
	    "loop_guard.max_warnings_before_block = 1");
	c = loads(f, NULL, NULL);
	assert_int_equal(conf_int(c, "loop_guard.block_threshold"), 3);
	conf_free(c);
}

static void
test_print(void **state)
{
	struct fix *f = *state;
	struct buf one = BUF_INIT(1 << 20), two = BUF_INIT(1 << 20);
	struct conf *c = loads(f, "provider.x.params={\"a\": \"\\u0001\"}",
	    "provider.model=a \"b\"\\ \xc3\xa4 \xe2\x80\xae");
	size_t lines = 0;

	conf_set(c, "hooks.on_end", "['a', \"\\n\\u0007\"]", "a\nb\xff", NULL);
	conf_set(c, "hooks.after_tool", "[['a', \"\\n\"], ['b']]", "--t", NULL);
	conf_set(c, "provider.temperature", "0", "--t", NULL);
	conf_set(c, "mcp.m.timeout", "1.5e1", "--t", NULL);
	conf_print(c, &one);
	assert_non_null(strstr(one.p, "\nagent.mode = \"patch\"  # default\n"));
	assert_non_null(strstr(one.p, "\n# context.window is not set"));
	assert_non_null(strstr(one.p, "\nprovider.model = \"a \\\"b\\\"\\\\ "
	    "\xc3\xa4 \\u202E\"  # -o\n"));
	assert_non_null(strstr(one.p, "hooks.on_end = [\"a\", "
	    "\"\\u000A\\u0007\"]  # a\\u000Ab\xef\xbf\xbd\n"));
	assert_non_null(strstr(one.p, "hooks.after_tool = [[\"a\", \"\\u000A\"],"
	    " [\"b\"]]  # --t\n"));
	put_file(f, "home/hamr/config.toml", one.p);
	conf_free(c);
	c = loads(f, NULL, NULL);
	conf_print(c, &two);
	conf_free(c);
	for (char *a = one.p, *b = two.p; *a != '\0'; lines++) {
		char *x = strstr(a, "  # "), *y = strstr(b, "  # ");

		assert_int_equal(x - a, y - b);
		assert_memory_equal(a, b, x - a);
		a = strchr(x, '\n') + 1;
		b = strchr(y, '\n') + 1;
		assert_true(*a == '\0' || *b != '\0');
	}
	assert_true(lines > 100);
	buf_release(&one);
	buf_release(&two);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		LAYER(test_defaults),
		LAYER(test_precedence),
		LAYER(test_no_config),
		LAYER(test_option_values),
		LAYER(test_argvs),
		LAYER(test_environment),
		LAYER(test_quiet),
		LAYER(test_block_from_warnings),
		LAYER(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
