/* rec_out.c - the door: the one module that writes records. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "rec.h"
#include "term.h"

#define QUEUE ((size_t)128 << 10)	/* written as soon as this is queued */

void
rec_out_init(struct rec_out *o, int fd, const char *name)
{
	struct stat st;

	*o = (struct rec_out){ .fd = fd, .name = name };
	buf_init(&o->buf, (size_t)1 << 40);
	o->regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	o->tty = isatty(fd) == 1;
}

void
rec_put(struct rec_out *o, struct slice line)
{
	rec_put_parts(o, &line, 1);
}

/* A record is sent with \u escapes where a character would steer the terminal;
 * what is no record was made for it. */
static void
put_on_terminal(struct rec_out *o, const struct slice *part, size_t n)
{
	struct buf line = BUF_INIT((size_t)1 << 40);

	for (size_t i = 0; i < n; i++)
		buf_slice(&line, part[i]);
	if (line.len > 0 && line.p[0] == '{')
		term_json(&o->buf, buf_view(&line));
	else
		buf_slice(&o->buf, buf_view(&line));
	buf_addc(&o->buf, '\n');
	buf_release(&line);
	if (o->buf.len >= QUEUE)
		rec_flush(o, NULL);
}

/* What is long is not queued: copying it would cost more than its write. */
void
rec_put_parts(struct rec_out *o, const struct slice *part, size_t n)
{
	if (o->tty) {
		put_on_terminal(o, part, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (part[i].n < QUEUE) {
			buf_slice(&o->buf, part[i]);
			continue;
		}
		rec_flush(o, NULL);
		if (o->error == 0 && file_write_all(o->fd, part[i].p,
		    part[i].n) < 0)
			o->error = errno;
	}
	buf_addc(&o->buf, '\n');
	if (o->buf.len >= QUEUE)
		rec_flush(o, NULL);
}

int
rec_flush(struct rec_out *o, struct err *e)
{
	if (o->error == 0 && o->buf.len > 0 &&
	    file_write_all(o->fd, o->buf.p, o->buf.len) < 0)
		o->error = errno;
	buf_reset(&o->buf);
	if (o->buf.cap > 4 * QUEUE)
		buf_release(&o->buf);
	if (o->error == 0)
		return 0;
	errno = o->error;
	return err_sys(e, ST_SYSTEM, "%s", o->name);
}

int
rec_end(struct rec_out *o, struct err *e)
{
	int r = rec_flush(o, e);

	buf_release(&o->buf);
	if (close(o->fd) < 0 && r == 0)
		r = err_sys(e, ST_SYSTEM, "%s", o->name);
	return r;
}
