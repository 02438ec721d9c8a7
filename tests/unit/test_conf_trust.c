/* test_conf_trust.c - trust written into the user's file. */
#include "conf_fix.h"
#include "json/sha.h"

#include <sys/wait.h>
#include <unistd.h>

#define EVIL "mcp.a.command = ['x']\n"
#define OTHER "\"/other\" = \"000000000000000000000000000000000000000000000" \
	"0000000000000000000\""

/* The user's file is this text now, with @ for the repository's path in
 * quotes and $ for the hash of its file. */
static void
user_is(const struct fix *f, const char *repo, const char *want)
{
	char *path = xasprintf("%s/home/hamr/config.toml", f->dir);
	struct buf b = BUF_INIT(1 << 20), got = BUF_INIT(1 << 20);
	char hash[SHA_HEX];

	assert_int_equal(file_read(path, &got, NULL), 0);
	sha256_hex(repo, strlen(repo), hash);
	for (; *want != '\0'; want++)
		if (*want == '@')
			buf_fmt(&b, "\"%s/.hamr/config.toml\"", f->repo);
		else if (*want == '$')
			buf_fmt(&b, "\"%s\"", hash);
		else
			buf_addc(&b, *want);
	assert_string_equal(got.p, b.p);
	buf_release(&got);
	buf_release(&b);
	free(path);
}

static void
trusts(struct fix *f)
{
	if (conf_trust(f->repo, &f->e) < 0)
		fail_msg("%s", f->e.text);
}

static void
trusted_is(struct fix *f, bool want)
{
	struct conf *c = loads(f, NULL, NULL);

	if (want)
		assert_string_equal(f->said, "");
	else
		assert_non_null(strstr(f->said, "is not trusted (\"hamr-loop "
		    "--trust\" there trusts it as it is); ignored: "
		    "mcp.a.command\n"));
	conf_free(c);
}

