/* runlog_step.c - what a run's log says of steps and records. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "msg.h"
#include "runlog_in.h"

static long long
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

/* One line for the step that is over, if the model has answered in it. */
static void
tell_step(struct runlog *l)
{
	struct buf b = BUF_INIT(1024);

	if (!l->answered)
		return;
	for (int i = 0; i < RUNLOG_SLOTS; i++)
		if (l->name[i] != NULL && l->spent[i] > 0)
			buf_fmt(&b, "%s%s %lld.%lld", b.len > 0 ? ", " : "",
			    l->name[i], l->spent[i] / 1000,
			    l->spent[i] / 100 % 10);
	buf_fmt(&b, " ms; %ld calls", l->calls);
	if (l->in + l->out > 0)
		buf_fmt(&b, "; %lld+%lld tokens", (long long)l->in,
		    (long long)l->out);
	runlog_say(l, "step", "%ld: %s", l->steps, buf_view(&b).p);
	buf_release(&b);
	memset(l->spent, 0, sizeof l->spent);
	l->answered = false;
	l->calls = 0;
	l->in = l->out = 0;
}

void
runlog_asked(struct runlog *l, int slot, const char *name)
{
	if (l == NULL)
		return;
	/* compact is asked first in a step */
	if (strcmp(name, "compact") == 0)
		tell_step(l);
	l->name[slot] = name;
	l->since[slot] = now_us();
}

void
runlog_answered(struct runlog *l, int slot)
{
	if (l != NULL)
		l->spent[slot] += now_us() - l->since[slot];
}

/* ---- records ---- */

/* Which records are told, as whose, and what of them. */
static const struct told {
	enum rec_kind kind;
	const char *who, *keys[6];
} told[] = {
	{ R_VERDICT, "verdict", { "action", "rule", "count", "message" } },
	{ R_COMPACTION, "compact", { "stage", "epoch", "tokens_before",
	    "tokens_after" } },
	{ R_ERROR, "error", { "stage", "code", "retryable", "message" } },
	{ R_RECOVERY, "recovery", { "scenario", "stage", "attempt" } },
	{ R_VERIFICATION, "verify", { "status", "exit", "ms", "command" } },
	{ R_PROGRESS, "progress", { "message", "text" } },
	{ R_LIMIT, "limit", { "context_tokens", "source" } },
	{ R_END, "end", { "status", "reason", "steps", "tool_calls",
	    "sandbox", "ms" } },
};

static void
tell(struct runlog *l, const struct rec *r, const struct told *t)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	for (size_t i = 0; i < 6 && t->keys[i] != NULL; i++) {
		struct slice v = rec_get(r, t->keys[i]);

		if (v.p == NULL)
			continue;
		buf_adds(&b, b.len > 0 ? ", " : "");
		if (!scan_str(v, &b))
			buf_fmt(&b, "%s %.*s", t->keys[i], (int)v.n, v.p);
	}
	runlog_say(l, t->who, "%s", buf_view(&b).p);
	buf_release(&b);
}

static void
tell_result(struct runlog *l, const struct rec *r)
{
	char *name = rec_strdup(r, "name");
	char *error = scan_strdup(msg_meta(r, "error"));
	int64_t ms = 0, code;

	l->calls++;
	scan_int(msg_meta(r, "ms"), &ms);
	if (scan_int(msg_meta(r, "exit"), &code))
		runlog_say(l, "call", "%s, %lld ms, exit %lld", name != NULL ?
		    name : "?", (long long)ms, (long long)code);
	else
		runlog_say(l, "call", "%s, %lld ms%s%s", name != NULL ? name :
		    "?", (long long)ms, error != NULL ? ", " : "", error !=
		    NULL ? error : "");
	free(name);
	free(error);
}

void
runlog_record(struct runlog *l, const struct rec *r)
{
	if (l == NULL)
		return;
	if (r->kind == R_ASSISTANT) {
		l->steps++;
		l->answered = true;
	} else if (r->kind == R_USAGE) {
		rec_int(r, "prompt_tokens", &l->in);
		rec_int(r, "completion_tokens", &l->out);
	} else if (r->kind == R_TOOL) {
		tell_result(l, r);
	} else if (r->kind == R_END) {
		tell_step(l);
		l->steps = 0;
	}
	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		if (told[i].kind == r->kind && !rec_str_is(r, "action",
		    "allow"))
			tell(l, r, &told[i]);
}
