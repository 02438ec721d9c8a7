/* ids.c - the last few calls of a row: what a verdict rests on. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "ids.h"

void
ids_add(struct ids *s, const char *id, size_t line, unsigned step)
{
	size_t n = strlen(id), rest = IDS_MAX - 1;

	if (n > ID_MAX)
		return;
	if (s->n == IDS_MAX) {
		free(s->id[0]);
		memmove(s->id, s->id + 1, rest * sizeof *s->id);
		memmove(s->line, s->line + 1, rest * sizeof *s->line);
		memmove(s->step, s->step + 1, rest * sizeof *s->step);
		s->n--;
	}
	s->id[s->n] = xmemdup0(id, n);
	s->line[s->n] = line;
	s->step[s->n++] = step;
}

void
ids_clear(struct ids *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->id[i]);
	s->n = 0;
}
