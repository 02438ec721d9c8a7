/* chat_words.c - what Tab completes in the chat: commands and files. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chat_in.h"
#include "ctrl.h"
#include "file.h"
#include "gitignore.h"
#include "mem.h"
#include "utf8.h"

#define FIND_MS 2000

static void
add(struct words *w, char *owned)
{
	w->v = xgrow(w->v, w->n, &w->cap, sizeof *w->v);
	w->v[w->n++] = owned;
}

void
words_free(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
}

static void
find_commands(struct words *w, const char *begun)
{
	for (size_t i = 0; chat_commands[i] != NULL; i++)
		if (strncmp(chat_commands[i], begun, strlen(begun)) == 0)
			add(w, xasprintf("%s ", chat_commands[i]));
}

/* Blanks get a backslash, so that they do not end the name.  A name that would
 * steer the terminal is not offered. */
static void
add_file(struct words *w, const char *path, const char *begun)
{
	struct buf b = BUF_INIT(1 << 16);

	buf_addc(&b, '@');
	for (const char *p = path; *p != '\0'; p++) {
		if (ctrl_len((const unsigned char *)p) > 0)
			goto out;
		if (strchr(" \\", *p) != NULL)
			buf_addc(&b, '\\');
		buf_addc(&b, *p);
	}
	buf_addc(&b, ' ');
	if (!b.over && utf8_check(b.p, b.len) == b.len &&
	    strncmp(b.p, begun, strlen(begun)) == 0)
		add(w, buf_detach(&b));
out:
	buf_release(&b);
}

struct finding {
	struct words *w;
	const char *begun;
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
	add_file(f->w, s->rel, f->begun);
	return GITIGNORE_PASS;
}

/* The project's: what git tracks or does not ignore. */
static void
find_files(struct words *w, const char *begun)
{
	struct finding f = { w, begun, file_now_ms() + FIND_MS };
	char *cwd = getcwd(NULL, 0);
	struct gitignore *g;
	struct err e;
	int fd;

	if (cwd == NULL)
		return;
	g = gitignore_new(cwd, true, &e);
	fd = open(cwd, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		gitignore_walk(g, fd, see_file, &f);
		close(fd);
	}
	gitignore_free(g);
	free(cwd);
}

size_t
words_begin(const char *line, size_t n)
{
	while (n > 0 && (line[n - 1] != ' ' ||
	    (n > 1 && line[n - 2] == '\\')))
		n--;
	return n;
}

void
words_find(struct words *w, const char *begun, bool first)
{
	*w = (struct words){ NULL, 0, 0 };
	if (begun[0] == '/' && first)
		find_commands(w, begun);
	else if (begun[0] == '@')
		find_files(w, begun);
}

size_t
words_common(const struct words *w)
{
	size_t n = strlen(w->v[0]);

	for (size_t i = 1; i < w->n; i++) {
		size_t k = 0;

		while (k < n && w->v[i][k] == w->v[0][k])
			k++;
		n = k;
	}
	return utf8_cut(w->v[0], strlen(w->v[0]), n);
}
