/* editor.c - the input: a message of several lines, edited by keys. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "editor.h"
#include "history.h"
#include "message.h"
#include "term/term.h"

#define KILLS 16
#define WHOLE_MAX ((size_t)1 << 32)	/* of a message with its pastes */
#define LEAST_COLUMNS 8			/* beside a prompt, to show it */

/* What the previous key did, if the next one may continue it. */
enum last { LAST_OTHER, LAST_KILL, LAST_YANK, LAST_HISTORY };

struct editor {
	struct editor_options o;
	char *prompt;
	struct message m;
	enum last was, last;		/* of the previous key, and this one */
	size_t goal;			/* column of Up, Down; SIZE_MAX: none */
	size_t top;			/* the first row that is shown */

	struct texts kills;		/* the newest last */
	size_t yank, yanked_from;

	struct history history;
	size_t where;			/* history.n: not in it */
	struct buf draft;		/* the message, while it is, raw */

	bool searching;
	struct buf query;
	size_t found;			/* history.n: nothing; else it is */
	bool shows;			/* shown, by one change to be undone */

	struct menu menu;
};

struct editor *
editor_new(const struct editor_options *o)
{
	struct editor *e = xcalloc(1, sizeof *e);

	e->o = *o;
	e->prompt = xstrdup(o->prompt);
	message_init(&e->m);
	history_init(&e->history, o->history);
	e->where = e->history.n;
	e->goal = SIZE_MAX;
	buf_init(&e->query, 1 << 16);
	buf_init(&e->draft, WHOLE_MAX);
	return e;
}

void
editor_free(struct editor *e)
{
	texts_release(&e->kills);
	free(e->prompt);
	menu_close(&e->menu);
	bufs_release(BUFS(&e->query, &e->draft));
	history_release(&e->history);
	message_release(&e->m);
	free(e);
}

void
editor_prompt(struct editor *e, const char *prompt)
{
	xset(&e->prompt, xstrdup(prompt));
}

bool
editor_is_empty(const struct editor *e)
{
	return e->m.text.len == 0;
}

char *
editor_text(const struct editor *e)
{
	struct buf b = BUF_INIT(WHOLE_MAX);

	message_unfold(&e->m, buf_view(&e->m.text), &b);
	return buf_detach(&b);
}

/* ---- the history ---- */

/* Replace the message with a plain text, folding known pastes.  recalled: fold
 * all of it if it is so long that it was hardly typed. */
static void
take_in(struct editor *e, struct slice text, bool recalled)
{
	struct buf clean = BUF_INIT(WHOLE_MAX), raw = BUF_INIT(WHOLE_MAX);

	keys_clean(&clean, text);
	message_fold(&e->m, buf_view(&clean), recalled, &raw);
	message_replace(&e->m, 0, e->m.text.len, buf_view(&raw));
	bufs_release(BUFS(&clean, &raw));
}

/* Show entry i of the history; keep the draft for the way back. */
static enum editor_event
show_entry(struct editor *e, size_t i)
{
	if (e->where == e->history.n) {
		buf_reset(&e->draft);
		buf_slice(&e->draft, buf_view(&e->m.text));
	}
	e->where = i;
	if (i == e->history.n)
		message_replace(&e->m, 0, e->m.text.len, buf_view(&e->draft));
	else
		take_in(e, slice_of(e->history.v[i]), true);
	e->last = LAST_HISTORY;
	return EDITOR_NONE;
}

/* Move the message into the history, and before it the draft it replaced. */
static char *
put_aside(struct editor *e)
{
	struct buf draft = BUF_INIT(WHOLE_MAX);
	char *whole = editor_text(e);

	if (e->where < e->history.n)
		message_unfold(&e->m, buf_view(&e->draft), &draft);
	history_add(&e->history, buf_view(&draft).p);
	history_add(&e->history, whole);
	e->where = e->history.n;
	buf_release(&draft);
	return whole;
}

/* ---- search ---- */

static void
unshow(struct editor *e)
{
	if (e->shows)
		message_undo(&e->m);
	e->shows = false;
}

/* Show what was found, with the cursor at the match. */
static void
show_found(struct editor *e, size_t i)
{
	e->found = i;
	unshow(e);
	if (i == e->history.n)
		return;
	take_in(e, slice_of(e->history.v[i]), true);
	e->shows = true;
	const char *p = e->query.len == 0 ? NULL :
	    strcasestr(e->m.text.p, e->query.p);
	if (p != NULL)
		e->m.at = (size_t)(p - e->m.text.p);
}

