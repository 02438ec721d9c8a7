/* ahead.c - records read and checked by a second thread. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ahead.h"
#include "mem.h"

enum { BATCHES = 3 };		/* one worked on, one ready, one being read */

/* Bytes between what the one thread writes and the other one reads often, as
 * processors exchange whole lines of memory. */
#define LINES 128

#define MADE_MAX ((size_t)4 << 20)	/* of a batch */

struct batch {
	char *buf;		/* the bytes of its records */
	size_t bufcap;
	struct rec *r;
	size_t n, cap;
	struct member *m;	/* of all of them, one behind the other */
	size_t nm, capm;
	struct buf made;	/* the same of what was made of them */
	size_t *ends;		/* where that of each ends */
	size_t capends;
	bool refused, end;	/* behind its records: e; nothing more */
	struct err e;
	char pad[LINES];
};

struct ahead {
	pthread_t thread;
	struct rec_in in;	/* the thread's own */
	struct ahead_work work;
	struct batch b[BATCHES];
	/* shared, by the lock */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t made;		/* batches, ever */
	atomic_size_t used;	/* changed by the lock only */
	/* the reader's own */
	char pad[LINES];
	size_t at;		/* in batch number `used` */
	bool has;		/* that one is ours */
};

/* ---- the thread ---- */

/* Is a batch ready that nobody works on?  Else the reader may wait for this
 * one, and had better do the work itself: so both have as much to do. */
static bool
has_time(struct ahead *a)
{
	return a->made - atomic_load_explicit(&a->used,
	    memory_order_relaxed) > 1;
}

/* What is too much is done without. */
static void
work(struct ahead *a, struct batch *b, const struct rec *r)
{
	const struct ahead_work *w = &a->work;
	size_t was = b->made.len;

	b->ends = xgrow(b->ends, b->n, &b->capends, sizeof *b->ends);
	if (w->make != NULL && has_time(a))
		w->make(w->self, r, &b->made);
	if (b->made.over) {
		b->made.over = false;
		b->made.len = was;
	}
	b->ends[b->n] = b->made.len;
}

static void
add(struct batch *b, const struct rec *r)
{
	b->r = xgrow(b->r, b->n, &b->cap, sizeof *b->r);
	b->r[b->n++] = *r;
	while (b->capm - b->nm < r->n)
		b->m = xgrow(b->m, b->capm, &b->capm, sizeof *b->m);
	if (r->n > 0)
		memcpy(b->m + b->nm, r->m, r->n * sizeof *r->m);
	b->nm += r->n;
}

/* Take what is there.  False: nothing is, read more. */
static bool
take_all(struct ahead *a, struct batch *b)
{
	struct rec_in *in = &a->in;
	const struct rec *r;
	int got;

	while ((got = rec_take(in, &r, &b->e)) > 0) {
		work(a, b, r);
		add(b, r);
	}
	b->refused = got < 0;
	b->end = got == 0 && in->eof;
	return b->n > 0 || b->refused || b->end;
}

static void
make(struct ahead *a, struct batch *b)
{
	struct rec_in *in = &a->in;
	struct member *m;

	b->n = b->nm = b->made.len = 0;
	while (!take_all(a, b))
		if (rec_fill(in, &b->e) < 0) {
			b->refused = b->end = true;
			break;
		}
	m = b->m;
	for (size_t i = 0; i < b->n; i++) {
		b->r[i].m = m;
		m += b->r[i].n;
	}
	rec_in_swap(in, &b->buf, &b->bufcap);
}

static void *
run(void *arg)
{
	struct ahead *a = arg;
	size_t i = 0;
	bool end;

	do {
		struct batch *b = &a->b[i++ % BATCHES];

		make(a, b);
		end = b->end;
		pthread_mutex_lock(&a->lock);
		a->made++;
		pthread_cond_signal(&a->changed);
		while (!end && a->made - a->used == BATCHES)
			pthread_cond_wait(&a->changed, &a->lock);
		pthread_mutex_unlock(&a->lock);
	} while (!end);
	return NULL;
}

/* ---- who reads them ---- */

static bool
has_one_processor(void)
{
	cpu_set_t ours;

	return sched_getaffinity(0, sizeof ours, &ours) == 0 &&
	    CPU_COUNT(&ours) == 1;
}

struct ahead *
ahead_start(struct rec_in *in, const struct ahead_work *w)
{
	struct ahead *a;

	if (has_one_processor())
		return NULL;
	a = xcalloc(1, sizeof *a);
	a->in = *in;
	if (w != NULL)
		a->work = *w;
	for (size_t i = 0; i < BATCHES; i++)
		buf_init(&a->b[i].made, MADE_MAX);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (pthread_create(&a->thread, NULL, run, a) != 0) {
		free(a);
		return NULL;
	}
	rec_in_init(in, in->fd, in->name, in->max);
	return a;
}

static void
next_batch(struct ahead *a)
{
	pthread_mutex_lock(&a->lock);
	if (a->has) {
		a->used++;
		pthread_cond_signal(&a->changed);
	}
	while (a->made == a->used)
		pthread_cond_wait(&a->changed, &a->lock);
	pthread_mutex_unlock(&a->lock);
	a->has = true;
	a->at = 0;
}

int
ahead_next(struct ahead *a, const struct rec **r, struct err *e)
{
	for (;; next_batch(a)) {
		struct batch *b = &a->b[a->used % BATCHES];

		if (!a->has)
			continue;
		if (a->at < b->n) {
			*r = &b->r[a->at++];
			return 1;
		}
		if (b->refused) {
			b->refused = false;
			*e = b->e;
			return -1;
		}
		if (b->end)
			return 0;
	}
}

struct slice
ahead_made(const struct ahead *a)
{
	const struct batch *b = &a->b[a->used % BATCHES];
	size_t from = a->at > 1 ? b->ends[a->at - 2] : 0;
	size_t to = b->ends[a->at - 1];

	if (from == to)
		return (struct slice){ NULL, 0 };
	return (struct slice){ b->made.p + from, to - from };
}

bool
ahead_ready(struct ahead *a)
{
	const struct batch *b = &a->b[a->used % BATCHES];
	bool more;

	if (a->has && (a->at < b->n || b->refused || b->end))
		return true;
	pthread_mutex_lock(&a->lock);
	more = a->made > a->used + a->has;
	pthread_mutex_unlock(&a->lock);
	return more;
}

/* It may wait for input that never comes, or for us. */
void
ahead_stop(struct ahead *a)
{
	pthread_cancel(a->thread);
	pthread_join(a->thread, NULL);
	rec_in_release(&a->in);
	for (size_t i = 0; i < BATCHES; i++) {
		free(a->b[i].buf);
		free(a->b[i].r);
		free(a->b[i].m);
		free(a->b[i].ends);
		buf_release(&a->b[i].made);
	}
	free(a);
}
