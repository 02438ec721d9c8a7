/* peer.c - a program in a person's place: its records on stdin. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "internal.h"

void
ui_open_peer(struct ui *u)
{
	u->peer = xcalloc(1, sizeof *u->peer);
	rec_in_init(u->peer, STDIN_FILENO, "stdin", REC_MAX);
	err_redirect(ui_error_line, u);
}

/* Remove the i-th waiting record; the caller frees its line. */
static char *
remove_record(struct ui *u, size_t i)
{
	char *line = u->records[i].line;

	memmove(u->records + i, u->records + i + 1, (--u->nrecords - i) *
	    sizeof *u->records);
	return line;
}

bool
ui_read_peer(struct ui *u)
{
	struct err e;
	int got = rec_fill(u->peer, &e), took;
	const struct rec *r;

	while (got >= 0 && (took = rec_take(u->peer, &r, &e)) != 0) {
		if (took < 0) {
			err_say("%s", e.text);
		} else if (r->kind != R_CANCEL) {
			GROW(u->records, u->nrecords, u->caprecords);
			u->records[u->nrecords++] = (struct ui_record){ r->kind,
				xmemdup0(r->line.p, r->line.n) };
		} else {
			/* drop messages that were not begun, too */
			for (size_t i = u->nrecords; i-- > 0; )
				if (u->records[i].kind == R_USER)
					free(remove_record(u, i));
			u->interrupted = true;
		}
	}
	u->leaving |= got <= 0;
	return got > 0;
}

char *
ui_take_record(struct ui *u)
{
	return u->nrecords > 0 ? remove_record(u, 0) : NULL;
}

char *
ui_take_kind_of_record(struct ui *u, enum rec_kind kind)
{
	for (size_t i = 0; i < u->nrecords; i++)
		if (u->records[i].kind == kind)
			return remove_record(u, i);
	return NULL;
}

char *
ui_await(struct ui *u, enum rec_kind kind, struct slice id)
{
	struct scan scan = { 0 };
	struct rec r;
	size_t i = 0;

	for (;;) {
		struct pollfd p[2] = { { STDIN_FILENO, POLLIN, 0 },
			{ u->signals, POLLIN, 0 } };

		for (; i < u->nrecords; i++) {
			const struct ui_record *s = &u->records[i];
			bool ours = s->kind == kind && rec_parse(&scan,
			    s->line, strlen(s->line), &r) == 0 &&
			    slice_eq(rec_get(&r, "id"), id);

			scan_release(&scan);
			if (ours)
				return remove_record(u, i);
		}
		if (u->interrupted || u->leaving || ui_is_late(u))
			return NULL;
		ui_flush(u);
		if (poll(p, 2, ui_wait_ms(u, -1)) < 0)
			continue;
		if (p[1].revents != 0)
			return NULL;
		if (p[0].revents != 0)
			ui_read_peer(u);
	}
}
