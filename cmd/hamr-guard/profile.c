/* profile.c - how other systems judge: what their rooms have in common. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "say.h"
#include "sorted.h"
#include "profile_in.h"

#define POOL_MAX 1024		/* calls without results that are remembered
				 * beyond their step */

void *
profile_self(const struct profile *p)
{
	return p->self;
}

unsigned long
profile_key(const struct profile *p, const char *key, unsigned long theirs)
{
	const struct conf *c = p->env.policy->conf;

	return conf_is_set(c, key) ? (unsigned long)conf_int(c, key) : theirs;
}

bool
profile_is_exempt(const struct profile *p, const char *tool,
    const char *theirs)
{
	const struct policy *own = p->env.policy;

	if (!conf_is_set(own->conf, "loop_guard.exempt_tools"))
		return strcmp(tool, theirs) == 0;
	for (size_t i = 0; i < own->nexempt; i++)
		if (strcmp(tool, own->exempt[i]) == 0)
			return true;
	return false;
}

bool
profile_is_patch(const struct profile *p)
{
	return p->patch;
}

void
profile_text_only(struct profile *p, enum rule rule)
{
	p->text_only = true;
	p->text_rule = rule;
}

/* ---- calls ---- */

static char *
json_text(struct slice v)
{
	return v.p != NULL ? xmemdup0(v.p, v.n) : xstrdup("\"\"");
}

/* name|arguments with sorted keys; those that do not parse as they are. */
static void
sort_args(struct profile *p, struct pcall *c, struct slice given)
{
	struct slice text;

	p->args.max = p->sorted.max = BUF_RECORD_MAX;
	buf_reset(&p->args);
	buf_reset(&p->sorted);
	if (!scan_str(given, &p->args) && given.p != NULL)
		buf_slice(&p->args, given);
	buf_adds(&p->args, "");
	buf_adds(&p->sorted, "");
	text = buf_view(&p->args);
	c->given = (struct slice){ NULL, 0 };
	if (scan_value(&p->scan, text.p, text.n) == 0) {
		while (text.n > 0 && strchr(" \t\r\n", *text.p) != NULL)
			text = (struct slice){ text.p + 1, text.n - 1 };
		sorted_json(text, &p->sorted);
		c->given = text;
		c->background = scan_true(scan_get(text,
		    "run_in_background")) ||
		    scan_true(scan_get(text, "background"));
	} else {
		buf_slice(&p->sorted, text);
	}
	c->args = buf_view(&p->sorted);
	sha_add(p->sha, c->tool, strlen(c->tool));
	sha_add(p->sha, "|", 1);
	sha_add(p->sha, c->args.p, c->args.n);
	sha_hex(p->sha, c->sorted);
}

static void
take_in(struct profile *p, const struct call *given)
{
	struct pcall *c;
	struct slice tool;
	char *name;

	p->call = xgrow(p->call, p->ncall, &p->capcall, sizeof *p->call);
	c = &p->call[p->ncall];
	*c = (struct pcall){ .id = json_text(given->id), .turn = p->turn,
		.name = json_text(given->name), .line = p->line };
	name = scan_strdup(slice_of(c->name));
	tool = policy_tool(p->env.policy, slice_of(name != NULL ? name : ""));
	c->tool = xmemdup0(tool.p, tool.n);
	free(name);
	sign_step(&p->sign);
	sign_call(&p->sign, slice_of(c->tool), given->given, &c->about);
	sign_hex(&p->sign, &c->about, c->sig);
	sort_args(p, c, given->given);
	pairing_call(&p->pairing, given->id, p->ncall++);
	p->left++;
}

static void
judge(struct profile *p, struct pcall *c, struct slice given)
{
	if (p->halt != NULL) {
		profile_say_halted(p, c);
		return;
	}
	if (p->ops->call != NULL) {
		if (p->ncall - p->first > 1)	/* the buffers are another's */
			sort_args(p, c, given);
		p->ops->call(p, c);
	}
	if (!c->refused && p->env.allow)
		profile_say_allow(p, c);
}

static void
message(struct profile *p, struct slice calls)
{
	struct call given;
	struct walk w;
	size_t i;

	walk_in(&w, calls);
	while (msg_next_call(&w, &given))
		take_in(p, &given);
	if (p->ops->message != NULL && p->halt == NULL && p->left > 0)
		p->ops->message(p, &p->call[p->first], p->ncall - p->first);
	walk_in(&w, calls);
	for (i = p->first; i < p->ncall && msg_next_call(&w, &given); i++)
		judge(p, &p->call[i], given.given);
}

/* ---- results ---- */

static bool
is_refusal(const struct pcall *c, const struct rec *r)
{
	struct slice said = msg_meta(r, "verdict");

	return c->refused || msg_meta(r, "shared").p != NULL ||
	    scan_str_is(said, "block") ||
	    scan_str_is(said, "halt") || scan_str_is(said, "share");
}

