/* complete.c - complete the word at the cursor. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctrl.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "complete.h"
#include "term/term.h"

/* What makes one match better than another. */
#define SCORE_START 8		/* at the start of a word or a name */
#define SCORE_ROW 5		/* next to the letter before */
#define SCORE_NAME 12		/* all of it in the file's own name */
#define SCORE_GAP (-1)
#define SCORE_EXACT 20		/* the name itself, or up to its suffix */
#define ROWS 6			/* of the list */
#define NAME_MAX_COLUMNS 40	/* wider names do not move descriptions */
#define ABOUT_LEAST 12		/* columns; with fewer it is left out */

void
candidates_add(struct candidates *c, const char *text, const char *about)
{
	if (utf8_check(text, strlen(text)) != strlen(text))
		return;
	for (const char *p = text; *p != '\0'; p++)
		if (*p == '\t' || ctrl_len((const unsigned char *)p) > 0)
			return;
	GROW(c->v, c->n, c->cap);
	c->v[c->n] = (struct candidate){ .text = xstrdup(text), .order = c->n,
		.about = about != NULL ? xstrdup(about) : NULL };
	c->n++;
}

void
candidates_release(struct candidates *c)
{
	for (size_t i = 0; i < c->n; i++)
		FREE(c->v[i].text, c->v[i].about);
	free(c->v);
	*c = (struct candidates){ 0 };
}

/* ---- the word ---- */

struct word {
	enum complete_kind kind;
	size_t from;		/* with its slash or @ */
	struct slice typed;	/* without its @, blanks with their \ */
	struct slice command;	/* without its slash */
};

/* The word that ends at the cursor.  False: nothing completes there. */
static bool
word_at(const struct message *m, struct word *w)
{
	struct slice text = buf_view(&m->text);
	size_t at = m->at, from = at, n = 1;

	/* a blank after a backslash is part of the word */
	while (from > 0 && (!is_whitespace(text.p[from - 1]) ||
	    (from > 1 && text.p[from - 2] == '\\')))
		from--;
	*w = (struct word){ .from = from,
		.typed = { text.p + from, at - from } };
	if (at > from && text.p[from] == '@') {
		w->kind = COMPLETE_PATH;
		w->typed.p++;
		w->typed.n--;
		return true;
	}
	if (at == 0 || text.p[0] != '/' ||
	    memchr(text.p, '\n', at) != NULL)
		return false;
	if (from == 0) {
		w->kind = COMPLETE_COMMAND;
		return memchr(text.p + 1, '/', at - 1) == NULL;
	}
	while (n < at && !is_whitespace(text.p[n]))
		n++;
	w->kind = COMPLETE_ARGUMENT;
	w->command = (struct slice){ text.p + 1, n - 1 };
	return true;
}

/* ---- what matches ---- */

/* How well text contains the letters of what in order; -1: it does not.  They
 * are searched backwards from the last place where they can end, so that they
 * are found close together, and in the name rather than the folder. */
static long
fuzzy(const char *text, struct slice what, bool exact)
{
	size_t n = strlen(text), k = what.n, last = n, letters = 0;
	const char *slash = strrchr(text, '/');
	long score = 0;
	size_t name = slash != NULL ? (size_t)(slash - text) + 1 : 0;

	for (size_t i = n; ; i--) {
		while (k > 0 && what.p[k - 1] == '\\')
			k--;
		if (k == 0)
			break;
		if (i == 0)
			return -1;
		if (what.p[k - 1] != (exact ? text[i - 1] :
		    (char)tolower((unsigned char)text[i - 1])))
			continue;
		if (i == 1 || strchr("/_-. ", text[i - 2]) != NULL ||
		    (islower((unsigned char)text[i - 2]) != 0 &&
		    isupper((unsigned char)text[i - 1]) != 0))
			score += SCORE_START;
		if (last < n)
			score += last == i ? SCORE_ROW : SCORE_GAP;
		last = i - 1;
		letters++;
		k--;
	}
	const char *rest = text + name;
	if (last >= name && what.n > 0) {
		score += SCORE_NAME;
		if (last == name && (rest[letters] == '\0' ||
		    rest[letters] == '.'))
			score += SCORE_EXACT;
	}
	return score >= 0 ? score : 0;
}

