/* export_html.c - a session as one self-contained page. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export.h"
#include "mem.h"
#include "msg.h"
#include "utf8.h"

#define SHORT 120		/* bytes of a call's arguments in its summary */

struct asked {
	char *id, *name, *args;
	bool done;
};

struct page {
	struct buf *out;
	struct chart chart;
	bool squeezed;		/* compacted since the last step */
	long long tokens;	/* of the usage record before a message */
	size_t step;
	struct asked *calls;
	size_t ncalls, capcalls;
	char *task;
	char *header, *end;	/* their lines */
};

/* ---- small pieces ---- */

static void
text_of(struct page *p, struct slice v)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (!msg_text(v, &b))
		buf_slice(&b, v);
	html_text(p->out, buf_view(&b).p, b.len);
	buf_release(&b);
}

static void
pre(struct page *p, const char *text)
{
	buf_adds(p->out, "<pre>");
	html_text(p->out, text, strlen(text));
	buf_adds(p->out, "</pre>\n");
}

/* One member of a record as "key value" of the list at the top. */
static void
fact(struct page *p, const char *line, const char *key, const char *shown)
{
	struct slice v = line == NULL ? (struct slice){ NULL, 0 } :
	    scan_get(slice_of(line), key);
	enum scan_kind k = scan_kind(v);

	if (k == SCAN_NONE || k == SCAN_NULL || (k == SCAN_STRING && v.n <= 2))
		return;
	buf_fmt(p->out, "<dt>%s</dt><dd>", shown);
	text_of(p, v);
	buf_adds(p->out, "</dd>\n");
}

/* ---- calls ---- */

static void
drop_calls(struct page *p)
{
	for (size_t i = 0; i < p->ncalls; i++) {
		free(p->calls[i].id);
		free(p->calls[i].name);
		free(p->calls[i].args);
	}
	p->ncalls = 0;
}

static char *
or_empty(char *s)
{
	return s != NULL ? s : xstrdup("");
}

static void
note_calls(struct page *p, struct slice list)
{
	struct walk w;
	struct call c;

	walk_in(&w, list);
	while (msg_next_call(&w, &c)) {
		p->calls = xgrow(p->calls, p->ncalls, &p->capcalls,
		    sizeof *p->calls);
		p->calls[p->ncalls++] = (struct asked){
			or_empty(scan_strdup(c.id)),
			or_empty(scan_strdup(c.name)),
			or_empty(scan_strdup(c.args)), false };
	}
}

static void
summary(struct page *p, const struct asked *c, const struct rec *r)
{
	size_t n = strlen(c->args), k = utf8_cut(c->args, n, SHORT);
	int64_t ms;

	buf_adds(p->out, "<summary>");
	html_text(p->out, c->name, strlen(c->name));
	buf_addc(p->out, ' ');
	html_text(p->out, c->args, k);
	buf_adds(p->out, k < n ? "&hellip;" : "");
	if (r == NULL)
		buf_adds(p->out, " (no result)");
	else if (scan_int(msg_meta(r, "ms"), &ms))
		buf_fmt(p->out, " (%lld ms)", (long long)ms);
	buf_adds(p->out, "</summary>\n");
}

static void
result(struct page *p, const struct rec *r)
{
	static const struct asked unknown = { .id = (char *)"",
		.name = (char *)"result", .args = (char *)"" };
	char *id = or_empty(rec_strdup(r, "tool_call_id"));
	const struct asked *c = &unknown;

	for (size_t i = 0; i < p->ncalls; i++)
		if (!p->calls[i].done && strcmp(p->calls[i].id, id) == 0) {
			p->calls[i].done = true;
			c = &p->calls[i];
			break;
		}
	buf_fmt(p->out, "<details class=\"call%s\">", scan_true(rec_get(r,
	    "is_error")) ? " error" : "");
	summary(p, c, r);
	pre(p, c->args);
	html_diff(p->out, msg_meta(r, "diff"));
	buf_adds(p->out, "<pre>");
	text_of(p, rec_get(r, "content"));
	buf_adds(p->out, "</pre></details>\n");
	free(id);
}

