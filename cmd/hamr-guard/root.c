/* root.c - which files of a transcript belong to the work. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "root.h"
#include "scan.h"

/* What mode docs may write (hamr-tool(1)). */
static const char *const docs[] = { "*.md", "*.rst", "*.txt", "*.adoc",
	"*.tex", "*.[1-9]", "README*", "CHANGELOG*", NULL };
static const char *const pictures[] = { "*.png", "*.jpg", "*.jpeg", "*.gif",
	"*.svg", "*.webp", NULL };
static const char *const picture_folders[] = { "doc/", "docs/", NULL };

void
root_set(struct root *r, struct slice cwd)
{
	free(r->path);
	r->path = scan_kind(cwd) == SCAN_STRING ? scan_strdup(cwd) : NULL;
}

static bool
any_matches(const char *const *list, const char *name)
{
	for (; *list != NULL; list++)
		if (fnmatch(*list, name, 0) == 0)
			return true;
	return false;
}

static bool
is_picture(const char *path, const char *base)
{
	for (const char *const *f = picture_folders; *f != NULL; f++) {
		const char *at = strstr(path, *f);

		if (at != NULL && (at == path || at[-1] == '/'))
			return any_matches(pictures, base);
	}
	return false;
}

static bool
is_outside(const struct root *r, const char *path)
{
	size_t n;

	if (strstr(path, "/../") != NULL)
		return false;	/* who knows */
	if (*path != '/')
		return strncmp(path, "../", 3) == 0;
	if (r->path == NULL)
		return strncmp(path, "/tmp/", 5) == 0;
	n = strlen(r->path);
	while (n > 0 && r->path[n - 1] == '/')
		n--;
	return strncmp(path, r->path, n) != 0 || path[n] != '/';
}

bool
root_matters(const struct root *r, struct slice given)
{
	char *path = xmemdup0(given.p != NULL ? given.p : "", given.n);
	const char *slash = strrchr(path, '/');
	const char *base = slash != NULL ? slash + 1 : path;
	bool yes = !is_outside(r, path) && !any_matches(docs, base) &&
	    !is_picture(path, base);

	free(path);
	return yes;
}
