/* ui_ask.c - a person is asked whether a call may run. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "peer.h"
#include "term.h"
#include "ui_in.h"

#define ARGS_MAX ((size_t)64 << 20)

/* The first letter of a line from the terminal; 0: none came. */
static char
letter(int tty, int stop)
{
	struct pollfd p[2] = { { tty, POLLIN, 0 }, { stop, POLLIN, 0 } };
	char line[256];
	ssize_t n;

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	if (p[1].revents != 0 || p[0].revents == 0)
		return '\0';
	n = read(tty, line, sizeof line);
	return n <= 0 ? '\0' : line[0] >= 'A' && line[0] <= 'Z' ?
	    (char)(line[0] + 'a' - 'A') : line[0];
}

/* The call's arguments, changed in the person's editor; NULL when nothing
 * came of it. */
static char *
edited(const char *args)
{
	char name[] = "/tmp/hamr-edit.XXXXXX";
	const char *editor = getenv("VISUAL");
	struct buf b = BUF_INIT(ARGS_MAX);
	const char *flags[] = { name };
	struct err e;
	char *text = NULL;
	int fd = mkostemp(name, O_CLOEXEC);

	if (editor == NULL || editor[0] == '\0')
		editor = getenv("EDITOR");
	if (editor == NULL || editor[0] == '\0')
		editor = "vi";
	if (fd < 0)
		return NULL;
	if (file_write_all(fd, args, strlen(args)) == 0 &&
	    peer_on_tty(editor, flags, 1, &e) == 0 &&
	    file_read(name, &b, &e) == 0) {
		while (b.len > 0 && b.p[b.len - 1] == '\n')
			b.p[--b.len] = '\0';
		text = xmemdup0(buf_view(&b).p, b.len);
	}
	close(fd);
	unlink(name);
	buf_release(&b);
	return text;
}

static void
show(const struct ui *u, const struct rec *ask, struct buf *b)
{
	static const char *const shown[] = { "diff", "command",
		"arguments" };
	char *name = rec_strdup(ask, "name");

	for (size_t i = 0; i < 3; i++) {
		char *text = rec_strdup(ask, shown[i]);

		if (i == 0 && text != NULL) {
			ui_call_paint(u, text, b);
		} else if (text != NULL && text[0] != '\0') {
			term_escape(b, slice_of(text));
			buf_adds(b, text[strlen(text) - 1] == '\n' ? "" :
			    "\n");
		}
		free(text);
	}
	buf_adds(b, "allow this ");
	term_escape(b, slice_of(name != NULL ? name : "call"));
	free(name);
}

/* The path that "always" is about, or NULL. */
static char *
path_of(const char *args)
{
	struct scan s = { 0 };
	char *path = NULL;

	if (args != NULL && scan_record(&s, args, strlen(args)) == 0)
		path = scan_strdup(scan_get(slice_of(args), "path"));
	scan_release(&s);
	return path;
}

static struct ui_allow
put_question(struct ui *u, const struct rec *ask, const struct ui_call *c,
    const char *path, int stop)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct ui_allow a = { false, NULL };
	int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	char said;

	if (tty < 0)
		return a;
	ui_break(u);
	ui_status_hide(u);
	show(u, ask, &b);
	buf_fmt(&b, "? [y]es, [n]o%s%s: ", path != NULL ?
	    ", [a]lways for this file" : "", c != NULL ? ", [e]dit" : "");
	said = file_write_all(tty, b.p, b.len) == 0 ? letter(tty, stop) : '\0';
	close(tty);
	buf_release(&b);
	if (said == 'e' && c != NULL)
		a.args = edited(c->args);
	a.yes = said == 'y' || a.args != NULL;
	if (said == 'a' && path != NULL) {
		a.yes = true;
		*map_put(&u->always, slice_of(path), NULL) = 1;
	}
	return a;
}

struct ui_allow
ui_ask(struct ui *u, const struct rec *ask, int stop)
{
	uint64_t *at = map_get(&u->calls, rec_get(ask, "tool_call_id"));
	const struct ui_call *c = at != NULL && *at != 0 ?
	    &u->seen[*at - 1] : NULL;
	struct ui_allow a = { false, NULL };
	char *path = path_of(c != NULL ? c->args : NULL);
	bool raw = u->raw;

	if (path != NULL && map_get(&u->always, slice_of(path)) != NULL)
		a.yes = true;
	else if (u->tty_err && isatty(STDIN_FILENO) == 1) {
		/* somebody must be there to see it and to answer, in the
		 * terminal's own way */
		ui_listen(u, false);
		a = put_question(u, ask, c, path, stop);
		ui_listen(u, raw);
	}
	free(path);
	return a;
}
