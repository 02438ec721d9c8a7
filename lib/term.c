/* term.c - text for a person's terminal. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "ctrl.h"
#include "file.h"
#include "num.h"
#include "term.h"
#include "utf8.h"

#define MORE "\xe2\x80\xa6"	/* … */
#define JOINER 0x200d

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
	    type != NULL && strcmp(type, "dumb") != 0;
	return t;
}

void
term_init(void)
{
	locale_t l = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);

	if (l != (locale_t)0)
		uselocale(l);
}

/* ---- escaped ---- */

/* A character of a text: its bytes, its code point; 0 bytes at its end, and
 * one for a byte that belongs to none. */
struct sign {
	size_t n;
	bool valid;
	unsigned long cp;
};

static struct sign
sign_at(struct slice t, size_t at)
{
	const unsigned char *p = (const unsigned char *)t.p + at;
	struct sign s = { 0 };

	if (at >= t.n)
		return s;
	s.n = utf8_len(p, t.n - at);
	s.valid = s.n != 0;
	s.n += s.n == 0;
	s.cp = ctrl_code(p, s.n);
	return s;
}

/* Pictures, their skin tones, and the selector that makes a sign one. */
static bool
is_emoji(unsigned long cp)
{
	return (cp >= 0x1f000 && cp <= 0x1faff) || cp == 0xfe0f ||
	    (cp >= 0x2190 && cp <= 0x2bff);
}

void
term_escape(struct buf *out, struct slice text)
{
	unsigned long before = 0;
	struct sign s;

	for (size_t at = 0; (s = sign_at(text, at)).n > 0; at += s.n) {
		bool joins = s.cp == JOINER && is_emoji(before) &&
		    is_emoji(sign_at(text, at + s.n).cp);

		if (s.valid && (s.cp == '\n' || s.cp == '\t' || joins ||
		    !ctrl_is(s.cp)))
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
	struct sign s;

	for (size_t at = 0; (s = sign_at(json, at)).n > 0; at += s.n)
		if (s.cp < ' ' || !s.valid || !ctrl_is(s.cp))
			buf_add(out, json.p + at, s.n);
		else if (s.cp < 0x10000)
			buf_fmt(out, "\\u%04lx", s.cp);
		else
			buf_fmt(out, "\\u%04lx\\u%04lx",
			    0xd7c0 + (s.cp >> 10), 0xdc00 + (s.cp & 0x3ff));
}

int
term_write(int fd, struct slice text, enum term_kind kind)
{
	struct buf b = BUF_INIT((size_t)1 << 40);
	int r;

	if (isatty(fd) != 1)
		return file_write_all(fd, text.p, text.n);
	if (kind == TERM_JSON)
		term_json(&b, text);
	else
		term_escape(&b, text);
	r = file_write_all(fd, buf_view(&b).p, b.len);
	buf_release(&b);
	return r;
}

/* ---- one line ---- */

/* What is shown in place of the character, or NULL for itself; and how wide
 * that is. */
static const char *
shown(struct sign s, size_t *columns)
{
	int w;

	*columns = 1;
	if (s.cp == '\n' || s.cp == '\t' || s.cp == '\r')
		return " ";
	if (!s.valid || ctrl_is(s.cp))
		return "?";
	w = s.n > 1 ? wcwidth((wchar_t)s.cp) : 1;
	*columns = w < 0 ? 1 : (size_t)w;
	return NULL;
}

size_t
term_width(struct slice text)
{
	size_t all = 0, w;
	struct sign s;

	for (size_t at = 0; (s = sign_at(text, at)).n > 0; at += s.n) {
		shown(s, &w);
		all += w;
	}
	return all;
}

size_t
term_fits(struct slice text, size_t columns)
{
	size_t at = 0, used = 0, w;
	struct sign s;

	for (; (s = sign_at(text, at)).n > 0; at += s.n) {
		shown(s, &w);
		if (used + w > columns)
			break;
		used += w;
	}
	return at;
}

size_t
term_put(struct buf *out, struct slice text, size_t max)
{
	bool cut = term_width(text) > max;
	size_t room = cut && max > 0 ? max - 1 : max, all = 0, w;
	struct sign s;

	for (size_t at = 0; (s = sign_at(text, at)).n > 0; at += s.n) {
		const char *instead = shown(s, &w);

		if (all + w > room)
			break;
		if (instead != NULL)
			buf_adds(out, instead);
		else
			buf_add(out, text.p + at, s.n);
		all += w;
	}
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

	if (all <= max || max == 0)
		return term_put(out, text, max);
	while (all > max - 1) {
		struct sign s = sign_at(text, 0);

		shown(s, &w);
		all -= w;
		text = (struct slice){ text.p + s.n, text.n - s.n };
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
term_wrap(struct buf *out, struct slice text, size_t at, size_t indent,
    size_t columns)
{
	const char *p = text.p, *end = text.p + text.n;
	bool first = true;	/* of its line */

	while (p < end) {
		const char *q = p;
		struct slice word;
		size_t w;

		while (q < end && *q != ' ' && *q != '\n')
			q++;
		word = (struct slice){ p, (size_t)(q - p) };
		p = q + 1;
		w = term_width(word);
		if (w == 0)
			continue;
		if (!first && at + 1 + w > columns) {
			buf_addc(out, '\n');
			first = true;
			at = 0;
		}
		if (!first)
			term_pad(out, 1);
		else if (at < indent)
			term_pad(out, indent - at);
		at = (first ? at < indent ? indent : at : at + 1) + w;
		first = false;
		term_put(out, word, w);
	}
	buf_addc(out, '\n');
}
