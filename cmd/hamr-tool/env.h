/* env.h - what a command sees of the environment, and what nobody sees of
 * ours. */
#ifndef HAMR_TOOL_ENV_H
#define HAMR_TOOL_ENV_H

#include <stddef.h>

#include "conf.h"

struct env_opts {
	const struct conf *conf;	/* [sandbox] env */
	const char *pwd;
	/* in place of ours; NULL: as it is here */
	const char *home, *user, *tmp, *cache;
	const char *const *more;	/* names to pass on, or NAME=value */
	size_t nmore;
};

/* The allow-list of chapter 5.3.  NULL-terminated; env_free. */
char **env_make(const struct env_opts *o);
void env_free(char **env);

/* Overwrite, where other processes could read it (/proc/PID/environ), every
 * value that is not on the allow-list.  What looks like a secret is gone for
 * us too, unless the configuration names it for a command. */
void env_scrub(const struct conf *c);

#endif
