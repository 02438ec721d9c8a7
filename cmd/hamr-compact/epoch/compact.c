/* compact.c - the state of one transcript: what each record means for the
 * next request.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "conf/conf_keys.h"
#include "record/memid.h"

#include "internal.h"

#define RATIO_ONE 1024
#define RATIO_START 1126	/* 1.10, before any usage */
#define RATIO_LEAST 717		/* 0.7 */
#define RATIO_MOST 2048		/* 2 */
#define LEARN_FROM (200 * 64)	/* smaller requests teach little */

/* ---- settings ---- */

/* Chapter 8.2 of the specification.  "late" is the best at every window from
 * 8k to 200k by bench/judge-compact. */
#define AUTO "late"

const struct strategy strategies[STRATEGIES] = {
	{ "aggressive", 45, 20, false },
	{ "moderate", 60, 30, false },
	{ "balanced", 75, 30, false },
	{ "light", 90, 35, true },
	{ "late", 100, 0, false },
	{ "none", 0, 0, false },
	{ "off", 0, 0, false },
};

const struct strategy *
strategy_named(const char *name)
{
	if (strcmp(name, "auto") == 0)
		name = AUTO;
	for (size_t i = 0; i < STRATEGIES; i++)
		if (strcmp(name, strategies[i].name) == 0)
			return &strategies[i];
	return NULL;
}

/* A `config` record.  A value that does not fit its key is ignored, as in a
 * file. */
static void
settings_record(struct compact *c, const struct rec *r)
{
	struct settings *s = &c->set;
	struct slice key, val;

	budget_set(&s->budget, rec_get(r, "set"));
	for (struct walk w = walk_of(rec_get(r, "set"));
	    walk_next(&w, &key, &val); ) {
		char *given = xmemdup0(key.p, key.n);
		char *word = scan_strdup(val);
		const struct conf_key *k = conf_key_find(given);
		const char *name = k != NULL ? k->key : "";

		if (strcmp(name, "context.every_call") == 0 &&
		    (scan_kind(val) == SCAN_TRUE ||
		    scan_kind(val) == SCAN_FALSE))
			s->every_call = scan_true(val);
		if (word != NULL && strcmp(name, "context.strategy") == 0 &&
		    c->flag_strategy == NULL && strategy_named(word) != NULL)
			s->strategy = strategy_named(word);
		if (word != NULL && strcmp(name, "provider.model") == 0)
			c->family = c->view->family = token_family(word);
		free(word);
		free(given);
	}
	c->budget = budget_of(&c->set.budget, c->flag_window, c->limit);
}

void
compact_init(struct compact *c, const struct conf *conf,
    const char *strategy, long flag_window)
{
	const char *model = conf_str(conf, "provider.model");

	*c = (struct compact){ .conf = conf, .flag_strategy = strategy,
		.flag_window = flag_window, .view = view_new(),
		.summary = summary_new(), .model = *model != '\0',
		.family = token_family(model), .limit = -1, .fits = true,
		.ratio = RATIO_START };
	c->set = (struct settings){
		.budget = budget_keys(conf),
		.every_call = conf_bool(conf, "context.every_call"),
		.memory = conf_bool(conf, "memory.enabled"),
		.strategy = strategy_named(strategy != NULL ? strategy :
		    conf_str(conf, "context.strategy")),
	};
	c->budget = budget_of(&c->set.budget, flag_window, -1);
	c->view->arena.spills = true;
	c->view->family = c->family;
	ingest_begin(c);
	buf_init(&c->seen, BUF_RECORD_MAX);
	c->folded = c->tmp = c->clean = c->text = c->made =
	    c->quoted = c->seen;
}

void
compact_release(struct compact *c)
{
	view_free(c->view);
	summary_free(c->summary);
	map_release(&c->files.by_key);
	map_release(&c->commands.by_key);
	FREE(c->files.v, c->commands.v, c->session, c->cwd, c->tools,
	    c->choice);
	bufs_release(BUFS(&c->seen, &c->folded, &c->tmp, &c->clean, &c->text,
	    &c->made, &c->quoted));
}

