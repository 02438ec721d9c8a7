/* inline.c - inline Markdown, read by md4c, as rows of a terminal. */
#include <ctype.h>
#include <md4c.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctrl.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "inline.h"
#include "libc/so.h"
#include "term/term.h"

/* A longer text is one word of megabytes: do not parse it. */
#define PARSED_MAX ((size_t)16 << 10)

/* Makes md4c take whatever follows for a paragraph, not a list or definition;
 * emphasis can begin after it as at the beginning of a line. */
#define LEAD "x "
#define LEAD_LEN (sizeof LEAD - 1)

#define NESTED 8		/* depth of nested links and images */

/* Bytes with the same look; pieces are in order and without gaps. */
struct piece {
	size_t at, n;		/* in rows.plain */
	size_t source;		/* where they are in the source */
	size_t begin;		/* where the span that they begin starts, or
				 * NO_SOURCE */
	unsigned look;
	bool inside;		/* of a span */
	bool escaped;		/* a backslash precedes its first byte */
};

typedef int parse(const MD_CHAR *, MD_SIZE, const MD_PARSER *, void *);

static parse *parser;		/* md_parse; NULL: not loaded yet, or not
				 * installed */

bool
inline_open(void)
{
	void *so = parser == NULL ? SO_OPEN("libmd4c.so.0") : NULL;

	if (so != NULL)
		SO_FIND(parser, so, md_parse);
	return parser != NULL;
}

/* ---- marks that are code ---- */

static const char marks[] = "_*[~\\", hidden[] = "\x1f\x1e\x1d\x1c\x17";

/* What may follow closing emphasis. */
#define CLOSES ".,;:!?)"

static bool
is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static bool
is_blank(char c)
{
	return c == '\0' || is_whitespace(c);
}

static bool
is_alnum(char c)
{
	return isalnum((unsigned char)c) != 0;
}

/* The length of a name like __init__, __FILE__ or _get_it, or 0. */
static size_t
name_at(const char *p)
{
	size_t marks_n = strspn(p, "_"), n = 0;
	bool lower = false, upper = false, inner = false;

	for (; p[n] == '_' || is_alnum(p[n]); n++) {
		lower |= islower((unsigned char)p[n]) != 0;
		upper |= isupper((unsigned char)p[n]) != 0;
		inner |= p[n] == '_' && n > marks_n;
	}
	bool behind = p[n - 1] == '_';
	if (marks_n == 1)
		return inner && !behind ? n : 0;
	return n > 4 && behind && p[n - 2] == '_' && lower != upper ? n : 0;
}

/* Are these n stars an operator or a glob, not emphasis?  marked: there is
 * emphasis in the word before them. */
static bool
is_operator(const char *p, size_t n, bool marked)
{
	char before = p[-1], after = p[n];
	bool begins = is_blank(before) || is_one_of(before, "([{");
	size_t next = n + strcspn(p + n, "* \t\n");

	if (is_blank(before) && is_blank(after))
		return true;
	if ((begins && is_one_of(after, ",;:=)]}")) ||	/* (*) */
	    (before == after && is_one_of(before, "\"'")))
		return true;
	if (n == 1 && before == '.' && (is_blank(p[-2]) ||
	    is_one_of(p[-2], "^([|")))			/* ^.*$ */
		return true;
	if (n == 1 && (before == '_' || after == '_'))	/* *_test */
		return true;
	if (n == 1 && !is_alnum(before) && (after == '/' ||
	    (after == '.' && is_alnum(p[2]))))		/* *.c */
		return true;
	if (before == '/' && (n == 1 ? p[-2] != '*' : after == '/'))
		return true;
	/* a glob, unless the next stars close a path in bold */
	if (n == 2 && begins && after == '/' && (p[next] != '*' ||
	    p[next + 1] != '*' || p[next - 1] == '/'))
		return true;
	if (marked)
		return false;
	return is_alnum(after) ? is_alnum(before) || is_one_of(before, ".=)]") :
	    is_one_of(before, ")]") && !is_blank(after) &&
	    !is_one_of(after, CLOSES) && (after & 0x80) == 0;
}

