/* ui_fold.c - text in lines that end between words, as wide as the terminal.
 *
 * Text comes in pieces, and is shown at once; a word that turns out not to fit
 * is taken back and begins the next line.  A word that is as wide as half a
 * line is left to the terminal.
 */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "term.h"
#include "ui_in.h"
#include "utf8.h"

size_t
ui_columns(void)
{
	struct winsize w = { .ws_col = 80 };

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) < 0 || w.ws_col < 10)
		return 80;
	return w.ws_col;
}

static void
end_word(struct ui_fold *f)
{
	f->word.len = 0;
	f->width = 0;
}

static void
take_back(struct ui_fold *f, struct buf *out)
{
	if (f->width == 0) {
		buf_addc(out, '\n');
	} else {
		buf_fmt(out, "\033[%zuD\033[K\n", f->width);
		buf_slice(out, buf_view(&f->word));
	}
	f->at = f->width;
}

static void
one(struct ui_fold *f, const char *p, size_t k, struct buf *out)
{
	size_t w = *p == '\t' ? 8 - f->at % 8 :
	    term_width((struct slice){ p, k });
	bool blank = *p == ' ' || *p == '\t';

	if (*p == '\n') {
		f->at = 0;
		end_word(f);
		buf_addc(out, '\n');
		return;
	}
	/* the last column is left free: beyond it a cursor is ill-defined */
	if (f->at + w >= f->columns) {
		if (blank) {
			f->at = 0;
			end_word(f);
			buf_addc(out, '\n');
			return;
		}
		if (f->width + w <= f->columns / 2)
			take_back(f, out);
		else
			f->at = 0;	/* the terminal breaks it */
	}
	buf_add(out, p, k);
	f->at += w;
	if (blank) {
		end_word(f);
	} else {
		buf_add(&f->word, p, k);
		f->width += w;
	}
}

void
ui_fold(struct ui_fold *f, const char *p, size_t n, struct buf *out)
{
	f->columns = ui_columns();
	if (f->word.max == 0)
		buf_init(&f->word, 4096);
	while (n > 0) {
		size_t k = utf8_len((const unsigned char *)p, n);

		k = k != 0 ? k : 1;
		one(f, p, k, out);
		p += k;
		n -= k;
	}
}

void
ui_fold_reset(struct ui_fold *f)
{
	f->at = 0;
	end_word(f);
}
