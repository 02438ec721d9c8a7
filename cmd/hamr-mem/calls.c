/* calls.c - what calls told that their results do not. */
#include <stdlib.h>

#include "alias.h"
#include "mem.h"
#include "msg.h"

#include "calls.h"

void
calls_release(struct calls *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].name);
		free(c->v[i].path);
	}
	free(c->v);
	map_release(&c->by_id);
	*c = (struct calls){ .n = 0 };
}

static struct told *
told_of(struct calls *c, struct slice call_id, bool make)
{
	char *id = scan_strdup(call_id);
	uint64_t *at = NULL;

	if (id == NULL)
		return NULL;
	at = make ? map_put(&c->by_id, slice_of(id), NULL) :
	    map_get(&c->by_id, slice_of(id));
	free(id);
	if (at == NULL)
		return NULL;
	if (*at == 0) {
		c->v = xgrow(c->v, c->n, &c->cap, sizeof *c->v);
		c->v[c->n++] = (struct told){ .time = WHEN_NONE };
		*at = c->n;
	}
	return &c->v[*at - 1];
}

/* What the arguments are about: a path, else what was run or looked for. */
static char *
path_of(const struct redact *redact, const struct call *c)
{
	static const char *const keys[] = { "path", "command", "query",
		"pattern", "url" };
	struct buf args = BUF_INIT(BUF_RECORD_MAX);
	struct buf named = BUF_INIT(BUF_RECORD_MAX);
	struct scan scan = { 0 };
	char *tool = scan_strdup(c->name), *path = NULL;

	if (!scan_str(c->args, &args) ||
	    scan_record(&scan, args.p, args.len) < 0 ||
	    !alias_args(slice_of(tool != NULL ? tool : ""), buf_view(&args),
	    &named))
		goto out;
	for (size_t i = 0; path == NULL && i < sizeof keys / sizeof *keys; i++)
		path = redact_value(redact, scan_get(buf_view(&named), keys[i]));
out:
	scan_release(&scan);
	buf_release(&args);
	buf_release(&named);
	free(tool);
	return path;
}

void
calls_learn(struct calls *c, const struct redact *redact,
    const struct rec *r)
{
	struct walk w;
	struct call call;

	walk_in(&w, rec_get(r, "tool_calls"));
	while (msg_next_call(&w, &call)) {
		struct told *t = told_of(c, call.id, true);

		if (t == NULL)
			continue;
		free(t->name);
		free(t->path);
		t->name = scan_strdup(call.name);
		t->path = path_of(redact, &call);
	}
}

void
calls_start(struct calls *c, const struct rec *r)
{
	struct told *t = told_of(c, rec_get(r, "tool_call_id"), true);
	char *at = rec_strdup(r, "at");
	int64_t ms;

	if (t != NULL && at != NULL && when_parse(at, &ms))
		t->time = ms;
	free(at);
}

struct told *
calls_find(struct calls *c, struct slice id)
{
	return told_of(c, id, false);
}