/* End a search and close the list. */
static void
settle(struct editor *e)
{
	unshow(e);
	e->searching = false;
	menu_close(&e->menu);
}

/* False: the key is not for the search, which ends with what was found. */
static bool
search_key(struct editor *e, const struct key *key)
{
	char c = key->text.n == 1 ? *key->text.p : '\0';
	struct slice text = key->text, line = SLICE("");
	struct buf *q = &e->query;
	bool ctrl = key->name == KEY_CTRL;
	bool newer = key->name == KEY_DOWN || (ctrl && c == 's');

	if (newer || key->name == KEY_UP || (ctrl && c == 'r')) {
		size_t got = history_search(&e->history, buf_view(q).p,
		    e->found, newer);

		if (got < e->history.n)
			show_found(e, got);
		return true;
	}
	switch (key->name) {
	case KEY_TEXT: case KEY_PASTE:
		if (text.p == NULL)
			return true;
		slice_line(&text, &line);
		buf_slice(q, line);
		show_found(e, history_search(&e->history, buf_view(q).p,
		    e->found < e->history.n ? e->found + 1 : e->history.n,
		    false));
		return true;
	case KEY_BACKSPACE:
		if (q->len > 0) {
			q->len = utf8_cut(q->p, q->len, q->len - 1);
			q->p[q->len] = '\0';
		}
		show_found(e, q->len == 0 ? e->history.n :
		    history_search(&e->history, q->p, e->history.n, false));
		return true;
	case KEY_CTRL:
		if (c != 'g' && c != 'c')
			break;
		/* fallthrough */
	case KEY_ESC:
		unshow(e);
		e->searching = false;
		return true;
	default:
		break;
	}
	e->searching = false;
	if (e->shows) {
		/* as if the person had browsed to what was found */
		unshow(e);
		show_entry(e, e->found);
	}
	return key->name == KEY_ENTER;
}

/* ---- from outside ---- */

char *
editor_take(struct editor *e)
{
	settle(e);
	char *whole = put_aside(e);
	message_reset(&e->m, &e->kills);
	e->top = 0;
	return whole;
}

void
editor_set(struct editor *e, struct slice text)
{
	settle(e);
	take_in(e, text, false);
}

void
editor_recall(struct editor *e, char *const *v, size_t n)
{
	size_t at = e->history.n;

	settle(e);
	for (size_t i = n, k; i-- > 0; ) {
		for (k = at; k > 0 && strcmp(e->history.v[k - 1], v[i]) != 0; )
			k--;
		at = k > 0 ? k - 1 : at;
	}
	if (at < e->history.n)
		show_entry(e, at);
}

/* ---- places ---- */

static size_t
line_start(const struct message *m, size_t at)
{
	const char *lf = at > 0 ? memrchr(m->text.p, '\n', at) : NULL;

	return lf != NULL ? (size_t)(lf - m->text.p) + 1 : 0;
}

static size_t
line_end(const struct message *m, size_t at)
{
	return slice_find(buf_view(&m->text), at, "\n");
}

/* Is the unit part of a word?  blanks: words are separated by blanks only, for
 * Ctrl-W. */
static bool
in_word(const struct message *m, size_t at, bool blanks)
{
	unsigned char c = (unsigned char)m->text.p[at];

	return blanks ? strchr(" \t\n", c) == NULL :
	    isalnum(c) != 0 || c == '_' || c >= 0x80 || c == 0x1a;
}

static size_t
word_end(const struct message *m, size_t at)
{
	while (at < m->text.len && !in_word(m, at, false))
		at = message_next(m, at);
	while (at < m->text.len && in_word(m, at, false))
		at = message_next(m, at);
	return at;
}

/* Where the last word before at begins; 0: none. */
static size_t
word_start(const struct message *m, size_t at, bool blanks)
{
	size_t start = SIZE_MAX;

	/* a word that begins where a piece does may begin before it */
	for (size_t end = at, from; end > 0 && (start == end ||
	    start == SIZE_MAX); end = from) {
		size_t first = SIZE_MAX;
		bool was = false, is;

		from = message_back(m, end);
		for (size_t i = from; i < end; i = message_next(m, i)) {
			is = in_word(m, i, blanks);
			first = is && !was ? i : first;
			was = is;
		}
		if (start == end && !was)
			break;
		start = first;
	}
	return start < SIZE_MAX ? start : 0;
}

