/* ui_typed.c - what a person types while a turn is under way.
 *
 * The terminal's own line editing would be painted over by the status line, so
 * the few keys it has are done here, and the line is shown in that line.
 */
#include <string.h>
#include <unistd.h>

#include "job.h"
#include "term.h"
#include "ui_in.h"

#define LINE_MAX_TYPED ((size_t)64 << 10)

static bool
take_keys(const struct ui *u)
{
	struct termios raw = u->cooked;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	return tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

void
ui_listen(struct ui *u, bool on)
{
	if (on && !u->raw && u->live && tcgetattr(STDIN_FILENO,
	    &u->cooked) == 0) {
		u->raw = take_keys(u);
		u->job = u->raw ? job_watch() : -1;
	} else if (!on && u->raw) {
		tcsetattr(STDIN_FILENO, TCSADRAIN, &u->cooked);
		u->raw = false;
		job_leave(u->job);
	}
}

void
ui_job(struct ui *u)
{
	enum job what = job_next(u->job);

	if (what == JOB_NOTHING)
		return;
	ui_status_hide(u);
	if (what == JOB_STOP) {
		tcsetattr(STDIN_FILENO, TCSADRAIN, &u->cooked);
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

/* The line is whole: it stands on the screen from now on. */
static void
end_line(struct ui *u, struct buf *lines)
{
	struct buf b = BUF_INIT(8 * LINE_MAX_TYPED);

	if (u->typed.len == 0)
		return;
	buf_slice(lines, buf_view(&u->typed));
	buf_addc(lines, '\n');
	buf_adds(&b, "> ");
	term_escape(&b, buf_view(&u->typed));
	buf_addc(&b, '\n');
	buf_reset(&u->typed);
	ui_break(u);
	ui_emit(u, b.p, b.len);
	buf_release(&b);
}

static void
key(struct ui *u, char c, struct buf *lines)
{
	/* keys that are no characters come as ESC, [ or O, ..., a letter */
	if (u->escape > 0) {
		u->escape = u->escape == 1 && (c == '[' || c == 'O') ? 2 :
		    u->escape == 2 && (c < '@' || c > '~') ? 2 : 0;
		return;
	}
	switch (c) {
	case '\033': u->escape = 1; break;
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

void
ui_typed(struct ui *u, const char *p, size_t n, struct buf *lines)
{
	if (u->typed.max == 0)
		buf_init(&u->typed, LINE_MAX_TYPED);
	while (n-- > 0)
		key(u, *p++, lines);
	ui_status_hide(u);
	ui_status_draw(u);
}
