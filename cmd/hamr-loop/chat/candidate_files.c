/* candidate_files.c - the project's files, for what completes after an @. */
#include <fcntl.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "candidate_files.h"
#include "git/gitignore.h"

#define FIND_MS 2000
#define QUICK_MS 20		/* a key is to be shown at once: so long, */
#define QUICK_FILES 2000	/* and so many */

struct finding {
	struct candidates *out;
	long long until;
};

static enum gitignore_next
see_file(void *arg, const struct gitignore_seen *s)
{
	struct finding *f = arg;

	if (file_now_ms() > f->until || (f->out->quick && f->out->n >
	    QUICK_FILES))
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
files_list(struct candidates *out)
{
	struct finding f = { out, file_now_ms() + (out->quick ? QUICK_MS :
	    FIND_MS) };
	char *cwd = getcwd(NULL, 0);
	struct gitignore *g;
	struct err e;
	int fd;

	if (cwd == NULL)
		return;
	g = gitignore_new(cwd, true, &e);
	fd = open(cwd, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		if (gitignore_walk(g, fd, see_file, &f) && out->quick)
			candidates_release(out);
		close(fd);
	}
	gitignore_free(g);
	free(cwd);
}
