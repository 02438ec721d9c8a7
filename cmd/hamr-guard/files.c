/* files.c - the states files were in during this turn. */
#include <stdlib.h>

#include "mem.h"
#include "files.h"

#define MIX UINT64_C(0x9e3779b97f4a7c15)

static uint64_t
key_of(uint64_t path, uint64_t state)
{
	uint64_t h = (path ^ state * MIX) * MIX;

	return h ^ h >> 29;
}

static struct file *
place(struct files *f, uint64_t path)
{
	struct file *e;

	f->used = true;
	if (f->file == NULL)
		f->file = xcalloc(PATHS_MAX, sizeof *f->file);
	e = &f->file[(path >> 20) % PATHS_MAX];
	if (e->path != path || e->turn != f->turn + 1)
		*e = (struct file){ path, 0, f->turn + 1, false };
	return e;
}

static const struct file *
find(const struct files *f, uint64_t path)
{
	const struct file *e;

	if (f->file == NULL)
		return NULL;
	e = &f->file[(path >> 20) % PATHS_MAX];
	return e->path == path && e->turn == f->turn + 1 ? e : NULL;
}

uint64_t
files_state(const struct files *f, uint64_t path)
{
	const struct file *e = find(f, path);

	return e != NULL ? e->state : 0;
}

void
files_created(struct files *f, uint64_t path)
{
	place(f, path)->created = true;
}

bool
files_is_created(const struct files *f, uint64_t path)
{
	const struct file *e = find(f, path);

	return e != NULL && e->created;
}

void
files_base(struct files *f, uint64_t path, uint64_t state)
{
	f->states.max = STATES_MAX;
	hset_add(&f->states, key_of(path, state));
	place(f, path)->state = state;
}

void
files_undone(struct files *f, uint64_t path, uint64_t state)
{
	hset_clear(&f->returned);
	hset_clear(&f->edits);
	files_base(f, path, state);
}

bool
files_reach(struct files *f, uint64_t path, uint64_t state, bool *back)
{
	struct file *e = place(f, path);
	bool fresh;

	f->states.max = STATES_MAX;
	f->returned.max = STATES_MAX;
	fresh = hset_add(&f->states, key_of(path, state));
	*back |= !fresh && e->state != state &&
	    !hset_add(&f->returned, key_of(path, state));
	f->left = key_of(path, e->state);
	e->state = state;
	f->last = key_of(path, state);
	return fresh;
}

static struct made *
made_at(struct files *f, uint64_t state)
{
	return &f->made[(state >> 20) % MADE_MAX];
}

static void
made_by(struct files *f, uint64_t state, const char *id, size_t line,
    unsigned step)
{
	struct made *m = made_at(f, state);

	if (m->state == state)
		return;		/* the first one stays */
	ids_clear(&m->by);
	m->state = state;
	ids_add(&m->by, id, line, step);
}

void
files_made(struct files *f, const char *id, size_t line, unsigned step)
{
	made_by(f, f->left, id, line, step);
	made_by(f, f->last, id, line, step);
}

const struct ids *
files_maker(struct files *f, uint64_t state)
{
	const struct made *m = made_at(f, state);

	return m->state == state ? &m->by : NULL;
}

void
files_clear(struct files *f)
{
	f->edited = 0;
	f->last = f->left = 0;
	if (!f->used)
		return;
	f->used = false;
	hset_clear(&f->states);
	hset_clear(&f->edits);
	hset_clear(&f->returned);
	f->turn++;
	for (size_t i = 0; i < MADE_MAX; i++) {
		ids_clear(&f->made[i].by);
		f->made[i].state = 0;
	}
}

void
files_release(struct files *f)
{
	files_clear(f);
	hset_release(&f->states);
	hset_release(&f->edits);
	hset_release(&f->returned);
	free(f->file);
	*f = (struct files){ .edited = 0 };
}