static void
unanswered(struct page *p)
{
	for (size_t i = 0; i < p->ncalls; i++) {
		if (p->calls[i].done)
			continue;
		buf_adds(p->out, "<details class=\"call error\">");
		summary(p, &p->calls[i], NULL);
		pre(p, p->calls[i].args);
		buf_adds(p->out, "</details>\n");
	}
	drop_calls(p);
}

/* ---- records ---- */

static void
assistant(struct page *p, const struct rec *r)
{
	struct slice why = rec_get(r, "reasoning");
	struct slice text = rec_get(r, "content");

	unanswered(p);
	buf_fmt(p->out, "<section class=\"assistant\" id=\"step%zu\"><h2>"
	    "step %zu</h2>\n", p->step + 1, p->step + 1);
	p->step++;
	if (scan_kind(why) == SCAN_STRING && why.n > 2) {
		buf_adds(p->out, "<details><summary>reasoning</summary><pre>");
		text_of(p, why);
		buf_adds(p->out, "</pre></details>\n");
	}
	if (scan_kind(text) == SCAN_STRING && text.n > 2) {
		buf_adds(p->out, "<pre>");
		text_of(p, text);
		buf_adds(p->out, "</pre>\n");
	}
	buf_adds(p->out, "</section>\n");
	note_calls(p, rec_get(r, "tool_calls"));
}

static void
said(struct page *p, const struct rec *r, const char *class,
    const char *title)
{
	bool folded = r->kind == R_SYSTEM || msg_by(r, "context");

	unanswered(p);
	buf_fmt(p->out, "<section class=\"%s\"><h2>%s</h2>%s<pre>", class,
	    title, folded ? "<details><summary>text</summary>" : "");
	text_of(p, rec_get(r, "content"));
	buf_fmt(p->out, "</pre>%s</section>\n", folded ? "</details>" : "");
}

/* "kind a b c: text" of a record that is no message. */
static void
event(struct page *p, const struct rec *r, const char *class,
    const char *const *keys, size_t n, const char *body)
{
	buf_fmt(p->out, "<div class=\"%s\">", class);
	text_of(p, rec_get(r, "type"));
	for (size_t i = 0; i < n; i++) {
		struct slice v = rec_get(r, keys[i]);

		if (v.p == NULL)
			continue;
		buf_addc(p->out, ' ');
		text_of(p, v);
	}
	if (body != NULL && rec_get(r, body).p != NULL) {
		buf_adds(p->out, "<pre>");
		text_of(p, rec_get(r, body));
		buf_adds(p->out, "</pre>");
	}
	buf_adds(p->out, "</div>\n");
}

static void
other(struct page *p, const struct rec *r)
{
	static const char *const verdict[] = { "action", "rule", "count",
		"name" };
	static const char *const fault[] = { "stage", "code" };
	static const char *const recovery[] = { "scenario", "attempt" };
	static const char *const compaction[] = { "stage", "tokens_before",
		"tokens_after" };
	static const char *const verified[] = { "status", "command" };
	static const char *const end[] = { "status", "reason" };
	const char *class;

	switch (r->kind) {
	case R_VERDICT:
		class = rec_str_is(r, "action", "halt") ? "verdict halt" :
		    rec_str_is(r, "action", "block") ? "verdict block" :
		    "verdict";
		event(p, r, class, verdict, 4, "message");
		break;
	case R_ERROR:
		event(p, r, "verdict block", fault, 2, "message");
		break;
	case R_RECOVERY:
		event(p, r, "event", recovery, 2, NULL);
		break;
	case R_COMPACTION:
		event(p, r, "event", compaction, 3, NULL);
		break;
	case R_VERIFICATION:
		event(p, r, "event", verified, 2, "output");
		break;
	case R_END:
		unanswered(p);
		event(p, r, "event", end, 2, NULL);
		break;
	default:
		break;
	}
}

