/* toml_text.c - the bytes of a TOML document: position, lines, strings.
 *
 * No C library for TOML is packaged where we must run, so toml*.c read the
 * format themselves, by the grammar of toml.io/en/v1.0.0 less what toml.h
 * leaves out.  tests/unit/test_toml.c holds them to that.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "utf8.h"
#include "toml_impl.h"

int
toml_bad(struct toml_in *t, const char *fmt, ...)
{
	char why[800];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	return err_set(t->e, ST_CONFIG, "%s:%zu: %s", t->name, t->line, why);
}

int
toml_unsupported(struct toml_in *t, const char *what)
{
	return toml_bad(t, "not supported here: %s", what);
}

int
toml_peek(const struct toml_in *t)
{
	return t->p < t->end ? (unsigned char)*t->p : -1;
}

bool
toml_starts(const struct toml_in *t, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(t->end - t->p) >= n && memcmp(t->p, text, n) == 0;
}

void
toml_blanks(struct toml_in *t)
{
	while (toml_peek(t) == ' ' || toml_peek(t) == '\t')
		t->p++;
}

static bool
is_control(int c)
{
	return (c >= 0 && c < 0x20 && c != '\t') || c == 0x7f;
}

static int
control(struct toml_in *t)
{
	return toml_bad(t, "control character 0x%02x", (unsigned)toml_peek(t));
}

int
toml_stray(struct toml_in *t, const char *why)
{
	if (is_control(toml_peek(t)) && !toml_starts(t, "\n") &&
	    !toml_starts(t, "\r\n"))
		return control(t);
	return toml_bad(t, "%s", why);
}

int
toml_newline(struct toml_in *t)
{
	size_t n = toml_starts(t, "\r\n") ? 2 : toml_starts(t, "\n") ? 1 : 0;

	t->p += n;
	t->line += n != 0;
	return n != 0;
}

int
toml_comment(struct toml_in *t)
{
	toml_blanks(t);
	if (toml_peek(t) != '#')
		return 0;
	while (t->p < t->end && !toml_starts(t, "\n") &&
	    !toml_starts(t, "\r\n")) {
		if (is_control(toml_peek(t)))
			return control(t);
		t->p++;
	}
	return 0;
}

bool
toml_bare(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/* ---- strings ---- */

static int
hex(struct toml_in *t, int digits, struct buf *out)
{
	unsigned long cp = 0;

	for (int i = 0; i < digits; i++, t->p++) {
		int c = toml_peek(t) | 0x20;

		if (toml_peek(t) >= '0' && toml_peek(t) <= '9')
			cp = cp * 16 + (unsigned)(toml_peek(t) - '0');
		else if (toml_peek(t) >= 'A' && c >= 'a' && c <= 'f')
			cp = cp * 16 + (unsigned)(c - 'a' + 10);
		else
			return toml_bad(t, "\\%c wants %d hexadecimal digits",
			    digits == 4 ? 'u' : 'U', digits);
	}
	if (cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		return toml_bad(t, "an escape that is no Unicode character");
	if (cp == 0)
		return toml_unsupported(t, "U+0000 in a string");
	utf8_put(out, cp);
	return 0;
}

static int
escape(struct toml_in *t, struct buf *out)
{
	static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
	const char *at;
	int c;

	t->p++;
	c = toml_peek(t);
	at = c > 0 ? strchr(from, c) : NULL;
	if (c == 'u' || c == 'U') {
		t->p++;
		return hex(t, c == 'u' ? 4 : 8, out);
	}
	if (at == NULL)
		return toml_bad(t, "unknown escape in a string (a backslash is "
		    "written \\\\, or the string in '...')");
	t->p++;
	return buf_addc(out, to[at - from]);
}

int
toml_string(struct toml_in *t, char **text)
{
	struct buf out = BUF_INIT((size_t)(t->end - t->p) + 4);
	int quote = toml_peek(t);

	if (toml_starts(t, "\"\"\"") || toml_starts(t, "'''"))
		return toml_unsupported(t, "a string over several lines");
	for (t->p++; toml_peek(t) != quote; ) {
		int c = toml_peek(t), r;

		if (c < 0 || c == '\n' || toml_starts(t, "\r\n"))
			r = toml_bad(t, "a string without its end");
		else if (is_control(c))
			r = control(t);
		else if (c == '\\' && quote == '"')
			r = escape(t, &out);
		else
			r = buf_addc(&out, *t->p++);
		if (r < 0) {
			buf_release(&out);
			return -1;
		}
	}
	t->p++;
	*text = buf_detach(&out);
	return 0;
}
