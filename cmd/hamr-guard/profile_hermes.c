/* profile_hermes.c - the loop guard that Hermes' issue 481 asks for.
 *
 * A window of the last calls; a run of one, two that take turns, three that
 * go round; first a warning, then advice to wait, then a block.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "profile.h"
#include "text_hash.h"

#define WINDOW 10
#define REPEATS 3
#define LAPS 2			/* A-B-A-B, A-B-C-A-B-C */
#define WARNINGS 2		/* before a block */
#define WAIT 5			/* seconds; the first of OpenFang's row */

static const char *const exempt[] = { "process", NULL };

struct hermes {
	uint64_t ring[WINDOW];	/* newest last */
	char *id[WINDOW];
	size_t line[WINDOW], n;
	unsigned long run;	/* the same call in a row */
	unsigned long told;	/* while the pattern lasts */
};

static void
turn(struct profile *p)
{
	struct hermes *s = profile_self(p);

	for (size_t i = 0; i < s->n; i++)
		free(s->id[i]);
	*s = (struct hermes){ .n = 0 };
}

static void
ring_push(struct hermes *s, const struct pcall *c)
{
	uint64_t h = text_hash(c->sorted, SHA_HEX, 0);

	s->run = s->n > 0 && s->ring[s->n - 1] == h ? s->run + 1 : 1;
	if (s->n == WINDOW) {
		free(s->id[0]);
		memmove(s->ring, s->ring + 1, (WINDOW - 1) * sizeof *s->ring);
		memmove(s->id, s->id + 1, (WINDOW - 1) * sizeof *s->id);
		memmove(s->line, s->line + 1,
		    (WINDOW - 1) * sizeof *s->line);
		s->n--;
	}
	s->ring[s->n] = h;
	s->line[s->n] = c->line;
	s->id[s->n++] = xstrdup(c->id);
}

/* Do the last calls repeat with period k, no two of it the same? */
static bool
goes_round(const struct hermes *s, size_t k)
{
	const uint64_t *end = s->ring + s->n;

	if (s->n < k * LAPS)
		return false;
	for (size_t i = 1; i <= k * (LAPS - 1); i++)
		if (end[-(ptrdiff_t)i] != end[-(ptrdiff_t)(i + k)])
			return false;
	for (size_t i = 1; i <= k; i++)
		for (size_t j = i + 1; j <= k; j++)
			if (end[-(ptrdiff_t)i] == end[-(ptrdiff_t)j])
				return false;
	return true;
}

static size_t
period_of(const struct hermes *s)
{
	if (s->run >= REPEATS)
		return 1;
	for (size_t k = 2; k <= 3; k++)
		if (goes_round(s, k))
			return k;
	return 0;
}

static void
call(struct profile *p, struct pcall *c)
{
	struct hermes *s = profile_self(p);
	struct remark r = { .action = ACT_WARN, .level = 1, .wait = WAIT };

	for (size_t i = 0; exempt[i] != NULL; i++)
		if (strcmp(c->tool, exempt[i]) == 0)
			return;
	ring_push(s, c);
	r.period = period_of(s);
	if (r.period == 0) {
		s->told = 0;
		return;
	}
	r.rule = r.period == 1 ? RULE_REPEAT : RULE_CYCLE;
	r.laps = r.period == 1 ? s->run : LAPS;
	r.warn = r.period == 1 ? REPEATS : LAPS;
	r.count = r.laps;
	r.nid = r.period == 1 ? s->run - 1 : r.period * LAPS - 1;
	if (r.nid > s->n - 1)
		r.nid = s->n - 1;
	r.id = s->id + s->n - 1 - r.nid;
	r.line = s->line + s->n - 1 - r.nid;
	if (s->told == WARNINGS) {
		r.action = ACT_BLOCK;
		r.block = r.warn + WARNINGS;
		r.word = PW_HERMES_BLOCK;
		r.count = r.period == 1 ? s->run : r.laps;
	} else {
		r.word = s->told++ == 0 ? PW_HERMES_WARN : PW_HERMES_WAIT;
		r.level = s->told;
	}
	profile_say(p, c, &r);
}

const struct profile_ops profile_hermes = { .name = "hermes",
	.about = "a window of 10: runs of 3, A-B-A-B, A-B-C-A-B-C",
	.size = sizeof(struct hermes), .turn = turn, .call = call };
