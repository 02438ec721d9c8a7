/* open_calls.c - the calls of one message, and what answers them. */
#include <stdlib.h>

#include "mem.h"
#include "open_calls.h"
#include "scan.h"

/* An id as JSON; what is none is an empty string. */
static struct slice
id_of(struct slice val)
{
	return scan_kind(val) == SCAN_STRING ||
	    scan_kind(val) == SCAN_NUMBER ? val : SLICE("\"\"");
}

static bool
is_id(struct slice id)
{
	return *id.p == '"' && id.n > 2;
}

/* False: it is known. */
static bool
note_id(struct open_calls *o, struct slice id)
{
	struct slice plain = scan_plain(id);
	char *text = plain.p == NULL ? scan_strdup(id) : NULL;
	bool fresh;

	if (plain.p == NULL)
		plain = slice_of(text != NULL ? text : "");
	map_put(&o->seen, plain, &fresh);
	free(text);
	return fresh;
}

/* The first of this id in the message?  A message of one call has no map. */
static bool
is_first(struct open_calls *o, struct slice id)
{
	if (o->n == 0)
		return true;
	if (o->seen.n == 0)
		note_id(o, o->v[0].id);
	return note_id(o, id);
}

struct open_call *
open_calls_add(struct open_calls *o, struct slice id, size_t message)
{
	struct open_call *c;
	bool good;

	id = id_of(id);
	good = is_id(id) && is_first(o, id);
	o->v = xgrow(o->v, o->n, &o->cap, sizeof *o->v);
	c = &o->v[o->n];
	*c = (struct open_call){ .id = id };
	pairing_call(&o->pairing, id, o->n++);
	if (!good)
		c->made = xasprintf("\"call_%zu_%zu\"", message, o->n);
	return c;
}

void
open_calls_answer(struct open_calls *o, struct slice id, struct slice result)
{
	size_t i = o->n == 0 ? (size_t)-1 : pairing_result(&o->pairing,
	    id_of(id));

	if (i != (size_t)-1)
		o->v[i].result = result;
}

void
open_calls_reset(struct open_calls *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->v[i].made);
	if (o->n > 0)
		pairing_reset(&o->pairing);
	if (o->n > 1)
		map_release(&o->seen);
	o->n = 0;
}

void
open_calls_release(struct open_calls *o)
{
	open_calls_reset(o);
	free(o->v);
}
