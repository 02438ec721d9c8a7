/* candidate_files.c - the project's files, for completion after an @. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "git/gitignore.h"
#include "internal.h"

#define FIND_MS 2000
#define QUICK_MS 10		/* of the 20 within which a key must be shown */
#define STALE_MS 5000
#define NAMES_MAX ((size_t)1 << 30)

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

/* False: time ran out before all were found. */
static bool
find(struct candidates *out, int ms)
{
	struct finding f = { out, file_now_ms() + ms };
	char *cwd = getcwd(NULL, 0);
	bool all = true;
	struct err e;

	if (cwd == NULL)
		return true;
	struct gitignore *g = gitignore_new(cwd, true, &e);
	int fd = open(cwd, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		all = !gitignore_walk(g, fd, see_file, &f);
		close(fd);
	}
	gitignore_free(g);
	free(cwd);
	return all;
}

void
file_list_add(struct file_list *l, struct candidates *out)
{
	struct buf names = BUF_INIT(NAMES_MAX);
	bool quick = out->quick;

	if (l->pid != 0 && file_now_ms() - l->begun > STALE_MS)
		file_list_release(l);	/* begun for an @ nobody waited for */
	if (l->pid == 0) {
		if (find(out, QUICK_MS))
			return;
		candidates_release(out);
		*l = (struct file_list){ .fd = file_memory("", 0),
			.begun = file_now_ms() };
		l->pid = l->fd < 0 ? -1 : fork();
		if (l->pid == 0) {
			/* the child writes what it finds in time to the file;
			 * it keeps no other descriptor of ours open */
			struct candidates all = { 0 };

			dup2(l->fd, 0);
			close_range(1, ~0U, 0);
			find(&all, FIND_MS);
			for (size_t i = 0; i < all.n; i++)
				buf_add(&names, all.v[i].text,
				    strlen(all.v[i].text) + 1);
			file_write_all(0, names.p, names.len);
			_exit(0);
		}
	}
	if (l->pid < 0) {
		file_close(l->fd);
		*l = (struct file_list){ 0 };
		return;
	}
	/* -1: another wait has reaped it, so it has ended, too */
	if (waitpid(l->pid, NULL, quick ? WNOHANG : 0) == 0) {
		out->later = true;
		return;
	}
	if (lseek(l->fd, 0, SEEK_SET) == 0 &&
	    file_read_fd(l->fd, "names", &names, NULL) == 0)
		for (size_t at = 0; at < names.len;
		    at += strlen(names.p + at) + 1)
			candidates_add(out, names.p + at, NULL);
	buf_release(&names);
	l->pid = 0;
	close(l->fd);
}

void
file_list_release(struct file_list *l)
{
	if (l->pid == 0)
		return;
	kill(l->pid, SIGKILL);
	waitpid(l->pid, NULL, 0);
	close(l->fd);
	*l = (struct file_list){ 0 };
}
