/* protected.c - names that other programs obey. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mem.h"

#include "protected.h"

static const char *const names[] = { ".git", ".gitconfig", ".envrc",
	".vscode", ".idea", ".mcp.json", ".bashrc", ".bash_profile",
	".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc",
	".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc",
	".tcshrc", ".login", ".logout", ".inputrc" };

bool
protected_base(const char *base)
{
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcasecmp(names[i], base) == 0)
			return true;
	return false;
}

bool
protected_allowed(const struct lists *l, const char *rel)
{
	struct lists allow = { .secret = l->allow_write,
		.nsecret = l->nallow_write };

	return lists_matches(&allow, rel);
}

bool
protected_name(const struct lists *l, const char *rel)
{
	char *copy = xstrdup(rel), *save = NULL;
	bool yes = false;

	for (char *part = strtok_r(copy, "/", &save); part != NULL && !yes;
	    part = strtok_r(NULL, "/", &save))
		yes = protected_base(part);
	free(copy);
	return yes && !protected_allowed(l, rel);
}
