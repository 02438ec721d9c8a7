/* term.c - text for a person's terminal. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>
#include <wchar.h>

#include "base/ctrl.h"
#include "base/file.h"
#include "base/num.h"
#include "base/utf8.h"
#include "libc/so.h"
#include "term.h"

#define TAB 8
#define MORE "\xe2\x80\xa6"	/* … */
#define CLUSTER_MAX 64		/* bytes; a family of four has 25 */

enum {
	NON_JOINER = 0x200c, JOINER = 0x200d,
	PICTURE = 0xfe0f	/* VS16: the character before is a picture */
};

/* The library, for the whole process: widths are needed everywhere, and are the
 * same for all callers.  NULL: not loaded yet, or not installed. */
static struct {
	__typeof__(&utf8proc_charwidth) width;
	__typeof__(&utf8proc_grapheme_break_stateful) breaks;
} lib;

struct term
term_of(int fd)
{
	const char *type = getenv("TERM"), *plain = getenv("NO_COLOR");
	const char *columns = getenv("COLUMNS");
	struct term t = { .tty = isatty(fd) == 1 };
	struct winsize w;
	int64_t n = 0;

	if (columns != NULL && num_i64(columns, strlen(columns), &n) && n > 0)
		t.columns = (size_t)n;
	else if (t.tty && ioctl(fd, TIOCGWINSZ, &w) == 0)
		t.columns = w.ws_col;
	t.colour = t.tty && (plain == NULL || *plain == '\0') &&
	    type != NULL && type[0] != '\0' && strcmp(type, "dumb") != 0;
	return t;
}

/* ---- characters and clusters ---- */

void
term_init(void)
{
	locale_t l = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);

	if (l != (locale_t)0)
		uselocale(l);
}

bool
term_open_clusters(void)
{
	if (lib.breaks != NULL)
		return true;
	term_init();
	void *so = SO_OPEN("libutf8proc.so.2");
	if (so == NULL)
		so = SO_OPEN("libutf8proc.so.3");
	if (so == NULL)
		return false;
	SO_FIND(lib.width, so, utf8proc_charwidth);
	if (lib.width != NULL)
		SO_FIND(lib.breaks, so, utf8proc_grapheme_break_stateful);
	return lib.breaks != NULL;
}

static size_t
width_of(unsigned long cp)
{
	int w = lib.breaks != NULL ? lib.width((utf8proc_int32_t)cp) :
	    wcwidth((wchar_t)cp);

	return w < 0 ? 1 : (size_t)w;
}

/* Skin tones, and the selector that makes a character a picture, are some. */
static bool
is_picture(unsigned long cp)
{
	return (cp >= 0x1f000 && cp <= 0x1faff) || cp == PICTURE ||
	    (cp >= 0x2190 && cp <= 0x2bff);
}

static bool
is_flag(unsigned long cp)
{
	return cp >= 0x1f1e6 && cp <= 0x1f1ff;
}

/* Arabic to Myanmar: Persian, Urdu and the scripts of India. */
static bool
is_joined_script(unsigned long cp)
{
	return cp >= 0x620 && cp <= 0x109f;
}

/* Does this joiner or non-joiner do its work: is it between two pictures, or in
 * a word of a script that uses them?  Any other one is just invisible. */
static bool
joins(unsigned long before, unsigned long cp, unsigned long next)
{
	if (cp == JOINER && is_picture(before) && is_picture(next))
		return true;
	return (cp == JOINER || cp == NON_JOINER) &&
	    is_joined_script(before) && is_joined_script(next);
}

/* Does the character s at `at` belong to the cluster that ends before it? */
static bool
goes_on(struct slice t, size_t at, unsigned long before, struct utf8_char s,
    utf8proc_int32_t *state)
{
	struct utf8_char next = utf8_at(t, at + s.n);

	if (!next.valid)
		next.cp = before;	/* the text was cut after a joiner */
	if (ctrl_is(s.cp) && !joins(before, s.cp, next.cp))
		return false;
	if (lib.breaks == NULL)
		return wcwidth((wchar_t)s.cp) == 0;
	return !lib.breaks((utf8proc_int32_t)before, (utf8proc_int32_t)s.cp,
	    state);
}

size_t
term_cluster(struct slice text, size_t *columns)
{
	struct utf8_char s = utf8_at(text, 0), next;
	utf8proc_int32_t state = 0;
	size_t n = s.n, w;

	*columns = 1;
	if ((n == 1 && (text.n == 1 || (unsigned char)text.p[1] < 0x80)) ||
	    !s.valid || ctrl_is(s.cp))
		return n;
	if (n > 1)
		*columns = width_of(s.cp);
	for (; (next = utf8_at(text, n)).valid && n < CLUSTER_MAX &&
	    goes_on(text, n, s.cp, next, &state); n += next.n, s = next) {
		/* a Hindi or Thai vowel sign has its own columns */
		int own = is_picture(next.cp) ? 0 : wcwidth((wchar_t)next.cp);

		w = next.cp == PICTURE || is_flag(next.cp) ? 2 :
		    width_of(next.cp);
		if (own > 0)
			*columns += (size_t)own;
		else if (w > *columns)
			*columns = w;
	}
	return n;
}

bool
term_cluster_differs(struct slice cluster)
{
	struct utf8_char s;

	for (size_t at = 0; (s = utf8_at(cluster, at)).valid; at += s.n)
		if (s.cp == JOINER || s.cp == PICTURE || is_flag(s.cp) ||
		    (s.cp >= 0x1f3fb && s.cp <= 0x1f3ff))
			return true;
	return false;
}

