/* retention.c - what a request must not lose, and whether it has it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "record/msg.h"

#include "retention.h"

#define TASK_BYTES 300
#define LINE_BYTES 80		/* of a line that tells of an error */

/* ---- where texts begin ---- */

/* Does a text begin with these two bytes?  It says where a look into the maps
 * is worth while. */
static inline bool
may_begin(const struct essentials *e, const char *p)
{
	unsigned pair = (unsigned char)p[0] | (unsigned char)p[1] << 8;

	return e->begins[pair / 8] >> pair % 8 & 1;
}

/* Make text i findable. */
static void
enter(struct essentials *e, size_t i)
{
	struct essential *new = &e->v[i];
	size_t n = new->n < HEAD_BYTES ? new->n : HEAD_BYTES;
	uint64_t *head;

	for (unsigned second = 0; second < 256; second++) {
		unsigned pair = (unsigned char)new->text[0] | second << 8;

		if (n == 1 || second == (unsigned char)new->text[1])
			e->begins[pair / 8] |= (uint8_t)(1 << pair % 8);
	}
	if (n < HEAD_BYTES) {
		e->shorter[n] = true;
		return;
	}
	head = map_put(&e->heads, (struct slice){ new->text, n }, NULL);
	for (size_t k = *head; k > 0; k = e->v[k - 1].next)
		if (e->v[k - 1].n == new->n)
			return;		/* its length is looked for */
	new->next = *head;
	*head = i + 1;
}

/* Note the n bytes at `at` if they are an essential text. */
static void
look_at(struct retention *k, const struct essentials *e, struct slice words,
    size_t at, size_t n)
{
	const uint64_t *i;

	if (n > words.n - at)
		return;
	i = map_get(&e->by_text, (struct slice){ words.p + at, n });
	if (i != NULL && k->at[*i - 1] == 0)
		k->at[*i - 1] = at + 1;
}

static void
find(struct retention *k, const struct essentials *e, struct slice words)
{
	size_t shorter[HEAD_BYTES], nshorter = 0;

	for (size_t n = 1; n < HEAD_BYTES; n++)
		if (e->shorter[n])
			shorter[nshorter++] = n;
	/* an LF stands behind each text, so that the last byte begins none */
	for (size_t at = k->looked; at + 1 < words.n; at++) {
		const char *p = words.p + at;
		const uint64_t *head = NULL;

		if (!may_begin(e, p))
			continue;
		if (words.n - at >= HEAD_BYTES)
			head = map_get(&e->heads,
			    (struct slice){ p, HEAD_BYTES });
		for (size_t i = head != NULL ? *head : 0; i > 0;
		    i = e->v[i - 1].next)
			look_at(k, e, words, at, e->v[i - 1].n);
		for (size_t i = 0; i < nshorter; i++)
			look_at(k, e, words, at, shorter[i]);
	}
}

/* ---- learning ---- */

/* Returns its index. */
static size_t
learn(struct essentials *e, enum essential_kind kind, struct slice text)
{
	uint64_t *at = map_put(&e->by_text, text, NULL);

	if (*at == 0) {
		GROW(e->v, e->n, e->cap);
		e->v[e->n] = (struct essential){ .text = xmemdup0(text.p,
			text.n), .n = text.n };
		*at = ++e->n;
		enter(e, e->n - 1);
	}
	e->v[*at - 1].weight[kind]++;
	e->all[kind]++;
	return (size_t)*at - 1;
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
	for (size_t i = 0; i < e->n; i++)
		free(e->v[i].text);
	free(e->v);
	map_release(&e->by_text);
	map_release(&e->once);
	map_release(&e->heads);
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
	find(k, e, buf_view(&q->words));
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
