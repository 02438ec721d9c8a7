/* ui_text.c - text from a model or a tool, made harmless. */
#include "ui_in.h"
#include "utf8.h"

unsigned long
ui_code_point(const unsigned char *p, size_t k)
{
	if (k == 1)
		return p[0];
	if (k == 2)
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	if (k == 3)
		return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 |
		    (p[2] & 0x3fu);
	return (p[0] & 0x07ul) << 18 | (p[1] & 0x3ful) << 12 |
	    (p[2] & 0x3ful) << 6 | (p[3] & 0x3ful);
}

static bool
is_harmless(unsigned long c)
{
	if (c == '\n' || c == '\t')
		return true;
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return false;		/* C0, DEL, C1 */
	if ((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	    c == 0x200e || c == 0x200f || c == 0x061c)
		return false;		/* bidirectional controls */
	return !(c >= 0xe0000 && c <= 0xe007f);	/* invisible tags */
}

void
ui_safe(struct buf *out, const char *p, size_t n)
{
	while (n > 0) {
		size_t k = utf8_len((const unsigned char *)p, n);
		unsigned long c = k != 0 ?
		    ui_code_point((const unsigned char *)p, k) :
		    (unsigned char)*p;

		if (k != 0 && is_harmless(c))
			buf_add(out, p, k);
		else if (c < 0x100)
			buf_fmt(out, "\\x%02lx", c);
		else
			buf_fmt(out, "\\u{%lx}", c);
		p += k != 0 ? k : 1;
		n -= k != 0 ? k : 1;
	}
}
