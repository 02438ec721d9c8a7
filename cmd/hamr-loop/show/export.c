/* export.c - write a session in other formats. */
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "conf/place.h"
#include "export.h"
#include "jq/program.h"
#include "record/rec.h"
#include "term/term.h"

#define PROGRAM_TEXT_MAX ((size_t)1 << 20)
#define GIVEN_AT_ONCE ((size_t)64 << 10)

const char *const export_forms[] = { "html", "openai", "atif", NULL };

/* Cannot occur in a string, where its quotes would be escaped. */
#define VERBATIM "{\"$json\":\""

/* A program's result with its verbatim texts put in, if they are objects; white
 * space between their values becomes spaces, to stay on one line. */
static void
put_value(struct slice v, struct buf *out)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	for (size_t at; (at = slice_find(v, 0, VERBATIM)) < v.n; ) {
		size_t from = at + sizeof VERBATIM - 1, to = from;

		while (to < v.n && v.p[to] != '"')
			to += v.p[to] == '\\' ? 2 : 1;
		to = num_min(to, v.n);
		buf_add(out, v.p, at);
		scan_inside(slice_part(v, from, to), &b);
		struct slice text = buf_view(&b);
		if (scan_is_json(text) &&
		    scan_kind(slice_trim(text)) == SCAN_OBJECT) {
			for (size_t i = 0; i < text.n; i++)
				buf_addc(out, is_whitespace(text.p[i]) ? ' ' :
				    text.p[i]);
		} else {
			buf_adds(out, "{\"_invalid\":");
			scan_quote(out, text.p, text.n);
			buf_addc(out, '}');
		}
		buf_reset(&b);
		v = slice_from(v, num_min(to + 2, v.n));
	}
	buf_slice(out, v);
	buf_addc(out, '\n');
	buf_release(&b);
}

static void
put_string(struct slice v, bool html, struct buf *out)
{
	static const char *const entities[128] = { ['<'] = "&lt;",
		['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;",
		['\''] = "&#39;" };
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct buf calm = BUF_INIT(BUF_RECORD_MAX);

	scan_str(v, &text);
	term_escape(html ? &calm : out, buf_view(&text));
	for (size_t i = 0; i < calm.len; i++) {
		unsigned char c = (unsigned char)calm.p[i];

		if (c < 128 && entities[c] != NULL)
			buf_adds(out, entities[c]);
		else
			buf_addc(out, calm.p[i]);
	}
	bufs_release(BUFS(&text, &calm));
}

static int
run(struct program *p, struct rec_in *in, const char *form, struct buf *out,
    struct err *e)
{
	const struct rec *r;
	struct slice text;
	int ev, got = 1;

	program_queue(p, SLICE("null"), 0);
	while ((ev = program_next(p, &text, e)) >= 0 && ev != PROGRAM_END) {
		/* many records at once, because each time we wait for the
		 * other process */
		for (size_t given = 0; ev == PROGRAM_NEED && got > 0 &&
		    given < GIVEN_AT_ONCE; given += r->line.n) {
			got = rec_next(in, &r, e);
			if (got <= 0)
				break;
			program_queue(p, r->line, 0);
		}
		if (got < 0)
			return -1;
		if (ev == PROGRAM_NEED && got == 0)
			program_last(p);
		if (ev == PROGRAM_ERROR)
			return err_set(e, ST_BUG, "--export %s: %.*s", form,
			    (int)(text.n < 300 ? text.n : 300), text.p);
		if (ev == PROGRAM_VALUE && scan_kind(text) == SCAN_STRING)
			put_string(text, false, out);
		else if (ev == PROGRAM_VALUE && scan_kind(text) == SCAN_ARRAY) {
			/* Markup, text, markup, ... */
			struct walk w = walk_of(text);
			struct slice part;

			for (bool html = false; walk_next(&w, NULL, &part);
			    html = !html)
				put_string(part, html, out);
		} else if (ev == PROGRAM_VALUE)
			put_value(text, out);
	}
	return ev < 0 ? -1 : 0;
}

int
export_session(const char *path, const char *form, struct buf *out,
    struct err *e)
{
	char *name = xasprintf("export/%s.jq", form);
	char *file = conf_share(name);
	struct buf text = BUF_INIT(PROGRAM_TEXT_MAX);
	struct program *p = NULL;
	struct rec_in in;
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = -1;

	rec_in_init(&in, fd, path, REC_MAX);
	in.drop_end = true;
	if (fd < 0)
		err_sys(e, ST_NOINPUT, "%s", path);
	else if (file_read(file, &text, e) == 0)
		p = program_new(form, text.p, "{\"version\":\"" HAMR_VERSION
		    "\"}", true, e);
	if (p != NULL)
		rc = run(p, &in, form, out, e);
	program_free(p);
	rec_in_release(&in);
	file_close(fd);
	buf_release(&text);
	FREE(file, name);
	return rc;
}
