/* ignore.c - what git ignores, for the file tools. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gitignore.h"
#include "mem.h"

#include "files_in.h"

struct ignored {
	struct gitignore *rules;
	bool none;		/* nothing is */
};

struct gitignore *
files_rules(struct files *f)
{
	struct gitignore *g;
	struct stat st;
	struct err e;
	bool own = geteuid() != 0 || (fstat(f->root.fd, &st) == 0 &&
	    st.st_uid == 0);

	/* what hangs on root's own home is not the owner's */
	g = gitignore_new(f->root.real, own, &e);
	/* that it is another's was said when the root was found */
	if (e.text[0] != '\0' && e.status != ST_POLICY && !f->told) {
		f->told = true;
		err_say("%s; nothing is taken as tracked by git", e.text);
	}
	return g;
}

struct ignored *
ignored_load(struct files *f, const char *rel)
{
	struct ignored *ig = xcalloc(1, sizeof *ig);

	ig->rules = files_rules(f);
	for (const char *p = rel; *p != '\0'; ) {
		char *dir = xmemdup0(rel, (size_t)(p - rel));

		ignored_enter(ig, path_open(&f->root, dir,
		    O_PATH | O_DIRECTORY), dir);
		free(dir);
		p += *p == '/';
		p += strcspn(p, "/");
	}
	ig->none = *rel != '\0' && gitignore_has(ig->rules, rel, true);
	return ig;
}

void
ignored_enter(struct ignored *ig, int dirfd, const char *rel)
{
	gitignore_enter(ig->rules, dirfd, rel);
	if (dirfd >= 0)
		close(dirfd);
}

void
ignored_leave(struct ignored *ig)
{
	gitignore_leave(ig->rules);
}

bool
ignored_has(const struct ignored *ig, const char *rel, bool is_dir)
{
	return !ig->none && gitignore_has(ig->rules, rel, is_dir);
}

bool
ignored_file(struct files *f, const char *rel)
{
	struct gitignore *g = files_rules(f);
	bool yes;

	gitignore_enter(g, f->root.fd, "");
	yes = gitignore_path(g, f->root.fd, rel, false);
	gitignore_free(g);
	return yes;
}

bool
tracked_file(struct files *f, const char *rel)
{
	struct gitignore *g = files_rules(f);
	bool yes = gitindex_find(gitignore_index(g), rel) != NULL;

	gitignore_free(g);
	return yes;
}

void
ignored_free(struct ignored *ig)
{
	if (ig == NULL)
		return;
	gitignore_free(ig->rules);
	free(ig);
}