/* Does this bracket belong to an index or lambda, whatever follows? */
static bool
is_index(const char *p)
{
	const char *to = strstr(p, "](");

	if (is_one_of(p[1], "]&="))
		return true;
	if (to == NULL || (!is_alnum(p[-1]) && !is_one_of(p[-1], "_])")))
		return false;
	to += 2;
	size_t n = strcspn(to, ")");
	return !is_one_of(*to, "#/.") && memmem(to, n, "://", 3) == NULL;
}

/* A letter of Chinese, Japanese or Korean, all of which have three bytes. */
static bool
is_cjk(const char *p)
{
	unsigned char c = (unsigned char)*p;

	return c >= 0xe3 && c <= 0xed && strncmp(p, "\xe3\x80", 2) != 0;
}

static bool
is_punctuation(const char *p)
{
	static const unsigned short ranges[][2] = { { 0x2010, 0x2027 },
		{ 0x3001, 0x301f }, { 0xff01, 0xff0f }, { 0xff1a, 0xff20 },
		{ 0xff3b, 0xff40 }, { 0xff5b, 0xff65 } };
	const unsigned char *c = (const unsigned char *)p;
	unsigned long cp = ctrl_code(c, utf8_len(c, strnlen(p, 4)));
	bool is = ispunct(*c) != 0;

	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		is |= cp >= ranges[i][0] && cp <= ranges[i][1];
	return is;
}

/* For CommonMark these n stars are no emphasis if there is punctuation on their
 * inner side and a letter on the outer, as where words are not separated by
 * blanks.  Let md4c take that letter for punctuation.  Which side is outer is
 * known of bold text, which they begin or end. */
static void
hide_letter(char *p, size_t n, bool bold)
{
	/* which is_punctuation does not know: it stays a letter for us */
	static const char wavy_dash[] = "\xe3\x80\xb0";
	char *before = p - 1, *after = p + n;

	while (((unsigned char)*before & 0xc0) == 0x80)
		before--;
	if ((n == 1 || !bold) && is_cjk(before) && is_punctuation(after))
		memcpy(before, wavy_dash, 3);
	else if ((n == 1 || bold) && is_cjk(after) && is_punctuation(before))
		memcpy(after, wavy_dash, 3);
}

/* Replace the marks that are code in a word with control characters, of which
 * it has none itself.  A blank precedes the word.  `bold`: an earlier word has
 * begun bold text. */
static void
hide_in_word(char *w, size_t n, bool *bold)
{
	bool path = false, link = memmem(w, n, "](", 2) != NULL;
	bool windows = n > 3 && (w[1] == ':' ? is_alnum(*w) && w[2] == '\\' :
	    *w == '\\' && w[1] == '\\' && is_alnum(w[2]));
	bool marked = false;

	/* a path or a member: pkg/__init__.py, _a_/b, f.__name__ */
	for (size_t i = 1; i < n; i++)
		path |= w[i] == '_' ? is_one_of(w[i - 1], "/.") &&
		    is_alnum(w[i + strspn(w + i, "_")]) :
		    w[i - 1] == '_' && (w[i] == '/' ||
		    (w[i] == '.' && is_alnum(w[i + 1])));
	for (size_t i = 0, run; i < n; i += run) {
		char *p = w + i, c = *p;
		bool literal = false;

		run = c == '_' || c == '*' || c == '~' ?
		    strspn(p, (char[]){ c, '\0' }) : 1;
		if (c == '[')
			literal = is_index(p);
		else if (c == '\\') {
			/* an escape precedes a mark, or what could begin a
			 * block: 1\. */
			literal = windows || p[1] == '\\' || is_one_of(p[1],
			    is_blank(p[-1]) ? ".()/^" :
			    strspn(w, "0123456789") == i ? "/^" :
			    ".()/^?+-,;:'\"=@%&");
			run = windows || (literal && p[1] != '\\') ? 1 : 2;
		} else if (c == '_' && !link) {
			size_t name = is_alnum(p[-1]) ? 0 : name_at(p);

			literal = path || name > 0;
			run = name > 0 ? name : run;
		} else if (c == '*' && !link) {
			literal = is_operator(p, run, marked) ||
			    (p[-1] == '/' && run == 2 && !*bold &&
			    !is_alnum(p[2]));		/* src/ */
			marked |= !literal;
			if (!literal)
				hide_letter(p, run, *bold);
			*bold ^= !literal && run > 1;
		} else if (c == '~' && !link)
			literal = run == 1;
		for (size_t k = 0; literal && k < run; k++)
			if (is_one_of(p[k], marks))
				p[k] = hidden[strchr(marks, p[k]) - marks];
		link &= c != '[' || !literal;
	}
}

