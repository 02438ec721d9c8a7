/* profile_hermes.c - the loop guard that Hermes' issue 481 asks for.
 *
 * A window of the last calls; a run of one, two that take turns, three that
 * go round; first a warning, then advice to wait, then a block.
 */
#include "profile.h"
#include "ring.h"
#include "text_hash.h"

#define WINDOW 10
#define REPEATS 3
#define LAPS 2			/* A-B-A-B, A-B-C-A-B-C */
#define WARNINGS 2		/* before a block */
#define WAIT 5			/* seconds; the first of OpenFang's row */

static const char *const keys[] = { "loop_guard.warn_threshold",
	"loop_guard.max_warnings_before_block", "loop_guard.exempt_tools",
	"loop_guard.window_size", NULL };

struct hermes {
	struct ring ring;
	unsigned long run;	/* the same call in a row */
	unsigned long told;	/* while the pattern lasts */
};

static void
turn(struct profile *p)
{
	struct hermes *s = profile_self(p);

	ring_clear(&s->ring);
	s->run = s->told = 0;
}

static void
push(struct profile *p, const struct pcall *c)
{
	struct hermes *s = profile_self(p);
	struct ring *r = &s->ring;
	uint64_t h = text_hash(c->sorted, SHA_HEX, 0);

	s->run = r->n > 0 && r->call[r->n - 1] == h ? s->run + 1 : 1;
	ring_push(r, h, c->id, c->line, profile_key(p,
	    "loop_guard.window_size", WINDOW));
}

/* Do the last calls repeat with period k, no two of it the same? */
static bool
goes_round(const struct ring *r, size_t k)
{
	const uint64_t *end = r->call + r->n;

	if (r->n < k * LAPS)
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
period_of(const struct hermes *s, unsigned long repeats)
{
	if (s->run >= repeats)
		return 1;
	for (size_t k = 2; k <= 3; k++)
		if (goes_round(&s->ring, k))
			return k;
	return 0;
}

static void
call(struct profile *p, struct pcall *c)
{
	unsigned long repeats = profile_key(p, keys[0], REPEATS);
	unsigned long warnings = profile_key(p, keys[1], WARNINGS);
	struct hermes *s = profile_self(p);
	const struct ring *ring = &s->ring;
	struct remark r = { .action = ACT_WARN, .level = 1, .wait = WAIT };

	if (profile_is_exempt(p, c->tool, "process"))
		return;
	push(p, c);
	r.period = period_of(s, repeats);
	if (r.period == 0) {
		s->told = 0;
		return;
	}
	r.rule = r.period == 1 ? RULE_REPEAT : RULE_CYCLE;
	r.laps = r.period == 1 ? s->run : LAPS;
	r.warn = r.period == 1 ? repeats : LAPS;
	r.count = r.laps;
	r.nid = r.period == 1 ? s->run - 1 : r.period * LAPS - 1;
	if (r.nid > ring->n - 1)
		r.nid = ring->n - 1;
	r.id = ring->id + ring->n - 1 - r.nid;
	r.line = ring->line + ring->n - 1 - r.nid;
	if (s->told >= warnings) {
		r.action = ACT_BLOCK;
		r.block = r.warn + warnings;
		r.word = PW_HERMES_BLOCK;
	} else {
		r.word = s->told++ == 0 ? PW_HERMES_WARN : PW_HERMES_WAIT;
		r.level = s->told;
	}
	profile_say(p, c, &r);
}

const struct profile_ops profile_hermes = { .name = "hermes",
	.about = "a window of 10: runs of 3, A-B-A-B, A-B-C-A-B-C",
	.keys = keys, .size = sizeof(struct hermes), .turn = turn, .call = call };
