/* inline.c - emphasis, code and links, read by md4c. */
#include <md4c.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctrl.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "inline.h"
#include "libc/so.h"
#include "literal.h"

/* What is longer is one word of megabytes: not for a parser. */
#define PARSED_MAX ((size_t)16 << 10)

/* Whatever follows it is a paragraph for md4c, and neither a list nor a
 * definition; emphasis begins behind it as at the beginning of a line. */
#define LEAD "x "
#define LEAD_LEN (sizeof LEAD - 1)

#define NESTED 8		/* links and images in each other */

typedef int parse(const MD_CHAR *, MD_SIZE, const MD_PARSER *, void *);

static parse **
parser(void)
{
	static parse *p;

	return &p;
}

bool
inline_open(void)
{
	parse **p = parser();
	void *so;

	if (*p != NULL)
		return true;
	so = SO_OPEN("libmd4c.so.0");
	if (so != NULL)
		SO_FIND(*p, so, md_parse);
	return *p != NULL;
}

struct reader {
	struct inlines *in;
	struct slice source;	/* with LEAD */
	size_t end;		/* of the last text in it */
	bool marks, after_break;
	unsigned look;
	size_t depth;		/* of spans */
	size_t link[NESTED];	/* where their texts begin */
	size_t links;
};

static struct piece *
add_piece(struct inlines *in, struct slice text, unsigned look)
{
	struct piece *p;

	GROW(in->piece, in->n, in->cap);
	p = &in->piece[in->n++];
	*p = (struct piece){ .at = in->text.len, .n = text.n,
		.source = NO_SOURCE, .look = look };
	buf_slice(&in->text, text);
	return p;
}

static void
add_made(struct reader *r, const char *text)
{
	add_piece(r->in, slice_of(text), r->look)->inside = r->depth > 0;
}

/* The blanks that a line begins with: md4c skips them. */
static void
add_indent(struct reader *r, size_t upto)
{
	const char *p = r->source.p;
	size_t at = upto;
	struct piece *piece;

	for (size_t i = r->end; i < upto; i++)
		if (p[i] == '\n') {
			at = i + 1;
			while (at + 1 < upto && p[at] == '\n')
				at++;
		}
	upto = at;
	while (p[upto] == ' ' || p[upto] == '\t')
		upto++;
	if (upto == at)
		return;
	piece = add_piece(r->in, (struct slice){ p + at, upto - at }, 0);
	piece->source = at - LEAD_LEN;
	piece->inside = r->depth > 0;
}

static void
add_source(struct reader *r, struct slice text)
{
	size_t at = (size_t)(text.p - r->source.p);
	size_t skip = at < LEAD_LEN ? LEAD_LEN - at : 0;
	bool escaped;
	struct piece *p;

	if (skip > text.n)
		skip = text.n;
	if (r->after_break)
		add_indent(r, at);
	r->after_break = false;
	escaped = at > r->end && r->source.p[at - 1] == '\\';
	r->end = at + text.n;
	text = slice_from(text, skip);
	if (text.n == 0)
		return;
	p = add_piece(r->in, text, r->look);
	p->source = at + skip - LEAD_LEN;
	p->inside = r->depth > 0;
	p->escaped = escaped && skip == 0;
}

/* The character that an entity stands for, if it may be shown; 0 otherwise. */
static unsigned long
entity(struct slice t)
{
	static const struct {
		const char *name;
		unsigned long cp;
	} names[] = {
		{ "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' },
		{ "&quot;", '"' }, { "&apos;", '\'' }, { "&nbsp;", 0xa0 },
	};
	char digits[12] = "", *end;
	unsigned long cp;
	bool hex;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (slice_is(t, names[i].name))
			return names[i].cp;
	if (t.n < 4 || t.n > sizeof digits || t.p[1] != '#')
		return 0;
	memcpy(digits, t.p + 2, t.n - 3);
	hex = digits[0] == 'x' || digits[0] == 'X';
	cp = strtoul(digits + hex, &end, hex ? 16 : 10);
	return *end != '\0' || ctrl_is(cp) || cp > 0x10ffff ||
	    (cp >= 0xd800 && cp <= 0xdfff) ? 0 : cp;
}

static int
text(MD_TEXTTYPE type, const MD_CHAR *p, MD_SIZE n, void *user)
{
	struct reader *r = user;
	const char *from = r->source.p, *end = from + r->source.n;
	unsigned long cp = type == MD_TEXT_ENTITY ?
	    entity((struct slice){ p, n }) : 0;
	char bytes[8];

	if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
		add_made(r, "\n");
		r->after_break = true;
	} else if (cp != 0) {
		size_t len = utf8_encode(bytes, cp), before = r->in->n;

		add_source(r, (struct slice){ p, n });
		if (r->in->n > before) {	/* the entity itself goes */
			struct piece *e = &r->in->piece[r->in->n - 1];

			r->in->text.len -= e->n;
			buf_add(&r->in->text, bytes, len);
			e->n = len;
		}
	} else if (p >= from && p < end)
		add_source(r, (struct slice){ p, n });
	else
		add_piece(r->in, (struct slice){ p, n }, r->look)->inside =
		    r->depth > 0;
	return 0;
}

/* ---- spans ---- */

