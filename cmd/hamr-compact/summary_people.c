/* summary_people.c - what people wrote, in a summary.
 *
 * Every message stays, the older and longer ones with their beginning only
 * when room is short; short ones first, as they are said in full for little.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "utf8.h"

#include "summary_in.h"

#define FIRST_LINE 2060		/* the first message where it is cut */
#define FIRST_LEAST 360
#define LEFT_OUT 60		/* a line that says so, and the title */
#define RECENT 2		/* besides the newest: they bind most */
#define FRAME 10		/* "123. " and LF */
#define MORE 24			/* " ... [123 bytes more]" */

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Bytes of message i that are shown when it may have `most`: what is left is
 * not worth its mark. */
static size_t
shown(const struct user *u, size_t most)
{
	return u->more == 0 && u->len <= most + MORE ? u->len :
	    smaller(u->len, most);
}

static size_t
line_of(const struct user *u, size_t most)
{
	size_t n = shown(u, most);

	return n + FRAME + (n < u->len || u->more > 0 ? MORE : 0);
}

static void
put_user(struct section *sec, const struct summary *s, size_t i, size_t most)
{
	const struct user *u = &s->users[i];
	size_t n = utf8_cut(u->text, u->len, shown(u, most));

	buf_fmt(&sec->line, "%zu. ", i + 1);
	buf_add(&sec->line, u->text, n);
	if (u->len - n + u->more > 0)
		buf_fmt(&sec->line, " ... [%zu bytes more]",
		    u->len - n + u->more);
	section_put(sec);
}

/* One that stays whole takes no room from the others. */
static void
put_whole(struct section *sec, const struct summary *s, size_t i)
{
	const struct user *u = &s->users[i];
	size_t before = sec->room;

	sec->room = SIZE_MAX;
	put_user(sec, s, i, u->len);
	sec->room = before;
}

/* ---- those between the first and the newest ---- */

/* From message `from` on, each may have most[i - from] bytes. */
struct share {
	size_t from, last;	/* last: behind them */
	size_t *most;
	size_t room;		/* that is left */
};

/* The newest for which there is room when each has so many bytes; all of them
 * if they fit. */
static size_t
fitting(const struct summary *s, struct share *sh, size_t most)
{
	size_t i = sh->last, room = sh->room;

	for (; i > 1; i--) {
		size_t n = line_of(&s->users[i - 1], most);

		if (n > room)
			break;
		room -= n;
	}
	sh->from = i;
	return room;
}

/* Beginnings: as long as all can have them. */
static void
share_beginnings(const struct summary *s, struct share *sh)
{
	static const size_t least[] = { 80, 48, 24 };
	size_t k, room = 0;

	for (k = 0; k < 3; k++) {
		room = fitting(s, sh, least[k]);
		if (sh->from <= 1)
			break;
	}
	sh->room = room;
	sh->most = xcalloc(sh->last - sh->from + 1, sizeof *sh->most);
	for (size_t i = sh->from; i < sh->last; i++)
		sh->most[i - sh->from] = least[k < 3 ? k : 2];
}

/* The newest first: those that are at most so long get all they may, as long
 * as there is room. */
static void
give(const struct summary *s, struct share *sh, size_t first, size_t longest)
{
	for (size_t i = sh->last; i > first; i--) {
		const struct user *u = &s->users[i - 1];
		size_t *most = &sh->most[i - 1 - sh->from], more;

		if (u->len + u->more > longest || *most == USER_KEPT)
			continue;
		more = line_of(u, USER_KEPT) - line_of(u, *most);
		if (more > sh->room)
			continue;
		sh->room -= more;
		*most = USER_KEPT;
	}
}

/* What is left: to the last ones, then to those that are then complete, the
 * short ones first, in the end to long ones. */
static void
share_rest(const struct summary *s, struct share *sh)
{
	static const size_t longest[] = { 120, 180, 300, USER_KEPT };

	give(s, sh, sh->last > sh->from + RECENT ? sh->last - RECENT :
	    sh->from, SIZE_MAX);
	for (size_t k = 0; k < sizeof longest / sizeof *longest; k++)
		give(s, sh, sh->from, longest[k]);
	give(s, sh, sh->from, SIZE_MAX);
}

/* ---- all of them ---- */

/* The newest is there whatever else is: what it takes of the room. */
static size_t
newest_line(const struct summary *s, struct people_whole whole)
{
	return s->nusers > 1 && !whole.newest ?
	    line_of(&s->users[s->nusers - 1], USER_KEPT) : 0;
}

size_t
people_least(const struct summary *s, struct people_whole whole)
{
	size_t first = s->nusers == 0 || whole.first ? 0 :
	    smaller(s->users[0].len + FRAME + MORE, s->nusers == 1 ?
	    USER_KEPT + FRAME + MORE : FIRST_LEAST);

	return s->nusers == 0 ? 0 : newest_line(s, whole) + first + LEFT_OUT;
}

/* What the first message may take of so much room: half, if there are others.
 */
static size_t
first_share(const struct summary *s, const struct section *sec, size_t left)
{
	size_t most = s->nusers == 1 ? sec->room : sec->room / 2;
	size_t first = smaller(smaller(most, FIRST_LINE), left);

	return first - smaller(first, FRAME + MORE);
}

void
people_print(const struct summary *s, struct people_whole whole,
    struct section *sec)
{
	size_t newest = newest_line(s, whole), left, first;
	struct share sh = { .last = s->nusers > 1 ? s->nusers - 1 : 1 };

	if (s->nusers == 0)
		return;
	left = sec->room > newest + LEFT_OUT ? sec->room - newest - LEFT_OUT :
	    0;
	first = first_share(s, sec, left);
	sh.room = left - (whole.first ? 0 :
	    smaller(line_of(&s->users[0], first), left));
	share_beginnings(s, &sh);
	share_rest(s, &sh);
	if (whole.first)
		put_whole(sec, s, 0);
	else
		put_user(sec, s, 0, first);
	if (sh.from > 1) {
		buf_fmt(&sec->line, "(%zu messages left out)", sh.from - 1);
		section_put(sec);
	}
	for (size_t i = sh.from; i < sh.last; i++)
		put_user(sec, s, i, sh.most[i - sh.from]);
	if (s->nusers > 1 && whole.newest)
		put_whole(sec, s, sh.last);
	else if (s->nusers > 1)
		put_user(sec, s, sh.last, USER_KEPT);
	free(sh.most);
}
