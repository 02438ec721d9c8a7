/* test_path.c - what a path means beneath the root, what is kept from
 * everybody, and what could not be looked at. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "git/gitignore.h"
#include "root/path.h"
#include "root/secret.h"
#include "undo/watch.h"

struct fix {
	char dir[64];
	struct root root;
};

static void
put(const char *name)
{
	int fd = open(name, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static int
set_up(void **state)
{
	struct fix *x = calloc(1, sizeof *x);
	struct err e;

	strcpy(x->dir, "/tmp/hamr-path.XXXXXX");
	assert_non_null(mkdtemp(x->dir));
	assert_int_equal(chdir(x->dir), 0);
	mkdir("root", 0700);
	mkdir("root/sub", 0700);
	mkdir("root/sub/deep", 0700);
	put("root/a");
	put("root/-rf");
	put("root/sub/b");
	put("outside");
	assert_int_equal(symlink("a", "root/link"), 0);
	assert_int_equal(symlink("sub/deep", "root/dlink"), 0);
	assert_int_equal(symlink("../outside", "root/bad"), 0);
	assert_int_equal(symlink("/etc", "root/etc"), 0);
	assert_int_equal(symlink("loop2", "root/loop"), 0);
	assert_int_equal(symlink("loop", "root/loop2"), 0);
	assert_int_equal(symlink("none/new", "root/dangling"), 0);
	assert_int_equal(symlink("/proc/self/root/etc/passwd", "root/magic"),
	    0);
	assert_int_equal(mkfifo("root/fifo", 0600), 0);
	assert_int_equal(root_open(&x->root, "root", &e), 0);
	*state = x;
	return 0;
}

static int
tear_down(void **state)
{
	struct fix *x = *state;
	char cmd[128];
	int r;

	snprintf(cmd, sizeof cmd, "rm -rf %s", x->dir);
	r = system(cmd);
	root_close(&x->root);
	free(x);
	return r;
}

/* The true name, "NAME?" when it does not exist, or the error's code. */
static void
means(struct fix *x, const char *text, const char *want)
{
	struct path p;
	struct fault f = { 0 };
	char got[300];

	if (path_find(&x->root, slice_of(text), &p, &f) < 0)
		snprintf(got, sizeof got, "%s", f.code);
	else
		snprintf(got, sizeof got, "%s%s", p.rel, p.exists ? "" : "?");
	if (strcmp(got, want) != 0)
		fail_msg("%s: got %s, wanted %s", text, got, want);
	path_release(&p);
}

