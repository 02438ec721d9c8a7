/* ring.c - the last calls in order, for profiles that look for patterns. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "ring.h"

static void
make_room(struct ring *r)
{
	size_t cap = r->cap, same;

	same = cap;
	r->call = xgrow(r->call, r->n, &same, sizeof *r->call);
	same = cap;
	r->id = xgrow(r->id, r->n, &same, sizeof *r->id);
	r->line = xgrow(r->line, r->n, &cap, sizeof *r->line);
	r->cap = cap;
}

void
ring_push(struct ring *r, uint64_t call, const char *id, size_t line,
    size_t max)
{
	make_room(r);
	r->call[r->n] = call;
	r->line[r->n] = line;
	r->id[r->n++] = xstrdup(id);
	if (r->n <= max)
		return;
	free(r->id[0]);
	r->n--;
	memmove(r->call, r->call + 1, r->n * sizeof *r->call);
	memmove(r->id, r->id + 1, r->n * sizeof *r->id);
	memmove(r->line, r->line + 1, r->n * sizeof *r->line);
}

void
ring_clear(struct ring *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->id[i]);
	free(r->id);
	free(r->call);
	free(r->line);
	*r = (struct ring){ .n = 0 };
}
