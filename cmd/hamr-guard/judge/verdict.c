/* verdict.c - the records hamr-guard writes, with their keys in one order. */
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "base/mem.h"
#include "verdict.h"

/* In the order of their enums. */
const char *const action_names[] = { "none", "allow", "share", "warn", "block",
	"halt" };
static const char *const phases[] = { "call", "result", "text" };
const char *const rule_names[RULES] = { "repeat", "repeat-weak", "same-answer",
	"retry", "same-error", "cycle", "stall", "futile-edits", "revisit",
	"no-mutation", "reads", "calls", "batch", "plan-prose", "status-only",
	"premature", "monologue" };

bool
result_is_refusal(const struct rec *r)
{
	struct slice meta = scan_only(SCAN_OBJECT, rec_get(r, "meta"));
	struct slice key, val;

	for (struct walk w = walk_of(meta); walk_next(&w, &key, &val); ) {
		bool says = scan_key_is(key, "verdict");

		if (scan_key_is(key, "shared") ||
		    (says && (scan_str_is(val, "block") ||
		    scan_str_is(val, "halt") || scan_str_is(val, "share"))))
			return true;
	}
	return false;
}

void
sink_put(const struct sink *o, const struct verdict *v)
{
	struct buf r = BUF_INIT(BUF_RECORD_MAX);

	buf_adds(&r, "{\"type\":\"verdict\",\"stage\":\"hamr-guard\"");
	if (v->call_id != NULL)
		buf_fmt(&r, ",\"tool_call_id\":%s", v->call_id);
	if (v->name != NULL)
		buf_fmt(&r, ",\"name\":%s", v->name);
	buf_fmt(&r, ",\"action\":\"%s\",\"phase\":\"%s\",\"rule\":\"%s\","
	    "\"count\":%lu,\"signature\":\"%s\",\"evidence\":[",
	    action_names[v->action], phases[v->phase], rule_names[v->rule],
	    v->count, v->signature);
	for (size_t i = 0; i < v->nevidence; i++)
		buf_fmt(&r, i > 0 ? ",%s" : "%s", v->evidence[i].id);
	buf_addc(&r, ']');
	if (v->twin != NULL)
		buf_fmt(&r, ",\"twin\":%s", v->twin);
	if (v->level != 0 || v->note)
		buf_fmt(&r, ",\"level\":%lu", v->level);
	if (v->message != NULL)
		scan_put(&r, ",'message':@", slice_of(v->message));
	buf_addc(&r, '}');
	stage_put(o->stage, R_VERDICT, buf_view(&r));
	buf_release(&r);
	if (o->status && v->action >= ACT_BLOCK)
		stage_status(o->stage, ST_NO);
	if (o->watch != NULL)
		o->watch->fired(o->watch->self, v);
}

void
sink_constrain(const struct sink *o, enum rule rule, unsigned long steps,
    size_t line)
{
	struct buf r = BUF_INIT(BUF_RECORD_MAX);

	scan_put(&r, "{'type':'constrain','stage':'hamr-guard',"
	    "'tool_choice':'none','rule':@,'steps':$}",
	    slice_of(rule_names[rule]), SCAN_INT((long long)steps));
	stage_put(o->stage, R_CONSTRAIN, buf_view(&r));
	buf_release(&r);
	if (o->watch != NULL)
		o->watch->constrained(o->watch->self, rule, line);
}

void
nudge_add(struct nudge *g, const struct verdict *v, bool only)
{
	bool told = g->by[v->rule];

	g->by[v->rule] = true;
	g->n++;
	if (g->only)
		return;
	if (only) {
		buf_reset(&g->text);
		g->more = 0;
	} else if (told) {
		/* two of one rule would be one paragraph with another name;
		 * two of one cycle, quite the same */
		g->more += v->rule != RULE_CYCLE;
		return;
	}
	g->only = only;
	g->text.max = BUF_RECORD_MAX;
	buf_adds(&g->text, g->text.len == 0 ? NUDGE_MARK : "\n");
	buf_adds(&g->text, v->message);
}

void
nudge_put(struct nudge *g, struct stage *s)
{
	struct buf r = BUF_INIT(BUF_RECORD_MAX);

	if (g->n == 0)
		return;
	if (g->more > 0) {
		char *more = advice(A_MORE, &(struct verdict){
		    .count = g->more }, NULL);
		buf_fmt(&g->text, "\n%s", more);
		free(more);
	}
	scan_put(&r, "{'role':'user','content':@,'meta':{'by':'guard',"
	    "'rules':[", buf_view(&g->text));
	for (int i = 0; i < RULES; i++)
		if (g->by[i])
			scan_put(&r, "$@", scan_comma(&r),
			    slice_of(rule_names[i]));
	buf_adds(&r, "]}}");
	stage_put(s, R_USER, buf_view(&r));
	bufs_release(BUFS(&r, &g->text));
	*g = (struct nudge){ .n = 0 };
}

/* ---- rows of calls ---- */

struct call_ref *
call_row_add(struct call_row *r, size_t max, const char *id, size_t line)
{
	if (r->n > 0 && r->n >= max) {
		free(r->c[0].id);
		free(r->c[0].note);
		memmove(r->c, r->c + 1, --r->n * sizeof *r->c);
	}
	GROW(r->c, r->n, r->cap);
	r->c[r->n] = (struct call_ref){ .id = xstrdup(id), .line = line };
	return &r->c[r->n++];
}

void
call_row_clear(struct call_row *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->c[i].id);
		free(r->c[i].note);
	}
	free(r->c);
	*r = (struct call_row){ .n = 0 };
}