/* Called before a record that changes what the decision depends on. */
static void
decide_if_answered(struct compact *c)
{
	size_t n = c->view->n;

	if (n == 0)
		return;
	const struct view_node *last = &c->view->nodes[n - 1];
	if (last->answered == last->ncalls)
		compact_decide(c);
}

/* ---- size: estimated, and anchored to what a server counted ---- */

long
compact_tokens(const struct compact *c, uint64_t sum)
{
	return (long)(sum * (uint64_t)c->ratio / (64 * RATIO_ONE));
}

static uint64_t
whole_sum(const struct compact *c)
{
	return view_sum(c->view) + c->tools_sum;
}

long
compact_size(const struct compact *c)
{
	uint64_t sum = whole_sum(c);

	if (!c->anchor.set)
		return compact_tokens(c, sum);
	if (sum < c->anchor.sum)	/* a shorter list of tools */
		return c->anchor.tokens;
	return c->anchor.tokens + compact_tokens(c, sum - c->anchor.sum);
}

/* Anchor the size to the server's count, and learn how far off the estimate is.
 */
static void
take_usage(struct compact *c, const struct rec *r)
{
	uint64_t sum = whole_sum(c);
	int64_t prompt, completion;

	if (c->foreign || (c->epoch.number > 0 && !c->epoch.recorded))
		return;		/* it counted someone else's request */
	if (!rec_int(r, "prompt_tokens", &prompt) || prompt <= 0 ||
	    prompt > INT32_MAX)
		return;		/* many relays send zeros */
	if (!rec_int(r, "completion_tokens", &completion) || completion < 0 ||
	    completion > INT32_MAX)
		completion = 0;
	if (sum >= LEARN_FROM) {
		int64_t ratio = prompt * 64 * RATIO_ONE / (int64_t)sum;
		c->ratio = ratio < RATIO_LEAST ? RATIO_LEAST :
		    ratio > RATIO_MOST ? RATIO_MOST : (long)ratio;
	}
	c->anchor.set = c->anchor.open = true;
	c->anchor.tokens = (long)prompt;
	c->anchor.completion = (long)completion;
	c->anchor.sum = sum;
}

/* ---- records ---- */

static void
take_message(struct compact *c, const struct rec *r)
{
	if (r->kind == R_ASSISTANT && c->view->n > 0)
		compact_decide(c);	/* a model was called here */
	decide_if_answered(c);
	if (c->session == NULL && r->kind != R_SYSTEM)	/* no header named it */
		c->session = memid_session(r);
	view_add(c->view, r);
	c->decided = false;
	if (r->kind != R_ASSISTANT)
		return;
	if (c->choice_steps > 0)
		c->choice_steps--;
	/* what was counted as completion is part of the view now */
	if (c->anchor.open && c->anchor.completion > 0) {
		c->anchor.tokens += c->anchor.completion;
		c->anchor.sum = whole_sum(c);
	}
	c->anchor.open = false;
}

static void
take_header(struct compact *c, const struct rec *r)
{
	char *model = rec_strdup(r, "model");
	char *session = rec_strdup(r, "session");
	struct slice format = rec_get(r, "format");

	c->foreign = scan_kind(format) == SCAN_STRING &&
	    !scan_str_is(format, "hamr");
	if (model != NULL && !c->model)
		c->family = c->view->family = token_family(model);
	if (session != NULL && *session != '\0' && c->session == NULL) {
		c->session = session;
		session = NULL;
	}
	if (c->cwd == NULL)
		c->cwd = rec_strdup(r, "cwd");
	free(session);
	free(model);
}

struct slice
compact_path(const struct compact *c, struct slice path)
{
	struct slice cwd = slice_trim_end(slice_of(c->cwd), "/");

	while (path.n > 2 && path.p[0] == '.' && path.p[1] == '/')
		path = slice_from(path, 2);
	if (c->cwd != NULL && path.n > cwd.n + 1 &&
	    memcmp(path.p, cwd.p, cwd.n) == 0 && path.p[cwd.n] == '/')
		path = slice_from(path, cwd.n + 1);
	return path;
}