static unsigned
look_of(MD_SPANTYPE type)
{
	switch (type) {
	case MD_SPAN_EM:
		return LOOK_EM;
	case MD_SPAN_STRONG:
		return LOOK_STRONG;
	case MD_SPAN_DEL:
		return LOOK_STRIKE;
	case MD_SPAN_CODE:
		return LOOK_CODE;
	default:
		return 0;
	}
}

static void
add_mark(struct reader *r, MD_SPANTYPE type)
{
	bool under = r->end < r->source.n && r->source.p[r->end] == '_';

	if (r->marks)
		add_made(r, type == MD_SPAN_EM ? under ? "_" : "*" :
		    type == MD_SPAN_STRONG ? under ? "__" : "**" :
		    type == MD_SPAN_DEL ? "~~" :
		    type == MD_SPAN_CODE ? "`" : "");
}

static int
enter_span(MD_SPANTYPE type, void *detail, void *user)
{
	struct reader *r = user;

	(void)detail;
	r->depth++;
	r->look |= look_of(type);
	add_mark(r, type);
	if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
		if (r->links < NESTED)
			r->link[r->links] = r->in->text.len;
		r->links++;
	}
	return 0;
}

/* A URL that is its own text is said once. */
static bool
says(struct slice text, struct slice url)
{
	static const char *const added[] = { "", "mailto:", "http://" };

	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		if (slice_starts(url, added[i]) && slice_eq(text,
		    slice_from(url, strlen(added[i]))))
			return true;
	return false;
}

static void
leave_link(struct reader *r, const MD_ATTRIBUTE *url)
{
	struct inlines *in = r->in;
	struct buf b = BUF_INIT(PARSED_MAX * 8);
	size_t at;

	r->links--;
	if (r->links >= NESTED)
		return;
	at = r->link[r->links];
	for (size_t i = 0; url->size > 0 && url->substr_offsets[i] < url->size;
	    i++) {
		size_t from = url->substr_offsets[i];
		struct slice t = { url->text + from,
			url->substr_offsets[i + 1] - from };
		unsigned long cp = url->substr_types[i] == MD_TEXT_ENTITY ?
		    entity(t) : 0;

		if (cp != 0)
			utf8_put(&b, cp);
		else
			buf_slice(&b, t);
	}
	if (says((struct slice){ buf_view(&in->text).p + at,
	    in->text.len - at }, buf_view(&b))) {
		for (size_t i = in->n; i-- > 0 && in->piece[i].at >= at; )
			in->piece[i].look |= LOOK_URL;
	} else if (b.len > 0) {
		add_made(r, in->text.len > at ? " (" : "(");
		add_piece(in, buf_view(&b), r->look | LOOK_URL)->inside = true;
		add_made(r, ")");
	}
	buf_release(&b);
}

static int
leave_span(MD_SPANTYPE type, void *detail, void *user)
{
	struct reader *r = user;

	if (type == MD_SPAN_A)
		leave_link(r, &((MD_SPAN_A_DETAIL *)detail)->href);
	else if (type == MD_SPAN_IMG)
		leave_link(r, &((MD_SPAN_IMG_DETAIL *)detail)->src);
	add_mark(r, type);
	/* the look is of one span of each kind: they do not nest in md4c's
	 * eyes but for emphasis in itself, which looks the same */
	r->look &= ~look_of(type);
	r->depth--;
	return 0;
}

/* What md4c takes for more than one paragraph would lose its marks: it stops,
 * and the text stays as it was written. */
static int
enter_block(MD_BLOCKTYPE type, void *detail, void *user)
{
	(void)detail;
	(void)user;
	return type == MD_BLOCK_DOC || type == MD_BLOCK_P ? 0 : -1;
}

static int
leave_block(MD_BLOCKTYPE type, void *detail, void *user)
{
	(void)type;
	(void)detail;
	(void)user;
	return 0;
}

/* ---- */

static bool
read_marked(parse *md, struct inlines *in, struct slice source, bool marks)
{
	static const MD_PARSER callbacks = {
		.flags = MD_FLAG_PERMISSIVEURLAUTOLINKS |
		    MD_FLAG_STRIKETHROUGH | MD_FLAG_NOHTMLBLOCKS,
		.enter_block = enter_block, .leave_block = leave_block,
		.enter_span = enter_span, .leave_span = leave_span,
		.text = text,
	};
	struct buf b = BUF_INIT(PARSED_MAX * 2);
	struct reader r = { .in = in, .marks = marks };
	bool hidden;
	int rc;

	buf_adds(&b, LEAD);
	buf_slice(&b, source);
	hidden = literal_hide(b.p + LEAD_LEN);
	r.source = buf_view(&b);
	rc = md(b.p, (MD_SIZE)b.len, &callbacks, &r);
	if (hidden)
		literal_show(in->text.p, in->text.len);
	buf_release(&b);
	return rc == 0;
}

void
inline_read(struct inlines *in, struct slice source, bool marks)
{
	parse *p = *parser();

	buf_reset(&in->text);
	in->n = 0;
	if (p != NULL && source.n <= PARSED_MAX &&
	    read_marked(p, in, source, marks))
		return;
	buf_reset(&in->text);
	in->n = 0;
	add_piece(in, source, 0)->source = 0;
}

void
inline_init(struct inlines *in)
{
	*in = (struct inlines){ .text = BUF_INIT((size_t)1 << 30) };
}

void
inline_release(struct inlines *in)
{
	buf_release(&in->text);
	free(in->piece);
}
