/* screen.c - the only writer to a person's terminal. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "screen.h"
#include "term/term.h"

#define FRAME_MS 33		/* 30 frames a second */
#define BEHIND_MS 500		/* between checks: are we in front again? */
#define REPLY_MS 1000		/* longest wait for a terminal's answer */
#define WRITE_MS 30		/* longest wait for it to take more output */
#define STALLED_MS 100		/* between retries if it has stalled */
#define LEND_MS 1000		/* to flush before lending it to a program */
#define LEAVE_MS 300		/* to flush at the end, when told to end */
#define SETTLE_MS 40		/* between a change of the size and a frame */
#define SETTLE_TMUX_MS 290	/* tmux reports the next change 250 ms late,
				 * and has rewrapped all rows by then */
#define COLUMNS_LEAST 4		/* draw for at least this many */
#define ROWS_LEAST 2
#define SIZE_LIE 10000
#define BEHIND_BYTES ((size_t)256 << 10)
#define WAITING_MAX ((size_t)16 << 20)	/* for a terminal nobody reads */
#define FOREVER ((size_t)1 << 40)

#define PASTES_ON "\033[?2004h"
#define PASTES_OFF "\033[?2004l"
#define SYNC_BEGIN "\033[?2026h"
#define SYNC_END "\033[?2026l"
/* a live row that the terminal thinks is wider than we do is cut at its edge
 * instead of wrapped */
#define WRAP_OFF "\033[?7l"
#define WRAP_ON "\033[?7h"
/* kitty: 1, keys that are ambiguous, and 4, the base layout's key */
#define KITTY_ON "\033[>5u"
#define KITTY_OFF "\033[<u"
#define OTHER_KEYS_ON "\033[>4;1m"
#define OTHER_KEYS_OFF "\033[>4;0m"
#define FOCUS_ON "\033[?1004h"
#define FOCUS_OFF "\033[?1004l"
/* kitty's flags, synchronized output, marked pastes, the background's color,
 * the terminal's kind; last, a query that every terminal answers */
#define QUERIES \
	"\033[?u\033[?2026$p\033[?2004$p\033]11;?\033\\\033[>c\033[c"
#define XTERM_JS "\033[>0;276;0c"	/* VS Code's, and on web pages */

struct row {
	struct slice text;
	size_t width;
	bool jumps;		/* it sets an absolute column, so what it skips
				 * would stay on the screen */
	size_t reach;		/* the column up to which it was written since
				 * it was empty */
};

struct live {
	struct buf text;	/* LF between the rows */
	struct row *row;
	size_t n, cap;
	size_t cursor, column;	/* its row, and the column in it */
};

struct screen {
	int in, out;		/* in: -1, no keys */
	int fd;			/* like out, but writes never block */
	bool dumb;
	struct termios cooked;	/* the terminal as it was */
	bool keys;		/* we want keys one by one ... */
	bool taken;		/* ... and get them */
	bool suspended;		/* another program has the terminal */
	bool gone;		/* writing to it fails */
	bool stalled;		/* it took nothing for a while */
	bool torn;		/* we do not know what is below the cursor's
				 * row, or right of it */
	bool hurry;
	bool sync, kitty;	/* reported as supported */
	const char *off;	/* undoes what we enabled */
	bool asked, answered;
	long long asked_ms, drawn_ms;
	long long settled_ms;	/* do not draw before: erasing rows that were
				 * counted at another width erases finished
				 * text, too */
	struct screen_info info;
	struct buf frame;	/* drawn */
	size_t written;		/* bytes of it that the terminal has taken */
	struct buf above;	/* printed, not drawn yet */
	struct buf control;
	struct live want, have;
	bool tmux;		/* it wraps erased cells like blanks */
	bool xterm_js;		/* see breaks_below */
};

/* The only screen, for the signal handler that restores it: a handler gets no
 * argument. */
static struct screen *the_screen;

/* ---- the terminal's own state ---- */