static int
by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	size_t nx = strlen(x->text), ny = strlen(y->text);
	if (x->score > 0 && nx != ny)
		return nx < ny ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return strcmp(x->text, y->text);
}

/* Sort the matches of typed to the front, the best first.  Returns how many.
 * An argument matches by a word of its description, too. */
static size_t
match(struct candidates *c, enum complete_kind kind, struct slice typed)
{
	char *word = xmemdup0(typed.p, typed.n);
	bool exact = false;
	size_t n = 0;

	for (size_t k = 0; k < typed.n; k++)
		exact |= isupper((unsigned char)typed.p[k]) != 0;
	for (size_t i = 0; i < c->n; i++) {
		struct candidate one = c->v[i];

		one.score = kind == COMPLETE_PATH ?
		    fuzzy(one.text, typed, exact) :
		    strncmp(one.text, word, typed.n) == 0 ||
		    (kind == COMPLETE_ARGUMENT && one.about != NULL &&
		    strcasestr(one.about, word) != NULL) ? 0 : -1;
		one.order = kind == COMPLETE_ARGUMENT ? one.order : 0;
		c->v[i] = one;
		if (one.score >= 0) {
			c->v[i] = c->v[n];
			c->v[n++] = one;
		}
	}
	if (n > 0)
		qsort(c->v, n, sizeof *c->v, by_score);
	free(word);
	return n;
}

/* ---- the list ---- */

void
menu_close(struct menu *u)
{
	candidates_release(&u->list);
	u->matches = u->chosen = 0;
	u->hint = false;
}

/* Write the choice into the message. */
static void
take(struct menu *u, struct message *m)
{
	const char *text = u->list.v[u->chosen].text;
	struct buf b = BUF_INIT(1 << 20);

	if (u->kind == COMPLETE_PATH)
		buf_addc(&b, '@');
	for (; *text != '\0'; text++) {
		if (u->kind == COMPLETE_PATH && strchr(" \\", *text) != NULL)
			buf_addc(&b, '\\');
		buf_addc(&b, *text);
	}
	if (u->kind != COMPLETE_ARGUMENT)
		buf_addc(&b, ' ');
	if (b.len > 0 && b.p[b.len - 1] == ' ' && m->at < m->text.len &&
	    m->text.p[m->at] == ' ')
		b.len--;
	message_replace(m, u->from, m->at - u->from, buf_view(&b));
	buf_release(&b);
	menu_close(u);
}

static void
list(struct menu *u, const struct word *w,
    const struct complete_source *s, bool hint)
{
	menu_close(u);
	u->hint = u->list.quick = hint;
	s->list(s->arg, w->kind, w->command, &u->list);
	u->kind = w->kind;
	u->from = w->from;
	u->matches = match(&u->list, w->kind, w->typed);
}

void
menu_open(struct menu *u, struct message *m, const struct complete_source *s)
{
	struct word w;

	if (s->list == NULL || !word_at(m, &w))
		return;
	if (!u->hint || u->matches == 0 || w.kind != u->kind ||
	    w.from != u->from)
		list(u, &w, s, false);
	u->hint = false;
	/* arguments with descriptions are chosen by those */
	bool told = u->kind == COMPLETE_ARGUMENT && u->matches > 0 &&
	    u->list.v[0].about != NULL;
	if (u->matches == 1 && !(told && w.typed.n == 0))
		take(u, m);
	else if (u->matches == 0)
		menu_close(u);
	if (u->matches == 0 || w.kind == COMPLETE_PATH || told)
		return;
	/* type what all matches begin with */
	const char *first = u->list.v[0].text;
	size_t n = strlen(first);
	for (size_t i = 1; i < u->matches; i++) {
		size_t k = 0;

		while (k < n && u->list.v[i].text[k] == first[k])
			k++;
		n = utf8_cut(first, strlen(first), k);
	}
	if (n > w.typed.n)
		message_type(m, slice_part(slice_of(first), w.typed.n, n));
}