/* The same in a URL, of marks that it continues after: for md4c they could
 * begin or end emphasis outside it, but not in [a](URL) or <URL>, where it
 * takes no hidden ones.  It belongs to what begins at from.  Returns where it
 * ended. */
static char *
hide_in_url(const char *from, char *p)
{
	const char *before = p - 1;
	int inner = 0;

	for (; before >= from && !is_one_of(*before, "<>") &&
	    (*before != '(' || inner-- > 0); before--)
		inner += *before == ')';
	if (*before == '<' || (*before == '(' && before[-1] == ']')) {
		for (inner = 0; !is_blank(*p) && *p != '>' &&
		    (*p != ')' || inner-- > 0); p++)
			inner += *p == '(';
		return p;
	}
	for (size_t run; is_alnum(*p) || is_one_of(*p, "/.-_~*%?=&#:@+!$;");
	    p += run + (run == 0)) {
		run = strspn(p, "_*~");
		const char *next = p + run + (p[run] == '.');
		bool literal = is_alnum(*next) || p[run] == '/';

		for (size_t k = 0; literal && k < run; k++)
			p[k] = hidden[strchr(marks, p[k]) - marks];
	}
	return p;
}

/* For md4c a row of = or - makes the lines above it a heading; a paragraph of
 * several lines is none here, so let it take the row for a word. */
static void
hide_underlines(char *p)
{
	while ((p = strchr(p, '\n')) != NULL) {
		p += 1 + strspn(p + 1, " \t");
		size_t n = strspn(p, *p == '=' ? "=" : "-");
		char after = p[n + strspn(p + n, " \t")];

		if (n > 0 && (after == '\n' || after == '\0'))
			*p = 'x';
	}
}

static void
unhide(struct buf *b)
{
	char *p = b->p;

	for (; b->len > 0 && (p = strpbrk(p, hidden)) != NULL; p++)
		*p = marks[strchr(hidden, *p) - hidden];
}

/* ---- read by md4c ---- */

struct reader {
	struct rows *out;
	struct slice source;	/* including LEAD, with marks and letters
				 * hidden ... */
	struct slice text;	/* ... and without */
	size_t end;		/* end of the last text, in the source */
	size_t mark;		/* end of the last mark after that */
	bool marks, after_break;
	bool closed;		/* a span was closed after the last text */
	unsigned look;
	size_t depth;		/* number of open spans */
	size_t begin;		/* start of the outermost, until it has a
				 * piece */
	size_t link[NESTED];	/* where link texts begin */
	size_t links;
};

static struct piece *
add_piece(struct reader *r, struct slice text, size_t source)
{
	struct rows *out = r->out;

	GROW(out->piece, out->pieces, out->piece_cap);
	struct piece *p = &out->piece[out->pieces++];
	*p = (struct piece){ .at = out->plain.len, .n = text.n,
		.source = source, .begin = r->begin, .look = r->look,
		.inside = r->depth > 0 };
	r->begin = NO_SOURCE;
	buf_slice(&out->plain, text);
	return p;
}

static void
add_made(struct reader *r, const char *text)
{
	if (*text != '\0')
		add_piece(r, slice_of(text), NO_SOURCE);
}

/* Add the blanks at a line's start, which md4c skips.  Returns where the line
 * begins. */
