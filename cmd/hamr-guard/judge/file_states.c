/* file_states.c - the states files were in during this turn. */
#include <stdlib.h>

#include "base/mem.h"
#include "file_states.h"

#define MIX UINT64_C(0x9e3779b97f4a7c15)

static uint64_t
key_of(uint64_t path, uint64_t state)
{
	uint64_t h = (path ^ state * MIX) * MIX;

	return h ^ h >> 29;
}

struct file_state *
files_of(struct file_states *f, uint64_t path)
{
	if (f->file == NULL)
		f->file = xcalloc(PATHS_MAX, sizeof *f->file);
	struct file_state *e = &f->file[(path >> 20) % PATHS_MAX];
	if (e->path != path || e->turn != f->turn + 1)
		*e = (struct file_state){ .path = path, .turn = f->turn + 1 };
	return e;
}

void
files_set_state(struct file_states *f, uint64_t path, uint64_t state)
{
	hash_set_add(&f->states, key_of(path, state));
	files_of(f, path)->state = state;
}

bool
files_enter_state(struct file_states *f, uint64_t path, uint64_t state,
    bool *back)
{
	struct file_state *e = files_of(f, path);

	f->left = key_of(path, e->state);
	f->last = key_of(path, state);
	bool is_new = hash_set_add(&f->states, f->last);
	*back |= !is_new && e->state != state &&
	    !hash_set_add(&f->edits, f->last) &&
	    e->learned == f->learned;
	e->learned = f->learned;
	e->state = state;
	return is_new;
}

static bool
third_time(struct file_states *f, uint64_t key)
{
	return !hash_set_add(&f->tries, key) && !hash_set_add(&f->tries,
	    key + 1);
}

enum minor_edit
files_minor_edit(struct file_states *f, uint64_t path, bool whole,
    const struct code *code)
{
	struct file_state *e = files_of(f, path);
	bool learned = e->tried != f->learned, copied = false;

	e->tried = f->learned;
	if (whole) {
		copied = code->exact != 0 &&
		    third_time(f, key_of(0, code->exact)) && f->ran &&
		    f->learned == f->written;
		f->ran = false;
		f->written = f->learned;
		e->rewrites = e->shown == f->shown + 1 ? e->rewrites + 1 : 0;
		e->shown = f->shown + 1;
	}
	if (code->exact != 0 && third_time(f, key_of(path, code->exact)))
		return ONLY_COMMENTS;
	if (code->shape != 0 && third_time(f, key_of(path, ~code->shape)) &&
	    !learned)
		return ONE_MORE_TRY;
	return copied || (whole && e->rewrites >= 2) ? ONE_MORE_TRY :
	    NOT_MINOR;
}

void
files_clear(struct file_states *f)
{
	f->edited = 0;
	f->last = f->left = 0;
	hash_set_clear(&f->states);
	hash_set_clear(&f->edits);
	hash_set_clear(&f->tries);
	f->learned = f->shown = f->written = 0;
	f->ran = false;
	f->turn++;
}

void
files_release(struct file_states *f)
{
	files_clear(f);
	hash_set_release(&f->states);
	hash_set_release(&f->edits);
	hash_set_release(&f->tries);
	free(f->file);
}
