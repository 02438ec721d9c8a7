/* env.c - what a command sees of the environment, and nobody of ours. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mem.h"

#include "env.h"

extern char **environ;

static const char *const allowed[] = { "PATH", "HOME", "USER", "LOGNAME",
	"SHELL", "LANG", "TZ", "TMPDIR" };

#define NALLOWED (sizeof allowed / sizeof allowed[0])

struct env {
	char **v;
	size_t n, cap;
};

static bool
is_name(const char *entry, const char *name, size_t n)
{
	return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

static void
put(struct env *e, char *entry)
{
	size_t n = strcspn(entry, "=");

	for (size_t i = 0; i < e->n; i++)
		if (is_name(e->v[i], entry, n)) {
			free(e->v[i]);
			e->v[i] = entry;
			return;
		}
	e->v = xgrow(e->v, e->n, &e->cap, sizeof *e->v);
	e->v[e->n++] = entry;
}

static void
pass(struct env *e, const char *name)
{
	const char *value = getenv(name);

	if (value != NULL)
		put(e, xasprintf("%s=%s", name, value));
}

static void
put_more(struct env *e, const char *const *more, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strchr(more[i], '=') != NULL)
			put(e, xstrdup(more[i]));
		else
			pass(e, more[i]);
}

static void
set(struct env *e, const char *name, const char *value)
{
	if (value != NULL)
		put(e, xasprintf("%s=%s", name, value));
}

char **
env_make(const struct env_opts *o)
{
	static const char *const fixed[] = { "TERM=dumb", "PAGER=cat",
		"GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0" };
	struct env e = { .n = 0 };
	const char *const *more;
	size_t n;

	for (size_t i = 0; i < NALLOWED; i++)
		pass(&e, allowed[i]);
	for (char **p = environ; *p != NULL; p++)
		if (strncmp(*p, "LC_", 3) == 0)
			put(&e, xstrdup(*p));
	set(&e, "PWD", o->pwd);
	set(&e, "HOME", o->home);
	set(&e, "USER", o->user);
	set(&e, "LOGNAME", o->user);
	set(&e, "TMPDIR", o->tmp);
	set(&e, "XDG_CACHE_HOME", o->cache);
	for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
		put(&e, xstrdup(fixed[i]));
	more = conf_list(o->conf, "sandbox.env", &n);
	put_more(&e, more, n);
	put_more(&e, o->more, o->nmore);
	e.v = xgrow(e.v, e.n, &e.cap, sizeof *e.v);
	e.v[e.n] = NULL;
	return e.v;
}

void
env_free(char **env)
{
	for (char **p = env; *p != NULL; p++)
		free(*p);
	free(env);
}

/* ---- our own ---- */

static bool
is_allowed(const char *entry)
{
	for (size_t i = 0; i < NALLOWED; i++)
		if (is_name(entry, allowed[i], strlen(allowed[i])))
			return true;
	return strncmp(entry, "LC_", 3) == 0;
}

static bool
is_secret(const char *entry)
{
	static const char *const parts[] = { "KEY", "TOKEN", "SECRET", "PASS",
		"CREDENTIAL", "AUTH", "COOKIE", "PRIVATE" };
	char *name = xmemdup0(entry, strcspn(entry, "="));
	bool yes = false;

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		yes = yes || strcasestr(name, parts[i]) != NULL;
	free(name);
	return yes;
}

static bool
is_listed(const struct conf *c, const char *key, const char *entry)
{
	const char *const *list;
	size_t n;

	list = conf_list(c, key, &n);
	for (size_t i = 0; i < n; i++)
		if (is_name(entry, list[i], strlen(list[i])))
			return true;
	return false;
}

/* Does somebody want it passed on? */
static bool
is_wanted(const struct conf *c, const char *entry)
{
	const char *const *names;
	bool yes = is_listed(c, "sandbox.env", entry);
	size_t n;

	names = conf_names(c, "mcp", &n);
	for (size_t i = 0; i < n && !yes; i++) {
		char *key = xasprintf("mcp.%s.env", names[i]);

		yes = is_listed(c, key, entry);
		free(key);
	}
	return yes;
}

void
env_scrub(const struct conf *c)
{
	size_t to = 0;

	for (size_t i = 0; environ[i] != NULL; i++) {
		char *entry = environ[i], *value = strchr(entry, '=');

		if (value != NULL && !is_allowed(entry)) {
			bool keep = !is_secret(entry) || is_wanted(c, entry);

			environ[to] = keep ? xstrdup(entry) : NULL;
			explicit_bzero(value + 1, strlen(value + 1));
			to += keep;
		} else {
			environ[to++] = entry;
		}
	}
	environ[to] = NULL;
}
