/* conf_fix.h - what the tests of configuration share: a folder with home/,
 * repo/.hamr/ and etc.toml, and conf_load with its stderr caught.
 *
 * conf.c is compiled in, so that the system's file is the one in the
 * test's folder.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

static char etc[4200];
#define HAMR_ETC etc
#include "conf/conf.c"

struct fix {
	char dir[64];		/* with home/, repo/.hamr/, etc.toml in it */
	char repo[128];
	struct err e;
	char said[4096];	/* what conf_load wrote on stderr */
};

static inline void
put_file(const struct fix *f, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", f->dir, name);

	assert_int_equal(file_replace(path, text, strlen(text), 0600, NULL),
	    0);
	free(path);
}

static inline int
setup(void **state)
{
	struct fix *f = xcalloc(1, sizeof *f);
	char *home, *hamr;

	strcpy(f->dir, "/tmp/hamr-conf.XXXXXX");
	if (mkdtemp(f->dir) == NULL)
		return -1;
	snprintf(f->repo, sizeof f->repo, "%s/repo", f->dir);
	snprintf(etc, sizeof etc, "%s/etc.toml", f->dir);
	home = xasprintf("%s/home/hamr", f->dir);
	hamr = xasprintf("%s/.hamr", f->repo);
	file_mkdirs(home, NULL);
	file_mkdirs(hamr, NULL);
	home[strlen(home) - 5] = '\0';
	setenv("XDG_CONFIG_HOME", home, 1);
	free(home);
	free(hamr);
	*state = f;
	return 0;
}

static inline int
teardown(void **state)
{
	struct fix *f = *state;
	char *cmd = xasprintf("rm -rf '%s'", f->dir);
	int r = system(cmd);

	free(cmd);
	free(f);
	return r;
}

/* conf_load with its stderr caught. */
static inline struct conf *
load_as(struct fix *f, const struct conf_opts *o)
{
	FILE *t = tmpfile();
	int old = dup(2);
	struct conf *c;
	size_t n;

	f->e = (struct err){ 0 };
	dup2(fileno(t), 2);
	c = conf_load(o, &f->e);
	dup2(old, 2);
	close(old);
	rewind(t);
	n = fread(f->said, 1, sizeof f->said - 1, t);
	f->said[n] = '\0';
	fclose(t);
	return c;
}

static inline struct conf *
loads_as(struct fix *f, const struct conf_opts *o)
{
	struct conf *c = load_as(f, o);

	if (c == NULL)
		fail_msg("%s", f->e.text);
	return c;
}

/* The same with up to two -o arguments. */
static inline struct conf *
load(struct fix *f, const char *a, const char *b)
{
	const char *set[] = { a, b };
	struct conf_opts o = { .root = f->repo, .set = set,
	    .nset = (a != NULL) + (b != NULL) };

	return load_as(f, &o);
}

static inline struct conf *
loads(struct fix *f, const char *a, const char *b)
{
	struct conf *c = load(f, a, b);

	if (c == NULL)
		fail_msg("%s", f->e.text);
	return c;
}

/* Loading fails with this text, in which @ is the test's folder. */
static inline void
fails(struct fix *f, const char *opt, enum status st, const char *want)
{
	struct conf *c = load(f, opt, NULL);
	struct buf b = BUF_INIT(5000);

	assert_null(c);
	for (; *want != '\0'; want++)
		if (*want == '@')
			buf_adds(&b, f->dir);
		else
			buf_addc(&b, *want);
	assert_string_equal(f->e.text, b.p);
	assert_int_equal(f->e.status, st);
	buf_release(&b);
}

static inline void
steps_are(struct fix *f, const char *opt, int64_t want, const char *origin)
{
	struct conf *c = loads(f, opt, NULL);

	assert_int_equal(conf_int(c, "agent.max_model_steps"), want);
	assert_non_null(strstr(conf_origin(c, "agent.max_model_steps"),
	    origin));
	conf_free(c);
}

#define LAYER(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
