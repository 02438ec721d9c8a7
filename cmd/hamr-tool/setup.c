/* setup.c - what hamr-tool has about it: set up, begun anew, put away. */
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "extra.h"
#include "mem.h"
#include "mode.h"
#include "secret.h"

#include "trail.h"

/* Only an explicit 0 means no limit, a window too small for any does not. */
static size_t
cap_bytes(const struct tool *t, const char *key, long tokens)
{
	return budget_bytes(tokens != 0 || conf_int(t->conf, key) == 0 ?
	    tokens : 1);
}

void
tool_limit(struct tool *t, long limit)
{
	struct budget b = budget_from(t->conf, -1, limit);

	t->result_cap = cap_bytes(t, "context.max_single_read_result_tokens",
	    b.result_cap);
	t->turn_cap = cap_bytes(t,
	    "context.max_total_read_result_tokens_per_turn", b.turn_cap);
	t->output_cap = t->result_cap - 1 < OUTPUT_CAP_MAX ? t->result_cap :
	    OUTPUT_CAP_MAX;	/* 0: no limit */
	if (t->files != NULL)
		files_caps(t->files, t->result_cap, t->turn_cap);
}

static bool
may_write(const struct tool *t)
{
	return t->mode == MODE_PATCH || t->mode == MODE_DOCS;
}

/* A long search is asked now and then: has somebody cancelled? */
static bool
is_stopped(void *arg)
{
	struct stage *s = arg;

	return stage_wait(s, NULL, 0, 0) != 0;
}

static int
open_files(struct tool *t, struct err *e)
{
	struct files_opts o = { .root = t->root, .person = t->person,
		.docs_only = t->mode == MODE_DOCS,
		.may_write = may_write(t),
		.overwrite = conf_bool(t->conf, "policy.overwrite"),
		.memory = conf_bool(t->conf, "memory.enabled"),
		.result_cap = t->result_cap, .turn_cap = t->turn_cap };
	struct lists lists;

	t->files = files_new(&o, e);
	if (t->files == NULL)
		return -1;
	lists.secret = conf_list(t->conf, "policy.secret", &lists.nsecret);
	lists.no_write = conf_list(t->conf, "policy.no_write",
	    &lists.nno_write);
	lists.docs = conf_list(t->conf, "policy.docs", &lists.ndocs);
	lists.allow_write = conf_list(t->conf, "policy.allow_write",
	    &lists.nallow_write);
	files_policy(t->files, &lists);
	files_stop(t->files, is_stopped, t->stage);
	return 0;
}

int
tool_open(struct tool *t, struct err *e)
{
	tool_limit(t, -1);
	if (extras_check(t, e) < 0)
		return -1;
	t->boxes = boxes_new(t->conf, t->root);
	t->extras = extras_new(t);
	if (open_files(t, e) < 0)
		return -1;
	t->trail = trail_new(t);
	return 0;
}

void
tool_mode(struct tool *t)
{
	files_mode(t->files, may_write(t), t->mode == MODE_DOCS);
}

void
tool_session(struct tool *t, const char *id)
{
	if (!boxes_session(t->boxes, id))
		return;
	/* servers were up for the one before */
	extras_free(t->extras);
	t->extras = extras_new(t);
}

void
tool_forget_calls(struct tool *t)
{
	for (size_t i = 0; i < t->ncalls; i++) {
		struct call_state *c = &t->calls[i];

		free(c->id);
		free(c->name);
		free(c->args);
		free(c->words);
		free(c->twin);
		free(c->text);
		free(c->code);
	}
	t->ncalls = 0;
	t->closed = false;
}

void
tool_reset(struct tool *t)
{
	tool_forget_calls(t);
	free(t->verify);
	t->verify = NULL;
	t->answers = 0;
	t->mode = (enum mode)mode_named(conf_str(t->conf, "agent.mode"));
	tool_mode(t);
	files_reset(t->files);
	trail_turn(t->trail);
	tool_session(t, NULL);
	tool_limit(t, -1);
}

void
tool_close(struct tool *t)
{
	tool_forget_calls(t);
	free(t->calls);
	for (size_t i = 0; i < t->nlater; i++)
		free(t->later[i]);
	free(t->later);
	free(t->ask);
	free(t->instead);
	free(t->reason);
	trail_free(t->trail);
	free(t->verify);
	free(t->told);
	if (t->extras != NULL)
		extras_free(t->extras);
	if (t->boxes != NULL)
		boxes_free(t->boxes);
	if (t->files != NULL)
		files_free(t->files);
}
