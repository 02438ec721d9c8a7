/* compact.c - the state of one transcript: what each record means for the
 * next request.
 */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"

#include "compact.h"

/* ---- life ---- */

static void
begin(struct compact *c)
{
	struct view_hooks hooks;

	ingest_hooks(c, &hooks);
	c->view = view_new();
	view_set_hooks(c->view, &hooks);
	view_set_family(c->view, c->family);
	c->summary = summary_new();
	settings_load(c);
	c->limit = -1;
	c->budget = budget_of(&c->set.budget, c->flag_window, -1);
	c->epoch = (struct epoch){ .number = 0 };
	c->nkept = c->ncuts = c->changed = c->elided = 0;
	c->folded_results = c->folded_upto = 0;
	c->decided = c->demand = c->foreign = false;
	c->fits = true;
	c->tools_sum = 0;
	c->choice_steps = 0;
	size_start(c);
}

void
compact_init(struct compact *c, const struct conf *conf,
    const char *strategy, long flag_window, const char *model)
{
	*c = (struct compact){ .conf = conf, .flag_strategy = strategy,
		.flag_window = flag_window };
	buf_init(&c->seen, BUF_RECORD_MAX);
	buf_init(&c->folded, BUF_RECORD_MAX);
	buf_init(&c->first, BUF_RECORD_MAX);
	buf_init(&c->tmp, BUF_RECORD_MAX);
	buf_init(&c->clean, BUF_RECORD_MAX);
	buf_init(&c->text, BUF_RECORD_MAX);
	buf_init(&c->made, BUF_RECORD_MAX);
	buf_init(&c->quoted, BUF_RECORD_MAX);
	c->model = model != NULL && *model != '\0';
	c->family = c->start_family = token_family(model);
	begin(c);
}

static void
end(struct compact *c)
{
	view_free(c->view);
	summary_free(c->summary);
	files_release(&c->files);
	map_release(&c->commands);
	map_release(&c->inspected);
	free(c->session);
	free(c->tools);
	free(c->choice);
	free(c->first_role);
	c->session = c->tools = c->choice = c->first_role = NULL;
	buf_reset(&c->first);
	c->family = c->start_family;
	buf_reset(&c->seen);
	buf_reset(&c->folded);
}

void
compact_reset(struct compact *c)
{
	end(c);
	begin(c);
}

void
compact_release(struct compact *c)
{
	end(c);
	free(c->kept);
	free(c->cuts);
	buf_release(&c->seen);
	buf_release(&c->folded);
	buf_release(&c->first);
	buf_release(&c->tmp);
	buf_release(&c->clean);
	buf_release(&c->text);
	buf_release(&c->made);
	buf_release(&c->quoted);
}

/* ---- when to decide ---- */

static void
decide(struct compact *c)
{
	if (c->decided)
		return;
	c->fits = epoch_decide(c);
	c->decided = true;
	c->demand = false;
}

/* Are all calls answered? */
static bool
is_safe(const struct compact *c)
{
	size_t n = view_nodes(c->view);
	const struct view_node *last;

	if (n == 0)
		return false;
	last = view_node(c->view, n - 1);
	return last->answered == last->ncalls;
}

/* Before a record that changes what there is to decide about. */
static void
settle(struct compact *c)
{
	if (!c->decided && is_safe(c))
		decide(c);
}

bool
compact_decide(struct compact *c)
{
	decide(c);
	return c->fits;
}

/* ---- records ---- */

/* What names the session when no header does. */
static void
take_first(struct compact *c, const struct rec *r)
{
	c->first_role = rec_strdup(r, "role");
	msg_text(rec_get(r, "content"), &c->first);
}

static void
take_message(struct compact *c, const struct rec *r)
{
	if (r->kind == R_ASSISTANT && view_nodes(c->view) > 0)
		decide(c);	/* a model was called here */
	settle(c);
	if (c->session == NULL && c->first_role == NULL &&
	    r->kind != R_SYSTEM)
		take_first(c, r);
	view_add(c->view, r);
	c->decided = false;
	if (r->kind != R_ASSISTANT)
		return;
	if (c->choice_steps > 0)
		c->choice_steps--;
	size_answer(c);
}

static void
take_tools(struct compact *c, const struct rec *r)
{
	struct slice tools = rec_get(r, "tools");
	unsigned prev = TOKEN_START;

	free(c->tools);
	c->tools = NULL;
	c->tools_sum = 0;
	if (scan_kind(tools) != SCAN_ARRAY || tools.n <= 2)
		return;
	c->tools = xmemdup0(tools.p, tools.n);
	c->tools_sum = token_sum(c->family, tools.p, tools.n, &prev);
}

static void
take_constrain(struct compact *c, const struct rec *r)
{
	struct slice choice = rec_get(r, "tool_choice");

	free(c->choice);
	c->choice = NULL;
	c->choice_steps = 0;
	if (choice.p == NULL || scan_kind(choice) == SCAN_NULL)
		return;
	c->choice = xmemdup0(choice.p, choice.n);
	if (!rec_int(r, "steps", &c->choice_steps) || c->choice_steps < 0)
		c->choice_steps = 1;
}

static void
take_limit(struct compact *c, const struct rec *r)
{
	int64_t n;

	if (!rec_int(r, "context_tokens", &n) || n <= 0 || n > INT32_MAX)
		return;
	c->limit = (long)n;
	c->budget = budget_of(&c->set.budget, c->flag_window, c->limit);
}

static void
take_header(struct compact *c, const struct rec *r)
{
	char *model = rec_strdup(r, "model");
	char *session = rec_strdup(r, "session");
	struct slice format = rec_get(r, "format");

	c->foreign = scan_kind(format) == SCAN_STRING &&
	    !scan_str_is(format, "hamr");

	if (model != NULL && !c->model) {
		c->family = token_family(model);
		view_set_family(c->view, c->family);
	}
	if (session != NULL && *session != '\0' && c->session == NULL) {
		c->session = session;
		session = NULL;
	}
	free(session);
	free(model);
}

/* What changes how much room there is, or asks for less to be sent. */
static void
take_event(struct compact *c, const struct rec *r)
{
	settle(c);
	c->decided = false;
	switch (r->kind) {
	case R_CONFIG: settings_record(c, r); break;
	case R_TOOLS: take_tools(c, r); break;
	case R_LIMIT: take_limit(c, r); break;
	default: c->demand = true; break;
	}
}

/* Our own request or error, read back: it is not written a second time. */
static bool
take_own(struct compact *c, const struct rec *r)
{
	if (r->kind != R_REQUEST && !(r->kind == R_ERROR &&
	    rec_str_is(r, "stage", "compact")))
		return false;
	buf_reset(&c->seen);
	buf_slice(&c->seen, r->line);
	return true;
}

void
compact_record(struct compact *c, const struct rec *r)
{
	if (take_own(c, r))
		return;
	if (rec_is_message(r->kind)) {
		take_message(c, r);
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
		decide(c);	/* a model was called before it */
		size_usage(c, r);
		break;
	case R_CONSTRAIN: take_constrain(c, r); break;
	case R_COMPACTION: epoch_read(c, r); break;
	default: break;
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
	if (c->tools != NULL) {
		buf_adds(end, ",\"tools\":");
		buf_adds(end, c->tools);
	}
	if (c->choice != NULL && c->choice_steps > 0) {
		buf_adds(end, ",\"tool_choice\":");
		buf_adds(end, c->choice);
	}
	buf_fmt(end, ",\"params\":{},\"tokens\":%ld,\"stage\":\"%s\"}",
	    compact_size(c), epoch_stage(c));
	part[2] = buf_view(end);
}