static size_t
begin_line(struct reader *r)
{
	const char *p = r->source.p;
	size_t from = slice_find(r->source, r->end, "\n"), to;

	while (p[from] == '\n')
		from++;
	for (to = from; p[to] == ' ' || p[to] == '\t'; )
		to++;
	if (to > from)
		add_piece(r, slice_part(r->source, from, to),
		    from - LEAD_LEN)->look = 0;
	r->after_break = false;
	return from;
}

/* The character of an entity, if it may be shown; else 0. */
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

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (slice_is(t, names[i].name))
			return names[i].cp;
	if (t.n < 4 || t.n > sizeof digits || t.p[1] != '#')
		return 0;
	memcpy(digits, t.p + 2, t.n - 3);
	bool hex = digits[0] == 'x' || digits[0] == 'X';
	unsigned long cp = strtoul(digits + hex, &end, hex ? 16 : 10);
	return *end != '\0' || ctrl_is(cp) || cp > 0x10ffff ||
	    (cp >= 0xd800 && cp <= 0xdfff) ? 0 : cp;
}

static int
text(MD_TEXTTYPE type, const MD_CHAR *p, MD_SIZE n, void *user)
{
	struct reader *r = user;
	struct slice t = { p, n };
	char bytes[8];

	if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
		add_made(r, "\n");
		r->after_break = true;
		return 0;
	}
	unsigned long cp = type == MD_TEXT_ENTITY ? entity(t) : 0;
	if (p < r->source.p || p >= r->source.p + r->source.n) {
		add_piece(r, t, NO_SOURCE);
		return 0;
	}
	size_t at = (size_t)(p - r->source.p);
	size_t skip = at < LEAD_LEN ? num_min(LEAD_LEN - at, n) : 0;
	if (r->after_break)
		begin_line(r);
	bool escaped = at > r->end && p[-1] == '\\';
	r->end = r->mark = at + n;
	r->closed = false;
	if (cp != 0)
		t = (struct slice){ bytes, utf8_encode(bytes, cp) };
	else if (skip < n)
		t = slice_part(r->text, at + skip - LEAD_LEN, at + n -
		    LEAD_LEN);
	if (skip < n)
		add_piece(r, t, at + skip - LEAD_LEN)->escaped = escaped &&
		    skip == 0;
	return 0;
}

/* ---- spans ---- */

static const struct {
	unsigned look;
	const char *mark, *other;	/* with stars, with underscores */
} spans[] = {
	[MD_SPAN_EM] = { LOOK_EM, "*", "_" },
	[MD_SPAN_STRONG] = { LOOK_STRONG, "**", "__" },
	[MD_SPAN_A] = { 0, "", "" },
	[MD_SPAN_IMG] = { 0, "", "" },
	[MD_SPAN_CODE] = { LOOK_CODE, "`", "`" },
	[MD_SPAN_DEL] = { LOOK_STRIKE, "~~", "~~" },
};

/* Keep marks as written, stars or underscores. */
static void
add_mark(struct reader *r, MD_SPANTYPE type)
{
	const char *mark = spans[type].mark;

	if (*mark == '*') {
		const char *p = strpbrk(r->source.p + r->mark, "*_");

		if (p != NULL && *p == '_')
			mark = spans[type].other;
		if (p != NULL)
			r->mark = (size_t)(p - r->source.p) + strlen(mark);
	}
	if (r->marks)
		add_made(r, mark);
}

static int
enter_span(MD_SPANTYPE type, void *detail, void *user)
{
	struct reader *r = user;

	(void)detail;
	if (r->depth == 0) {
		bool closed = r->closed && !r->after_break;
		size_t from = r->after_break ? begin_line(r) : r->end;

		r->begin = closed ? NO_SOURCE : from - LEAD_LEN;
	}
	r->depth++;
	r->look |= spans[type].look;
	add_mark(r, type);
	if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
		if (r->links < NESTED)
			r->link[r->links] = r->out->plain.len;
		r->links++;
	}
	return 0;
}

/* A URL or a title, its entities replaced. */
static void
put_attribute(struct buf *b, const MD_ATTRIBUTE *a)
{
	for (size_t i = 0; a->size > 0 && a->substr_offsets[i] < a->size;
	    i++) {
		size_t from = a->substr_offsets[i];
		struct slice t = { a->text + from,
			a->substr_offsets[i + 1] - from };
		unsigned long cp = a->substr_types[i] == MD_TEXT_ENTITY ?
		    entity(t) : 0;

		if (cp != 0)
			utf8_put(b, cp);
		else
			buf_slice(b, t);
	}
}

