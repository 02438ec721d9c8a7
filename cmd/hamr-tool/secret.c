/* secret.c - the lists of chapter 5.2, and what matches them. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mem.h"

#include "secret.h"

#define COUNT(a) (sizeof (a) / sizeof (a)[0])

static const char *const secrets[] = {
	".env", ".env.*", "*.pem", "*.p12", "*.key", "id_rsa*", "id_dsa*",
	"id_ecdsa*", "id_ed25519*", ".netrc", "credentials",
};

/* What package managers write for themselves. */
static const char *const locks[] = {
	"*.lock", "*.lockb", "*.lockfile", "package-lock.json",
	"npm-shrinkwrap.json", "pnpm-lock.yaml", "packages.lock.json",
	"go.sum", "Package.resolved",
};

static const char *const built[] = {
	"node_modules", "build", "dist", "target", "out", "coverage",
};

static const char *const docs[] = {
	"*.md", "*.rst", "*.txt", "*.[1-9]", "README*", "CHANGELOG*",
};

/* Does a pattern of the list match a part of rel (only the last one, if last)
 * or, when it has a slash, all of it? */
static bool
matches(const char *const *list, size_t n, const char *rel, bool last)
{
	char *copy = xstrdup(rel), *save = NULL;
	const char *base = strrchr(rel, '/');
	bool yes = false;

	for (size_t i = 0; i < n && !yes; i++)
		yes = strchr(list[i], '/') != NULL &&
		    fnmatch(list[i], rel, 0) == 0;
	for (char *part = strtok_r(copy, "/", &save); part != NULL && !last;
	    part = strtok_r(NULL, "/", &save))
		for (size_t i = 0; i < n && !yes; i++)
			yes = fnmatch(list[i], part, 0) == 0;
	for (size_t i = 0; i < n && !yes && last; i++)
		yes = fnmatch(list[i], base != NULL ? base + 1 : rel, 0) == 0;
	free(copy);
	return yes;
}

/* One part of the name: is it a secret of ours? */
static bool
secret_part(const char *part, const char *after)
{
	if (strcasecmp(part, ".git") == 0)
		return true;
	if (strcasecmp(part, ".hamr") == 0)
		return strcmp(after, "out") != 0 &&
		    strncmp(after, "out/", 4) != 0;
	if (strcmp(part, ".env.example") == 0)
		return false;
	for (size_t i = 0; i < COUNT(secrets); i++)
		if (fnmatch(secrets[i], part, 0) == 0)
			return true;
	return false;
}

bool
lists_secret(const struct lists *l, const char *rel)
{
	const char *p = rel;

	while (*p != '\0') {
		size_t n = strcspn(p, "/");
		char *part = xmemdup0(p, n);
		const char *after = p + n + (p[n] == '/');
		bool yes = secret_part(part, after);

		free(part);
		if (yes)
			return true;
		p = after;
	}
	return matches(l->secret, l->nsecret, rel, false);
}

bool
lists_no_write(const struct lists *l, const char *rel)
{
	if (strncasecmp(rel, ".hamr/", 6) == 0)
		return true;	/* .hamr/out is read only */
	return matches(locks, COUNT(locks), rel, true) ||
	    matches(l->no_write, l->nno_write, rel, false);
}

bool
lists_built(const char *rel)
{
	return matches(built, COUNT(built), rel, false);
}

bool
lists_docs(const struct lists *l, const char *rel)
{
	return strncmp(rel, "docs/", 5) == 0 ||
	    matches(docs, COUNT(docs), rel, true) ||
	    matches(l->docs, l->ndocs, rel, false);
}
