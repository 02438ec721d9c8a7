/* place.c - where things are: the repository, our data, the user's file. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "git/gitrepo.h"
#include "place.h"

#ifndef HAMR_SHARE_DIR
#define HAMR_SHARE_DIR "/usr/local/share/hamr"
#endif

char *
conf_root(const char *dir, struct err *e)
{
	char *start = realpath(dir, NULL);
	struct stat st;

	if (start == NULL || stat(start, &st) < 0 || !S_ISDIR(st.st_mode)) {
		if (start != NULL)
			errno = ENOTDIR;
		if (strcmp(dir, ".") == 0)
			err_set(e, ST_NOINPUT, "the working directory is "
			    "gone; change to another one");
		else
			err_sys(e, ST_NOINPUT, "%s", dir);
		free(start);
		return NULL;
	}
	*e = (struct err){ .status = ST_OK };
	char *at = gitrepo_find(start, e);
	if (at == NULL)		/* in no repository, or another user's */
		return start;
	free(start);
	if (*at == '\0')
		memcpy(at, "/", 2);
	return at;
}

bool
conf_root_is_too_broad(const char *root)
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
	char exe[PATH_MAX] = "";

	if (env != NULL && *env != '\0')
		return xasprintf("%s/%s", env, name);
	if (readlink("/proc/self/exe", exe, sizeof exe - 1) <= 0)
		return xasprintf("%s/%s", HAMR_SHARE_DIR, name);
	char *bin = file_folder(exe);
	char *prefix = file_folder(bin);
	char *dir = xasprintf("%s/share/hamr", prefix);
	char *path = xasprintf("%s/%s", access(dir, F_OK) == 0 ? dir :
	    HAMR_SHARE_DIR, name);
	FREE(bin, prefix, dir);
	return path;
}

/* The XDG specification says to ignore a relative $XDG_CONFIG_HOME. */
char *
conf_home(const char *variable, const char *below, const char *name)
{
	const char *xdg = getenv(variable), *home = getenv("HOME");

	if (xdg != NULL && *xdg == '/')
		return xasprintf("%s/hamr%s", xdg, name);
	if (home != NULL && *home == '/')
		return xasprintf("%s/%s/hamr%s", home, below, name);
	return NULL;
}

char *
conf_user_path(void)
{
	return conf_home("XDG_CONFIG_HOME", ".config", "/config.toml");
}