/* True: the terminal has taken all of it. */
static bool
push(struct screen *s)
{
	long long until = file_now_ms() + (s->stalled ? 0 : WRITE_MS);
	struct pollfd p = { s->fd, POLLOUT, 0 };

	while (s->written < s->frame.len && !s->gone) {
		long long left = until - file_now_ms();

		if (poll(&p, 1, left > 0 ? (int)left : 0) <= 0) {
			s->stalled = true;
			return false;
		}
		ssize_t n = write(s->fd, s->frame.p + s->written,
		    s->frame.len - s->written);
		s->stalled = n < 0 && errno == EAGAIN;
		if (n >= 0)
			s->written += (size_t)n;
		else if (errno != EINTR && errno != EAGAIN)
			s->gone = true;
		if (left <= 0)
			break;
	}
	if (s->written < s->frame.len && !s->gone)
		return false;
	buf_reset(&s->frame);
	s->written = 0;
	return true;
}

static void
put(struct screen *s, const char *bytes)
{
	buf_adds(&s->frame, bytes);
	push(s);
}

/* Async-signal-safe.  Discards output that was not read yet, even what is half
 * written: an ESC restarts whatever sequence was begun. */
static void
put_at_once(int fd, const char *bytes)
{
	ssize_t n = (ssize_t)strlen(bytes);

	if (write(fd, bytes, (size_t)n) != n && tcflush(fd, TCOFLUSH) == 0 &&
	    tcflow(fd, TCOON) == 0 && write(fd, bytes, (size_t)n) < n)
		return;		/* there is no terminal left */
}

bool
screen_is_foreground(const struct screen *s)
{
	pid_t group = tcgetpgrp(s->out);

	return group < 0 || group == getpgrp();
}

/* Restore the terminal's modes.  Not in the background: the foreground program
 * has set its own, and the attempt would stop us.  (TCSADRAIN would wait for a
 * reader.) */
static bool
give_modes_back(struct screen *s)
{
	if (s == NULL || !s->taken || !screen_is_foreground(s))
		return false;
	s->taken = false;
	return tcsetattr(s->in, TCSANOW, &s->cooked) == 0;
}

static void
give_back(struct screen *s)
{
	if (give_modes_back(s))
		put(s, s->off);
}

/* Only what a signal handler may do. */
static void
restore_at_exit(void)
{
	struct screen *s = the_screen;
	bool taken = give_modes_back(s);

	if (s != NULL && !s->dumb && screen_is_foreground(s) &&
	    (taken || s->written < s->frame.len))
		put_at_once(s->fd, "\r\033[J" WRAP_ON SYNC_END);
	if (taken)
		put_at_once(s->fd, s->off);
}

static void
restore_and_die(int number)
{
	sigset_t set;

	restore_at_exit();
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);		/* SA_RESETHAND: its default action */
}

static void
ask_for_keys(struct screen *s)
{
	s->off = s->kitty ? KITTY_OFF FOCUS_OFF PASTES_OFF :
	    OTHER_KEYS_OFF FOCUS_OFF PASTES_OFF;
	put(s, s->kitty ? KITTY_ON FOCUS_ON : OTHER_KEYS_ON FOCUS_ON);
}

/* Keep ONLCR, but take all keys, including Ctrl-C, Ctrl-Z and Ctrl-S, and tell
 * Enter from Ctrl-J. */
static bool
take(struct screen *s)
{
	if (s->taken || !s->keys)
		return s->taken;
	if (tcgetattr(s->in, &s->cooked) < 0)
		return false;
	struct termios raw = s->cooked;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	raw.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(s->in, TCSANOW, &raw) < 0)
		return false;
	s->taken = true;
	s->off = s->dumb ? "" : PASTES_OFF;
	/* last: whoever sees it may send Ctrl-D at once */
	put(s, s->dumb ? "" : PASTES_ON);
	if (s->answered)
		ask_for_keys(s);
	return true;
}

/* True: the width has changed.  Fewer rows: the first live ones may have gone
 * from the screen. */
static bool
measure(struct screen *s)
{
	size_t before = s->info.columns, rows = s->info.rows;
	struct winsize w = { 0 };

	ioctl(s->out, TIOCGWINSZ, &w);
	s->info.columns = w.ws_col == 0 || w.ws_col > SIZE_LIE ? 80 :
	    w.ws_col < COLUMNS_LEAST ? COLUMNS_LEAST : w.ws_col;
	s->info.rows = w.ws_row == 0 || w.ws_row > SIZE_LIE ? 24 :
	    w.ws_row < ROWS_LEAST ? ROWS_LEAST : w.ws_row;
	s->torn |= (s->info.columns != before || s->info.rows < rows) &&
	    s->have.text.len > 0;
	return s->info.columns != before;
}