static void
leave_link(struct reader *r, const MD_ATTRIBUTE *url,
    const MD_ATTRIBUTE *title)
{
	static const char *const added[] = { "", "mailto:", "http://" };
	struct rows *out = r->out;
	struct buf b = BUF_INIT(PARSED_MAX * 8);
	bool same = false;

	r->links--;
	if (r->links >= NESTED)
		return;
	size_t at = r->link[r->links];
	put_attribute(&b, url);
	unhide(&b);
	/* a URL that is its own text is shown once */
	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		same |= slice_starts(buf_view(&b), added[i]) &&
		    slice_eq(slice_from(buf_view(&out->plain), at),
		    slice_from(buf_view(&b), strlen(added[i])));
	if (same) {
		for (size_t i = out->pieces; i-- > 0 &&
		    out->piece[i].at >= at; )
			out->piece[i].look |= LOOK_URL;
	} else if (b.len > 0) {
		add_made(r, out->plain.len > at ? " (" : "(");
		add_piece(r, buf_view(&b), NO_SOURCE)->look |= LOOK_URL;
		add_made(r, ")");
	}
	if (title->size > 0) {
		buf_reset(&b);
		buf_adds(&b, " \"");
		put_attribute(&b, title);
		buf_adds(&b, "\"");
		add_piece(r, buf_view(&b), NO_SOURCE);
	}
	buf_release(&b);
}

static int
leave_span(MD_SPANTYPE type, void *detail, void *user)
{
	struct reader *r = user;

	if (type == MD_SPAN_A) {
		MD_SPAN_A_DETAIL *a = detail;

		leave_link(r, &a->href, &a->title);
	} else if (type == MD_SPAN_IMG) {
		MD_SPAN_IMG_DETAIL *image = detail;

		leave_link(r, &image->src, &image->title);
	}
	add_mark(r, type);
	r->closed = true;
	/* one bit per kind of span will do: for md4c only emphasis nests in
	 * its own kind, and that looks the same */
	r->look &= ~spans[type].look;
	r->depth--;
	return 0;
}

/* Text that md4c takes for more than one paragraph would lose its marks: stop,
 * so that it is shown as written. */
static int
check_block(MD_BLOCKTYPE type, void *detail, void *user)
{
	(void)detail;
	(void)user;
	return type == MD_BLOCK_DOC || type == MD_BLOCK_P ? 0 : -1;
}

/* False: there is no parser, or it did not take the text for a paragraph. */
static bool
read_marked(struct reader *r, struct slice source)
{
	static const MD_PARSER callbacks = {
		.flags = MD_FLAG_PERMISSIVEURLAUTOLINKS |
		    MD_FLAG_STRIKETHROUGH | MD_FLAG_NOHTMLBLOCKS,
		.enter_block = check_block, .leave_block = check_block,
		.enter_span = enter_span, .leave_span = leave_span,
		.text = text,
	};
	struct buf b = BUF_INIT(PARSED_MAX * 2);
	bool bold = false;

	if (parser == NULL || source.n > PARSED_MAX)
		return false;
	buf_adds(&b, LEAD);
	buf_slice(&b, source);
	for (char *p = b.p + LEAD_LEN; (p = strpbrk(p, marks)) != NULL; ) {
		while (!is_blank(p[-1]))
			p--;
		size_t n = strcspn(p, " \t\n");
		char *end = p + n, *url = memmem(p, n, "://", 3);
		if (url == NULL)
			hide_in_word(p, n, &bold);
		for (; url != NULL; url = memmem(p, end - p, "://", 3))
			p = hide_in_url(p, url);
		p = end;
	}
	hide_underlines(b.p);
	r->source = buf_view(&b);
	r->text = source;
	int rc = parser(b.p, (MD_SIZE)b.len, &callbacks, r);
	unhide(&r->out->plain);
	buf_release(&b);
	return rc == 0;
}