void
menu_changed(struct menu *u, const struct message *m,
    const struct complete_source *s, struct slice typed)
{
	struct word w;
	bool any = word_at(m, &w);

	if (u->list.n > 0) {
		u->matches = u->chosen = 0;
		if (any && w.kind == u->kind && w.from == u->from)
			u->matches = match(&u->list, w.kind, w.typed);
		else
			menu_close(u);
	}
	if (any && s->list != NULL && u->list.n == 0 &&
	    w.kind != COMPLETE_ARGUMENT && m->at - w.from <= typed.n)
		list(u, &w, s, true);
}

bool
menu_ends(const struct menu *u)
{
	return u->matches > 0 && !u->hint && u->kind != COMPLETE_PATH &&
	    !u->list.v[u->chosen].more;
}

bool
menu_key(struct menu *u, struct message *m, const struct key *key)
{
	bool ctrl = key->name == KEY_CTRL;
	bool begun = u->kind != COMPLETE_ARGUMENT || m->at > u->from;

	if (u->matches == 0 || (u->hint && key->name != KEY_UP &&
	    key->name != KEY_DOWN && key->name != KEY_ESC))
		return false;
	u->chosen = u->hint && key->name == KEY_DOWN ? u->matches - 1 :
	    u->chosen;
	u->hint = false;
	if (key->name == KEY_ENTER)
		take(u, m);
	else if (key->name == KEY_ESC && begun)
		menu_close(u);
	else if (key->name == KEY_TAB || key->name == KEY_DOWN ||
	    (ctrl && slice_is(key->text, "n")))
		u->chosen = (u->chosen + 1) % u->matches;
	else if (key->name == KEY_BACKTAB || key->name == KEY_UP ||
	    (ctrl && slice_is(key->text, "p")))
		u->chosen = (u->chosen + u->matches - 1) % u->matches;
	else
		return false;
	return true;
}

/* ---- drawn ---- */

size_t
menu_rows(const struct menu *u, size_t max)
{
	if (u->matches == 0 || max < 2)
		return 0;
	return u->matches <= ROWS && u->matches <= max ? u->matches :
	    max <= ROWS ? max : ROWS + 1;
}

static void
put_dim(struct buf *out, const char *text, size_t columns, bool colour)
{
	buf_adds(out, colour ? "\033[2m" : "");
	term_put(out, slice_of(text), columns);
	buf_adds(out, colour ? "\033[0m" : "");
}

void
menu_draw(const struct menu *u, size_t rows, size_t columns, bool colour,
    struct buf *out)
{
	bool more = u->matches > rows;
	size_t shown = rows - (rows > 0 && more), names = 0;
	size_t first = u->chosen >= shown ? u->chosen - shown + 1 : 0;
	char where[64];

	if (rows == 0)
		return;
	for (size_t i = first; i < first + shown; i++) {
		size_t w = term_width(slice_of(u->list.v[i].text));
		names = w > names && w <= NAME_MAX_COLUMNS ? w : names;
	}
	for (size_t i = first; i < first + shown; i++) {
		const struct candidate *c = &u->list.v[i];
		bool chosen = i == u->chosen && !u->hint;
		bool bold = chosen && colour;
		struct slice name = slice_of(c->text);
		size_t used = 2;

		buf_adds(out, chosen ? "\n> " : "\n  ");
		buf_adds(out, bold ? "\033[1m" : "");
		if (columns > used)
			used += u->kind == COMPLETE_PATH ?
			    term_put_end(out, name, columns - used) :
			    term_put(out, name, columns - used);
		buf_adds(out, bold ? "\033[0m" : "");
		if (c->about == NULL || names + 4 + ABOUT_LEAST > columns)
			continue;
		size_t at = used > names + 4 ? used + 2 : names + 4;
		term_pad(out, at - used);
		if (at < columns)
			put_dim(out, c->about, columns - at, colour);
	}
	if (more) {
		buf_addc(out, '\n');
		snprintf(where, sizeof where, u->hint ?
		    "  %zu of %zu, Tab chooses" : "  %zu of %zu",
		    u->hint ? shown : u->chosen + 1, u->matches);
		put_dim(out, where, columns, colour);
	}
}
