/* profile_openfang.c - OpenFang's LoopGuard, with its outcome half wired.
 *
 * Totals of name and arguments in a turn; a ring of the last calls for
 * ping-pong; a breaker over all calls.  Numbers are its defaults
 * (loop_guard.rs).
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mem.h"
#include "profile.h"
#include "ring.h"
#include "text_hash.h"
#include "utf8.h"

#define WARN 3
#define BLOCK 5
#define WARNINGS 3		/* of one call; the next one blocks */
#define POLL_TIMES 3
#define SAME_WARN 2
#define SAME_BLOCK 3
#define BREAKER 30
#define RING 30
#define LAPS 3
#define COMMAND_MAX 50		/* longer commands are no polling */
#define RESULT_MAX 1000		/* bytes of a result that are compared */

static const char *const keys[] = { "loop_guard.warn_threshold",
	"loop_guard.block_threshold", "loop_guard.poll_multiplier",
	"loop_guard.global_circuit_breaker",
	"loop_guard.outcome_warn_threshold",
	"loop_guard.outcome_block_threshold",
	"loop_guard.ping_pong_min_repeats", "loop_guard.window_size", NULL };

struct openfang {
	unsigned long total;
	struct book calls, outcomes;
	struct ring ring;
};

static const unsigned long waits[] = { 5, 10, 30, 60 };

static void
turn(struct profile *p)
{
	struct openfang *s = profile_self(p);

	book_clear(&s->calls);
	book_clear(&s->outcomes);
	ring_clear(&s->ring);
	s->total = 0;
}

static bool
has_word(const char *text, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strcasestr(text, *words) != NULL)
			return true;
	return false;
}

/* A short shell command that looks at something, or any call that speaks of
 * status, poll or wait: substrings, as there. */
static bool
is_poll(const struct pcall *c)
{
	static const char *const any[] = { "status", "poll", "wait", NULL };
	static const char *const shell[] = { "status", "poll", "wait",
		"watch", "tail", "ps ", "jobs", "pgrep", "docker ps",
		"kubectl get", NULL };
	char *command = NULL, *args = xmemdup0(c->args.p, c->args.n);
	bool yes = has_word(args, any);

	if (strcmp(c->tool, "bash") == 0 || strcmp(c->tool, "shell_exec") == 0)
		command = scan_strdup(scan_get(c->given, "command"));
	if (command != NULL && strlen(command) < COMMAND_MAX)
		yes |= has_word(command, shell);
	free(command);
	free(args);
	return yes;
}

/* The last laps of a pattern of 2 or 3 that are not all the same: its
 * period, or 0. */
static size_t
ping_pong(const struct ring *s, unsigned long least, unsigned long *laps)
{
	for (size_t k = 2; k <= 3; k++) {
		const uint64_t *end = s->call + s->n;
		size_t same = 0, differ = 0;

		while (same + k < s->n && end[-1 - same] == end[-1 - same - k])
			same++;
		for (size_t i = 1; i < k && s->n >= k; i++)
			differ += end[-1 - i] != end[-1];
		*laps = (same + k) / k;
		if (differ > 0 && *laps >= least)
			return k;
	}
	return 0;
}

static bool
judge_pattern(struct profile *p, struct pcall *c)
{
	const struct openfang *self = profile_self(p);
	const struct ring *s = &self->ring;
	unsigned long least = profile_key(p,
	    "loop_guard.ping_pong_min_repeats", LAPS);
	struct remark r = { .action = ACT_BLOCK, .rule = RULE_CYCLE,
		.block = least, .word = PW_OPENFANG_PING_PONG };

	r.period = ping_pong(s, least, &r.laps);
	if (r.period == 0)
		return false;
	r.count = r.laps;
	r.nid = r.period * least - 1;
	r.id = s->id + s->n - 1 - r.nid;
	r.line = s->line + s->n - 1 - r.nid;
	profile_say(p, c, &r);
	return true;
}

