/* hide.c - what of the machine no command may see: keys, histories, tokens. */
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#include "hide.h"

static const char *const in_home[] = { ".ssh", ".gnupg", ".aws", ".azure",
	".kube", ".docker", ".netrc", ".git-credentials", ".npmrc", ".pypirc",
	".password-store", ".mozilla", ".config/gh", ".config/gcloud",
	".config/hamr", ".config/google-chrome",
	/* ours: sessions and memories, and their locks */
	".local/state/hamr", ".local/share/hamr",
	/* histories */
	".bash_history", ".zsh_history", ".zhistory", ".zsh_sessions",
	".ksh_history", ".sh_history", ".ash_history", ".history",
	".histfile", ".local/share/fish/fish_history", ".python_history",
	".node_repl_history", ".psql_history", ".mysql_history",
	".sqlite_history", ".lesshst" };

static const char *const in_etc[] = { "/etc/shadow", "/etc/gshadow",
	"/etc/shadow-", "/etc/gshadow-" };

void
texts_add(struct texts *t, char *text)
{
	t->v = xgrow(t->v, t->n, &t->cap, sizeof *t->v);
	t->v[t->n++] = text;
}

void
texts_release(struct texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
	*t = (struct texts){ NULL, 0, 0 };
}

char *
hide_home_of(uid_t uid, char **name)
{
	/* not getpwuid, which may ask other machines */
	FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *pw;
	char *home = NULL;

	while (f != NULL && home == NULL && (pw = fgetpwent(f)) != NULL)
		if (pw->pw_uid == uid && pw->pw_dir[0] == '/') {
			home = xstrdup(pw->pw_dir);
			if (name != NULL)
				*name = xstrdup(pw->pw_name);
		}
	if (f != NULL)
		fclose(f);
	return home;
}

/* The true name, if there is such a thing and it is not known yet. */
static void
add(struct texts *out, const char *path)
{
	char *real = realpath(path, NULL);

	for (size_t i = 0; real != NULL && i < out->n; i++)
		if (strcmp(out->v[i], real) == 0) {
			free(real);
			return;
		}
	if (real != NULL)
		texts_add(out, real);
}

static void
take_out(struct texts *out, const char *path)
{
	char *real = realpath(path, NULL);
	size_t to = 0;

	for (size_t i = 0; i < out->n; i++)
		if (real != NULL && strcmp(out->v[i], real) == 0)
			free(out->v[i]);
		else
			out->v[to++] = out->v[i];
	out->n = to;
	free(real);
}

/* A path of the configuration, "~/x" or "/x"; NULL for a pattern of names in
 * the root. */
static char *
outside(const char *text, const char *home)
{
	if (text[0] == '/')
		return xstrdup(text);
	if (strncmp(text, "~/", 2) == 0)
		return xasprintf("%s%s", home, text + 1);
	return NULL;
}

static void
configured(const struct conf *c, const char *home, bool shown,
    struct texts *out)
{
	const char *const *list;
	size_t n;

	list = conf_list(c, "sandbox.mask", &n);
	for (size_t i = 0; i < n; i++) {
		bool show = list[i][0] == '!';
		char *path = outside(list[i] + show, home);

		if (path != NULL && show == shown) {
			if (show)
				take_out(out, path);
			else
				add(out, path);
		}
		free(path);
	}
}

void
hide_list(const struct conf *c, const char *const *homes, size_t nhomes,
    struct texts *out)
{
	static const char *const ours[] = { "XDG_CONFIG_HOME",
		"XDG_STATE_HOME", "XDG_DATA_HOME" };
	char *path;

	for (size_t i = 0; i < sizeof in_etc / sizeof in_etc[0]; i++)
		add(out, in_etc[i]);
	for (size_t h = 0; h < nhomes; h++)
		for (size_t i = 0; i < sizeof in_home / sizeof in_home[0]; i++) {
			path = xasprintf("%s/%s", homes[h], in_home[i]);
			add(out, path);
			free(path);
		}
	for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
		const char *base = getenv(ours[i]);

		if (base == NULL || base[0] != '/')
			continue;
		path = xasprintf("%s/hamr", base);
		add(out, path);
		free(path);
	}
	for (size_t h = 0; h < nhomes; h++)
		configured(c, homes[h], false, out);
	for (size_t h = 0; h < nhomes; h++)
		configured(c, homes[h], true, out);
}
