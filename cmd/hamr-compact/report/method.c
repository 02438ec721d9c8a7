/* method.c - one way of making requests, followed through a transcript. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "record/msg.h"

#include "method.h"

static bool
is_ours(const struct method *m)
{
	return m->rule == METHOD_OURS || m->rule == METHOD_EVERY_CALL;
}

static void
begin(struct method *m)
{
	m->compact.set.every_call |= m->rule == METHOD_EVERY_CALL;
	m->changed = SIZE_MAX;
	request_init(&m->request);
}

void
method_init(struct method *m, enum method_rule rule, const struct conf *conf,
    const char *strategy, long window)
{
	*m = (struct method){ .rule = rule, .window = window };
	if (is_ours(m))
		compact_init(&m->compact, conf, strategy, window,
		    conf_str(conf, "provider.model"));
	begin(m);
}

/* Release what belongs to a transcript. */
static void
forget(struct method *m)
{
	request_release(&m->request);
	free(m->retained.at);
	free(m->steps);
}

void
method_release(struct method *m)
{
	if (is_ours(m))
		compact_release(&m->compact);
	forget(m);
}

void
method_reset(struct method *m)
{
	struct compact compact = m->compact;

	forget(m);
	*m = (struct method){ .rule = m->rule, .window = m->window,
		.compact = compact };
	if (is_ours(m))
		compact_reset(&m->compact);
	begin(m);
}

void
method_record(struct method *m, const struct rec *r)
{
	if (is_ours(m))
		compact_record(&m->compact, r);
}

/* ---- the named rules ---- */

/* The first message from which results are shown. */
static size_t
border_of(enum method_rule rule, const struct request *plain)
{
	size_t i = plain->n, n = 0, want = rule == METHOD_LAST5 ? 5 : 10;

	if (rule == METHOD_RAW)
		return 0;
	while (i > 0 && n < want) {
		i--;
		if (rule == METHOD_LAST5)
			n += plain->m[i].role == 't';
		else
			n += plain->m[i].role == 'a' && i + 1 < plain->n &&
			    plain->m[i + 1].role == 't';
	}
	return i;
}

/* The mask of a result, in the words of SWE-agent. */
static void
mask(struct slice m, struct buf *out)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	size_t lines;

	msg_text(scan_get(m, "content"), &text);
	lines = text.len > 0 ? slice_lines(buf_view(&text)) : 1;
	buf_adds(out, "{\"role\":\"tool\",\"tool_call_id\":");
	buf_slice(out, scan_get(m, "tool_call_id"));
	buf_fmt(out, ",\"content\":\"Old environment output: (%zu lines "
	    "omitted)\"}", lines);
	buf_release(&text);
}

/* The messages that are never dropped: the system's and the task. */
static size_t
kept_by_drop(const struct request *plain)
{
	size_t i = 0;

	while (i < plain->n && plain->m[i].role != 'a')
		if (plain->m[i++].role == 'u')
			break;
	return i;
}

/* Where the plain view goes on behind the task: at 75 % of the window the
 * oldest go, an assistant message with its results, until 40 % are left. */
static size_t
border_of_drop(const struct method *m, const struct request *plain,
    size_t kept)
{
	size_t i = m->border > kept ? m->border : kept, last = plain->n;
	uint64_t sum = 0, most = (uint64_t)m->window * 64 / 100;

	for (size_t k = 0; k < kept; k++)
		sum += plain->m[k].sum;
	for (size_t k = i; k < plain->n; k++)
		sum += plain->m[k].sum;
	if (m->window == 0 || sum <= most * 75)
		return i;
	while (last > kept && plain->m[--last].role == 't')
		;
	while (i < last && sum > most * 40) {
		sum -= plain->m[i++].sum;
		while (i < last && plain->m[i].role == 't')
			sum -= plain->m[i++].sum;
	}
	return i;
}

/* Request the plain view with results before the border masked, or with all
 * before it dropped but what is kept.  Only what differs from the last request
 * is made anew. */
