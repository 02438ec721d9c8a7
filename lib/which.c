/* which.c - programs of ours' own use, never the repository's. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "which.h"

char *
which_program(const char *name, const char *root)
{
	size_t len = strlen(root);
	const char *p = getenv("PATH");

	if (p == NULL)
		p = "/usr/local/bin:/usr/bin:/bin";
	for (;; p++) {
		size_t n = strcspn(p, ":");
		char *dir = xmemdup0(p, n);
		char *file = xasprintf("%s/%s", dir, name);
		bool good = dir[0] == '/' && (strncmp(dir, root, len) != 0 ||
		    (dir[len] != '/' && dir[len] != '\0')) &&
		    access(file, X_OK) == 0;

		free(dir);
		if (good)
			return file;
		free(file);
		p += n;
		if (*p == '\0')
			return NULL;
	}
}