static enum editor_event
go(struct editor *e, size_t at)
{
	e->m.at = at;
	return EDITOR_NONE;
}

/* Go a row up or down, or from the first or last row through the history; up
 * from an empty input to the queued messages. */
static enum editor_event
go_row(struct editor *e, bool down)
{
	struct message *m = &e->m;
	struct texts *queue = e->o.queue;

	if (!down && editor_is_empty(e) && queue != NULL && queue->n > 0) {
		char *newest = queue->v[--queue->n];

		editor_set(e, slice_of(newest));
		free(newest);
		return EDITOR_NONE;
	}
	if (e->was != LAST_HISTORY) {
		size_t rows = message_rows(m, m->width, m->at, 2);
		size_t row = message_row_of(m, m->at);

		if (down ? row + 1 < rows : row > 0) {
			if (e->goal == SIZE_MAX)
				e->goal = message_columns(m,
				    message_row(m, row), m->at);
			m->at = message_at_column(m, down ? row + 1 : row - 1,
			    e->goal);
			return EDITOR_NONE;
		}
	}
	if (e->where != (down ? e->history.n : 0))
		show_entry(e, down ? e->where + 1 : e->where - 1);
	return EDITOR_NONE;
}

/* ---- kill and yank ---- */

/* Consecutive kills are joined. */
static enum editor_event
kill_text(struct editor *e, size_t from, size_t to)
{
	struct texts *k = &e->kills;

	if (from >= to)
		return EDITOR_NONE;
	char *text = xmemdup0(e->m.text.p + from, to - from);
	if (e->was == LAST_KILL) {
		char **last = &k->v[k->n - 1];

		xset(last, from < e->m.at ? xasprintf("%s%s", text, *last) :
		    xasprintf("%s%s", *last, text));
		free(text);
	} else {
		if (k->n == KILLS) {
			free(k->v[0]);
			memmove(k->v, k->v + 1, --k->n * sizeof *k->v);
		}
		texts_add(k, text);
	}
	message_replace(&e->m, from, to - from, (struct slice){ NULL, 0 });
	e->last = LAST_KILL;
	return EDITOR_NONE;
}

static enum editor_event
yank(struct editor *e, size_t i, size_t from)
{
	if (e->kills.n == 0)
		return EDITOR_NONE;
	e->yank = i % e->kills.n;
	e->yanked_from = from;
	message_replace(&e->m, from, e->m.at - from,
	    slice_of(e->kills.v[e->kills.n - 1 - e->yank]));
	e->last = LAST_YANK;
	return EDITOR_NONE;
}

static enum editor_event
erase(struct editor *e, size_t from, size_t to)
{
	message_replace(&e->m, from, to - from, SLICE(""));
	return EDITOR_NONE;
}

/* Swap the two units around the cursor; at a line's end, its last two. */
static enum editor_event
transpose(struct editor *e)
{
	struct message *m = &e->m;
	struct buf b = BUF_INIT(1 << 16);
	size_t at = m->at < line_end(m, m->at) ? m->at :
	    message_prev(m, m->at);
	size_t from = message_prev(m, at), to = message_next(m, at);

	if (from == at || at == to || m->text.p[from] == '\n' ||
	    m->text.p[at] == '\n')
		return EDITOR_NONE;
	buf_add(&b, m->text.p + at, to - at);
	buf_add(&b, m->text.p + from, at - from);
	message_replace(m, from, to - from, buf_view(&b));
	buf_release(&b);
	return EDITOR_NONE;
}

/* ---- keys ---- */

static enum editor_event
enter(struct editor *e)
{
	struct message *m = &e->m;
	struct slice all = buf_view(&m->text);

	if (all.n > 0 && m->at == all.n && all.p[all.n - 1] == '\\')
		message_replace(m, all.n - 1, 1, SLICE("\n"));
	else if (slice_trim(all).n > 0)
		return EDITOR_SEND;
	return EDITOR_NONE;
}

