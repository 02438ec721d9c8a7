/* compact.c - the state of one transcript: what each record means for the
 * next request.
 */
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "msg.h"

#include "clean.h"
#include "compact.h"
#include "stub.h"

#define RATIO_ONE 1024
#define RATIO_START 1126	/* 1.10, before any usage */
#define RATIO_LEAST 717		/* 0.7 */
#define RATIO_MOST 2048		/* 2 */
#define LEARN_FROM (200 * 64)	/* smaller requests teach little */

/* ---- messages as they are taken in ---- */

static char *
quoted(struct slice text)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	scan_quote(&b, text.p, text.n);
	return buf_detach(&b);
}

static void
take_call(void *self, struct view_call *call, struct slice args)
{
	struct compact *c = self;
	struct slice fn = scan_get(slice_of(call->json), "function");
	struct slice name_json = scan_get(fn, "name");
	char *name = scan_strdup(name_json), *slim_text;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	call->note = fact_new(name != NULL ? name : "", args);
	free(name);
	buf_reset(&c->tmp);
	if (!slim_args(args, &c->tmp))
		return;
	slim_text = quoted(buf_view(&c->tmp));
	buf_adds(&b, "{\"id\":");
	buf_adds(&b, call->id);
	buf_adds(&b, ",\"type\":\"function\",\"function\":{\"name\":");
	buf_slice(&b, name_json);
	buf_adds(&b, ",\"arguments\":");
	buf_adds(&b, slim_text);
	buf_adds(&b, "}}");
	free(slim_text);
	call->slim = buf_detach(&b);
}

/* The text of a result as it is shown: cleaned if a command printed it, cut
 * to the cap.  True when out is other than text. */
static bool
ingest(struct compact *c, enum tool_kind kind, struct slice text,
    struct buf *out)
{
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);
	struct slice was = text;
	bool cut;

	if (kind == TOOL_COMMAND) {
		clean_output(&clean, text);
		text = buf_view(&clean);
	}
	cut = budget_clip(out, text, c->budget.result_cap, c->family);
	if (kind == TOOL_COMMAND && !cut)
		cut = !slice_eq(text, was);
	buf_release(&clean);
	return cut;
}

/* Content parts, each text as it is shown. */
static char *
ingest_parts(struct compact *c, enum tool_kind kind, struct slice content)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX), in = b, out = b;
	struct slice part, text;
	struct walk w;

	walk_in(&w, content);
	buf_addc(&b, '[');
	while (walk_next(&w, NULL, &part)) {
		if (b.len > 1)
			buf_addc(&b, ',');
		text = scan_get(part, "text");
		buf_reset(&in);
		buf_reset(&out);
		if (scan_str(text, &in) &&
		    ingest(c, kind, buf_view(&in), &out)) {
			buf_adds(&b, "{\"type\":\"text\",\"text\":");
			scan_quote(&b, out.p, out.len);
			buf_addc(&b, '}');
		} else {
			buf_slice(&b, part);
		}
	}
	buf_addc(&b, ']');
	buf_release(&in);
	buf_release(&out);
	return buf_detach(&b);
}

static void
take_result(void *self, struct view_call *call, const struct rec *r)
{
	struct compact *c = self;
	struct fact *f = call->note;
	struct slice content = rec_get(r, "content"), text;
	struct buf out = BUF_INIT(BUF_RECORD_MAX), stub = out;

	buf_reset(&c->tmp);
	msg_text(content, &c->tmp);
	text = buf_view(&c->tmp);
	if (scan_kind(content) == SCAN_STRING) {
		if (ingest(c, f->kind, text, &out)) {
			call->result = quoted(buf_view(&out));
			text = buf_view(&out);
		}
	} else if (scan_kind(content) == SCAN_ARRAY && content.n > 2) {
		call->result = ingest_parts(c, f->kind, content);
	}
	fact_result(f, r, text);
	if (f->kind == TOOL_READ)
		f->reads = (long)++*map_put(&c->reads, slice_of(f->what),
		    NULL);
	if (!stub_text(f, text, &stub) && msg_has_image(content))
		buf_fmt(&stub, "[elided %s %s, an image]", f->name, f->what);
	if (stub.len > 0)
		call->stub = quoted(buf_view(&stub));
	buf_release(&out);
	buf_release(&stub);
}

/* ---- life ---- */

