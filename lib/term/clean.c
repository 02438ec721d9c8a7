/* clean.c - cleans a command's output of terminal control sequences.
 *
 * The loop over bytes reads ECMA-48 control sequences, which no library on
 * our list does.
 */
#include <string.h>

#include "base/ctrl.h"
#include "base/utf8.h"
#include "clean.h"

#define REPLACEMENT "\xef\xbf\xbd"

static bool
is_plain(unsigned char b)
{
	return (b >= 0x20 && b < 0x7f) || b == '\n' || b == '\t';
}

/* Append text.  After a CR, a terminal would overwrite the line with it. */
static void
put(struct clean *c, const void *text, size_t n, struct buf *out)
{
	const char *p = text;

	if (n == 0)
		return;
	if (c->cr && c->inside && *p != '\n')
		buf_addc(out, '\n');
	buf_add(out, p, n);
	c->cr = false;
	c->inside = p[n - 1] != '\n';
}

/* One character within a sequence; false: the sequence is over and the
 * character is text. */
static bool
sequence_char(struct clean *c, unsigned long cp)
{
	if (cp == '\n' || cp == 0) {
		c->state = CLEAN_TEXT;
		return false;
	}
	switch (c->state) {
	case CLEAN_ESC:
		if (cp == 0x1b || (cp >= 0x20 && cp <= 0x2f))
			return true;
		c->state = cp == '[' ? CLEAN_CSI :
		    cp < 0x80 && strchr("]PX^_", (int)cp) != NULL ?
		    CLEAN_STRING : CLEAN_TEXT;
		return cp >= 0x30 && cp <= 0x7e;
	case CLEAN_CSI:
		if (cp >= 0x20 && cp <= 0x3f)
			return true;
		c->state = CLEAN_TEXT;
		return cp >= 0x40 && cp <= 0x7e;
	case CLEAN_STRING:
		if (cp == 0x1b)	/* also of ST, ESC and a backslash */
			c->state = CLEAN_ESC;
		else if (cp == 0x07 || cp == 0x9c || cp == 0x18 || cp == 0x1a)
			c->state = CLEAN_TEXT;
		return true;
	case CLEAN_TEXT:
		break;
	}
	return false;
}

/* One whole character: kept, dropped, or the start of a sequence.  C1 controls
 * are the code points 0x80 to 0x9f. */
static void
take(struct clean *c, const unsigned char *p, size_t n, struct buf *out)
{
	unsigned long cp = ctrl_code(p, n);

	if (c->state != CLEAN_TEXT && sequence_char(c, cp))
		return;
	switch (cp) {
	case 0x1b:
		c->state = CLEAN_ESC;
		return;
	case 0x9b:
		c->state = CLEAN_CSI;
		return;
	case 0x90: case 0x98: case 0x9d: case 0x9e: case 0x9f:
		c->state = CLEAN_STRING;
		return;
	case '\r':
		c->cr = true;
		return;
	case 0:
		c->lossy = true;
		put(c, REPLACEMENT, 3, out);
		return;
	default:
		if (cp >= 0xa0 || (cp < 0x80 && is_plain((unsigned char)cp)))
			put(c, p, n, out);
	}
}

static void
take_bad(struct clean *c, struct buf *out)
{
	c->lossy = true;
	if (c->state == CLEAN_STRING)
		return;
	c->state = CLEAN_TEXT;
	put(c, REPLACEMENT, 3, out);
}

void
clean_add(struct clean *c, const char *s, size_t n, struct buf *out)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + n;

	while (p < end) {
		const unsigned char *q = p;

		if (c->state == CLEAN_TEXT && c->n == 0)
			while (q < end && is_plain(*q))
				q++;
		put(c, p, (size_t)(q - p), out);
		if (q == end)
			break;
		/* one that is not plain, or follows part of a character */
		p = q + 1;
		c->part[c->n++] = *q;
		while (c->n > 0) {
			size_t len = utf8_len(c->part, c->n);

			if (len == 0 && utf8_begins(c->part, c->n))
				break;
			if (len > 0)
				take(c, c->part, len, out);
			else
				take_bad(c, out);
			len = len > 0 ? len : 1;
			c->n -= len;
			memmove(c->part, c->part + len, c->n);
		}
	}
}

void
clean_end(struct clean *c, struct buf *out)
{
	for (size_t i = 0; i < c->n; i++)
		take_bad(c, out);
	c->n = 0;
}