static enum editor_event
ctrl_key(struct editor *e, char c)
{
	struct message *m = &e->m;
	size_t at = m->at, end = line_end(m, at), start = line_start(m, at);

	switch (c) {
	case 'a': return go(e, start);
	case 'b': return go(e, message_prev(m, at));
	case 'c': return EDITOR_INTERRUPT;
	case 'd': return editor_is_empty(e) ? EDITOR_QUIT :
	    erase(e, at, message_next(m, at));
	case 'e': return go(e, end);
	case 'f': return go(e, message_next(m, at));
	case 'g': return EDITOR_EXTERNAL;
	case 'k': return kill_text(e, at, end > at ? end :
	    message_next(m, at));
	case 'l': return EDITOR_REDRAW;
	case 'n': return go_row(e, true);
	case 'o': return EDITOR_OUTPUT;
	case 'p': return go_row(e, false);
	case 'r':
		e->searching = true;
		e->shows = false;
		e->found = e->history.n;
		buf_reset(&e->query);
		return EDITOR_NONE;
	case 't': return editor_is_empty(e) ? EDITOR_THINKING : transpose(e);
	case 'u': return kill_text(e, start < at ? start :
	    message_prev(m, at), at);
	case 'w': return kill_text(e, word_start(m, at, true), at);
	case 'y': return yank(e, 0, at);
	case 'z': return EDITOR_SUSPEND;
	case '_':
		message_undo(m);
		/* fallthrough */
	default: return EDITOR_NONE;
	}
}

static enum editor_event
alt_key(struct editor *e, char c)
{
	struct message *m = &e->m;
	size_t at = m->at, end = word_end(m, at);
	bool first = true;

	switch (c) {
	case 'b': return go(e, word_start(m, at, false));
	case 'f': return go(e, end);
	case 'd': return kill_text(e, at, end);
	case 'y': return e->was == LAST_YANK ? yank(e, e->yank + 1,
	    e->yanked_from) : EDITOR_NONE;
	case 'u': case 'l': case 'c': break;
	case '<': return e->where > 0 ? show_entry(e, 0) : EDITOR_NONE;
	case '>': return e->where < e->history.n ?
	    show_entry(e, e->history.n) : EDITOR_NONE;
	default: return EDITOR_NONE;
	}
	/* upper case, lower case or capitalized; ASCII only */
	char *word = xmemdup0(m->text.p + at, end - at);
	for (char *p = word; *p != '\0' && *p != '\x1a'; p++) {
		unsigned char letter = (unsigned char)*p;

		*p = (char)(c == 'u' || (c == 'c' && first) ?
		    toupper(letter) : tolower(letter));
		first = first && isalnum(letter) == 0;
	}
	message_replace(m, at, end - at, (struct slice){ word, end - at });
	free(word);
	return EDITOR_NONE;
}

static enum editor_event
plain_key(struct editor *e, const struct key *key)
{
	struct message *m = &e->m;
	size_t at = m->at;
	char c = key->text.n == 1 ? *key->text.p : '\0';
	bool far = key->ctrl || key->alt;

	switch (key->name) {
	case KEY_TEXT:
		message_type(m, key->text);
		break;
	case KEY_NEWLINE:
		message_replace(m, at, 0, SLICE("\n"));
		break;
	case KEY_PASTE:
		if (key->text.p == NULL)
			return EDITOR_TOO_LONG;
		message_paste(m, key->text);
		break;
	case KEY_ENTER:
		return enter(e);
	case KEY_ESC:
		if (editor_is_empty(e))
			return EDITOR_ESC;
		free(put_aside(e));
		message_replace(&e->m, 0, e->m.text.len, SLICE(""));
		break;
	case KEY_TAB:
		menu_open(&e->menu, m, &e->o.complete);
		break;
	case KEY_BACKSPACE:
		return far ? kill_text(e, word_start(m, at, false), at) :
		    erase(e, message_prev(m, at), at);
	case KEY_DELETE:
		return far ? kill_text(e, at, word_end(m, at)) :
		    erase(e, at, message_next(m, at));
	case KEY_UP: case KEY_DOWN:
		return go_row(e, key->name == KEY_DOWN);
	case KEY_LEFT:
		return go(e, far ? word_start(m, at, false) :
		    message_prev(m, at));
	case KEY_RIGHT:
		return go(e, far ? word_end(m, at) : message_next(m, at));
	case KEY_HOME:
		return go(e, far ? 0 : line_start(m, at));
	case KEY_END:
		return go(e, far ? m->text.len : line_end(m, at));
	case KEY_CTRL:
		return ctrl_key(e, c);
	case KEY_ALT:
		return alt_key(e, (char)tolower((unsigned char)c));
	default:
		break;
	}
	return EDITOR_NONE;
}