size_t
rows_open_mark(const struct rows *r)
{
	for (size_t i = 0; i < r->pieces; i++) {
		const struct piece *p = &r->piece[i];
		struct slice plain = { r->plain.p + p->at, p->n };
		size_t tick = slice_find(plain, 0, "`");

		if (p->source == NO_SOURCE || (p->look & LOOK_CODE) != 0)
			continue;
		if (tick == 0 && p->escaped)
			tick = p->n;
		size_t mark = num_min(tick, slice_find(plain, 0, "**"));
		if (mark < p->n)
			return p->source + mark;
	}
	return NO_SOURCE;
}

/* ---- rows ---- */

void
rows_init(struct rows *r)
{
	*r = (struct rows){ .text = BUF_INIT((size_t)1 << 30),
		.plain = BUF_INIT((size_t)1 << 30) };
}

void
rows_release(struct rows *r)
{
	bufs_release(BUFS(&r->text, &r->plain));
	free(r->row);
	free(r->piece);
}

/* Append the SGR that turns a look on (0: off). */
static void
put_look(struct buf *out, unsigned look)
{
	static const struct {
		unsigned look;
		const char *code;
	} codes[] = {
		{ LOOK_STRONG, ";1" }, { LOOK_DIM, ";2" }, { LOOK_EM, ";3" },
		{ LOOK_UNDERLINE | LOOK_URL, ";4" }, { LOOK_STRIKE, ";9" },
		{ LOOK_CODE, ";36" },
	};

	buf_adds(out, "\033[0");
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if ((look & codes[i].look) != 0)
			buf_adds(out, codes[i].code);
	buf_addc(out, 'm');
}

void
rows_dim(struct buf *out, const char *text, bool colour)
{
	if (colour)
		put_look(out, LOOK_DIM);
	buf_adds(out, text);
	if (colour)
		put_look(out, 0);
}

struct layout {
	struct rows *out;
	const struct rows_style *how;
	size_t piece;		/* the one being written */
	size_t used;		/* columns of the open row */
	bool open, has_words;
	unsigned look;		/* currently on */
};

static void
set_look(struct layout *l, unsigned look)
{
	if (l->how->colour && look != l->look)
		put_look(&l->out->text, look);
	l->look = look;
}

static void
begin_row(struct layout *l)
{
	struct rows *r = l->out;

	GROW(r->row, r->n, r->cap);
	r->row[r->n++] = (struct row){ .at = r->text.len,
		.source = NO_SOURCE };
	buf_slice(&r->text, r->n == 1 ? l->how->first : l->how->next);
	l->open = true;
	l->has_words = false;
	l->used = l->how->indent;
}

static void
end_row(struct layout *l)
{
	struct rows *r = l->out;

	if (!l->open)
		begin_row(l);
	set_look(l, 0);
	struct row *row = &r->row[r->n - 1];
	while (!l->has_words && r->text.len > row->at &&
	    r->text.p[r->text.len - 1] == ' ')
		r->text.len--;
	row->n = r->text.len - row->at;
	row->columns = l->used;
	buf_addc(&r->text, '\n');
	l->open = false;
}

/* The piece at that place of the text, searched from number *i on. */
static const struct piece *
piece_at(const struct rows *r, size_t *i, size_t at)
{
	while (*i + 1 < r->pieces && r->piece[*i + 1].at <= at)
		++*i;
	return &r->piece[*i];
}

/* Append [from, to) of the text, each piece in its look. */
static void
put(struct layout *l, size_t from, size_t to)
{
	struct buf *out = &l->out->text;
	size_t w, n;

	while (from < to) {
		const struct piece *p = piece_at(l->out, &l->piece, from);
		size_t end = p->at + p->n < to ? p->at + p->n : to;

		set_look(l, p->look | l->how->look);
		for (; from < end; from += n) {
			struct slice t = { l->out->plain.p + from, end - from };

			n = term_cluster(t, &w);
			l->used += w;
			if (t.p[0] == '\t')
				buf_addc(out, ' ');
			else
				buf_add(out, t.p, n);
			if (n > 3 && l->used <= l->how->columns &&
			    term_cluster_differs((struct slice){ t.p, n }))
				buf_fmt(out, "\033[%zuG", l->used + 1);
		}
	}
}