struct screen *
screen_new(int out, bool dumb)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
		SIGQUIT, SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGUSR2, SIGALRM,
		SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGSYS, SIGTRAP, SIGIO };
	struct sigaction old, new = { .sa_handler = restore_and_die,
		.sa_flags = (int)SA_RESETHAND };
	const char *type = getenv("TERM");
	struct screen *s = xcalloc(1, sizeof *s);

	*s = (struct screen){ .in = -1, .out = out, .dumb = dumb,
		.fd = file_unblocked(out), .off = "" };
	/* even a tmux on a machine that we were reached from */
	s->tmux = getenv("TMUX") != NULL || (type != NULL &&
	    getenv("STY") == NULL && (strncmp(type, "tmux", 4) == 0 ||
	    strncmp(type, "screen", 6) == 0));
	bufs_init(BUFS(&s->frame, &s->above, &s->control, &s->want.text,
	    &s->have.text), FOREVER);
	measure(s);
	the_screen = s;
	/* until the end; signals ignored or handled already stay so */
	sigemptyset(&new.sa_mask);
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		if (sigaction(fatal[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(fatal[i], &new, NULL);
	atexit(restore_at_exit);
	return s;
}

void
screen_set_dumb(struct screen *s)
{
	s->dumb = true;
}

bool
screen_read_keys(struct screen *s, int in)
{
	s->keys = in >= 0;
	if (s->keys)
		s->in = in;
	else
		give_back(s);
	return s->keys && (!screen_is_foreground(s) || take(s));
}

/* Not on the Linux console, which shows parts of queries it does not know. */
void
screen_query(struct screen *s)
{
	const char *type = getenv("TERM");

	if (s->asked || !s->taken || type == NULL ||
	    strcmp(type, "linux") == 0)
		return;
	s->asked = true;
	s->asked_ms = file_now_ms();
	put(s, QUERIES);
}

void
screen_reply(struct screen *s, struct slice r)
{
	char last = r.n > 0 ? r.p[r.n - 1] : '\0';

	if (slice_starts(r, "\033]11;")) {
		/* rgb:RRRR/GGGG/BBBB, or two digits each: is that light? */
		char *text = xmemdup0(r.p, r.n), *at = strstr(text, "rgb:");
		unsigned long sum = 0;

		for (int i = 0; at != NULL && i < 3; i++) {
			char *end;

			at += i == 0 ? 4 : 1;
			unsigned long v = strtoul(at, &end, 16);
			v *= end - at == 2 ? 257 : 1;
			sum += v * (i == 0 ? 3 : i == 1 ? 6 : 1);
			at = *end == '/' ? end : NULL;
		}
		free(text);
		s->info.light = sum > (unsigned long)10 * 0x8000;
	}
	s->xterm_js |= slice_is(r, XTERM_JS);
	if (!slice_starts(r, "\033[?"))
		return;
	if (last == 'u') {
		s->kitty = true;
	} else if (last == 'y' && slice_starts(r, "\033[?2026;")) {
		s->sync = r.n > 8 && r.p[8] != '0' && r.p[8] != '4';
	} else if (last == 'c' && !s->answered) {
		s->answered = true;
		if (s->taken)
			ask_for_keys(s);
	}
}

const struct screen_info *
screen_info(const struct screen *s)
{
	return &s->info;
}

/* ---- rows ---- */

/* The bytes and columns of the first sequence (ESC [ ... up to a letter) or
 * character of a row. */
static size_t
first_of(struct slice row, size_t *columns)
{
	size_t n = 2;

	*columns = 0;
	if (*row.p != '\033')
		return term_cluster(row, columns);
	while (n < row.n && (row.p[n] < '@' || row.p[n] > '~'))
		n++;
	return n < row.n ? n + 1 : row.n;
}

/* The columns of a row.  *jumps: a sequence in it sets an absolute column. */
static size_t
row_width(struct slice row, bool *jumps)
{
	size_t all = 0, w, n;

	for (*jumps = false; row.n > 0; row = slice_from(row, n)) {
		n = first_of(row, &w);
		all += w;
		*jumps |= n > 1 && row.p[n - 1] == 'G';
	}
	return all;
}

/* Take these rows, and the cursor's place in them. */
static void
set_live(struct live *l, struct slice text, size_t cursor, size_t column)
{
	size_t n;

	buf_reset(&l->text);
	buf_slice(&l->text, text);
	l->cursor = cursor;
	l->column = column;
	l->n = 0;
	text = buf_view(&l->text);
	for (bool more = text.n > 0; more; text = slice_from(text, n + more)) {
		n = slice_find(text, 0, "\n");
		more = n < text.n;
		GROW(l->row, l->n, l->cap);
		struct row *r = &l->row[l->n++];
		r->text = slice_part(text, 0, n);
		r->width = r->reach = row_width(r->text, &r->jumps);
	}
}

/* How often the terminal has wrapped the row before that column, including
 * before a wide character that does not fit into the last column. */
static size_t
breaks_before(const struct screen *s, struct slice row, size_t column)
{
	size_t n = 0, used = 0, all, w, len;

	for (all = 0; row.n > 0 && all < column; all += w) {
		len = first_of(row, &w);
		if (used + w > s->info.columns) {
			n++;
			used = 0;
		}
		used += w;
		row = slice_from(row, len);
	}
	return n + (row.n > 0 && used >= s->info.columns);
}

/* How far xterm.js has moved the cursor down for the rows from its own on.  It
 * wraps from the last row up, and the cursor goes down with each; the row that
 * it is in then is left alone. */
static size_t
breaks_below(const struct screen *s)
{
	size_t n = 0;

	for (size_t i = s->have.n; i-- > s->have.cursor; )
		if (i > s->have.cursor || n > 0)
			n += breaks_before(s, s->have.row[i].text, FOREVER);
	return n;
}

/* Note where a new row leaves old cells: the first one is written over row
 * `from` of the old ones. */
static void
set_reach(struct screen *s, size_t from)
{
	for (size_t i = 0; i < s->want.n && from + i < s->have.n; i++) {
		struct row *r = &s->want.row[i];
		size_t old = s->have.row[from + i].reach;

		if (r->width > 0 && !r->jumps && old > r->width)
			r->reach = old;
	}
}

/* ---- a frame ---- */

/* Write a live row; over an old one, first erase what it skips. */
static void
put_row(struct buf *b, const struct row *row, bool over)
{
	buf_adds(b, over && row->jumps ? "\033[K" : "");
	buf_slice(b, row->text);
}

static size_t
put_all(struct screen *s, struct buf *b)
{
	struct slice above = buf_view(&s->above), line;
	size_t n = s->want.n, lines = slice_newlines(above);
	size_t columns = s->info.columns, before = s->have.cursor;
	bool erased = s->torn, jumps;

	/* where the terminal rewrapped the rows before the cursor at its new
	 * width */
	for (size_t i = 0; i < s->have.cursor && i < s->have.n; i++) {
		const struct row *r = &s->have.row[i];
		size_t breaks = breaks_before(s, r->text, FOREVER);
		size_t all = (r->reach + columns - 1) / columns;

		before += s->tmux && all > breaks + 1 ? all - 1 : breaks;
	}
	if (s->xterm_js)
		before += breaks_below(s);
	else if (s->have.cursor < s->have.n)
		before += breaks_before(s, s->have.row[s->have.cursor].text,
		    s->have.column);
	if (before > 0)
		buf_fmt(b, "\033[%zuA", before);
	buf_adds(b, "\r");
	/* tmux keeps in its scrollback what is erased from the top of the
	 * screen, so that is never more than an empty row */
	if (erased)
		buf_adds(b, s->have.n > 1 ?
		    "\033[K\033[B\033[J\033[A" : "\033[K\033[J");
	/* the live rows are overwritten, but erased before a line that is
	 * longer than a row */
	while (slice_line(&above, &line)) {
		if (!erased && (memchr(line.p, '\t', line.n) != NULL ||
		    row_width(line, &jumps) >= columns || jumps)) {
			buf_adds(b, "\033[J");
			erased = true;
		}
		buf_slice(b, line);
		buf_adds(b, erased ? "\n" : "\033[K\n");
	}
	buf_reset(&s->above);
	if (!erased)
		set_reach(s, lines);
	buf_adds(b, n > 0 ? WRAP_OFF : "");
	for (size_t i = 0; i < n; i++) {
		put_row(b, &s->want.row[i], !erased);
		if (i + 1 < n)
			buf_adds(b, erased ? "\n" : "\033[K\n");
	}
	buf_adds(b, n > 0 ? WRAP_ON : "");
	if (!erased)
		buf_adds(b, "\033[J");
	return n > 0 ? n - 1 : 0;
}

/* Move to the start of that row, creating rows that do not exist yet. */
static void
move_to(struct buf *b, size_t *at, size_t row, size_t rows)
{
	size_t down = row < rows ? row : rows > 0 ? rows - 1 : 0;

	if (row < *at)
		buf_fmt(b, "\033[%zuA", *at - row);
	else if (down > *at)
		buf_fmt(b, "\033[%zuB", down - *at);
	buf_addc(b, '\r');
	for (*at = down > *at ? down : *at; *at < row; ++*at)
		buf_addc(b, '\n');
	*at = row;
}

/* Write only rows that have changed.  Returns the row the cursor is left in. */
static size_t
put_changed(struct screen *s, struct buf *b)
{
	size_t at = s->have.cursor, n = s->want.n, had = s->have.n;

	for (size_t i = 0; i < n; i++) {
		const struct row *row = &s->want.row[i];

		if (i < had && slice_eq(row->text, s->have.row[i].text))
			continue;
		move_to(b, &at, i, i < had ? had : i);
		buf_adds(b, WRAP_OFF);
		put_row(b, row, true);
		buf_adds(b, "\033[K" WRAP_ON);
	}
	if (n < had) {
		move_to(b, &at, n, had);
		buf_adds(b, "\033[J");
	}
	set_reach(s, 0);
	return at;
}

static bool
is_due(const struct screen *s)
{
	return s->above.len > 0 || s->control.len > 0 || s->torn ||
	    s->want.cursor != s->have.cursor ||
	    s->want.column != s->have.column ||
	    !slice_eq(buf_view(&s->want.text), buf_view(&s->have.text));
}

static void
draw(struct screen *s)
{
	struct slice want = buf_view(&s->want.text);
	struct slice had = buf_view(&s->have.text);
	struct buf *b = &s->frame;

	buf_slice(b, buf_view(&s->control));
	if (s->dumb) {		/* it can only be appended to */
		bool goes_on = s->above.len == 0 && want.n >= had.n &&
		    memcmp(want.p, had.p, had.n) == 0;

		if (!goes_on && had.n > 0)
			buf_addc(b, '\n');
		buf_slice(b, buf_view(&s->above));
		buf_reset(&s->above);
		buf_slice(b, slice_from(want, goes_on ? had.n : 0));
	} else {
		buf_adds(b, s->sync ? SYNC_BEGIN : "");
		size_t at = s->above.len > 0 || s->torn ? put_all(s, b) :
		    put_changed(s, b);
		move_to(b, &at, s->want.cursor, s->want.n);
		if (s->want.column > 0)
			buf_fmt(b, "\033[%zuC", s->want.column);
		buf_adds(b, s->sync ? SYNC_END : "");
	}
	push(s);
	buf_reset(&s->control);
	struct live drawn = s->want;
	s->want = s->have;
	s->have = drawn;
	set_live(&s->want, want, drawn.cursor, drawn.column);
	s->torn = s->hurry = false;
}

void
screen_print(struct screen *s, struct slice lines)
{
	if (s->above.len > WAITING_MAX && s->written < s->frame.len) {
		buf_reset(&s->above);
		buf_adds(&s->above, "[output that the terminal did not accept "
		    "is left out]\n");
	}
	buf_slice(&s->above, lines);
	buf_end_line(&s->above);
}

bool
screen_is_behind(const struct screen *s)
{
	return s->above.len + s->frame.len - s->written > BEHIND_BYTES;
}

/* If the rows do not fit on the screen, less one row, drop the first ones, up
 * to the cursor's, and then the last. */
void
screen_live(struct screen *s, struct slice rows, size_t cursor_row,
    size_t cursor_column)
{
	size_t n = rows.n == 0 ? 0 : slice_newlines(rows) + 1;
	struct slice first;

	for (; n > s->info.rows - 1; n--)
		if (cursor_row > 0) {
			slice_line(&rows, &first);
			cursor_row--;
		} else {
			rows.n = (size_t)((const char *)memrchr(rows.p, '\n',
			    rows.n) - rows.p);
		}
	set_live(&s->want, rows, cursor_row, cursor_column);
}

void
screen_control(struct screen *s, const char *bytes)
{
	buf_adds(&s->control, bytes);
}

void
screen_redraw_now(struct screen *s, bool whole)
{
	s->hurry = true;
	s->torn |= whole;
}

static void
wait_for_size(struct screen *s)
{
	s->settled_ms = file_now_ms() + (s->tmux ? SETTLE_TMUX_MS : SETTLE_MS);
}

int
screen_tick(struct screen *s, long long now)
{
	if (s->suspended || s->gone)
		return -1;
	if (!screen_is_foreground(s))
		return BEHIND_MS;
	take(s);
	if (!push(s))
		return s->stalled ? STALLED_MS : 0;
	if (!is_due(s))
		return -1;
	/* SIGWINCH may still be pending */
	if (measure(s))
		wait_for_size(s);
	long long left = s->settled_ms - now;
	if (left <= 0 && !s->hurry)
		left = s->drawn_ms + FRAME_MS - now;
	if (left > 0)
		return (int)left;
	draw(s);
	s->drawn_ms = now;
	return s->written < s->frame.len ? 0 : -1;
}

/* Wait, as screen_flush does, until the frame is written.  False: it is not. */
static bool
push_all(struct screen *s, int stop, int ms)
{
	struct pollfd p[2] = { { s->fd, POLLOUT, 0 }, { stop, POLLIN, 0 } };
	int n = 1;

	while (!push(s) && ms != 0 && n != 0 && p[1].revents == 0)
		n = poll(p, 2, ms);	/* EINTR: a child ended */
	return s->written == s->frame.len;
}

void
screen_flush(struct screen *s, int stop, int ms)
{
	if (s->suspended || s->gone || !screen_is_foreground(s) ||
	    !push_all(s, stop, ms) || !is_due(s))
		return;
	draw(s);
	push_all(s, stop, ms);
}

void
screen_resized(struct screen *s)
{
	measure(s);
	wait_for_size(s);
}

/* ---- another program's turn ---- */

void
screen_suspend(struct screen *s)
{
	if (s->suspended)
		return;
	set_live(&s->want, SLICE(""), 0, 0);
	screen_flush(s, -1, LEND_MS);
	give_back(s);
	s->suspended = true;
}

void
screen_resume(struct screen *s)
{
	s->suspended = false;
	set_live(&s->have, SLICE(""), 0, 0);
	measure(s);
	s->hurry = true;
	if (screen_is_foreground(s))
		take(s);
}

/* ---- the end ---- */

void
screen_await_replies(struct screen *s, struct buf *typed)
{
	struct pollfd p = { s->in, POLLIN, 0 };
	bool missing = s->asked && !s->answered && s->taken;
	char part[256];
	long long left;
	ssize_t n;

	while (missing &&
	    (left = s->asked_ms + REPLY_MS - file_now_ms()) > 0) {
		if (poll(&p, 1, (int)left) <= 0)
			continue;	/* EINTR: a child ended */
		n = read(s->in, part, sizeof part);
		if (n <= 0)
			return;
		buf_add(typed, part, (size_t)n);
		/* the last one is ESC [ ? ... c */
		const char *esc = memrchr(typed->p, '\033', typed->len);
		missing = part[n - 1] != 'c' || (esc != NULL && slice_starts(
		    slice_from(buf_view(typed), (size_t)(esc - typed->p)),
		    "\033[>"));
	}
}

void
screen_close(struct screen *s, int stop, bool at_once)
{
	if (s == NULL)
		return;
	screen_live(s, SLICE(""), 0, 0);
	if (!s->gone && is_due(s))
		draw(s);	/* even in the background */
	give_back(s);
	/* a paused terminal will be read later, unless we are told to end */
	if (!push_all(s, stop, at_once ? LEAVE_MS : -1)) {
		/* discard output that was not read in favor of what restores
		 * the terminal */
		tcflush(s->fd, TCOFLUSH);
		tcflow(s->fd, TCOON);
		buf_reset(&s->frame);
		s->written = 0;
		buf_adds(&s->frame, s->dumb ? "" : "\r\033[J" WRAP_ON SYNC_END);
		put(s, s->off);
	}
	the_screen = NULL;
	if (s->fd != s->out)
		close(s->fd);
	bufs_release(BUFS(&s->frame, &s->above, &s->control, &s->want.text,
	    &s->have.text));
	FREE(s->want.row, s->have.row, s);
}
