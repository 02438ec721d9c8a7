/* test_conf_errors.c - what is said of files and options that are wrong. */
#include "conf_fix.h"

static void
test_file_errors(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "[agent]\nmax_model_step = 1", "@/etc.toml:2: unknown key "
		    "\"agent.max_model_step\"; nearest known key is "
		    "\"agent.max_model_steps\"" },
		{ "\"agent.mode\" = 'docs'", "@/etc.toml:1: unknown key "
		    "\"\"agent.mode\"\"; nearest known key is "
		    "\"agent.mode\"" },
		{ "[agnt]\nmode = 'docs'", "@/etc.toml:2: unknown key "
		    "\"agnt.mode\"; nearest known key is \"agent.mode\"" },
		{ "[agnt]\n[agent]", "@/etc.toml:1: unknown table [agnt]; "
		    "nearest known table is [agent]" },
		{ "[provider.\"a b\"]\nmodel = 'm'", "@/etc.toml:1: "
		    "[provider.\"a b\"]: a name may have only letters, "
		    "digits, _ and -" },
		{ "[loop_gaurd]", "@/etc.toml:1: unknown table [loop_gaurd]; "
		    "nearest known table is [loop_guard]" },
		{ "agent.max_model_steps = 'x'", "@/etc.toml:1: key "
		    "\"agent.max_model_steps\" must be an integer from 1 to "
		    "1000000, not a string" },
		{ "agent.max_model_steps = 0", "@/etc.toml:1: key "
		    "\"agent.max_model_steps\" must be an integer from 1 to "
		    "1000000, not 0" },
		{ "agent.max_model_steps = 1.0", "@/etc.toml:1: key "
		    "\"agent.max_model_steps\" must be an integer from 1 to "
		    "1000000, not 1.0" },
		{ "provider.temperature = 11", "@/etc.toml:1: key "
		    "\"provider.temperature\" must be a number from 0 to 10, "
		    "not 11" },
		{ "provider.stream = 1", "@/etc.toml:1: key "
		    "\"provider.stream\" must be true or false, not 1" },
		{ "provider.model = true", "@/etc.toml:1: key "
		    "\"provider.model\" must be a string, not true or false" },
		{ "provider.params = '[1]'", "@/etc.toml:1: key "
		    "\"provider.params\" must be a string that holds a JSON "
		    "object, not another string" },
		{ "hooks.on_end = [1]", "@/etc.toml:1: key \"hooks.on_end\" "
		    "must be an array of strings or of such arrays, none "
		    "empty, not an array that begins with an integer" },
		{ "hooks.on_end = [['a'], []]", "@/etc.toml:1: key "
		    "\"hooks.on_end\" must be an array of strings or of such "
		    "arrays, none empty, not an array that begins with an "
		    "array" },
		{ "hooks.on_end = [[1]]", "@/etc.toml:1: key "
		    "\"hooks.on_end\" must be an array of strings or of such "
		    "arrays, none empty, not an array that begins with an "
		    "array" },
		{ "stages.mem = [['hamr-mem']]", "@/etc.toml:1: key "
		    "\"stages.mem\" must be an array of strings, not an array "
		    "that begins with an array" },
		{ "provider.prices = [-1.0]", "@/etc.toml:1: key "
		    "\"provider.prices\" must be an array of numbers from 0 to "
		    "1000000000, not an array that begins with a float" },
		{ "[loop_guard]\nwarn_at = 2\nwarn_threshold = 2",
		    "@/etc.toml:3: key \"loop_guard.warn_threshold\" twice "
		    "(@/etc.toml:2, by one of its names)" },
		{ "[provider.model]\napi = 'x'", "@/etc.toml:2: unknown key "
		    "\"provider.model.api\"; nearest known key is "
		    "\"provider.api\"" },
		{ "a = {}", "@/etc.toml:1: not supported here: an inline "
		    "table (write [TABLE])" },
		{ "[trust]\n\"/x\" = 'y'", "@/etc.toml:1: [trust] is read only "
		    "from the user's own file" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		put_file(f, "etc.toml", cases[i].text);
		fails(f, NULL, ST_CONFIG, cases[i].want);
	}
	unlink(etc);
	mkdir(etc, 0700);
	fails(f, NULL, ST_CONFIG, "@/etc.toml: Is a directory");
}

static void
test_option_errors(void **state)
{
	struct fix *f = *state;

	fails(f, "agent.mode", ST_USAGE,
	    "-o takes KEY=VALUE, not \"agent.mode\"");
	fails(f, "=x", ST_USAGE, "-o takes KEY=VALUE, not \"=x\"");
	fails(f, "agent.mod=docs", ST_CONFIG, "-o: unknown key \"agent.mod\"; "
	    "nearest known key is \"agent.mode\"");
	fails(f, "provider.url=x", ST_CONFIG, "-o: unknown key "
	    "\"provider.url\"; nearest known key is \"provider.base_url\"");
	fails(f, "tools.jobs=many", ST_CONFIG, "-o: key \"tools.jobs\" must be "
	    "an integer from 1 to 64, not a string");
	fails(f, "provider.model=\xff", ST_CONFIG,
	    "-o: the value of \"provider.model\" is not UTF-8");
	fails(f, "trust.job=y", ST_CONFIG, "-o: unknown key \"trust.job\"; "
	    "nearest known key is \"tools.jobs\"");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		LAYER(test_file_errors),
		LAYER(test_option_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