static void
show(struct page *p, const struct rec *r)
{
	switch (r->kind) {
	case R_SYSTEM:
		said(p, r, "context", "system");
		break;
	case R_USER:
		if (msg_is_person(r))
			said(p, r, "person", "person");
		else if (msg_by(r, "context"))
			said(p, r, "context", "context");
		else
			said(p, r, "nudge", msg_by(r, "guard") ? "guard" :
			    "loop");
		break;
	case R_ASSISTANT:
		assistant(p, r);
		break;
	case R_TOOL:
		result(p, r);
		break;
	default:
		other(p, r);
		break;
	}
}

/* ---- what stands at the top ---- */

static void
keep(char **to, const struct rec *r)
{
	free(*to);
	*to = xmemdup0(r->line.p, r->line.n);
}

static void
gather(struct page *p, const struct rec *r)
{
	struct chart *c = &p->chart;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	int64_t n;

	if (r->kind == R_HAMR && p->header == NULL)
		keep(&p->header, r);
	if (r->kind == R_END)
		keep(&p->end, r);
	if (r->kind == R_COMPACTION)
		p->squeezed = true;
	if (r->kind == R_USAGE && rec_int(r, "prompt_tokens", &n))
		p->tokens = n;
	if (r->kind == R_USER && p->task == NULL && msg_is_person(r)) {
		msg_text(rec_get(r, "content"), &b);
		p->task = xmemdup0(buf_view(&b).p, b.len);
	}
	buf_release(&b);
	if (r->kind != R_ASSISTANT)
		return;
	c->tokens = xgrow(c->tokens, c->n, &c->captokens, sizeof *c->tokens);
	c->compacted = xgrow(c->compacted, c->n, &c->capcompacted,
	    sizeof *c->compacted);
	c->tokens[c->n] = p->tokens;
	c->compacted[c->n++] = p->squeezed;
	p->tokens = 0;
	p->squeezed = false;
}

static void
top(struct page *p)
{
	const char *task = p->task != NULL ? p->task : "a session";

	html_head(p->out);
	buf_adds(p->out, "<title>");
	html_text(p->out, task, utf8_cut(task, strlen(task), SHORT));
	buf_adds(p->out, "</title></head><body>\n<h1>");
	html_text(p->out, task, utf8_cut(task, strlen(task), 4 * SHORT));
	buf_adds(p->out, "</h1>\n<dl>\n");
	fact(p, p->end, "status", "status");
	fact(p, p->end, "reason", "reason");
	fact(p, p->header, "session", "session");
	fact(p, p->header, "created", "created");
	fact(p, p->header, "mode", "mode");
	fact(p, p->header, "model", "model");
	fact(p, p->end, "steps", "steps");
	fact(p, p->end, "tool_calls", "calls");
	fact(p, p->end, "files_changed", "files changed");
	fact(p, p->end, "sandbox", "sandbox");
	buf_adds(p->out, "</dl>\n");
	html_chart(&p->chart, p->out);
}

static int
each(struct page *p, const char *path, void (*take)(struct page *,
    const struct rec *), struct err *e)
{
	struct rec_in in;
	const struct rec *r;
	int fd = open(path, O_RDONLY | O_CLOEXEC), got;

	if (fd < 0)
		return err_sys(e, ST_NOINPUT, "%s", path);
	rec_in_init(&in, fd, path, REC_MAX);
	while ((got = rec_next(&in, &r, e)) > 0)
		take(p, r);
	rec_in_release(&in);
	close(fd);
	return got;
}

int
export_html(const char *path, struct buf *out, struct err *e)
{
	struct page p = { .out = out };
	int r = each(&p, path, gather, e);

	if (r == 0) {
		top(&p);
		r = each(&p, path, show, e);
		unanswered(&p);
		buf_adds(out, "</body></html>\n");
	}
	drop_calls(&p);
	free(p.calls);
	free(p.chart.tokens);
	free(p.chart.compacted);
	free(p.task);
	free(p.header);
	free(p.end);
	return r;
}
