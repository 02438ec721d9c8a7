/* candidate_files.c - the project's files, for completion after an @. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "git/gitignore.h"
#include "internal.h"

#define FIND_MS 400		/* when Tab asks for it */
#define QUICK_MS 10		/* of the 20 within which a key must be shown */

struct finding {
	struct candidates *out;
	long long until;
};

static enum gitignore_next
see_file(void *arg, const struct gitignore_seen *s)
{
	struct finding *f = arg;

	if (file_now_ms() > f->until)
		return GITIGNORE_STOP;
	if (s->st == NULL)
		return GITIGNORE_PASS;
	if (S_ISDIR(s->st->st_mode))
		return strcasecmp(s->base, ".hamr") != 0 &&
		    !gitignore_is_nested(s->dirfd, s->base) ?
		    GITIGNORE_ENTER : GITIGNORE_PASS;
	candidates_add(f->out, s->rel, NULL);
	return GITIGNORE_PASS;
}

void
candidate_files(const char *root, struct candidates *out)
{
	struct finding f = { out, file_now_ms() +
		(out->quick ? QUICK_MS : FIND_MS) };
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct map found = { 0 };
	struct err e;

	if (fd < 0)
		return;
	struct gitignore *g = gitignore_new(root, true, &e);
	const struct gitindex *ix = gitignore_index(g);
	if (gitignore_walk(g, fd, see_file, &f)) {
		/* time is up: the others that git knows, by its index */
		for (size_t i = 0; i < out->n; i++)
			map_put(&found, slice_of(out->v[i].text), NULL);
		for (size_t i = 0; i < ix->n; i++)
			if ((S_ISREG(ix->v[i].mode) ||
			    S_ISLNK(ix->v[i].mode)) &&
			    map_get(&found, slice_of(ix->v[i].path)) == NULL)
				candidates_add(out, ix->v[i].path, NULL);
	}
	gitignore_free(g);
	map_release(&found);
	close(fd);
}
