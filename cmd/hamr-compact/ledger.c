/* ledger.c - the working context: records taken in. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"
#include "view.h"

#include "ledger.h"

uint64_t
ledger_hash(const char *p, size_t n)
{
	uint64_t h = 14695981039346656037u;	/* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * 1099511628211u;
	return h;
}

/* ---- life ---- */

void
ledger_init(struct ledger *l, const struct conf *conf, const char *strategy,
    long window)
{
	*l = (struct ledger){ .plain = view_new() };
	seam_init(&l->seam, conf, strategy, window);
}

static void
forget(struct ledger *l)
{
	for (size_t i = 0; i < l->ncalls; i++) {
		free(l->calls[i].id);
		free(l->calls[i].what);
		buf_release(&l->calls[i].args);
	}
	for (size_t i = 0; i < l->nfiles; i++)
		ledger_file_release(&l->files[i]);
	for (size_t i = 0; i < l->ncommands; i++)
		free(l->commands[i].what);
	free(l->calls);
	free(l->files);
	free(l->commands);
	map_release(&l->by_path);
	map_release(&l->by_command);
	pairing_reset(&l->pairing);
	free(l->status.said);
	free(l->diff.said);
	free(l->title);
	free(l->cwd);
	view_free(l->plain);
}

void
ledger_reset(struct ledger *l)
{
	struct seam seam = l->seam;

	forget(l);
	*l = (struct ledger){ .seam = seam, .plain = view_new() };
	seam_reset(&l->seam);
}

void
ledger_release(struct ledger *l)
{
	seam_release(&l->seam);
	forget(l);
}

/* ---- calls ---- */

static void
take_call(struct ledger *l, const struct call *c)
{
	struct buf given = BUF_INIT(BUF_RECORD_MAX);
	struct ledger_call *new;
	struct deed d;

	if (scan_kind(c->whole) != SCAN_OBJECT)
		return;		/* the view has none such */
	deed_of(&d, c);
	scan_str(c->args, &given);
	l->calls = xgrow(l->calls, l->ncalls, &l->capcalls,
	    sizeof *l->calls);
	new = &l->calls[l->ncalls];
	*new = (struct ledger_call){ .kind = d.kind, .what = d.path,
		.args = d.args, .given = given.len,
		.given_hash = ledger_hash(given.p, given.len),
		.turn = l->turns, .step = l->steps };
	new->id = scan_strdup(c->id);
	if (new->id == NULL)
		new->id = xstrdup("");
	pairing_call(&l->pairing, c->id, l->ncalls++);
	buf_release(&given);
}

static void
take_assistant(struct ledger *l, const struct rec *r)
{
	struct slice calls = rec_get(r, "tool_calls");
	struct walk w;
	struct call c;

	if (scan_kind(calls) != SCAN_ARRAY)
		return;
	l->steps++;
	walk_in(&w, calls);
	while (msg_next_call(&w, &c))
		take_call(l, &c);
}

/* ---- commands ---- */

static void
count_command(struct ledger *l, size_t i)
{
	const struct ledger_call *c = &l->calls[i];
	struct ledger_command *k;
	uint64_t *at;
	bool fresh;

	if (c->kind != TOOL_COMMAND || c->what[0] == '\0')
		return;
	at = map_put(&l->by_command, slice_of(c->what), &fresh);
	if (fresh) {
		l->commands = xgrow(l->commands, l->ncommands,
		    &l->capcommands, sizeof *l->commands);
		l->commands[l->ncommands++] = (struct ledger_command){
			.what = xstrdup(c->what) };
		*at = l->ncommands;
	}
	k = &l->commands[*at - 1];
	k->times++;
	k->failed += c->failed;
	k->ok = !c->failed;
	k->last = i;
}

static void
take_result(struct ledger *l, const struct rec *r)
{
	size_t i = pairing_result(&l->pairing, rec_get(r, "tool_call_id"));
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct ledger_call *c;

	if (i == (size_t)-1)
		return;
	c = &l->calls[i];
	msg_text(rec_get(r, "content"), &text);
	c->done = true;
	c->text = text.len;
	c->text_hash = ledger_hash(text.p, text.len);
	c->failed = deed_failed(r, c->kind, buf_view(&text));
	l->results++;
	count_command(l, i);
	ledger_learn(l, i, r, buf_view(&text));
	if (c->kind == TOOL_COMMAND)
		ledger_git(l, i, buf_view(&text));
	buf_release(&c->args);
	buf_release(&text);
}

/* ---- records ---- */

void
ledger_record(struct ledger *l, const struct rec *r)
{
	seam_record(&l->seam, r);
	view_add(l->plain, r);
	l->messages += rec_is_message(r->kind);
	switch (r->kind) {
	case R_HAMR:
		free(l->title);
		free(l->cwd);
		l->title = rec_strdup(r, "session");
		l->cwd = rec_strdup(r, "cwd");
		break;
	case R_USER: l->turns += msg_is_person(r); break;
	case R_ASSISTANT: take_assistant(l, r); break;
	case R_TOOL: take_result(l, r); break;
	default: break;
	}
}
