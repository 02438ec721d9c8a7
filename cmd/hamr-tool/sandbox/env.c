/* env.c - the environment of a command, and the secrets scrubbed from ours. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include "internal.h"

extern char **environ;

static const char *const allowed[] = { "PATH", "HOME", "USER", "LOGNAME",
	"SHELL", "LANG", "TZ", "TMPDIR" };

#define NALLOWED (sizeof allowed / sizeof allowed[0])

static bool
is_name(const char *entry, const char *name, size_t n)
{
	return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

/* Add entry, or replace the one of that name.  Takes entry. */
static void
put(struct texts *e, char *entry)
{
	size_t n = strcspn(entry, "=");

	for (size_t i = 0; i < e->n; i++)
		if (is_name(e->v[i], entry, n)) {
			free(e->v[i]);
			e->v[i] = entry;
			return;
		}
	texts_add(e, entry);
}

static void
set(struct texts *e, const char *name, const char *value)
{
	if (value != NULL)
		put(e, xasprintf("%s=%s", name, value));
}

/* Add entries "NAME=value", and names to pass on. */
static void
put_all(struct texts *e, const char *const *more, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strchr(more[i], '=') != NULL)
			put(e, xstrdup(more[i]));
		else
			set(e, more[i], getenv(more[i]));
}

struct texts
box_env(const struct box *b, const char *const *more, size_t nmore)
{
	static const char *const fixed[] = { "TERM=dumb", "PAGER=cat",
		"GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0" };
	const struct sandboxes *bs = b->bs;
	struct texts e = { .n = 0 };
	size_t n;
	const char *const *own = conf_list(bs->conf, "sandbox.env", &n);

	put_all(&e, allowed, NALLOWED);
	for (char **p = environ; *p != NULL; p++)
		if (strncmp(*p, "LC_", 3) == 0)
			put(&e, xstrdup(*p));
	set(&e, "PWD", bs->root.real);
	if (bs->switched) {
		set(&e, "HOME", bs->home != NULL ? bs->home : "/");
		set(&e, "USER", bs->user);
		set(&e, "LOGNAME", bs->user);
	}
	if (b->layer >= LAYER_LANDLOCK) {
		bool bwrap = b->layer == LAYER_BWRAP;

		set(&e, "TMPDIR", bwrap ? "/tmp" : bs->tmp);
		set(&e, "XDG_CACHE_HOME", bs->cache != NULL ? bs->cache :
		    bwrap ? "/tmp/.cache" : bs->tmp);
	}
	put_all(&e, fixed, sizeof fixed / sizeof fixed[0]);
	put_all(&e, own, n);
	put_all(&e, more, nmore);
	texts_add(&e, NULL);
	return e;
}

static bool
is_in(const char *entry, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_name(entry, list[i], strlen(list[i])))
			return true;
	return false;
}

void
env_scrub(const struct conf *c)
{
	static const char *const parts[] = { "KEY", "TOKEN", "SECRET", "PASS",
		"CREDENTIAL", "AUTH", "COOKIE", "PRIVATE" };
	size_t n, to = 0, nservers;
	const char *const *servers = conf_names(c, "mcp", &nservers);

	for (size_t i = 0; environ[i] != NULL; i++) {
		char *entry = environ[i], *value = strchr(entry, '=');

		if (value == NULL || strncmp(entry, "LC_", 3) == 0 ||
		    is_in(entry, allowed, NALLOWED)) {
			environ[to++] = entry;
			continue;
		}
		/* does it look like a secret that no command is given? */
		char *name = xmemdup0(entry, (size_t)(value - entry));
		bool secret = false;
		for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
			secret |= strcasestr(name, parts[k]) != NULL;
		free(name);
		const char *const *list = conf_list(c, "sandbox.env", &n);
		secret = secret && !is_in(entry, list, n);
		for (size_t k = 0; k < nservers && secret; k++) {
			char *key = xasprintf("mcp.%s.env", servers[k]);

			list = conf_list(c, key, &n);
			secret = !is_in(entry, list, n);
			free(key);
		}
		if (!secret)
			environ[to++] = xstrdup(entry);
		explicit_bzero(value + 1, strlen(value + 1));
	}
	environ[to] = NULL;
}