/* ---- escaped ---- */

void
term_escape(struct buf *out, struct slice text)
{
	unsigned long before = 0;
	struct utf8_char s;

	for (size_t at = 0; (s = utf8_at(text, at)).n > 0; at += s.n) {
		if (s.valid && (s.cp == '\n' || s.cp == '\t' ||
		    !ctrl_is(s.cp) || joins(before, s.cp,
		    utf8_at(text, at + s.n).cp)))
			buf_add(out, text.p + at, s.n);
		else
			buf_fmt(out, s.cp < 0x100 ? "\\x%02lx" : "\\u{%lx}",
			    s.cp);
		before = s.cp;
	}
}

void
term_json(struct buf *out, struct slice json)
{
	struct utf8_char s;

	for (size_t at = 0; (s = utf8_at(json, at)).n > 0; at += s.n)
		if (s.cp < ' ' || !s.valid || !ctrl_is(s.cp))
			buf_add(out, json.p + at, s.n);
		else if (s.cp < 0x10000)
			buf_fmt(out, "\\u%04lx", s.cp);
		else
			buf_fmt(out, "\\u%04lx\\u%04lx",
			    0xd7c0 + (s.cp >> 10), 0xdc00 + (s.cp & 0x3ff));
}

int
term_write(struct slice text, bool json, struct err *e)
{
	struct buf b = BUF_INIT((size_t)1 << 40);
	bool tty = isatty(STDOUT_FILENO) == 1;
	int r = 0;

	if (tty && json)
		term_json(&b, text);
	else if (tty)
		term_escape(&b, text);
	if (tty)
		text = buf_view(&b);
	if (file_write_all(STDOUT_FILENO, text.p, text.n) < 0)
		r = err_sys(e, ST_SYSTEM, "stdout");
	buf_release(&b);
	return r;
}

/* ---- one line ---- */

/* The cluster at the beginning of a text: its length in bytes (0 at the end),
 * its columns, and what to show in its place, or NULL for itself. */
static size_t
shown(struct slice text, size_t *columns, const char **instead)
{
	struct utf8_char s = utf8_at(text, 0);
	bool blank = s.cp == '\n' || s.cp == '\t' || s.cp == '\r';

	*instead = NULL;
	if (s.valid && !blank && !ctrl_is(s.cp))
		return term_cluster(text, columns);
	*columns = 1;
	*instead = blank ? " " : "?";
	return s.n;
}

/* How many bytes of text fit into max columns; *all is their width.  Appends
 * them unless out is NULL. */
static size_t
fit(struct buf *out, struct slice text, size_t max, size_t *all)
{
	size_t at = 0, n, w;
	const char *instead;

	*all = 0;
	for (; (n = shown(slice_from(text, at), &w, &instead)) > 0; at += n) {
		if (*all + w > max)
			break;
		*all += w;
		if (out != NULL)
			buf_slice(out, instead != NULL ? slice_of(instead) :
			    slice_part(text, at, at + n));
	}
	return at;
}

size_t
term_width(struct slice text)
{
	size_t all;

	fit(NULL, text, SIZE_MAX, &all);
	return all;
}

size_t
term_fits(struct slice text, size_t columns)
{
	size_t all;

	return fit(NULL, text, columns, &all);
}

size_t
term_put(struct buf *out, struct slice text, size_t max)
{
	bool cut = term_fits(text, max) < text.n;
	size_t all;

	fit(out, text, cut && max > 0 ? max - 1 : max, &all);
	if (cut && max > 0) {
		buf_adds(out, MORE);
		all++;
	}
	return all;
}

size_t
term_put_end(struct buf *out, struct slice text, size_t max)
{
	size_t all = term_width(text), w;
	const char *instead;

	if (all <= max || max == 0)
		return term_put(out, text, max);
	while (all > max - 1) {
		size_t n = shown(text, &w, &instead);

		all -= w;
		text = slice_from(text, n);
	}
	buf_adds(out, MORE);
	return 1 + term_put(out, text, all);
}

void
term_pad(struct buf *out, size_t n)
{
	while (n-- > 0)
		buf_addc(out, ' ');
}

void
term_tabs(struct buf *out, struct slice text)
{
	for (size_t column = 0; text.n > 0; ) {
		size_t n = slice_find(text, 0, "\t");

		buf_add(out, text.p, n);
		column += term_width((struct slice){ text.p, n });
		if (n < text.n) {
			term_pad(out, TAB - column % TAB);
			column = 0;
			n++;
		}
		text = slice_from(text, n);
	}
}

void
term_wrap(struct buf *out, struct slice text, size_t at, size_t indent,
    size_t columns)
{
	const char *p = text.p, *end = text.p + text.n;
	bool first = true;	/* of its line */
	size_t gap = 1;		/* blanks before the word */

	while (p < end) {
		const char *q = p;

		while (q < end && *q != ' ' && *q != '\n')
			q++;
		struct slice word = { p, (size_t)(q - p) };
		p = q + 1;
		size_t w = term_width(word);
		if (w == 0) {
			gap++;
			continue;
		}
		if (!first && at + gap + w > columns) {
			buf_addc(out, '\n');
			first = true;
			at = 0;
		}
		gap = !first ? gap : at < indent ? indent - at : 0;
		term_pad(out, gap);
		at += gap + w;
		gap = 1;
		first = false;
		term_put(out, word, w);
	}
	buf_addc(out, '\n');
}
