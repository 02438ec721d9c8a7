/* secret.c - the lists of chapter 5.2, and what matches them. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/mem.h"

#include "path.h"
#include "secret.h"

#define COUNT(a) (sizeof (a) / sizeof (a)[0])

static const char *const secrets[] = {
	".env", ".env.*", "*.pem", "*.p12", "*.key", "id_rsa*", "id_dsa*",
	"id_ecdsa*", "id_ed25519*", ".netrc", "credentials", "*.env",
	".npmrc", ".pypirc", ".git-credentials", ".pgpass", "kubeconfig",
	"*.kdbx", "*.jks", "service-account*.json", "secrets.yml",
	"secrets.yaml", "secrets.json", "secrets.toml",
};

/* Lock files that package managers write. */
static const char *const locks[] = {
	"*.lock", "*.lockb", "*.lockfile", "package-lock.json",
	"npm-shrinkwrap.json", "pnpm-lock.yaml", "packages.lock.json",
	"go.sum", "Package.resolved",
};

static const char *const protecteds[] = {
	".git", ".hg", ".jj", ".sl", ".gitconfig", ".envrc", ".vscode",
	".idea", ".mcp.json", ".bashrc", ".bash_profile", ".bash_login",
	".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
	".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc",
	".login", ".logout", ".inputrc",
};

static const char *const built[] = {
	"node_modules", "build", "dist", "target", "out", "coverage",
};

static const char *const docs[] = {
	"*.md", "*.rst", "*.txt", "*.adoc", "*.tex", "*.[1-9]", "README*",
	"CHANGELOG*",
};

static const char *const pictures[] = {
	"*.png", "*.jpg", "*.jpeg", "*.gif", "*.webp", "*.avif", "*.bmp",
	"*.ico", "*.svg",
};

/* Does a pattern of list match a part of the path, from first on?  flags: those
 * of fnmatch. */
static bool
matches(const char *const *list, size_t n, const char *first, int flags)
{
	char *copy = xstrdup(first), *save = NULL;
	bool yes = false;

	for (char *part = strtok_r(copy, "/", &save); part != NULL && !yes;
	    part = strtok_r(NULL, "/", &save))
		for (size_t i = 0; i < n && !yes; i++)
			yes = fnmatch(list[i], part, flags) == 0;
	free(copy);
	return yes;
}

/* Does a pattern of the user match?  One without a slash, except at its end,
 * matches any part of rel; others match from the root, with all beneath. */
static bool
listed(const char *const *list, size_t n, const char *rel, int flags)
{
	int beneath = flags | FNM_LEADING_DIR;
	bool yes = false;

	for (size_t i = 0; i < n && !yes; i++) {
		char *copy = xstrdup(list[i]), *p = copy;
		size_t len = strlen(p);

		while (len > 0 && p[len - 1] == '/')
			p[--len] = '\0';
		if (strchr(p, '/') == NULL)
			yes = matches((const char *const *)&p, 1, rel, flags);
		else if (strncmp(p, "**/", 3) == 0)
			yes = fnmatch(p, rel, beneath) == 0 ||
			    fnmatch(p + 3, rel, beneath) == 0;
		else
			yes = fnmatch(p + (p[0] == '/'), rel, beneath) == 0;
		free(copy);
	}
	return yes;
}

bool
lists_secret(const struct lists *l, const char *rel)
{
	for (const char *p = rel; *p != '\0';) {
		size_t n = strcspn(p, "/");
		char *part = xmemdup0(p, n);
		bool yes;

		p += n + (p[n] == '/');
		if (strcasecmp(part, ".hamr") == 0)
			yes = !is_beneath(p, "out") &&
			    !is_beneath(p, "skills");
		else
			yes = strcasecmp(part, ".env.example") != 0 &&
			    (strcasecmp(part, ".git") == 0 ||
			    matches(secrets, COUNT(secrets), part,
			    FNM_CASEFOLD));
		free(part);
		if (yes)
			return true;
	}
	return lists_matches(l, rel);
}

bool
lists_matches(const struct lists *l, const char *rel)
{
	return listed(l->secret, l->nsecret, rel, FNM_CASEFOLD);
}

bool
lists_no_write(const struct lists *l, const char *rel)
{
	if (strncasecmp(rel, ".hamr/", 6) == 0)
		return true;	/* .hamr/out and skills are read only */
	return matches(locks, COUNT(locks), file_base(rel), 0) ||
	    listed(l->no_write, l->nno_write, rel, 0);
}

bool
lists_built(const char *rel)
{
	return matches(built, COUNT(built), rel, 0);
}

bool
lists_docs(const struct lists *l, const char *rel)
{
	bool below = is_beneath(rel, "docs") || is_beneath(rel, "doc");

	return matches(docs, COUNT(docs), file_base(rel), 0) ||
	    (below && matches(pictures, COUNT(pictures), file_base(rel),
	    0)) ||
	    listed(l->docs, l->ndocs, rel, 0);
}

bool
protected_base(const char *base)
{
	return matches(protecteds, COUNT(protecteds), base, FNM_CASEFOLD);
}

bool
protected_allowed(const struct lists *l, const char *rel)
{
	return listed(l->allow_write, l->nallow_write, rel, FNM_CASEFOLD);
}
