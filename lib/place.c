/* place.c - where things are: the repository, our data, the user's file. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err.h"
#include "gitrepo.h"
#include "mem.h"
#include "place.h"

#ifndef HAMR_SHARE_DIR
#define HAMR_SHARE_DIR "/usr/local/share/hamr"
#endif

char *
conf_root(const char *dir, struct err *e)
{
	char *start = realpath(dir, NULL), *at;
	struct stat st;

	if (start == NULL || stat(start, &st) < 0 || !S_ISDIR(st.st_mode)) {
		if (start != NULL)
			errno = ENOTDIR;
		if (strcmp(dir, ".") == 0)
			err_set(e, ST_NOINPUT, "the working directory is "
			    "gone; go into another one");
		else
			err_sys(e, ST_NOINPUT, "%s", dir);
		free(start);
		return NULL;
	}
	*e = (struct err){ .status = ST_OK };
	at = xstrdup(start);
	for (;;) {
		int is = gitrepo_is_top(*at != '\0' ? at : "/", e);

		if (is > 0)
			break;
		/* "/" itself has been looked at, or this is somebody else's */
		if (is < 0 || *at == '\0') {
			free(at);
			return start;
		}
		*strrchr(at, '/') = '\0';
	}
	free(start);
	if (*at == '\0')
		memcpy(at, "/", 2);
	return at;
}

/* The folder that holds the folder of the running binary; NULL if unknown. */
static char *
prefix(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (n <= 0)
		return NULL;
	exe[n] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(exe, '/');

		if (slash == NULL)
			return NULL;
		*slash = '\0';
	}
	return xstrdup(exe);
}

bool
conf_root_is_too_much(const char *root)
{
	const char *home = getenv("HOME");
	char *real = home != NULL ? realpath(home, NULL) : NULL;
	bool yes = strcmp(root, "/") == 0 ||
	    (real != NULL && strcmp(root, real) == 0);

	free(real);
	return yes;
}

char *
conf_share(const char *name)
{
	const char *env = getenv("HAMR_SHARE");
	char *up, *dir, *path;

	if (env != NULL && *env != '\0')
		return xasprintf("%s/%s", env, name);
	up = prefix();
	dir = xasprintf("%s/share/hamr", up != NULL ? up : "");
	if (up != NULL && access(dir, F_OK) == 0)
		path = xasprintf("%s/%s", dir, name);
	else
		path = xasprintf("%s/%s", HAMR_SHARE_DIR, name);
	free(dir);
	free(up);
	return path;
}

/* A relative $XDG_CONFIG_HOME does not count, says its specification. */
char *
conf_user_path(void)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (xdg != NULL && *xdg == '/')
		return xasprintf("%s/hamr/config.toml", xdg);
	if (home != NULL && *home == '/')
		return xasprintf("%s/.config/hamr/config.toml", home);
	return NULL;
}
