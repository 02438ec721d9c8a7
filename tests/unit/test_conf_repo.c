/* test_conf_repo.c - S12: the repository's file, untrusted, trusted, unfit. */
#include "conf_fix.h"
#include "json/sha.h"

static void
test_untrusted(void **state)
{
	struct fix *f = *state;
	struct conf *c;
	char *want;
	size_t n;

	put_file(f, "repo/.hamr/config.toml",
	    "provider.base_url = 'http://evil'\n"	/* no */
	    "hooks.on_end = ['evil']\n"			/* no */
	    "mcp.evil.command = ['evil']\n"		/* no */
	    "provider.p.stream = false\n"		/* no: a named table */
	    "context.keep_recent_tokens = 1\n"		/* yes */
	    "agent.max_model_steps = 100\n"		/* looser */
	    "agent.max_tool_calls = 0\n"		/* looser: no limit */
	    "budget.max_tokens = 1000\n"		/* stricter than none */
	    "agent.mode = 'docs'\n"			/* stricter */
	    "agent.durability = 'all'\n"		/* stricter */
	    "loop_guard.enabled = false\n"		/* looser */
	    "tools.bash.enabled = false\n"		/* stricter */
	    "[trust]\n\"/x\" = 'y'\n[mcp.empty]\n");
	c = loads(f, NULL, NULL);
	want = xasprintf("hamr: %s/.hamr/config.toml is not trusted "
	    "(\"hamr-loop --trust\" there trusts it as it is); ignored: "
	    "provider.base_url, hooks.on_end, mcp.evil.command, "
	    "provider.p.stream, [trust]\n", f->repo);
	assert_string_equal(f->said, want);
	free(want);
	assert_string_equal(conf_str(c, "provider.base_url"), "");
	assert_int_equal(conf_int(c, "context.keep_recent_tokens"), 1);
	assert_int_equal(conf_int(c, "agent.max_model_steps"), 64);
	assert_int_equal(conf_int(c, "agent.max_tool_calls"), 192);
	assert_int_equal(conf_int(c, "budget.max_tokens"), 1000);
	assert_string_equal(conf_str(c, "agent.mode"), "docs");
	assert_string_equal(conf_str(c, "agent.durability"), "all");
	assert_true(conf_bool(c, "loop_guard.enabled"));
	assert_false(conf_bool(c, "tools.bash.enabled"));
	conf_names(c, "mcp", &n);
	assert_int_equal(n, 0);
	conf_names(c, "provider", &n);
	assert_int_equal(n, 0);
	conf_free(c);
	put_file(f, "repo/.hamr/config.toml", "mod = 1");
	fails(f, NULL, ST_CONFIG, "@/repo/.hamr/config.toml:1: unknown key "
	    "\"mod\"; nearest known key is \"agent.mode\"");
}

static void
test_trusted(void **state)
{
	struct fix *f = *state;
	static const char text[] = "agent.max_model_steps = 100\n"
	    "[mcp.b]\n[mcp.a]\ncommand = ['x']\n";
	char hash[SHA_HEX], *user;
	struct conf *c;
	size_t n;

	sha256_hex(text, sizeof text - 1, hash);
	user = xasprintf("[trust]\n\"%s/.hamr/config.toml\" = \"%s\"\n",
	    f->repo, hash);
	put_file(f, "home/hamr/config.toml", user);
	put_file(f, "repo/.hamr/config.toml", text);
	free(user);
	c = loads(f, NULL, NULL);
	assert_string_equal(f->said, "");
	assert_int_equal(conf_int(c, "agent.max_model_steps"), 100);
	assert_string_equal(conf_names(c, "mcp", &n)[0], "a");
	assert_string_equal(conf_names(c, "mcp", &n)[1], "b");
	assert_int_equal(n, 2);
	conf_free(c);
	put_file(f, "repo/.hamr/config.toml",	/* changed: untrusted again */
	    "agent.max_model_steps = 101\nmcp.a.command = ['x']");
	c = loads(f, NULL, NULL);
	assert_non_null(strstr(f->said, "ignored: mcp.a.command\n"));
	assert_int_equal(conf_int(c, "agent.max_model_steps"), 64);
	conf_free(c);
	put_file(f, "home/hamr/config.toml", "trust.x = 'short'");
	fails(f, NULL, ST_CONFIG, "@/home/hamr/config.toml:1: [trust] takes "
	    "\"PATH\" = \"SHA-256 in 64 hexadecimal digits\"");
}

static void
not_read(struct fix *f, const char *why)
{
	struct conf *c = loads(f, NULL, NULL);

	assert_int_equal(conf_int(c, "agent.max_model_steps"), 64);
	assert_non_null(strstr(f->said, "/repo/.hamr/config.toml is not read"));
	assert_non_null(strstr(f->said, why));
	conf_free(c);
}

static void
test_repo_links(void **state)
{
	struct fix *f = *state;
	char *at = xasprintf("%s/.hamr/config.toml", f->repo);
	char *dir = xasprintf("%s/.hamr", f->repo);

	put_file(f, "x.toml", "agent.max_model_steps = 1");
	assert_int_equal(symlink("../../x.toml", at), 0);
	not_read(f, "it is a symbolic link");
	unlink(at);
	assert_int_equal(mkfifo(at, 0600), 0);
	not_read(f, "it is not a regular file");
	unlink(at);
	rmdir(dir);
	assert_int_equal(symlink("..", dir), 0);
	not_read(f, "its folder is a symbolic link");
	free(at);
	free(dir);
}

/* Only root can make a file that belongs to somebody else. */
static void
test_repo_owner(void **state)
{
	static const char *const open_up[] = { "", "/home", "/home/hamr",
	    "/repo", "/repo/.hamr", "/repo/.hamr/config.toml" };
	struct fix *f = *state;
	int r;

	put_file(f, "repo/.hamr/config.toml", "agent.max_model_steps = 1");
	steps_are(f, NULL, 1, "config.toml:1");
	if (geteuid() != 0)
		return;
	for (int i = 0; i < 6; i++) {
		char *path = xasprintf("%s%s", f->dir, open_up[i]);

		assert_int_equal(chmod(path, 0755), 0);
		free(path);
	}
	assert_int_equal(seteuid(65534), 0);
	not_read(f, "it belongs to another user");
	r = seteuid(0);
	assert_int_equal(r, 0);
}

int
main(void)
{
	struct CMUnitTest tests[] = {
		LAYER(test_untrusted),
		LAYER(test_trusted),
		LAYER(test_repo_links),
		LAYER(test_repo_owner),
	};

	/* skip() of cmocka says "not ok", which is a failure in TAP */
	if (geteuid() != 0)
		tests[3].name = "test_repo_owner # SKIP not root";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