static void
take_event(struct compact *c, const struct rec *r)
{
	struct slice tools = rec_get(r, "tools");
	unsigned prev = TOKEN_START;
	int64_t n;

	decide_if_answered(c);
	c->decided = false;
	switch (r->kind) {
	case R_CONFIG: settings_record(c, r); break;
	case R_TOOLS:
		if (scan_kind(tools) != SCAN_ARRAY || tools.n <= 2)
			tools = (struct slice){ NULL, 0 };
		xset(&c->tools, tools.n > 0 ? xmemdup0(tools.p, tools.n) :
		    NULL);
		c->tools_sum = token_sum(c->family, tools.p, tools.n, &prev);
		break;
	case R_LIMIT:
		if (!rec_int(r, "context_tokens", &n) || n <= 0 ||
		    n > INT32_MAX)
			break;
		c->limit = (long)n;
		c->budget = budget_of(&c->set.budget, c->flag_window,
		    c->limit);
		break;
	default: c->demand = true; break;
	}
}

void
compact_record(struct compact *c, const struct rec *r)
{
	struct slice choice;

	if (r->kind == R_REQUEST || (r->kind == R_ERROR &&
	    rec_str_is(r, "stage", "compact"))) {
		buf_reset(&c->seen);	/* our own: do not write it twice */
		buf_slice(&c->seen, r->line);
		return;
	}
	switch (r->kind) {
	case R_HAMR: take_header(c, r); break;
	case R_CONFIG:
	case R_TOOLS:
	case R_LIMIT:
	case R_COMPACT: take_event(c, r); break;
	case R_RECOVERY:
		if (rec_str_is(r, "scenario", "context_exhaustion"))
			take_event(c, r);
		break;
	case R_USAGE:
		compact_decide(c);	/* a model was called before it */
		take_usage(c, r);
		break;
	case R_CONSTRAIN:
		choice = rec_get(r, "tool_choice");
		xset(&c->choice, scan_kind(choice) == SCAN_NONE ||
		    scan_kind(choice) == SCAN_NULL ? NULL :
		    xmemdup0(choice.p, choice.n));
		if (!rec_int(r, "steps", &c->choice_steps) ||
		    c->choice_steps < 0)
			c->choice_steps = 1;
		break;
	case R_COMPACTION: epoch_read(c, r); break;
	case R_UNDO:
		ingest_changes(c, rec_get(r, "paths"), c->view->ncalls + 1);
		break;
	case R_ERROR:
		/* the usage before it came without a reply: decide again */
		if (c->anchor.open)
			c->decided = false;
		break;
	default:
		if (rec_is_message(r->kind))
			take_message(c, r);
	}
}

void
compact_request(struct compact *c, struct slice part[REQUEST_PARTS])
{
	struct buf *end = &c->made;

	part[0] = SLICE("{\"type\":\"request\",\"messages\":[");
	part[1] = view_messages(c->view);
	buf_reset(end);
	buf_addc(end, ']');
	if (c->tools != NULL)
		scan_put(end, ",'tools':$", slice_of(c->tools));
	if (c->choice != NULL && c->choice_steps > 0)
		scan_put(end, ",'tool_choice':$", slice_of(c->choice));
	buf_fmt(end, ",\"params\":{},\"tokens\":%ld,\"stage\":\"%s\"}",
	    compact_size(c), epoch_stage(c));
	part[2] = buf_view(end);
}

bool
compact_elides(const struct compact *c, const struct view_call *call,
    bool args)
{
	if (!view_is_shown(c->view, call->node))
		return true;
	if (call->node >= c->epoch.slim || (call->keep && !call->lean))
		return false;
	return args ? call->slim != NULL && !call->lean : call->stub != NULL;
}
