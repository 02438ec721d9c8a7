/* export.c - a session as one JSON document: openai, atif. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export.h"
#include "json.h"
#include "mem.h"
#include "msg.h"

struct doc {
	struct json *root, *list;	/* messages, or steps */
	/* atif */
	struct json *results;	/* of the step in hand; NULL: none yet */
	struct json *step;
	struct json *usage;	/* for the next assistant message */
	char *model;
	long n;
	struct scan scan;
};

/* ---- openai: what the API knows of a message ---- */

static void
openai_take(struct doc *d, const struct rec *r)
{
	static const char *const keys[] = { "role", "content", "tool_calls",
		"tool_call_id", "name" };
	struct json *o;

	if (r->kind == R_TOOLS)
		json_raw(d->root, "tools", rec_get(r, "tools"));
	if (!rec_is_message(r->kind))
		return;
	o = json_object();
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct slice v = rec_get(r, keys[i]);

		if (v.p != NULL)
			json_raw(o, keys[i], v);
	}
	json_add(d->list, NULL, o);
}

/* ---- atif: one step a message, results with their calls ---- */

static void
step_end(struct doc *d)
{
	struct json *o;

	if (d->results != NULL && d->step != NULL) {
		o = json_object();
		json_add(o, "results", d->results);
		json_add(d->step, "observation", o);
	}
	if (d->step != NULL)
		json_add(d->list, NULL, d->step);
	d->step = d->results = NULL;
}

static void
text_member(struct json *o, const char *key, struct slice v)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	msg_text(v, &b);
	json_slice(o, key, buf_view(&b));
	buf_release(&b);
}

/* Arguments are an object there; what is none is carried as text. */
static void
arguments(struct doc *d, struct json *o, struct slice args)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct json *odd;

	scan_str(args, &b);
	if (scan_record(&d->scan, buf_view(&b).p, b.len) == 0)
		json_raw(o, "arguments", buf_view(&b));
	else {
		odd = json_object();
		json_slice(odd, "_invalid", buf_view(&b));
		json_add(o, "arguments", odd);
	}
	buf_release(&b);
}

static void
calls(struct doc *d, struct slice list)
{
	struct json *all = json_array(), *o;
	struct walk w;
	struct call c;

	walk_in(&w, list);
	while (msg_next_call(&w, &c)) {
		o = json_object();
		text_member(o, "tool_call_id", c.id);
		text_member(o, "function_name", c.name);
		arguments(d, o, c.args);
		json_add(all, NULL, o);
	}
	if (json_empty(all))
		json_free(all);
	else
		json_add(d->step, "tool_calls", all);
}

static void
step_begin(struct doc *d, const struct rec *r, const char *source)
{
	struct slice why = rec_get(r, "reasoning");

	step_end(d);
	d->step = json_object();
	json_int(d->step, "step_id", ++d->n);
	json_str(d->step, "source", source);
	text_member(d->step, "message", rec_get(r, "content"));
	if (r->kind != R_ASSISTANT)
		return;
	if (scan_kind(why) == SCAN_STRING)
		text_member(d->step, "reasoning_content", why);
	calls(d, rec_get(r, "tool_calls"));
	if (d->usage != NULL)
		json_add(d->step, "metrics", d->usage);
	d->usage = NULL;
}

static void
atif_result(struct doc *d, const struct rec *r)
{
	struct json *o;

	if (d->step == NULL)
		return;
	if (d->results == NULL)
		d->results = json_array();
	o = json_object();
	text_member(o, "source_call_id", rec_get(r, "tool_call_id"));
	text_member(o, "content", rec_get(r, "content"));
	json_add(d->results, NULL, o);
}

static void
atif_usage(struct doc *d, const struct rec *r)
{
	static const char *const keys[] = { "prompt_tokens",
		"completion_tokens", "cached_tokens" };
	struct slice cost = rec_get(r, "cost");
	int64_t n;

	json_free(d->usage);
	d->usage = json_object();
	for (size_t i = 0; i < 3; i++)
		if (rec_int(r, keys[i], &n))
			json_int(d->usage, keys[i], n);
	if (scan_kind(cost) == SCAN_NUMBER)
		json_raw(d->usage, "cost_usd", cost);
}

static void
atif_head(struct doc *d, const struct rec *r)
{
	if (d->n == 0 && rec_get(r, "session").p != NULL)
		json_raw(d->root, "session_id", rec_get(r, "session"));
	free(d->model);
	d->model = rec_strdup(r, "model");
}

static void
atif_take(struct doc *d, const struct rec *r)
{
	switch (r->kind) {
	case R_HAMR: atif_head(d, r); break;
	case R_USAGE: atif_usage(d, r); break;
	case R_SYSTEM: step_begin(d, r, "system"); break;
	case R_USER: step_begin(d, r, "user"); break;
	case R_ASSISTANT: step_begin(d, r, "agent"); break;
	case R_TOOL: atif_result(d, r); break;
	default: break;
	}
}

static void
atif_end(struct doc *d)
{
	struct json *agent = json_object();

	step_end(d);
	json_str(agent, "name", "hamr");
	json_str(agent, "version", HAMR_VERSION);
	if (d->model != NULL)
		json_str(agent, "model_name", d->model);
	json_add(d->root, "agent", agent);
}

/* ---- one document ---- */

static int
document(struct doc *d, const char *path, void (*take)(struct doc *,
    const struct rec *), struct err *e)
{
	struct rec_in in;
	const struct rec *r;
	int fd = open(path, O_RDONLY | O_CLOEXEC), got;

	if (fd < 0)
		return err_sys(e, ST_NOINPUT, "%s", path);
	d->root = json_object();
	d->list = json_array();
	rec_in_init(&in, fd, path, REC_MAX);
	while ((got = rec_next(&in, &r, e)) > 0)
		take(d, r);
	rec_in_release(&in);
	close(fd);
	return got;
}

static void
finish(struct doc *d, const char *key, struct buf *out)
{
	json_add(d->root, key, d->list);
	json_print(d->root, out);
	buf_addc(out, '\n');
	json_free(d->root);
	json_free(d->usage);
	free(d->model);
	scan_release(&d->scan);
}

int
export_openai(const char *path, struct buf *out, struct err *e)
{
	struct doc d = { .n = 0 };
	int r = document(&d, path, openai_take, e);

	if (d.root != NULL)
		finish(&d, "messages", out);
	return r;
}

int
export_atif(const char *path, struct buf *out, struct err *e)
{
	struct doc d = { .n = 0 };
	int r = document(&d, path, atif_take, e);

	if (d.root == NULL)
		return r;
	json_str(d.root, "schema_version", "ATIF-v1.2");
	atif_end(&d);
	finish(&d, "steps", out);
	return r;
}
