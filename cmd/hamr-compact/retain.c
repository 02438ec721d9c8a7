/* retain.c - what a request must not lose, and whether it is still there. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"
#include "utf8.h"

#include "deed.h"
#include "retain.h"

#define TASK_BYTES 300

/* ---- the needs ---- */

static void
need(struct needs *s, enum need_kind kind, struct slice text)
{
	char *key;
	bool fresh = true;

	if (text.n == 0)
		return;
	if (kind == NEED_PATH || kind == NEED_ERROR) {
		key = xasprintf("%d %.*s", kind, (int)text.n, text.p);
		map_put(&s->seen, slice_of(key), &fresh);
		free(key);
	}
	if (!fresh)
		return;
	s->v = xgrow(s->v, s->n, &s->cap, sizeof *s->v);
	s->v[s->n++] = (struct need){ kind, xmemdup0(text.p, text.n),
		text.n };
}

static void
take_user(struct needs *s, const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice text;

	if (msg_is_person(r))
		msg_text(rec_get(r, "content"), &b);
	text = buf_view(&b);
	while (text.n > 0 && strchr(" \t\r\n", text.p[text.n - 1]) != NULL)
		text.n--;
	if (text.n > 0) {
		if (s->nusers == 0)
			need(s, NEED_TASK, (struct slice){ text.p,
			    utf8_cut(text.p, text.n, TASK_BYTES) });
		s->users[s->nusers++ % NEED_LAST] = s->n;
		need(s, NEED_USER, text);
	}
	buf_release(&b);
}

static void
take_calls(struct needs *s, const struct rec *r)
{
	struct slice calls = rec_get(r, "tool_calls");
	struct walk w;
	struct call c;

	if (scan_kind(calls) != SCAN_ARRAY)
		return;
	walk_in(&w, calls);
	while (msg_next_call(&w, &c)) {
		struct deed d;

		deed_of(&d, &c);
		if (d.kind == TOOL_EDIT || d.kind == TOOL_WRITE)
			need(s, NEED_PATH, slice_of(d.path));
		if (c.id.p != NULL)
			*map_put(&s->commands, c.id, NULL) =
			    d.kind == TOOL_COMMAND;
		deed_release(&d);
	}
}

/* Of a result that failed, and of the output of a command. */
static void
take_result(struct needs *s, const struct rec *r)
{
	struct slice id = rec_get(r, "tool_call_id");
	const uint64_t *command = id.p != NULL ?
	    map_get(&s->commands, id) : NULL;
	enum tool_kind kind = command != NULL && *command != 0 ?
	    TOOL_COMMAND : TOOL_OTHER;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	msg_text(rec_get(r, "content"), &b);
	if (kind == TOOL_COMMAND || deed_failed(r, kind, buf_view(&b)))
		need(s, NEED_ERROR, deed_error_line(buf_view(&b)));
	buf_release(&b);
}

void
needs_take(struct needs *s, const struct rec *r)
{
	switch (r->kind) {
	case R_USER: take_user(s, r); break;
	case R_ASSISTANT: take_calls(s, r); break;
	case R_TOOL: take_result(s, r); break;
	default: break;
	}
}

void
needs_reset(struct needs *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].text);
	free(s->v);
	map_release(&s->seen);
	map_release(&s->commands);
	*s = (struct needs){ 0 };
}

/* ---- looking ---- */

/* Where need i is in the words, its first place + 1; those up to shot->kept
 * were searched before. */
static size_t
find(const struct need *need, const struct shot *shot, size_t was, bool old)
{
	size_t from = 0;
	const char *p;

	if (was > 0 && was - 1 + need->n <= shot->kept)
		return was;
	if (old && shot->kept >= need->n)
		from = shot->kept - need->n + 1;
	if (shot->words.len < from + need->n)
		return 0;
	p = memmem(shot->words.p + from, shot->words.len - from, need->text,
	    need->n);
	return p != NULL ? (size_t)(p - shot->words.p) + 1 : 0;
}

static void
count_last(struct kept *k, const struct needs *s)
{
	size_t n = s->nusers < NEED_LAST ? s->nusers : NEED_LAST, have = 0;

	for (size_t i = 0; i < n; i++)
		have += k->at[s->users[i]] > 0;
	if (n == 0)
		return;
	k->last += (double)have / (double)n;
	k->asked_last++;
}

void
kept_look(struct kept *k, const struct needs *s, struct shot *shot)
{
	size_t all[NEED_KINDS] = { 0 }, have[NEED_KINDS] = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		bool old = i < k->n;

		if (!old) {
			k->at = xgrow(k->at, k->n, &k->cap, sizeof *k->at);
			k->at[k->n++] = 0;
		}
		k->at[i] = find(&s->v[i], shot, k->at[i], old);
		all[s->v[i].kind]++;
		have[s->v[i].kind] += k->at[i] > 0;
	}
	shot->kept = shot->words.len;
	for (int i = 0; i < NEED_KINDS; i++) {
		if (all[i] == 0)
			continue;
		k->share[i] += (double)have[i] / (double)all[i];
		k->asked[i]++;
	}
	count_last(k, s);
}

void
kept_edit(struct kept *k, const struct shot *shot, struct slice old)
{
	k->edits++;
	k->supported += shot->words.len >= old.n && memmem(shot->words.p,
	    shot->words.len, old.p, old.n) != NULL;
}

void
kept_release(struct kept *k)
{
	free(k->at);
	*k = (struct kept){ 0 };
}

static double
percent(double part, size_t whole)
{
	return whole > 0 ? 100 * part / (double)whole : -1;
}

double
kept_percent(const struct kept *k, enum need_kind kind)
{
	return percent(k->share[kind], k->asked[kind]);
}

double
kept_percent_last(const struct kept *k)
{
	return percent(k->last, k->asked_last);
}

double
kept_percent_edits(const struct kept *k)
{
	return percent((double)k->supported, k->edits);
}

/* ---- edits ---- */

static void
each_old(struct slice args, void *self,
    void (*each)(void *self, struct slice old))
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct slice val;
	struct walk w;

	if (scan_str(scan_get(args, "old"), &text) && text.len > 0)
		each(self, buf_view(&text));
	walk_in(&w, scan_get(args, "edits"));
	while (walk_next(&w, NULL, &val)) {
		buf_reset(&text);
		if (scan_str(scan_get(val, "old"), &text) && text.len > 0)
			each(self, buf_view(&text));
	}
	buf_release(&text);
}

void
edits_of(const struct rec *r, void *self,
    void (*each)(void *self, struct slice old))
{
	struct slice calls = rec_get(r, "tool_calls");
	struct walk w;
	struct call c;

	if (scan_kind(calls) != SCAN_ARRAY)
		return;
	walk_in(&w, calls);
	while (msg_next_call(&w, &c)) {
		struct deed d;

		deed_of(&d, &c);
		if (d.kind == TOOL_EDIT)
			each_old(buf_view(&d.args), self, each);
		deed_release(&d);
	}
}
