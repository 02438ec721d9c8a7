/* deed.c - what a call is about, under canonical names. */
#include <stdlib.h>
#include <string.h>

#include "alias.h"
#include "mem.h"
#include "utf8.h"

#include "deed.h"

#define LINE_KEPT 80

static const char *
canonical(enum tool_kind kind)
{
	switch (kind) {
	case TOOL_READ: return "read";
	case TOOL_EDIT: return "edit";
	case TOOL_WRITE: return "write";
	case TOOL_COMMAND: return "bash";
	default: return "";
	}
}

static char *
object_of(struct deed *d)
{
	static const char *const keys[] = { "path", "command", "query",
		"file_path" };
	char *s = NULL;

	if (d->kind == TOOL_COMMAND)
		s = scan_strdup(scan_get(buf_view(&d->args), "command"));
	for (size_t i = 0; s == NULL && i < sizeof keys / sizeof *keys; i++)
		s = scan_strdup(scan_get(buf_view(&d->args), keys[i]));
	return s;
}

void
deed_of(struct deed *d, const struct call *c)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	char *name = scan_strdup(c->name);
	struct scan scan = { 0 };
	struct slice args = c->given;

	*d = (struct deed){ .args = BUF_INIT(BUF_RECORD_MAX) };
	if (c->args.p != NULL && scan_str(c->args, &text))
		args = scan_value(&scan, text.p != NULL ? text.p : "",
		    text.len) == 0 ? buf_view(&text) : SLICE("{}");
	d->kind = tool_does(tool_kind(name != NULL ? name : ""),
	    scan_get(args, "command"));
	if (!alias_args(slice_of(canonical(d->kind)), args, &d->args))
		buf_adds(&d->args, "{}");
	d->path = object_of(d);
	if (d->path == NULL)
		d->path = xstrdup("");
	free(name);
	scan_release(&scan);
	buf_release(&text);
}

void
deed_release(struct deed *d)
{
	buf_release(&d->args);
	free(d->path);
}

bool
deed_failed(const struct rec *r, enum tool_kind kind, struct slice text)
{
	int64_t exit;

	if (scan_true(rec_get(r, "is_error")))
		return true;
	if (scan_int(msg_meta(r, "exit"), &exit))
		return exit != 0;
	return kind == TOOL_COMMAND && slice_starts(text, "exit ") &&
	    text.n > 5 && text.p[5] != '0';
}

/* ---- error lines ---- */

static bool
tells(struct slice line)
{
	static const char *const words[] = { "error", "failed", "failure",
		"fatal", "exception", "panic", "traceback", "denied",
		"not found", "no such", "assertion" };
	char low[512];
	size_t n = line.n < sizeof low ? line.n : sizeof low - 1;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)line.p[i];

		if (c < ' ' && c != '\t')
			return false;	/* what a screen would not show so */
		low[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : (char)c;
	}
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (memmem(low, n, words[i], strlen(words[i])) != NULL)
			return true;
	return false;
}

struct slice
deed_error_line(struct slice text)
{
	const char *p = text.p, *end = text.p + text.n;

	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		const char *stop = lf != NULL ? lf : end;
		struct slice line = { p, (size_t)(stop - p) };

		if (tells(line)) {
			line.n = utf8_cut(line.p, line.n, LINE_KEPT);
			while (line.n > 0 && (line.p[line.n - 1] == ' ' ||
			    line.p[line.n - 1] == '\t'))
				line.n--;
			return line;
		}
		p = stop + 1;
	}
	return (struct slice){ NULL, 0 };
}
