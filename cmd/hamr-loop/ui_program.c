/* ui_program.c - the person's pager and editor. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "json.h"
#include "mem.h"
#include "peer.h"
#include "scan.h"
#include "ui_in.h"

#define TEXT_MAX ((size_t)256 << 20)

/* A file of ours with that text; -1: none. */
static int
make_file(char *name, int suffix, const char *p, size_t n)
{
	int fd = mkostemps(name, suffix, O_CLOEXEC);

	if (fd >= 0 && file_write_all(fd, p, n) < 0) {
		close(fd);
		unlink(name);
		return -1;
	}
	return fd;
}

bool
ui_program_page(const struct buf *text)
{
	char name[] = "/tmp/hamr-view.XXXXXX";
	const char *pager = getenv("PAGER"), *args[] = { name };
	struct slice t = buf_view(text);
	int fd = make_file(name, 0, t.p, t.n), status;
	struct err e;

	if (fd < 0)
		return false;
	status = peer_on_tty(pager != NULL && pager[0] != '\0' ? pager :
	    "less", args, 1, &e);
	close(fd);
	unlink(name);
	return status == 0;
}

/* What stands in the file when the editor is done; NULL with why. */
static char *
edit_text(struct slice text, const char *suffix, const char **why)
{
	char *name = xasprintf("/tmp/hamr-edit.XXXXXX%s", suffix);
	int fd = make_file(name, (int)strlen(suffix), text.p, text.n);
	const char *editor = getenv("VISUAL"), *args[] = { name };
	struct buf b = BUF_INIT(TEXT_MAX);
	struct err e;
	char *got = NULL;

	if (editor == NULL || editor[0] == '\0')
		editor = getenv("EDITOR");
	if (editor == NULL || editor[0] == '\0')
		editor = "vi";
	*why = "the editor did not run ($VISUAL, $EDITOR)";
	if (fd >= 0 && peer_on_tty(editor, args, 1, &e) == 0 &&
	    file_read(name, &b, &e) == 0)
		got = xmemdup0(buf_view(&b).p, b.len);
	if (fd >= 0) {
		close(fd);
		unlink(name);
	}
	buf_release(&b);
	free(name);
	return got;
}

/* The arguments with another command. */
static char *
with_command(const char *args, const char *command)
{
	struct json *o = json_object();
	struct buf b = BUF_INIT(TEXT_MAX);
	struct slice key, val;
	struct walk w;

	walk_in(&w, slice_of(args));
	while (walk_next(&w, &key, &val)) {
		char *name = xmemdup0(key.p, key.n);

		if (strcmp(name, "command") == 0)
			json_str(o, name, command);
		else
			json_raw(o, name, val);
		free(name);
	}
	json_print(o, &b);
	json_free(o);
	return buf_detach(&b);
}

static bool
is_object(const char *text)
{
	struct scan s = { 0 };
	bool yes = scan_record(&s, text, strlen(text)) == 0;

	scan_release(&s);
	return yes;
}

/* An editor ends the last line, which did not end before. */
static void
trim(char *text, struct slice before)
{
	size_t n = strlen(text);

	if (n > 0 && text[n - 1] == '\n' &&
	    (before.n == 0 || before.p[before.n - 1] != '\n'))
		text[n - 1] = '\0';
}

char *
ui_program_edit(const char *args, bool command, const char **why)
{
	char *text = command && is_object(args) ? scan_strdup(scan_get(
	    slice_of(args), "command")) : NULL, *got;
	struct slice before = slice_of(text != NULL ? text : args);

	got = edit_text(before, text != NULL ? ".sh" : ".json", why);
	if (got != NULL) {
		trim(got, before);
		*why = strcmp(got, before.p) == 0 ? "nothing was changed" :
		    text == NULL && !is_object(got) ?
		    "the arguments are not a JSON object any more" :
		    got[strspn(got, " \t\n")] == '\0' ? "nothing is left" :
		    NULL;
	}
	if (got != NULL && *why == NULL && text != NULL) {
		char *whole = with_command(args, got);

		free(got);
		got = whole;
	} else if (got != NULL && *why != NULL) {
		free(got);
		got = NULL;
	}
	free(text);
	return got;
}
