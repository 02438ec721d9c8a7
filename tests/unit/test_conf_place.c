/* test_conf_place.c - the repository root, the data files, the user's file. */
#include "conf_fix.h"

static void
test_places(void **state)
{
	struct fix *f = *state;
	char *deep = xasprintf("%s/a/b", f->repo), *s;
	char *git = xasprintf("%s/.git", f->repo);

	file_mkdirs(deep, NULL);
	s = conf_root(deep, &f->e);
	assert_string_equal(s, deep);
	free(s);
	put_file(f, "repo/.git", "gitdir: elsewhere\n");
	s = conf_root(deep, &f->e);
	assert_string_equal(s, f->repo);
	free(s);
	unlink(git);
	mkdir(git, 0700);
	s = conf_root(f->repo, &f->e);
	assert_string_equal(s, f->repo);
	free(s);
	assert_null(conf_root("/no/such", &f->e));
	assert_int_equal(f->e.status, ST_NOINPUT);
	setenv("HAMR_SHARE", "/s", 1);
	s = conf_share("x/y");
	assert_string_equal(s, "/s/x/y");
	free(s);
	unsetenv("HAMR_SHARE");
	s = conf_share("x/y");
	assert_non_null(strstr(s, "/x/y"));
	free(s);
	free(git);
	free(deep);
}

static void
user_path_is(const char *xdg, const char *home, const char *want)
{
	char *s;

	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	if (xdg != NULL)
		setenv("XDG_CONFIG_HOME", xdg, 1);
	if (home != NULL)
		setenv("HOME", home, 1);
	s = conf_user_path();
	if (want == NULL)
		assert_null(s);
	else
		assert_string_equal(s, want);
	free(s);
}

static void
test_user_path(void **state)
{
	(void)state;
	user_path_is("/c", "/h", "/c/hamr/config.toml");
	user_path_is("c", "/h", "/h/.config/hamr/config.toml");
	user_path_is("", "/h", "/h/.config/hamr/config.toml");
	user_path_is(NULL, "/h", "/h/.config/hamr/config.toml");
	user_path_is(NULL, "h", NULL);
	user_path_is(NULL, NULL, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		LAYER(test_places),
		LAYER(test_user_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