static void
judge_count(struct profile *p, struct pcall *c, struct page *e)
{
	unsigned long times = is_poll(c) ? profile_key(p,
	    "loop_guard.poll_multiplier", POLL_TIMES) : 1;
	struct remark r = { .rule = RULE_REPEAT, .count = e->n + 1,
		.warn = times * profile_key(p, "loop_guard.warn_threshold",
		WARN), .block = times * profile_key(p,
		"loop_guard.block_threshold", BLOCK), .page = e,
		.poll = times > 1, .level = 1 };
	size_t last = sizeof waits / sizeof waits[0] - 1;

	/* a row of waits that begins with the second check */
	if (e->n > 0)
		r.wait = waits[e->n - 1 < last ? e->n - 1 : last];
	if (r.count >= r.block) {
		r.action = ACT_BLOCK;
		r.word = PW_OPENFANG_BLOCK;
	} else if (r.count >= r.warn && ++e->told > WARNINGS) {
		r.action = ACT_BLOCK;
		r.word = PW_OPENFANG_EXHAUSTED;
	} else if (r.count >= r.warn) {
		r.action = ACT_WARN;
		r.word = r.poll ? PW_OPENFANG_POLL : PW_OPENFANG_WARN;
	} else if (judge_pattern(p, c)) {
		return;
	}
	if (r.action != ACT_NONE)
		profile_say(p, c, &r);
}

static unsigned long
same_block(const struct profile *p)
{
	return profile_key(p, "loop_guard.outcome_block_threshold",
	    SAME_BLOCK);
}

static void
call(struct profile *p, struct pcall *c)
{
	struct openfang *s = profile_self(p);
	unsigned long breaker = profile_key(p,
	    "loop_guard.global_circuit_breaker", BREAKER);
	struct page *e;

	if (++s->total > breaker) {
		profile_say(p, c, &(struct remark){ .action = ACT_HALT,
		    .rule = RULE_CALLS, .count = s->total, .halt = breaker,
		    .word = PW_OPENFANG_BREAKER });
		return;
	}
	ring_push(&s->ring, text_hash(c->sorted, SHA_HEX, 0), c->id, c->line,
	    profile_key(p, "loop_guard.window_size", RING));
	e = book_page(&s->calls, slice_of(c->sorted));
	if (e->stop) {
		profile_say(p, c, &(struct remark){ .action = ACT_BLOCK,
		    .rule = RULE_REPEAT, .count = e->n + 1, .page = e,
		    .block = same_block(p),
		    .word = PW_OPENFANG_SAME_BLOCK });
		return;
	}
	judge_count(p, c, e);
	page_count(e, c->id, c->line);
}

/* The same call with the same result, wherever it was. */
static void
result(struct profile *p, struct pcall *c, const struct presult *res)
{
	struct openfang *s = profile_self(p);
	size_t n = utf8_cut(res->text.p, res->text.n, RESULT_MAX);
	uint64_t h = text_hash(res->text.p, n, 0);
	unsigned long warn = profile_key(p,
	    "loop_guard.outcome_warn_threshold", SAME_WARN);
	char key[SHA_HEX + sizeof h];
	struct page *e;

	memcpy(key, c->sorted, SHA_HEX);
	memcpy(key + SHA_HEX, &h, sizeof h);
	e = book_page(&s->outcomes, (struct slice){ key, sizeof key });
	/* one warning a call: the count's own has been said */
	if (e->n + 1 >= warn && c->nremarks == 0)
		profile_say(p, c, &(struct remark){ .action = ACT_WARN,
		    .rule = RULE_REPEAT, .count = e->n + 1, .level = 1,
		    .warn = warn, .block = same_block(p) + 1, .page = e,
		    .word = PW_OPENFANG_SAME });
	page_count(e, c->id, c->line);
	if (e->n >= same_block(p))
		book_page(&s->calls, slice_of(c->sorted))->stop = true;
}

const struct profile_ops profile_openfang = { .name = "openfang",
	.about = "totals of name and arguments: 3, 5; breaker at 30",
	.keys = keys, .size = sizeof(struct openfang), .turn = turn, .call = call,
	.result = result };
