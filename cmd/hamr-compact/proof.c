/* proof.c - --check: is the view sound, what was left out, what must not be. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"
#include "utf8.h"

#include "modes.h"

#define BEGINNING 60	/* bytes of a message by which it is known */

/* ---- what was left out ---- */

static bool
is_elided(const struct compact *c, const struct view_call *call)
{
	if (call->result == NULL)
		return false;
	if (call->node < c->epoch.fold)
		return true;
	return call->node < c->epoch.thin && !call->keep &&
	    call->stub != NULL;
}

static void
put_one(const char *how, const struct view_call *call, struct buf *out)
{
	const struct fact *f = call->note;

	buf_fmt(out, "%s %s %s", how, call->id, f->name);
	if (f->what[0] != '\0') {
		buf_addc(out, ' ');
		buf_add(out, f->what, strcspn(f->what, "\n"));
	}
	buf_fmt(out, " %zu bytes sha256:%s\n", f->bytes,
	    f->hash != NULL ? f->hash : "-");
}

static size_t
put_elided(const struct compact *c, struct buf *out)
{
	const struct view *v = c->view;
	size_t n = 0, calls = 0;

	for (size_t i = 0; i < view_nodes(v); i++)
		calls += view_node(v, i)->ncalls;
	for (size_t i = 0; i < calls; i++) {
		const struct view_call *call = view_call_at(v, i);

		if (is_elided(c, call)) {
			put_one("elided", call, out);
			n++;
		} else if (call->cut != NULL) {
			put_one("cut", call, out);
		}
	}
	return n;
}

/* ---- what must not be ---- */

struct kept {
	size_t users, users_in;		/* messages by persons */
	size_t paths, paths_in;		/* that were edited */
	bool task, newest;
};

/* What the messages say and the calls are given, decoded. */
static void
read_all(struct slice messages, struct buf *text)
{
	struct slice m;
	struct walk w, calls;
	struct call call;

	walk_in(&w, messages);
	while (walk_next(&w, NULL, &m)) {
		msg_text(scan_get(m, "content"), text);
		buf_addc(text, '\n');
		walk_in(&calls, scan_get(m, "tool_calls"));
		while (msg_next_call(&calls, &call)) {
			scan_str(call.args, text);
			buf_addc(text, '\n');
		}
	}
}

static bool
holds(const struct buf *text, const char *p, size_t n)
{
	return n == 0 || (text->len >= n &&
	    memmem(text->p, text->len, p, n) != NULL);
}

static void
look_for_users(const struct view *v, const struct buf *text, struct kept *k)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	for (size_t i = 0; i < view_nodes(v); i++) {
		if (view_node(v, i)->kind != VIEW_USER)
			continue;
		for (size_t at = 0; view_text(v, i, VIEW_PERSON, &at, &b);) {
			k->newest = holds(text, b.p, utf8_cut(b.p, b.len,
			    BEGINNING));
			k->users_in += k->newest;
			if (k->users++ == 0)
				k->task = k->newest;
			buf_reset(&b);
		}
	}
	buf_release(&b);
}

static void
look_for_paths(const struct compact *c, const struct buf *text,
    struct kept *k)
{
	for (size_t i = 0; i < c->files.n; i++) {
		const struct file *f = &c->files.v[i];

		if (f->edited == 0)
			continue;
		k->paths++;
		k->paths_in += holds(text, f->path, strlen(f->path));
	}
}

static struct kept
look(const struct compact *c, struct slice messages)
{
	struct kept k = { .task = true, .newest = true };
	struct buf text = BUF_INIT((size_t)1 << 40);

	read_all(messages, &text);
	look_for_users(c->view, &text, &k);
	look_for_paths(c, &text, &k);
	buf_release(&text);
	return k;
}

/* ---- the sentence ---- */

bool
mode_check(struct compact *c, bool fits, struct buf *out)
{
	struct buf all = BUF_INIT((size_t)1 << 40), elided = all;
	size_t at, n;
	const char *why;
	struct kept k;

	view_print(c->view, &all);
	why = check_messages(buf_view(&all), &at);
	k = look(c, buf_view(&all));
	n = put_elided(c, &elided);
	if (why != NULL)
		buf_fmt(out, "not legal: message %zu is %s\n", at, why);
	else if (!k.task || !k.newest)
		buf_fmt(out, "not sound: %s is lost\n", k.task ?
		    "the newest message of a person" : "the task");
	else
		buf_fmt(out, "legal: %zu messages of %zu, %zu results "
		    "elided, stage %s, %ld tokens%s; task, %zu of %zu "
		    "messages by persons and %zu of %zu edited paths are in "
		    "it\n", view_count(c->view), view_records(c->view), n,
		    epoch_stage(c), compact_size(c),
		    fits ? "" : ", too large to send", k.users_in, k.users,
		    k.paths_in, k.paths);
	buf_slice(out, buf_view(&elided));
	buf_release(&all);
	buf_release(&elided);
	return why == NULL && k.task && k.newest;
}
