/* shown.c - which lines of which files the model has in its context. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "shown.h"

static struct shown_file *
place(struct shown *s, uint64_t path, uint64_t state)
{
	struct shown_file *f;

	if (s->file == NULL)
		s->file = xcalloc(SHOWN_FILES, sizeof *s->file);
	f = &s->file[(path >> 20) % SHOWN_FILES];
	if (f->path != path || f->state != state)
		*f = (struct shown_file){ .path = path, .state = state };
	return f;
}

bool
shown_add(struct shown *s, uint64_t path, uint64_t state, int64_t first,
    int64_t last)
{
	struct shown_file *f = place(s, path, state);
	struct span now = { first, last };
	unsigned kept = 0;

	for (unsigned i = 0; i < f->n; i++) {
		struct span *p = &f->span[i];

		if (p->first <= first && last <= p->last)
			return true;
		/* what overlaps or touches becomes one span */
		if (p->last < now.first - 1 || p->first > now.last + 1) {
			f->span[kept++] = *p;
			continue;
		}
		now.first = p->first < now.first ? p->first : now.first;
		now.last = p->last > now.last ? p->last : now.last;
	}
	if (kept == SPANS_MAX)
		memmove(f->span, f->span + 1, --kept * sizeof *f->span);
	f->span[kept++] = now;
	f->n = kept;
	return false;
}

void
shown_clear(struct shown *s)
{
	free(s->file);
	s->file = NULL;
}
