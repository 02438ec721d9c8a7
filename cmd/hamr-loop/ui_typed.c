/* ui_typed.c - what a person types while a turn is under way.
 *
 * The terminal's own line editing would be painted over by the status line, so
 * the few keys it has are done here, and the line is shown in that line.
 */
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "job.h"
#include "term.h"
#include "ui_in.h"

#define LINE_MAX_TYPED ((size_t)64 << 10)

void
ui_mark_pastes(bool on)
{
	file_write_all(STDERR_FILENO, on ? "\033[?2004h" : "\033[?2004l", 8);
}

static bool
take_keys(const struct ui *u)
{
	struct termios raw = u->cooked;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (u->tty_err && !u->dumb)
		ui_mark_pastes(true);
	return tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

static void
give_back(const struct ui *u)
{
	if (u->tty_err && !u->dumb)
		ui_mark_pastes(false);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &u->cooked);
}

void
ui_keys_on(struct ui *u)
{
	if (u->raw || tcgetattr(STDIN_FILENO, &u->cooked) < 0)
		return;
	u->raw = take_keys(u);
	u->job = u->raw ? job_watch() : -1;
}

void
ui_keys_off(struct ui *u)
{
	if (!u->raw)
		return;
	give_back(u);
	u->raw = false;
	job_leave(u->job);
}

void
ui_listen(struct ui *u, bool on)
{
	if (!on)
		ui_keys_off(u);
	else if (u->live)
		ui_keys_on(u);
}

void
ui_job(struct ui *u)
{
	enum job what = job_next(u->job);

	if (what == JOB_NOTHING)
		return;
	ui_status_hide(u);
	if (what == JOB_STOP) {
		give_back(u);
		job_stop(u->job);
	}
	take_keys(u);
	ui_status_draw(u);
}

static void
drop_last(struct buf *b)
{
	while (b->len > 0 && ((unsigned char)b->p[b->len - 1] & 0xc0) == 0x80)
		b->len--;
	if (b->len > 0)
		b->len--;
}

static void
drop_word(struct buf *b)
{
	while (b->len > 0 && b->p[b->len - 1] == ' ')
		b->len--;
	while (b->len > 0 && b->p[b->len - 1] != ' ')
		b->len--;
}

/* The message is whole: it stands on the screen from now on. */
static void
end_line(struct ui *u, struct buf *lines)
{
	struct buf b = BUF_INIT(8 * LINE_MAX_TYPED);

	if (u->typed.len == 0)
		return;
	buf_slice(lines, buf_view(&u->typed));
	buf_addc(lines, '\0');
	buf_adds(&b, "> ");
	term_escape(&b, buf_view(&u->typed));
	buf_addc(&b, '\n');
	buf_reset(&u->typed);
	ui_break(u);
	ui_emit(u, b.p, b.len);
	buf_release(&b);
}

/* Keys that are no characters come as ESC and a character, or as ESC, [ or O,
 * and so on up to a letter.  True: c is of one. */
static bool
in_sequence(struct ui *u, char c)
{
	if (u->nseq == 0) {
		u->nseq = c == '\033';
		return u->nseq > 0;
	}
	if (u->nseq <= sizeof u->seq)
		u->seq[u->nseq - 1] = c;
	u->nseq++;
	if (u->nseq == 2 ? c == '[' || c == 'O' : c < '@' || c > '~')
		return true;
	if (u->nseq == 6 && memcmp(u->seq, "[200~", 5) == 0)
		u->pasting = true;
	if (u->nseq == 6 && memcmp(u->seq, "[201~", 5) == 0)
		u->pasting = false;
	u->nseq = 0;
	return true;
}

/* Lines and tabs stay, other control bytes do not. */
static void
add_text(struct ui *u, char c)
{
	if (c == '\r')
		c = '\n';
	if (((unsigned char)c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t')
		buf_addc(&u->typed, c);
}

static void
key(struct ui *u, char c, struct buf *lines)
{
	if (in_sequence(u, c))
		return;
	if (u->pasting) {
		add_text(u, c);
		return;
	}
	switch (c) {
	case '\n': case '\r': end_line(u, lines); break;
	case '\b': case 0x7f: drop_last(&u->typed); break;
	case 'U' & 0x1f: buf_reset(&u->typed); break;
	case 'W' & 0x1f: drop_word(&u->typed); break;
	default:
		if ((unsigned char)c >= 0x20)
			buf_addc(&u->typed, c);
		break;
	}
}

static void
have_room(struct ui *u)
{
	if (u->typed.max == 0)
		buf_init(&u->typed, LINE_MAX_TYPED);
}

void
ui_keys(struct ui *u, const char *p, size_t n, struct buf *lines)
{
	have_room(u);
	while (n-- > 0)
		key(u, *p++, lines);
}

void
ui_keys_early(struct ui *u, const char *p, size_t n)
{
	have_room(u);
	for (; n-- > 0; p++)
		if (!in_sequence(u, *p))
			add_text(u, *p);
}

void
ui_typed(struct ui *u, const char *p, size_t n, struct buf *lines)
{
	ui_keys(u, p, n, lines);
	ui_status_hide(u);
	ui_status_draw(u);
}