static void
test_trust(void **state)
{
	struct fix *f = *state;
	char *home = xasprintf("%s/home/hamr", f->dir);
	struct stat st;

	put_file(f, "repo/.hamr/config.toml", EVIL);
	trusted_is(f, false);
	rmdir(home);			/* file and folder are made */
	trusts(f);
	user_is(f, EVIL, "[trust]\n@ = $\n");
	assert_int_equal(stat(home, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	trusted_is(f, true);
	put_file(f, "repo/.hamr/config.toml", "\n" EVIL);
	trusted_is(f, false);		/* changed */
	trusts(f);
	user_is(f, "\n" EVIL, "[trust]\n@ = $\n");
	trusted_is(f, true);
	trusts(f);
	user_is(f, "\n" EVIL, "[trust]\n@ = $\n");
	free(home);
}

/* Everything else in the user's file stays as it is. */
static void
test_kept(void **state)
{
	static const struct {
		const char *before, *after;
	} cases[] = {
		{ "", "[trust]\n@ = $\n" },
		{ "# mine", "# mine\n\n[trust]\n@ = $\n" },
		{ "agent.mode  =  'docs'\r\n",
		    "agent.mode  =  'docs'\r\n\r\n[trust]\r\n@ = $\r\n" },
		{ "[trust] # my own\n" OTHER "\n\n[agent] # \xc3\xa4\n",
		    "[trust] # my own\n@ = $\n" OTHER
		    "\n\n[agent] # \xc3\xa4\n" },
		{ "[trust]", "[trust]\n@ = $\n" },
		{ "[trust]\r\n[agent]", "[trust]\r\n@ = $\r\n[agent]" },
		{ "trust." OTHER "\n[agent]\n",
		    "trust." OTHER "\ntrust.@ = $\n[agent]\n" },
	};
	struct fix *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		put_file(f, "repo/.hamr/config.toml", EVIL);
		put_file(f, "home/hamr/config.toml", cases[i].before);
		trusts(f);
		user_is(f, EVIL, cases[i].after);
		trusted_is(f, true);
		put_file(f, "repo/.hamr/config.toml", EVIL "\n");
		trusted_is(f, false);
		trusts(f);		/* the line is replaced */
		user_is(f, EVIL "\n", cases[i].after);
		trusted_is(f, true);
	}
}

/* A linked file stays linked, and every file keeps its mode. */
static void
test_user_link(void **state)
{
	struct fix *f = *state;
	char *at = xasprintf("%s/home/hamr/config.toml", f->dir);
	char *real = xasprintf("%s/real.toml", f->dir);
	struct stat st;

	put_file(f, "repo/.hamr/config.toml", EVIL);
	put_file(f, "real.toml", "# mine\n");
	assert_int_equal(chmod(real, 0640), 0);
	assert_int_equal(symlink("../../real.toml", at), 0);
	trusts(f);
	trusted_is(f, true);
	assert_int_equal(lstat(at, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(real, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	free(at);
	free(real);
}

static void
refused(struct fix *f, enum status st, const char *want)
{
	f->e = (struct err){ 0 };
	assert_int_equal(conf_trust(f->repo, &f->e), -1);
	assert_int_equal(f->e.status, st);
	if (strstr(f->e.text, want) == NULL)
		fail_msg("%s", f->e.text);
}

static void
test_refused(void **state)
{
	struct fix *f = *state;
	char *at = xasprintf("%s/.hamr/config.toml", f->repo);

	refused(f, ST_NOINPUT,
	    "/repo/.hamr/config.toml: there is nothing to trust");
	put_file(f, "x.toml", EVIL);
	assert_int_equal(symlink("../../x.toml", at), 0);
	refused(f, ST_POLICY, "cannot be trusted: it is a symbolic link");
	unlink(at);
	put_file(f, "repo/.hamr/config.toml", EVIL);
	put_file(f, "home/hamr/config.toml", "nonsense");
	refused(f, ST_CONFIG, "/home/hamr/config.toml:1: a key without =");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	refused(f, ST_CONFIG, "nowhere to store trust; set HOME");
	free(at);
}

/* [allow]: a list for each repository, one more at a time. */
static void
test_allow(void **state)
{
	struct fix *f = *state;
	struct conf *c;

	put_file(f, "repo/.hamr/config.toml", "allow.'/r' = ['command x']\n");
	put_file(f, "home/hamr/config.toml", "# mine\n[allow]\n"
	    "'/b' = ['path a']\n[agent]\n");
	assert_int_equal(conf_allow("/r", "command make \"x\"\n", &f->e), 0);
	assert_int_equal(conf_allow("/r", "path a\\b", &f->e), 0);
	assert_int_equal(conf_allow("/r", "path a\\b", &f->e), 0);
	user_is(f, "", "# mine\n[allow]\n"
	    "\"/r\" = [\"path a\\\\b\", "
	    "\"command make \\\"x\\\"\\u000A\"]\n"
	    "'/b' = ['path a']\n[agent]\n");
	c = loads(f, NULL, NULL);
	assert_non_null(strstr(f->said, "ignored: [allow]"));
	assert_true(conf_allows(c, "/r", "command make \"x\"\n"));
	assert_true(conf_allows(c, "/r", "path a\\b"));
	assert_true(conf_allows(c, "/b", "path a"));
	assert_false(conf_allows(c, "/b", "path a\\b"));
	assert_false(conf_allows(c, "/r", "command x"));
	conf_free(c);
	put_file(f, "home/hamr/config.toml", "[allow]\n'/r' = [\n"
	    "\t'path b',\t# why\n]\n'/e' = [\n]\n");
	assert_int_equal(conf_allow("/r", "path a", &f->e), 0);
	assert_int_equal(conf_allow("/r", "path a", &f->e), 0);
	assert_int_equal(conf_allow("/e", "path e", &f->e), 0);
	user_is(f, "", "[allow]\n'/r' = [\"path a\",\n"
	    "\t'path b',\t# why\n]\n'/e' = [\"path e\"\n]\n");
	put_file(f, "home/hamr/config.toml", "[allow]\n"
	    "'/r' = ['path a'] # why\n");
	assert_int_equal(conf_allow("/r", "path b", &f->e), 0);
	user_is(f, "", "[allow]\n'/r' = [\"path b\", 'path a'] # why\n");
	put_file(f, "home/hamr/config.toml", "allow.'/a' = [\n\t'path a',\n"
	    "]\n[agent]\n");
	assert_int_equal(conf_allow("/r", "path b", &f->e), 0);
	user_is(f, "", "allow.'/a' = [\n\t'path a',\n]\n"
	    "allow.\"/r\" = [\"path b\"]\n[agent]\n");
	assert_int_equal(conf_allow("/r", "path \xff", &f->e), -1);
	put_file(f, "home/hamr/config.toml", "[allow]\n'/r' = 'x'\n");
	assert_int_equal(conf_allow("/r", "path a", &f->e), -1);
}

/* Several processes at once: each one's answer stays. */
static void
test_at_once(void **state)
{
	struct fix *f = *state;
	char what[] = "path 0";
	pid_t pid[8];
	int status;

	for (int i = 0; i < 8; i++) {
		what[5] = (char)('0' + i);
		pid[i] = fork();
		if (pid[i] == 0)
			_exit(conf_allow("/r", what, &f->e) < 0);
		assert_true(pid[i] > 0);
	}
	for (int i = 0; i < 8; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	struct conf *c = loads(f, NULL, NULL);
	for (int i = 0; i < 8; i++) {
		what[5] = (char)('0' + i);
		assert_true(conf_allows(c, "/r", what));
	}
	conf_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		LAYER(test_trust),
		LAYER(test_kept),
		LAYER(test_user_link),
		LAYER(test_refused),
		LAYER(test_allow),
		LAYER(test_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