/* What meta tells; without it what the call is for. */
static bool
has_mutated(const struct pcall *c, const struct rec *r, bool failed)
{
	struct slice m = msg_meta(r, "mutated"), el;
	struct walk w;

	if (scan_kind(m) == SCAN_ARRAY) {
		walk_in(&w, m);
		return walk_next(&w, NULL, &el);
	}
	if (scan_kind(msg_meta(r, "sha256_after")) == SCAN_STRING)
		return true;
	if (scan_kind(rec_get(r, "meta")) == SCAN_OBJECT && !c->about.edits)
		return false;
	return c->about.mutates && !failed;
}

static void
step_end(struct profile *p)
{
	struct nudge nudge = { .n = 0 };
	const struct watch *w = p->env.watch;

	if (p->ops->step != NULL && p->halt == NULL)
		p->ops->step(p, &p->call[p->ncall - 1]);
	for (size_t i = p->first; i < p->ncall; i++) {
		struct pcall *c = &p->call[i];

		for (size_t k = 0; k < c->nremarks && !c->refused; k++) {
			held_say(p, c, c->held[k], PHASE_RESULT);
			nudge_add(&nudge, c->held[k]->v.rule,
			    c->held[k]->message);
		}
	}
	if (p->text_only) {
		say_constrain(p->env.stage, p->text_rule, 1);
		if (w != NULL && w->constrained != NULL)
			w->constrained(w->self, p->text_rule, p->line);
	}
	p->text_only = false;
	nudge_say(&nudge, p->env.stage);
}

static void
result(struct profile *p, const struct rec *r)
{
	size_t at = pairing_result(&p->pairing, rec_get(r, "tool_call_id"));
	struct presult res = { .r = r };
	struct pcall *c;

	if (at == (size_t)-1)
		return;
	c = &p->call[at];
	if (c->turn == p->turn && !is_refusal(c, r) &&
	    p->ops->result != NULL) {
		p->text.max = BUF_RECORD_MAX;
		buf_reset(&p->text);
		msg_text(rec_get(r, "content"), &p->text);
		buf_adds(&p->text, "");
		res.text = buf_view(&p->text);
		res.failed = scan_true(rec_get(r, "is_error"));
		res.mutated = has_mutated(c, r, res.failed);
		p->ops->result(p, c, &res);
	}
	if (at >= p->first && p->left > 0 && --p->left == 0)
		step_end(p);
}

/* ---- turns and steps ---- */

static void
pool_empty(struct profile *p)
{
	for (size_t i = 0; i < p->ncall; i++) {
		struct pcall *c = &p->call[i];

		for (size_t k = 0; k < c->nremarks; k++)
			held_free(c->held[k]);
		free(c->id);
		free(c->name);
		free(c->tool);
	}
	p->ncall = 0;
	pairing_reset(&p->pairing);
}

static void
step_close(struct profile *p)
{
	p->left = 0;
	p->first = p->ncall;
	p->text_only = false;
	if (p->pairing.open > 0 && p->ncall < POOL_MAX)
		return;
	pool_empty(p);
	p->first = 0;
}

static void
turn_begin(struct profile *p)
{
	p->turn++;
	p->ops->turn(p);
	held_free(p->halt);
	free(p->halt_id);
	p->halt = NULL;
	p->halt_id = NULL;
}

static void
learn_mode(struct profile *p, struct slice mode)
{
	if (scan_kind(mode) == SCAN_STRING)
		p->patch = scan_str_is(mode, "patch");
}

void
profile_record(struct profile *p, const struct rec *r)
{
	p->line = r->no;
	if (rec_is_message(r->kind) && r->kind != R_TOOL)
		step_close(p);
	switch (r->kind) {
	case R_ASSISTANT:
		message(p, rec_get(r, "tool_calls"));
		break;
	case R_TOOL:
		result(p, r);
		break;
	case R_USER:
		if (msg_is_person(r))
			turn_begin(p);
		break;
	case R_RECOVERY:	/* a run of its own, for these systems */
		turn_begin(p);
		break;
	case R_HAMR:
		learn_mode(p, rec_get(r, "mode"));
		break;
	case R_CONFIG:
		learn_mode(p, scan_get(rec_get(r, "set"), "agent.mode"));
		break;
	default:
		break;
	}
}

void
profile_reset(struct profile *p)
{
	turn_begin(p);
	pool_empty(p);
	p->turn = 0;
	p->first = p->left = 0;
	p->text_only = false;
	p->patch = true;
}

struct profile *
profile_new(const struct profile_ops *ops, const struct profile_env *env)
{
	struct profile *p = xcalloc(1, sizeof *p);

	p->ops = ops;
	p->env = *env;
	p->self = xcalloc(1, ops->size);
	p->sha = sha_new();
	p->patch = true;
	return p;
}

void
profile_free(struct profile *p)
{
	profile_reset(p);
	free(p->call);
	free(p->self);
	sign_release(&p->sign);
	scan_release(&p->scan);
	sha_free(p->sha);
	buf_release(&p->args);
	buf_release(&p->sorted);
	buf_release(&p->text);
	free(p);
}