static void
take_rule(struct method *m, const struct request *plain,
    struct request_news *news)
{
	bool drops = m->rule == METHOD_DROP;
	size_t kept = drops ? kept_by_drop(plain) : 0;
	size_t border = drops ? border_of_drop(m, plain, kept) :
	    border_of(m->rule, plain);
	size_t gone = drops ? border - kept : 0;
	size_t i = num_min(m->changed, m->asked + gone), at, known;
	struct buf tail = BUF_INIT((size_t)1 << 40);

	if (border != m->border)
		i = num_min(i, drops ? kept : num_min(border, m->border));
	at = i < kept + gone ? num_min(i, kept) : i - gone;
	known = at > 0 ? m->request.m[at - 1].end : 0;
	for (; i < plain->n; i++) {
		if (drops && i >= kept && i < border)
			continue;
		if (known + tail.len > 0)
			buf_addc(&tail, ',');
		if (!drops && i < border && plain->m[i].role == 't')
			mask(request_message(plain, i), &tail);
		else
			buf_slice(&tail, request_message(plain, i));
	}
	request_take(&m->request, known, buf_view(&tail), news);
	buf_release(&tail);
	m->border = border;
	m->changed = SIZE_MAX;
}

/* ---- step by step ---- */

/* Request our view.  False if nothing fits or there is nothing yet. */
static bool
take_ours(struct method *m, struct step *step, struct request_news *news)
{
	struct compact *c = &m->compact;

	if (c->view->n == 0)
		return false;
	if (!compact_decide(c)) {
		step->closed = true;
		m->closed++;
		return false;
	}
	request_take_view(&m->request, c->view, news);
	step->epoch = c->epoch.number != m->epoch;
	m->epochs += step->epoch;
	m->epoch = c->epoch.number;
	return true;
}

void
method_go(struct method *m, const struct request *plain,
    const struct essentials *e, uint64_t tools)
{
	struct request_news news;
	struct step *step;

	GROW(m->steps, m->n, m->cap);
	step = &m->steps[m->n++];
	*step = (struct step){ 0 };
	m->request.family = plain->family;
	if (!is_ours(m))
		take_rule(m, plain, &news);
	else if (!take_ours(m, step, &news))
		return;
	m->asked = m->request.n;
	if (m->rule == METHOD_DROP && m->window > 0 && (m->request.sum +
	    tools) / 64 > (uint64_t)m->window) {	/* it is refused */
		step->closed = true;
		m->closed++;
		return;
	}
	retention_look(&m->retained, e, &m->request);
	step->tokens = (long)((m->request.sum + tools) / 64);
	if (step->tokens > m->largest)
		m->largest = step->tokens;
	m->tokens += (double)step->tokens;
	m->fresh += news.fresh + (m->requests == 0 ? tools : 0);
	m->bytes += (double)news.bytes;
	m->same += (double)news.same;
	m->breaks += m->requests > 0 && news.broke;
	m->requests++;
}

void
method_reply(struct method *m, const struct request *plain, size_t i)
{
	if (m->n > 0 && m->asked > 0)
		request_reply(&m->request, m->asked,
		    request_message(plain, i));
}

void
method_edit(struct method *m, struct slice old)
{
	const struct buf *words = &m->request.words;

	m->retained.asked[ESSENTIAL_EDIT]++;
	m->retained.share[ESSENTIAL_EDIT] += words->len > 0 &&
	    !m->steps[m->n - 1].closed &&
	    memmem(words->p, words->len, old.p, old.n) != NULL;
}

/* ---- figures ---- */

const char *
method_name(const struct method *m)
{
	static const char *const names[] = {
		[METHOD_EVERY_CALL] = "every_call", [METHOD_RAW] = "raw",
		[METHOD_LAST5] = "last-5 masking",
		[METHOD_TURN10] = "10-turn masking",
		[METHOD_DROP] = "drop-oldest" };

	return m->rule == METHOD_OURS ? m->compact.set.strategy->name :
	    names[m->rule];
}

size_t
method_over(const struct method *m, long room)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += room > 0 && m->steps[i].tokens > room;
	return n;
}

double
method_mean(const struct method *m)
{
	return m->requests > 0 ? m->tokens / (double)m->requests : 0;
}

double
method_reuse(const struct method *m)
{
	return m->bytes > 0 ? 100 * m->same / m->bytes : 100;
}
