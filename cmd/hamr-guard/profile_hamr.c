/* profile_hamr.c - the original Hamr's limits.
 *
 * Reads of one path and range, commands since the last edit, reads of a turn,
 * steps without a change.
 */
#include <string.h>

#include "profile.h"

#define READ_HALT 5		/* the same path and range */
#define READ_WARN 3
#define BASH_HALT 4
#define READS_WARN 32
#define READS_MAX 64
#define STEPS 8			/* without a change: levels 1, 2, 3 */
#define LEVELS 3

struct hamr {
	struct book reads, commands;
	unsigned long nreads;
	unsigned long steps;
	bool changed;		/* in this step */
};

static void
turn(struct profile *p)
{
	struct hamr *s = profile_self(p);

	book_clear(&s->reads);
	book_clear(&s->commands);
	*s = (struct hamr){ .nreads = 0 };
}

static void
call_bash(struct profile *p, struct pcall *c)
{
	struct hamr *s = profile_self(p);
	struct page *e = book_page(&s->commands, slice_of(c->sig));

	if (e->n + 1 >= BASH_HALT) {
		profile_say(p, c, &(struct remark){ .action = ACT_HALT,
		    .rule = RULE_REPEAT, .count = e->n + 1,
		    .halt = BASH_HALT, .page = e,
		    .word = PW_HAMR_BASH_HALT });
		return;
	}
	page_count(e, c->id, c->line);
}

static void
warn_reads(struct profile *p, struct pcall *c, const struct page *e)
{
	struct hamr *s = profile_self(p);

	if (e->n + 1 >= 2)
		profile_say(p, c, &(struct remark){ .action = ACT_WARN,
		    .rule = RULE_REPEAT, .count = e->n + 1, .page = e,
		    .level = e->n + 1 >= READ_WARN, .warn = READ_WARN,
		    .halt = READ_HALT, .word = e->n + 1 >= READ_WARN ?
		    PW_HAMR_READ : PW_HAMR_CACHED });
	if (++s->nreads == READS_WARN)
		profile_say(p, c, &(struct remark){ .action = ACT_WARN,
		    .rule = RULE_READS, .count = s->nreads, .level = 1,
		    .warn = READS_WARN, .block = READS_MAX + 1,
		    .word = PW_HAMR_READS });
}

static void
call_read(struct profile *p, struct pcall *c)
{
	struct hamr *s = profile_self(p);
	struct page *e = book_page(&s->reads, slice_of(c->sig));

	if (e->n + 1 >= READ_HALT) {
		profile_say(p, c, &(struct remark){ .action = ACT_HALT,
		    .rule = RULE_REPEAT, .count = e->n + 1,
		    .halt = READ_HALT, .page = e,
		    .word = PW_HAMR_READ_HALT });
		return;
	}
	if (s->nreads >= READS_MAX) {
		profile_say(p, c, &(struct remark){ .action = ACT_BLOCK,
		    .rule = RULE_READS, .count = s->nreads + 1,
		    .block = READS_MAX, .word = PW_HAMR_READS_BLOCK });
		return;
	}
	warn_reads(p, c, e);
	page_count(e, c->id, c->line);
}

static void
call(struct profile *p, struct pcall *c)
{
	if (c->about.bash)
		call_bash(p, c);
	else if (strcmp(c->tool, "read") == 0)
		call_read(p, c);
}

static void
result(struct profile *p, struct pcall *c, const struct presult *res)
{
	struct hamr *s = profile_self(p);

	if (!c->about.edits || res->failed)
		return;
	book_clear(&s->commands);
	s->changed = true;
}

static void
step(struct profile *p, struct pcall *last)
{
	struct hamr *s = profile_self(p);
	unsigned long level;

	s->steps = s->changed ? 0 : s->steps + 1;
	s->changed = false;
	if (s->steps < STEPS || !profile_is_patch(p))
		return;
	level = s->steps - STEPS + 1;
	if (level > LEVELS)
		level = LEVELS;
	profile_say(p, last, &(struct remark){ .action = ACT_WARN,
	    .rule = RULE_NO_MUTATION, .count = s->steps, .level = level,
	    .warn = STEPS, .word = PW_HAMR_STEPS_1 + (enum pword)level - 1 });
}

const struct profile_ops profile_hamr = { .name = "hamr",
	.about = "5 equal reads, 4 equal commands, 64 reads, 10 steps",
	.size = sizeof(struct hamr), .turn = turn, .call = call,
	.result = result, .step = step };
