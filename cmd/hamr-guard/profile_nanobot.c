/* profile_nanobot.c - nanobot's LoopDetectHook and ReflectRetryHook.
 *
 * It only talks: at the 3rd and the 5th time that one message's calls come
 * again, and with every failure of a call.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "profile.h"
#include "utf8.h"

#define WARN_AT 3
#define STOP_AT 5
#define RETRIES 2		/* failures before other words */

static const char *const keys[] = { "loop_guard.warn_threshold",
	"loop_guard.halt_threshold", "loop_guard.max_retries", NULL };

#define TRIED 80		/* bytes of what was tried */
#define CAME_BACK 160		/* and of what came back */

struct nanobot {
	char batch[SHA_HEX];	/* of the last message's calls */
	unsigned long run;
	bool stopped;		/* said once, and never again */
	struct book failures;	/* text: the call; note: what came back */
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
	unsigned long warn = profile_key(p, keys[0], WARN_AT);
	unsigned long stop = profile_key(p, keys[1], STOP_AT);
	char batch[SHA_HEX];

	sign_batch(c, n, batch);
	s->run = strcmp(batch, s->batch) == 0 ? s->run + 1 : 1;
	memcpy(s->batch, batch, SHA_HEX);
	r.count = s->run;
	if (s->run == warn) {
		r.level = 1;
		r.warn = warn;
		r.word = PW_NANOBOT_WARN;
	} else if (s->run >= stop && !s->stopped) {
		s->stopped = true;
		r.level = 2;
		r.warn = stop;
		r.word = PW_NANOBOT_STOP;
	}
	if (r.word != PW_NONE)
		profile_say(p, &c[n - 1], &r);
}

/* The first line of a text, cut to max bytes. */
static void
put_line(struct buf *b, struct slice text, size_t max)
{
	const char *nl = text.n > 0 ? memchr(text.p, '\n', text.n) : NULL;
	size_t n = nl != NULL ? (size_t)(nl - text.p) : text.n;
	size_t cut = utf8_cut(text.p, n, max);

	buf_add(b, text.p, cut);
	if (cut < text.n)
		buf_adds(b, "...");
}

/* What is tried, for the history of a call that fails. */
static void
call(struct profile *p, struct pcall *c)
{
	struct nanobot *s = profile_self(p);
	struct page *e = book_page(&s->failures, slice_of(c->sorted));
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (e->text != NULL)
		return;
	put_line(&b, slice_of(c->tool), TRIED);
	buf_addc(&b, ' ');
	put_line(&b, c->args, TRIED);
	buf_adds(&b, "");
	e->text = buf_detach(&b);
}

/* A line for each attempt that is known: what was tried, what came back. */
static char *
history(const struct page *e)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	buf_adds(&b, "");
	for (size_t i = 0; i < e->nid; i++)
		buf_fmt(&b, "\n%lu. %s -> %s", e->n - e->nid + i + 1,
		    e->text != NULL ? e->text : "", e->note[i]);
	return buf_detach(&b);
}

/* A failure is told by the result's first word there; is_error says the same
 * of a transcript that has it. */
static void
result(struct profile *p, struct pcall *c, const struct presult *res)
{
	unsigned long retries = profile_key(p, keys[2], RETRIES);
	struct nanobot *s = profile_self(p);
	struct buf back = BUF_INIT(BUF_RECORD_MAX);
	struct page *e;
	struct remark r = { .action = ACT_WARN, .rule = RULE_RETRY,
		.warn = retries + 1 };
	char *told;

	if (!res->failed && !slice_starts(res->text, "Error"))
		return;
	e = book_page(&s->failures, slice_of(c->sorted));
	page_count(e, c->id, c->line);
	put_line(&back, res->text, CAME_BACK);
	buf_adds(&back, "");
	e->note[e->nid - 1] = buf_detach(&back);
	told = history(e);
	r.history = told;
	r.id = e->id;		/* the earlier attempts */
	r.line = e->line;
	r.nid = e->nid - 1;
	r.count = e->n;
	r.level = r.count > retries;
	r.word = r.level ? PW_NANOBOT_OTHER_WAY : PW_NANOBOT_RETRY;
	profile_say(p, c, &r);
	free(told);
}

const struct profile_ops profile_nanobot = { .name = "nanobot",
	.about = "words only, at the 3rd and the 5th in a row",
	.keys = keys, .size = sizeof(struct nanobot), .turn = turn, .message = message, .call = call,
	.result = result };
