/* profile_nanobot.c - nanobot's LoopDetectHook and ReflectRetryHook.
 *
 * It only talks: at the 3rd and the 5th time that one message's calls come
 * again, and with every failure of a call.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "profile.h"

#define WARN_AT 3
#define STOP_AT 5
#define RETRIES 2		/* failures before other words */

struct nanobot {
	char batch[SHA_HEX];	/* of the last message's calls */
	unsigned long run;
	bool stopped;		/* said once, and never again */
	struct book failures;
};

static void
turn(struct profile *p)
{
	struct nanobot *s = profile_self(p);

	book_clear(&s->failures);
	*s = (struct nanobot){ .run = 0 };
}

struct one {
	const char *tool, *sorted;
	size_t at;
};

/* Calls by name, those of one name in their order. */
static int
by_tool(const void *a, const void *b)
{
	const struct one *x = a, *y = b;
	int d = strcmp(x->tool, y->tool);

	return d != 0 ? d : (x->at > y->at) - (x->at < y->at);
}

static void
sign_batch(const struct pcall *c, size_t n, char out[SHA_HEX])
{
	struct one *all = xcalloc(n, sizeof *all);
	struct sha *sha = sha_new();

	for (size_t i = 0; i < n; i++)
		all[i] = (struct one){ c[i].tool, c[i].sorted, i };
	qsort(all, n, sizeof *all, by_tool);
	for (size_t i = 0; i < n; i++)
		sha_add(sha, all[i].sorted, SHA_HEX);
	sha_hex(sha, out);
	sha_free(sha);
	free(all);
}

static void
message(struct profile *p, struct pcall *c, size_t n)
{
	struct nanobot *s = profile_self(p);
	struct remark r = { .action = ACT_WARN, .rule = RULE_REPEAT };
	char batch[SHA_HEX];

	sign_batch(c, n, batch);
	s->run = strcmp(batch, s->batch) == 0 ? s->run + 1 : 1;
	memcpy(s->batch, batch, SHA_HEX);
	r.count = s->run;
	if (s->run == WARN_AT) {
		r.level = 1;
		r.warn = WARN_AT;
		r.word = PW_NANOBOT_WARN;
	} else if (s->run >= STOP_AT && !s->stopped) {
		s->stopped = true;
		r.level = 2;
		r.warn = STOP_AT;
		r.word = PW_NANOBOT_STOP;
	}
	if (r.word != PW_NONE)
		profile_say(p, &c[n - 1], &r);
}

/* A failure is told by the result's first word there; is_error says the same
 * of a transcript that has it. */
static void
result(struct profile *p, struct pcall *c, const struct presult *res)
{
	struct nanobot *s = profile_self(p);
	struct page *e;
	struct remark r = { .action = ACT_WARN, .rule = RULE_RETRY,
		.warn = RETRIES + 1 };

	if (!res->failed && !slice_starts(res->text, "Error"))
		return;
	e = book_page(&s->failures, slice_of(c->sorted));
	r.page = e;
	r.count = e->n + 1;
	r.level = r.count > RETRIES;
	r.word = r.level ? PW_NANOBOT_OTHER_WAY : PW_NANOBOT_RETRY;
	profile_say(p, c, &r);
	page_count(e, c->id, c->line);
}

const struct profile_ops profile_nanobot = { .name = "nanobot",
	.about = "words only, at the 3rd and the 5th in a row",
	.size = sizeof(struct nanobot), .turn = turn, .message = message,
	.result = result };