/* Put a word and the blanks before it, from gap on, into a row. */
static void
place(struct layout *l, size_t gap, struct slice word, size_t width)
{
	struct slice plain = buf_view(&l->out->plain), rest;
	size_t columns = l->how->columns, w, n;
	size_t from = (size_t)(word.p - plain.p);

	if (l->open && l->has_words && l->used + from - gap + width > columns)
		end_row(l);
	if (!l->open) {
		bool broken = gap > 0 && plain.p[gap - 1] != '\n';
		size_t at = broken ? from : gap;
		const struct piece *p = piece_at(l->out, &l->piece, at);

		begin_row(l);
		struct row *row = &l->out->row[l->out->n - 1];
		if (at == p->at && p->begin != NO_SOURCE) {
			row->source = p->begin;
		} else if (p->source != NO_SOURCE) {
			row->inside = p->inside;
			row->source = p->source + (at - p->at) -
			    (at == p->at && p->escaped);
		}
		/* drop the blanks at a break, or if there are too many */
		if (broken || from - gap > columns / 2)
			gap = from;
	}
	put(l, gap, from);
	bool cut = l->how->cut && l->used + width > columns;
	if (!cut)
		put(l, from, from + word.n);
	/* cut a word that does not fit into a row into pieces that do */
	for (rest = word; cut && rest.n > 0; rest = slice_from(rest, n)) {
		size_t at = (size_t)(rest.p - plain.p);

		n = term_cluster(rest, &w);
		if (l->used + w > columns && l->has_words) {
			end_row(l);
			begin_row(l);
		}
		l->has_words = true;
		if (l->used + w <= columns)	/* else it fits no row */
			put(l, at, at + n);
	}
	l->has_words = true;
}

/* Closing marks, which must not begin a row. */
static const char *const closing[] = { "、", "。", "，", "．", "！", "？",
	"）", "」", "』", "】", "：", "；", "》", "〉", "”", "’", NULL };

/* The word at `at`, which ends where a row may break; empty at a
 * blank or LF.  Its pieces are searched from number *i on. */
static struct slice
word_at(const struct rows *r, size_t *i, size_t at, size_t *columns)
{
	struct slice t = buf_view(&r->plain);
	size_t to = at, n, w;
	bool wide = false;

	for (*columns = 0; to < t.n; to += n) {
		const struct piece *in = piece_at(r, i, to);
		struct slice rest = slice_part(t, to, in->at + in->n);

		if (*rest.p == '\n' || ((*rest.p == ' ' || *rest.p == '\t') &&
		    (in->look & LOOK_WHOLE) == 0))
			break;
		n = term_cluster(rest, &w);
		rest.n = n;
		if ((w > 1 || wide) && to > at && !slice_in(rest, closing))
			break;
		wide = w > 1;
		*columns += w;
	}
	return slice_part(t, at, to);
}

void
rows_of(struct rows *r, struct slice source, const struct rows_style *how)
{
	struct reader reader = { .out = r, .marks = !how->colour,
		.begin = NO_SOURCE };
	struct layout l = { .out = r, .how = how };
	size_t columns, piece = 0, gap = 0;
	struct slice word;

	bufs_reset(BUFS(&r->text, &r->plain));
	r->n = r->pieces = 0;
	if (!read_marked(&reader, source)) {
		buf_reset(&r->plain);
		r->pieces = 0;
		reader = (struct reader){ .out = r, .begin = NO_SOURCE };
		add_piece(&reader, source, 0);
	}
	struct slice t = buf_view(&r->plain);
	for (size_t at = 0; at < t.n; ) {
		word = word_at(r, &piece, at, &columns);
		at += word.n;
		if (word.n > 0) {
			place(&l, gap, word, columns);
			gap = at;
		} else if (t.p[at++] == '\n') {
			end_row(&l);
			gap = at;
		}
	}
	if (l.open)
		end_row(&l);
}
