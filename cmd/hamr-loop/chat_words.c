/* chat_words.c - what Tab completes in the chat: commands and files. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chat_in.h"
#include "ctrl.h"
#include "mem.h"
#include "peer.h"
#include "utf8.h"
#include "which.h"

#define GIT_MS 2000

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

/* git knows which files are the project's. */
static void
find_files(struct words *w, const char *begun)
{
	static const char *const args[] = { "-c", "core.fsmonitor=false",
		"ls-files", "-z", "-co", "--exclude-standard" };
	struct buf b = BUF_INIT((size_t)64 << 20);
	char *cwd = getcwd(NULL, 0);
	char *git = which_program("git", cwd != NULL ? cwd : "/");
	struct err e;

	if (git != NULL && peer_run(git, args, sizeof args / sizeof *args,
	    GIT_MS, PEER_ERR_NONE, &b, &e) == 0)
		for (const char *p = b.p; p != NULL && p < b.p + b.len;
		    p += strlen(p) + 1)
			add_file(w, p, begun);
	buf_release(&b);
	free(git);
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