static void
shapes(void **state)
{
	struct fix *x = *state;
	static const char *const table[][2] = {
		{ "a", "a" }, { "./a", "a" }, { "sub//b", "sub/b" },
		{ ".", "" }, { "sub/..", "" }, { "sub/../a", "a" },
		{ "sub/deep/../b", "sub/b" }, { "sub/", "sub" },
		{ "..", "denied" }, { "../root/a", "denied" },
		{ "sub/../../outside", "denied" }, { "/etc/passwd", "denied" },
		{ "/", "denied" }, { "~", "~?" }, { "~/x", "~/x?" },
		{ "-rf", "-rf" }, { "a/", "not_found" }, { "a/b", "not_found" },
		{ "new/er/x", "new/er/x?" }, { "new/../a", "a" },
		{ "link", "a" }, { "dlink/../b", "sub/b" }, { "link/", 
		"not_found" }, { "bad", "denied" }, { "etc/passwd", "denied" },
		{ "loop", "not_found" }, { "dangling", "none/new?" },
		{ "magic", "denied" }, { "/proc/self/root/etc", "denied" },
		{ "/dev/fd/0", "denied" }, { "fifo", "fifo" },
		{ "a\nb", "a\nb?" }, { "\xff\xfe", "\xff\xfe?" },
		{ "", "bad_arguments" },
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		means(x, table[i][0], table[i][1]);
}

static void
absolute(void **state)
{
	struct fix *x = *state;
	char text[300];

	snprintf(text, sizeof text, "%s/a", x->root.real);
	means(x, text, "a");
	snprintf(text, sizeof text, "%s//./sub/../a", x->root.real);
	means(x, text, "a");
	snprintf(text, sizeof text, "%s/../root/a", x->root.real);
	means(x, text, "denied");
	snprintf(text, sizeof text, "%s/../outside", x->root.real);
	means(x, text, "denied");
	snprintf(text, sizeof text, "%sx/a", x->root.real);
	means(x, text, "denied");
	snprintf(text, sizeof text, "/../%s", x->root.real + 1);
	means(x, text, "");
}

static void
lengths(void **state)
{
	struct fix *x = *state;
	char *text = malloc(5000);
	struct path p;
	struct fault f = { 0 };

	memset(text, 'x', 5000);
	text[4097] = '\0';
	means(x, text, "bad_arguments");
	text[4096] = '\0';
	means(x, text, "not_found");
	assert_int_equal(path_find(&x->root, (struct slice){ "a\0b", 3 }, &p,
	    &f), -1);
	assert_string_equal(f.code, "bad_arguments");
	/* however long a name is, what was wrong is told */
	for (size_t i = 0; i < 1200; i++)
		memcpy(text + 3 * i, "\xe2\x82\xac", 3);
	for (size_t n = 3 * 1200; n >= 3 * 1190; n--) {
		text[n] = '\0';
		fault_set(&f, "denied", "%s is kept", text + n % 3);
		assert_true(strlen(f.err.text) > 1000);
		assert_non_null(strstr(f.err.text, "\xac...\xe2"));
		assert_string_equal(f.err.text + strlen(f.err.text) - 8,
		    " is kept");
	}
	free(text);
}

/* What stands in the way is never followed, whatever was found before. */
static void
opening(void **state)
{
	struct fix *x = *state;
	int fd;

	fd = path_open(&x->root, "a", O_RDONLY);
	assert_true(fd >= 0);
	close(fd);
	fd = path_open(&x->root, "fifo", O_RDONLY);	/* does not wait */
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(path_open(&x->root, "link", O_RDONLY), -1);
	assert_int_equal(path_open(&x->root, "etc/passwd", O_RDONLY), -1);
	assert_int_equal(path_open(&x->root, "dlink", O_RDONLY), -1);
}

static void
secrets(void **state)
{
	static const char *const kept[] = { ".git", ".git/config", ".GIT/x",
		"sub/.git/hooks/x", ".hamr", ".hamr/config.toml", ".env",
		"sub/.env.local", "a.pem", "a.p12", "x/server.key", "id_rsa",
		"id_ed25519.pub", ".netrc", ".aws/credentials",
		".hamr/out2/x" };
	static const char *const open_[] = { "a.c", ".gitignore",
		".env.example", "environment", ".hamr/out/abc.txt", "keys.c",
		"a.keys", "credentials.c", ".github/x", "" };
	static const char *const mine[] = { "*.secret", "conf/*.local" };
	struct lists none = { 0 }, more = { .secret = mine, .nsecret = 2 };

	(void)state;
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		if (!lists_secret(&none, kept[i]))
			fail_msg("%s is not kept", kept[i]);
	for (size_t i = 0; i < sizeof open_ / sizeof open_[0]; i++)
		if (lists_secret(&none, open_[i]))
			fail_msg("%s is kept", open_[i]);
	assert_true(lists_secret(&more, "x/a.secret"));
	assert_true(lists_secret(&more, "conf/a.local"));
	assert_false(lists_secret(&more, "x/conf/a.local"));
	assert_true(lists_no_write(&none, "sub/Cargo.lock"));
	assert_true(lists_no_write(&none, ".hamr/out/x"));
	assert_false(lists_no_write(&none, "lock.c"));
	assert_false(lists_docs(&none, "docs/x.c"));
	assert_false(lists_docs(&none, "docs/evil.sh"));
	assert_false(lists_docs(&none, "docs/Makefile"));
	assert_true(lists_docs(&none, "docs/a/x.svg"));
	assert_true(lists_docs(&none, "doc/x.png"));
	assert_false(lists_docs(&none, "src/x.png"));
	assert_true(lists_docs(&none, "src/x.adoc"));
	assert_true(lists_docs(&none, "x.tex"));
	assert_true(lists_docs(&none, "CHANGELOG"));
	assert_true(lists_docs(&none, "sub/README"));
	assert_true(lists_docs(&none, "man/hamr.1"));
	assert_false(lists_docs(&none, "src/x.c"));
	assert_true(lists_built("a/node_modules/b"));
	assert_false(lists_built("a/building/b"));
}

static enum gitignore_next
note_error(void *arg, const struct gitignore_seen *s)
{
	if (s->st == NULL)
		*(int *)arg = s->error;
	return GITIGNORE_PASS;
}

/* Undo takes what it was not told of for unchanged. */
static void
unread(void **state)
{
	struct watch w = { .fd = open("/", O_RDONLY), .whole = true };
	struct texts paths = { .n = 0 };
	struct gitignore *g;
	int error = 0;
	struct err e;

	(void)state;
	g = gitignore_new("/nonexistent", false, &e);
	assert_false(gitignore_walk(g, -1, note_error, &error));
	assert_int_equal(error, EBADF);
	gitignore_free(g);
	/* a folder in place of inotify's descriptor: EISDIR */
	assert_false(watch_take(&w, &paths));
	watch_release(&w);
	w.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	w.whole = true;
	assert_true(watch_take(&w, &paths));
	watch_release(&w);
	texts_release(&paths);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(shapes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(absolute, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lengths, set_up, tear_down),
		cmocka_unit_test_setup_teardown(opening, set_up, tear_down),
		cmocka_unit_test(secrets),
		cmocka_unit_test(unread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
