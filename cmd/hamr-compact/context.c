/* context.c - the line of context at the end of a result (chapter 8.4).
 *
 * It is made once, when the result is taken in, and never changed, so that
 * the prefix of a request stays.
 */
#include <string.h>

#include "compact.h"

static void
put_range(const struct fact *f, struct buf *out)
{
	if (f->first <= 0 || f->last < f->first)
		return;
	buf_fmt(out, " %ld-%ld", f->first, f->last);
	if (f->lines > 0)
		buf_fmt(out, "/%ld", f->lines);
}

static void
read_line(const struct fact *f, struct buf *out)
{
	buf_fmt(out, "\n[context: %s", f->what);
	put_range(f, out);
	buf_adds(out, f->cut ? " truncated, re-read before editing" :
	    " complete; editable");
	if (f->reads > 1)
		buf_fmt(out, "; read %ldx", f->reads);
	buf_addc(out, ']');
}

/* "git status" or "git diff", if the command looks at that; else NULL. */
static const char *
inspection(const char *command)
{
	for (const char *p = command; (p = strstr(p, "git ")) != NULL; p++) {
		const char *q = p + 4;

		if (p > command && strchr(" ;&|(\n", p[-1]) == NULL)
			continue;
		if (strncmp(q, "--no-pager ", 11) == 0)
			q += 11;
		if (strncmp(q, "status", 6) == 0)
			return "git status";
		if (strncmp(q, "diff", 4) == 0)
			return "git diff";
	}
	return NULL;
}

void
context_line(struct compact *c, const struct fact *f, struct buf *out)
{
	const char *what;
	uint64_t times;

	if (f->failed || f->what[0] == '\0')
		return;
	if (f->kind == TOOL_READ) {
		if (!f->listing)
			read_line(f, out);
		return;
	}
	what = f->kind == TOOL_COMMAND ? inspection(f->what) : NULL;
	if (what == NULL)
		return;
	times = ++*map_put(&c->inspected, slice_of(what), NULL);
	buf_fmt(out, "\n[context: %s %s", what, f->cut ? "truncated" :
	    "complete");
	if (times > 1)
		buf_fmt(out, "; inspected %llux", (unsigned long long)times);
	buf_addc(out, ']');
}
