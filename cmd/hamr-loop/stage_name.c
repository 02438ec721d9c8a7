/* stage_name.c - what a command of the configuration says, before it runs. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "stage_name.h"

int
stage_check(const char *command, struct err *e)
{
	char quote = '\0';
	bool word = false;

	for (const char *p = command; *p != '\0'; p++) {
		if (*p == '\\' && quote != '\'') {
			if (p[1] == '\0')
				return err_set(e, ST_CONFIG, "command \"%s\" "
				    "ends in a backslash", command);
			p++;
			word = true;
		} else if (quote != '\0') {
			if (*p == quote)
				quote = '\0';
		} else if (*p == '"' || *p == '\'') {
			quote = *p;
			word = true;
		} else if (*p != ' ' && *p != '\t') {
			word = true;
		}
	}
	if (quote != '\0')
		return err_set(e, ST_CONFIG, "command \"%s\" has a quote "
		    "without its end", command);
	if (!word)
		return err_set(e, ST_CONFIG, "a command in [stages] is empty");
	return 0;
}

char *
stage_beside_us(const char *name)
{
	char self[4096];
	ssize_t n;
	char *slash, *path;

	if (strncmp(name, "hamr-", 5) != 0 || strchr(name, '/') != NULL)
		return NULL;
	n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n <= 0)
		return NULL;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (slash == NULL)
		return NULL;
	path = xasprintf("%.*s/%s", (int)(slash - self), self, name);
	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return NULL;
}