enum editor_event
editor_key(struct editor *e, const struct key *key)
{
	e->was = e->last;
	e->last = LAST_OTHER;
	if (e->searching && search_key(e, key))
		return EDITOR_NONE;
	bool send = key->name == KEY_ENTER && menu_ends(&e->menu);
	if (menu_key(&e->menu, &e->m, key))
		return send ? enter(e) : EDITOR_NONE;
	if (key->name != KEY_UP && key->name != KEY_DOWN &&
	    !(key->name == KEY_CTRL && (slice_is(key->text, "p") ||
	    slice_is(key->text, "n"))))
		e->goal = SIZE_MAX;
	enum editor_event event = plain_key(e, key);
	if (key->name != KEY_TAB)
		menu_changed(&e->menu, &e->m, &e->o.complete,
		    key->name == KEY_TEXT ? key->text : SLICE(""));
	return event;
}

/* ---- drawn ---- */

/* One row of the message after the prompt or, in later rows, its indentation;
 * more: rows after this one are not shown. */
static void
draw_row(const struct editor *e, size_t row, size_t indent, bool more,
    struct buf *out)
{
	const struct message *m = &e->m;
	size_t at = message_row(m, row), end = message_row(m, row + 1);
	struct buf unit = BUF_INIT(1 << 16);
	size_t column = 0, w, n;

	if (more && indent > 0) {
		buf_adds(out, "\xe2\x80\xa6");		/* … */
		term_pad(out, indent - 1);
	} else if (row == 0 && indent > 0) {
		buf_adds(out, e->prompt);
	} else {
		term_pad(out, indent);
	}
	for (; at < end; at += n) {
		const char *p = m->text.p + at;

		buf_reset(&unit);
		n = message_unit(m, at, column, &w, &unit);
		if (n == 0 || *p == '\n')
			break;
		if (*p == '\x1a' || column + w > m->width) {
			buf_adds(out, e->o.colour ? "\033[2m" : "");
			term_put(out, buf_view(&unit), m->width - column);
			buf_adds(out, e->o.colour ? "\033[0m" : "");
		} else {
			buf_slice(out, buf_view(&unit));
		}
		column += w;
		if (term_cluster_differs((struct slice){ p, n }))
			buf_fmt(out, "\033[%zuG", indent + column + 1);
	}
	buf_release(&unit);
}

void
editor_draw(struct editor *e, size_t columns, size_t max_rows,
    struct buf *rows, size_t *cursor_row, size_t *cursor_column)
{
	size_t indent = strlen(e->prompt), below, all, cursor, shown;

	columns = columns > 3 ? columns - 1 : 2;
	max_rows = max_rows > 0 ? max_rows : 1;
	if (indent + LEAST_COLUMNS > columns)
		indent = 0;
	below = e->searching ? max_rows > 1 :
	    menu_rows(&e->menu, max_rows - 1);
	all = message_rows(&e->m, columns - indent, e->m.at, max_rows + 1);
	cursor = message_row_of(&e->m, e->m.at);
	shown = max_rows - below < all ? max_rows - below : all;
	/* choose the top row so that the cursor's row is shown */
	if (cursor < e->top)
		e->top = cursor;
	if (cursor >= e->top + shown)
		e->top = cursor - shown + 1;
	if (all < e->top + shown)
		e->top = all > shown ? all - shown : 0;
	for (size_t i = 0; i < shown; i++) {
		size_t row = e->top + i;

		if (i > 0)
			buf_addc(rows, '\n');
		draw_row(e, row, indent, (i == 0 && row > 0) ||
		    (i + 1 == shown && row + 1 < all), rows);
	}
	*cursor_row = cursor - e->top;
	*cursor_column = indent + message_columns(&e->m,
	    message_row(&e->m, cursor), e->m.at);
	if (*cursor_column > columns)
		*cursor_column = columns;
	if (!e->searching) {
		menu_draw(&e->menu, below, columns, e->o.colour, rows);
	} else if (below > 0) {
		struct buf b = BUF_INIT(1 << 18);

		buf_addc(rows, '\n');
		buf_adds(&b, e->query.len > 0 && e->found == e->history.n ?
		    "not found: " : "search: ");
		buf_slice(&b, buf_view(&e->query));
		*cursor_column = term_put_end(rows, buf_view(&b), columns);
		*cursor_row = shown;
		buf_release(&b);
	}
}