static void
begin(struct compact *c)
{
	struct view_hooks hooks = { c, take_call, take_result };

	c->view = view_new();
	view_set_hooks(c->view, &hooks);
	view_set_family(c->view, c->family);
	c->summary = summary_new();
	c->limit = -1;
	c->budget = budget_from(c->conf, c->flag_window, -1);
	c->epoch = (struct epoch){ .number = 0 };
	c->demand = false;
	c->tools_sum = 0;
	c->choice_steps = 0;
	c->anchor.set = c->anchor.open = false;
	c->ratio = RATIO_START;
}

void
compact_init(struct compact *c, const struct conf *conf,
    const struct strategy *st, long flag_window, const char *model)
{
	*c = (struct compact){ .conf = conf, .strategy = st,
		.flag_window = flag_window };
	buf_init(&c->seen, BUF_RECORD_MAX);
	buf_init(&c->tmp, BUF_RECORD_MAX);
	c->model = model != NULL && *model != '\0';
	c->family = c->start_family = token_family(model);
	begin(c);
}

void
compact_reset(struct compact *c)
{
	view_free(c->view);
	summary_free(c->summary);
	map_release(&c->reads);
	free(c->tools);
	free(c->choice);
	c->tools = c->choice = NULL;
	c->family = c->start_family;
	buf_reset(&c->seen);
	begin(c);
}

void
compact_release(struct compact *c)
{
	compact_reset(c);
	view_free(c->view);
	summary_free(c->summary);
	buf_release(&c->seen);
	buf_release(&c->tmp);
}

/* ---- size ---- */

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

/* The server has counted a request of ours: the size hangs on that, and the
 * estimate learns by how much it errs. */
static void
take_usage(struct compact *c, const struct rec *r)
{
	uint64_t sum = whole_sum(c);
	int64_t prompt, completion, ratio;

	if (c->epoch.number > 0 && !c->epoch.recorded)
		return;		/* it was not our request that was counted */
	if (!rec_int(r, "prompt_tokens", &prompt) || prompt <= 0 ||
	    prompt > INT32_MAX)
		return;		/* many relays send zeros */
	if (!rec_int(r, "completion_tokens", &completion) || completion < 0 ||
	    completion > INT32_MAX)
		completion = 0;
	if (sum >= LEARN_FROM) {
		ratio = prompt * 64 * RATIO_ONE / (int64_t)sum;
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
	if (r->kind == R_ASSISTANT) {
		epoch_decide(c);	/* a model was called here */
		c->demand = false;
	}
	view_add(c->view, r);
	if (r->kind != R_ASSISTANT)
		return;
	if (c->choice_steps > 0)
		c->choice_steps--;
	if (c->anchor.open && c->anchor.completion > 0) {
		c->anchor.tokens += c->anchor.completion;
		c->anchor.sum = whole_sum(c);
	}
	c->anchor.open = false;
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
	c->budget = budget_from(c->conf, c->flag_window, c->limit);
}

static void
take_header(struct compact *c, const struct rec *r)
{
	char *model = rec_strdup(r, "model");

	if (model != NULL && !c->model) {
		c->family = token_family(model);
		view_set_family(c->view, c->family);
	}
	free(model);
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
	case R_TOOLS: take_tools(c, r); break;
	case R_LIMIT: take_limit(c, r); break;
	case R_USAGE: take_usage(c, r); break;
	case R_CONSTRAIN: take_constrain(c, r); break;
	case R_COMPACT: c->demand = true; break;
	case R_RECOVERY:
		if (rec_str_is(r, "scenario", "context_exhaustion"))
			c->demand = true;
		break;
	case R_COMPACTION: epoch_read(c, r); break;
	default: break;
	}
}

void
compact_request(struct compact *c, struct buf *out)
{
	buf_adds(out, "{\"type\":\"request\",\"messages\":");
	view_print(c->view, out);
	if (c->tools != NULL) {
		buf_adds(out, ",\"tools\":");
		buf_adds(out, c->tools);
	}
	if (c->choice != NULL && c->choice_steps > 0) {
		buf_adds(out, ",\"tool_choice\":");
		buf_adds(out, c->choice);
	}
	buf_fmt(out, ",\"params\":{},\"tokens\":%ld,\"stage\":\"%s\"}",
	    compact_size(c), epoch_stage(c));
}
