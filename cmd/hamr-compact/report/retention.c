/* retention.c - what a request must not lose, and whether it has it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "record/msg.h"

#include "retention.h"

#define TASK_BYTES 300
#define LINE_BYTES 80		/* of a line that tells of an error */

/* ---- learning ---- */

/* Returns its number. */
static size_t
learn(struct essentials *e, enum essential_kind kind, struct slice text)
{
	size_t no = finder_add(&e->texts, text);

	if (no == e->n) {
		GROW(e->v, e->n, e->cap);
		e->v[e->n++] = (struct essential){ { 0 } };
	}
	e->v[no].weight[kind]++;
	e->all[kind]++;
	return no;
}

/* Learn a path or an error line, once each. */
static void
learn_once(struct essentials *e, enum essential_kind kind, struct slice text)
{
	char *key;
	bool fresh;

	if (text.n == 0)
		return;
	key = xasprintf("%d %.*s", kind, (int)text.n, text.p);
	map_put(&e->once, slice_of(key), &fresh);
	free(key);
	if (fresh)
		learn(e, kind, text);
}

void
essentials_user(struct essentials *e, const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice text;

	if (msg_is_person(r))
		msg_text(rec_get(r, "content"), &b);
	text = slice_trim_end(buf_view(&b), " \t\r\n");
	if (text.n > 0) {
		if (e->nusers == 0)
			learn(e, ESSENTIAL_TASK, (struct slice){ text.p,
			    utf8_cut(text.p, text.n, TASK_BYTES) });
		e->users[e->nusers++ % ESSENTIAL_LAST] = learn(e,
		    ESSENTIAL_USER, text);
	}
	buf_release(&b);
}

void
essentials_call(struct essentials *e, const struct action *a)
{
	if (a->kind == TOOL_EDIT || a->kind == TOOL_WRITE)
		learn_once(e, ESSENTIAL_PATH, slice_of(a->object));
}

static bool
tells_of_error(struct slice line)
{
	static const char *const words[] = { "error", "failed", "failure",
		"fatal", "exception", "panic", "traceback", "denied",
		"not found", "no such", "assertion" };
	char low[512];
	size_t n = line.n < sizeof low ? line.n : sizeof low - 1;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)line.p[i];

		if (c < ' ' && c != '\t')
			return false;	/* it holds control characters */
		low[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : (char)c;
	}
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (memmem(low, n, words[i], strlen(words[i])) != NULL)
			return true;
	return false;
}

/* Learn the first line that reports an error, of a failed result or of any
 * command's output. */
void
essentials_result(struct essentials *e, const struct rec *r,
    enum tool_kind kind)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice rest, line;

	msg_text(rec_get(r, "content"), &b);
	rest = buf_view(&b);
	if (kind != TOOL_COMMAND && !result_failed(r, kind, rest))
		rest.n = 0;
	while (slice_line(&rest, &line))
		if (tells_of_error(line)) {
			line.n = utf8_cut(line.p, line.n, LINE_BYTES);
			learn_once(e, ESSENTIAL_ERROR,
			    slice_trim_end(line, " \t"));
			break;
		}
	buf_release(&b);
}

void
essentials_release(struct essentials *e)
{
	free(e->v);
	finder_release(&e->texts);
	map_release(&e->once);
	*e = (struct essentials){ 0 };
}

/* ---- looking ---- */

void
retention_look(struct retention *k, const struct essentials *e,
    struct request *q)
{
	unsigned have[ESSENTIAL_KINDS] = { 0 };
	size_t last = 0;
	size_t users = e->nusers < ESSENTIAL_LAST ? e->nusers :
	    ESSENTIAL_LAST;

	if (k->looked > q->same_words)
		k->looked = q->same_words;
	for (; k->n < e->n; k->n++) {
		GROW(k->at, k->n, k->cap);
		k->at[k->n] = 0;
	}
	for (size_t i = 0; i < k->n; i++)
		if (k->at[i] > k->looked)
			k->at[i] = 0;
	finder_look(&e->texts, buf_view(&q->words), k->looked, k->at);
	k->looked = q->same_words = q->words.len;
	for (size_t i = 0; i < k->n; i++)
		for (int kind = 0; k->at[i] > 0 && kind < ESSENTIAL_KINDS;
		    kind++)
			have[kind] += e->v[i].weight[kind];
	for (int kind = 0; kind < ESSENTIAL_KINDS; kind++) {
		if (e->all[kind] == 0)
			continue;
		k->share[kind] += (double)have[kind] / (double)e->all[kind];
		k->asked[kind]++;
	}
	for (size_t i = 0; i < users; i++)
		last += k->at[e->users[i]] > 0;
	if (users > 0) {
		k->share[ESSENTIAL_NEWEST] += (double)last / (double)users;
		k->asked[ESSENTIAL_NEWEST]++;
	}
}

double
retention_percent(const struct retention *k, enum essential_kind kind)
{
	return k->asked[kind] > 0 ? 100 * k->share[kind] /
	    (double)k->asked[kind] : -1;
}
