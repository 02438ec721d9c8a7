/* hub_err.c - what stages say on stderr, to the person and to the log. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "hub_in.h"

#define LINE_HELD ((size_t)8192)	/* a longer line is passed on in pieces */

static void
pass_on(struct hub *h, struct slot *s, const char *p, size_t n)
{
	ui_overheard(h->ui, p, n);
	runlog_say(h->log, s->name, "%.*s", (int)n, p);
}

static void
take(struct hub *h, struct slot *s, const char *p, size_t n)
{
	const char *lf;

	while ((lf = memchr(p, '\n', n)) != NULL) {
		size_t k = (size_t)(lf - p);

		buf_add(&s->said, p, k);
		pass_on(h, s, buf_view(&s->said).p, s->said.len);
		buf_reset(&s->said);
		p += k + 1;
		n -= k + 1;
	}
	if (s->said.len + n > LINE_HELD) {
		pass_on(h, s, buf_view(&s->said).p, s->said.len);
		buf_reset(&s->said);
	}
	buf_add(&s->said, p, n);
}

/* One read; false when there is nothing more for now. */
static bool
hear(struct hub *h, struct slot *s)
{
	char part[4096];
	ssize_t n = read(s->err, part, sizeof part);

	if (n > 0) {
		take(h, s, part, (size_t)n);
		return true;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return errno == EINTR;
	close(s->err);
	s->err = -1;
	return false;
}

void
slot_overhear(struct hub *h, struct slot *s)
{
	hear(h, s);
}

/* Something it left behind may hold the other end: what is there now, and at
 * most as much as a pipe holds. */
void
slot_overheard(struct hub *h, struct slot *s)
{
	for (int i = 0; i < 256 && s->err >= 0 && hear(h, s); i++)
		;
	if (s->said.len > 0)
		pass_on(h, s, s->said.p, s->said.len);
	buf_reset(&s->said);
	if (s->err >= 0)
		close(s->err);
	s->err = -1;
}
