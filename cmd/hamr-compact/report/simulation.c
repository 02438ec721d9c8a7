/* simulation.c - a transcript replayed call by call. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "items/fact.h"
#include "record/alias.h"
#include "record/msg.h"

#include "simulation.h"

#define CLOSING 4		/* longest end of a message: "}]} */
#define TASK_BYTES 300
#define LINE_BYTES 80		/* of a line that reports an error */

/* ---- requests ---- */

static void
request_init(struct request *q, enum token_family family)
{
	*q = (struct request){ .family = family };
	bufs_init(BUFS(&q->bytes, &q->words), (size_t)1 << 40);
}

static void
request_release(struct request *q)
{
	bufs_release(BUFS(&q->bytes, &q->words));
	free(q->m);
}

/* The bytes of message i. */
static struct slice
request_message(const struct request *q, size_t i)
{
	return slice_part(buf_view(&q->bytes), i > 0 ? q->m[i - 1].end + 1 : 0,
	    q->m[i].end);
}

static void
add_message(struct request *q, struct slice m, size_t end)
{
	static const char *const roles[] = { "system", "user", "assistant",
		"tool" };
	struct slice content = scan_get(m, "content");
	struct slice role = scan_get(m, "role"), why = scan_get(m, "reasoning");
	struct request_message new = { .end = end, .role = '?' };
	struct call call;

	new.sum = VIEW_PER_MESSAGE + view_content_sum(q->family, content);
	msg_text(content, &q->words);
	buf_addc(&q->words, '\n');
	if (scan_kind(why) == SCAN_STRING)
		new.sum += view_content_sum(q->family, why);
	for (struct walk w = walk_elements(scan_get(m, "tool_calls"));
	    msg_next_call(&w, &call); ) {
		if (scan_str(call.name, &q->words))
			buf_addc(&q->words, '\n');
		finder_args(call.args, &q->words);
		new.sum += view_content_sum(q->family, call.name) +
		    view_content_sum(q->family, call.args);
	}
	for (int i = 0; i < 4; i++)
		if (scan_str_is(role, roles[i]))
			new.role = roles[i][0];
	new.words = q->words.len;
	q->sum += new.sum;
	GROW(q->m, q->n, q->cap);
	q->m[q->n++] = new;
}

static void
cut(struct request *q, size_t n)
{
	while (q->n > n)
		q->sum -= q->m[--q->n].sum;
	q->bytes.len = q->n > 0 ? q->m[q->n - 1].end : 0;
	q->words.len = q->n > 0 ? q->m[q->n - 1].words : 0;
	q->same_words = num_min(q->same_words, q->words.len);
}

/* What is new in a request. */
struct news {
	size_t bytes;		/* of all messages */
	size_t same;		/* the prefix shared with the last request */
	uint64_t fresh;		/* estimate of what follows it */
	size_t first;		/* the first message that differs */
	bool broke;		/* the last request is not a prefix, even
				 * without the end of its last message */
};

/* Turn q into the next request: its first `known` bytes, then tail (checked
 * JSON, commas between messages). */
static struct news
take(struct request *q, size_t known, struct slice tail)
{
	size_t was = q->bytes.len, keep = q->n, same = 0;
	size_t last = q->n > 1 ? q->m[q->n - 2].end : 0;
	size_t both = num_min(was - known, tail.n);
	const char *p = q->bytes.p + known;
	struct news news = { .bytes = known + tail.n };
	struct slice m;

	while (both - same >= 4096 &&
	    memcmp(p + same, tail.p + same, 4096) == 0)
		same += 4096;
	while (same < both && p[same] == tail.p[same])
		same++;
	news.same = known + same;
	news.broke = news.same < was &&
	    (news.same < last || was - news.same > CLOSING);
	while (keep > 0 && q->m[keep - 1].end > news.same)
		keep--;
	cut(q, keep);
	news.first = keep;
	size_t start = q->bytes.len;
	q->bytes.len = known;
	buf_slice(&q->bytes, tail);
	for (struct walk w = { q->bytes.p + start, q->bytes.p + q->bytes.len,
	    SCAN_ARRAY }; walk_next(&w, NULL, &m); ) {
		size_t end = (size_t)(m.p - q->bytes.p) + m.n, had = 0;

		add_message(q, m, end);
		if (q->n == keep + 1 && news.same > end - m.n)
			had = news.same - (end - m.n);
		news.fresh += (uint64_t)((double)q->m[q->n - 1].sum *
		    (1 - (double)had / (double)m.n));
	}
	return news;
}

/* The same with the messages of a view that q was made from last time, too. */
static struct news
take_view(struct request *q, struct view *v)
{
	size_t known = num_min(v->body.len, q->bytes.len);

	return take(q, known, slice_from(view_messages(v), known));
}

/* ---- what is essential ---- */

/* Learn a text, paths and error lines once each; returns its number. */
static size_t
learn(struct essentials *e, enum essential_kind kind, struct slice text)
{
	bool once = kind == ESSENTIAL_PATH || kind == ESSENTIAL_ERROR;
	size_t no = finder_add(&e->texts, text);

	if (no == e->n) {
		GROW(e->v, e->n, e->cap);
		e->v[e->n++] = (struct essential){ { 0 } };
	}
	if (!once || e->v[no].weight[kind] == 0) {
		e->v[no].weight[kind]++;
		e->all[kind]++;
	}
	return no;
}

static void
learn_user(struct essentials *e, const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (msg_is_person(r))
		msg_text(rec_get(r, "content"), &b);
	struct slice text = slice_trim_end(buf_view(&b), " \t\r\n");
	if (text.n > 0) {
		if (e->nusers == 0)
			learn(e, ESSENTIAL_TASK, (struct slice){ text.p,
			    utf8_cut(text.p, text.n, TASK_BYTES) });
		e->users[e->nusers++ % ESSENTIAL_LAST] = learn(e,
		    ESSENTIAL_USER, text);
	}
	buf_release(&b);
}

/* A request was made: look for every essential in it. */
static void
look_for_all(struct method *m, const struct essentials *e)
{
	struct request *q = &m->request;
	unsigned have[ESSENTIAL_KINDS] = { 0 };
	size_t last = 0, users = num_min(e->nusers, ESSENTIAL_LAST);

	m->looked = num_min(m->looked, q->same_words);
	for (; m->nat < e->n; m->nat++) {
		GROW(m->at, m->nat, m->capat);
		m->at[m->nat] = 0;
	}
	for (size_t i = 0; i < m->nat; i++)
		if (m->at[i] > m->looked)
			m->at[i] = 0;
	finder_search(&e->texts, buf_view(&q->words), m->looked, m->at);
	m->looked = q->same_words = q->words.len;
	for (size_t i = 0; i < m->nat; i++)
		for (int kind = 0; m->at[i] > 0 && kind < ESSENTIAL_KINDS;
		    kind++)
			have[kind] += e->v[i].weight[kind];
	for (int kind = 0; kind < ESSENTIAL_KINDS; kind++) {
		if (e->all[kind] == 0)
			continue;
		m->share[kind] += (double)have[kind] / (double)e->all[kind];
		m->asked[kind]++;
	}
	for (size_t i = 0; i < users; i++)
		last += m->at[e->users[i]] > 0;
	if (users > 0) {
		m->share[ESSENTIAL_NEWEST] += (double)last / (double)users;
		m->asked[ESSENTIAL_NEWEST]++;
	}
}

/* ---- methods ---- */

static bool
is_ours(const struct method *m)
{
	return m->rule == METHOD_OURS || m->rule == METHOD_EVERY_CALL;
}

/* The message from which on a named rule shows everything.  *kept: how many
 * messages at the start, up to the task, are never dropped.  drop-oldest drops
 * an assistant message together with its results. */
static size_t
border_of(const struct method *m, const struct simulation *s, size_t *kept)
{
	const struct request *plain = &s->plain;
	size_t i = plain->n, n = 0, want = m->rule == METHOD_LAST5 ? 5 : 10;
	size_t last = plain->n;
	uint64_t sum = s->tools, most = (uint64_t)m->window * 64 / 100;

	*kept = 0;
	if (m->rule == METHOD_RAW)
		return 0;
	while (m->rule != METHOD_DROP && i > 0 && n < want) {
		i--;
		if (m->rule == METHOD_LAST5)
			n += plain->m[i].role == 't';
		else
			n += plain->m[i].role == 'a' && i + 1 < plain->n &&
			    plain->m[i + 1].role == 't';
	}
	if (m->rule != METHOD_DROP)
		return i;
	while (*kept < plain->n && plain->m[*kept].role != 'a')
		if (plain->m[(*kept)++].role == 'u')
			break;
	i = m->border > *kept ? m->border : *kept;
	for (size_t k = 0; k < plain->n; k++)
		sum += k < *kept || k >= i ? plain->m[k].sum : 0;
	if (m->window == 0 || sum <= most * 75)
		return i;
	while (last > *kept && plain->m[--last].role == 't')
		;
	while (i < last && sum > most * 40) {
		sum -= plain->m[i++].sum;
		while (i < last && plain->m[i].role == 't')
			sum -= plain->m[i++].sum;
	}
	return i;
}

/* Request the plain view with the results before the border masked, or with
 * everything before it dropped except the kept messages.  Only what differs
 * from the last request is built again. */
static struct news
take_rule(struct method *m, const struct simulation *s)
{
	const struct request *plain = &s->plain;
	bool drops = m->rule == METHOD_DROP;
	size_t kept, border = border_of(m, s, &kept);
	size_t gone = drops ? border - kept : 0;
	size_t i = num_min(m->changed, m->sent + gone);
	struct buf tail = BUF_INIT((size_t)1 << 40);

	if (border != m->border)
		i = num_min(i, drops ? kept : num_min(border, m->border));
	size_t at = i < kept + gone ? num_min(i, kept) : i - gone;
	size_t known = at > 0 ? m->request.m[at - 1].end : 0;
	for (; i < plain->n; i++) {
		struct slice message = request_message(plain, i);

		if (drops && i >= kept && i < border)
			continue;
		if (known + tail.len > 0)
			buf_addc(&tail, ',');
		if (drops || i >= border || plain->m[i].role != 't') {
			buf_slice(&tail, message);
			continue;
		}
		/* the mask, in the words of SWE-agent */
		size_t lines = slice_lines(slice_part(buf_view(&plain->words),
		    i > 0 ? plain->m[i - 1].words : 0,
		    plain->m[i].words - 1));
		scan_put(&tail, "{'role':'tool','tool_call_id':$,'content':"
		    "'Old environment output: ($ lines omitted)'}",
		    scan_get(message, "tool_call_id"),
		    SCAN_INT(lines > 0 ? (long long)lines : 1));
	}
	struct news news = take(&m->request, known, buf_view(&tail));
	buf_release(&tail);
	m->border = border;
	m->changed = SIZE_MAX;
	return news;
}

static void
method_go(struct method *m, const struct simulation *s)
{
	struct compact *c = &m->compact;
	struct news news;

	GROW(m->steps, m->n, m->cap);
	struct step *step = &m->steps[m->n++];
	*step = (struct step){ 0 };
	if (!is_ours(m)) {
		news = take_rule(m, s);
	} else if (c->view->n == 0) {
		return;
	} else if (compact_decide(c)) {
		news = take_view(&m->request, c->view);
		step->epoch = c->epoch.number != m->epoch;
		m->epochs += step->epoch;
		m->epoch = c->epoch.number;
	} else {
		step->closed = true;
	}
	if (!step->closed)
		m->sent = m->request.n;
	/* a server would refuse it */
	step->closed |= m->rule == METHOD_DROP && m->window > 0 &&
	    (m->request.sum + s->tools) / 64 > (uint64_t)m->window;
	m->closed += step->closed;
	if (step->closed)
		return;
	look_for_all(m, &s->essentials);
	step->tokens = (long)((m->request.sum + s->tools) / 64);
	if (step->tokens > m->largest)
		m->largest = step->tokens;
	m->tokens += (double)step->tokens;
	m->fresh += news.fresh + (m->requests == 0 ? s->tools : 0);
	m->bytes += (double)news.bytes;
	m->same += (double)news.same;
	m->breaks += m->requests > 0 && news.broke;
	m->requests++;
}

/* ---- calls and results of the plain view ---- */

/* An edit in the answer: did the requests contain its old text?  It counts
 * only if the history contains that at all. */
static void
edit(struct simulation *s, struct slice args)
{
	struct buf old = BUF_INIT(BUF_RECORD_MAX);
	bool counts = scan_str(scan_get(args, "old"), &old) && old.len > 0 &&
	    slice_has(buf_view(&s->plain.words), old.p);

	for (size_t i = 0; counts && i < s->nmethods; i++) {
		struct method *m = &s->methods[i];

		m->asked[ESSENTIAL_EDIT]++;
		m->share[ESSENTIAL_EDIT] +=
		    !m->steps[m->n - 1].closed &&
		    slice_has(buf_view(&m->request.words), old.p);
	}
	buf_release(&old);
}

static void
take_call(void *self, struct view_call *call, struct slice name,
    const struct view_args *args)
{
	struct simulation *s = self;
	struct buf canonical = BUF_INIT(BUF_RECORD_MAX);
	struct fact *f = fact_new(s->view, name, args);
	struct slice one;

	call->note = f;
	if (f->kind == TOOL_EDIT && s->asked && alias_args(SLICE("edit"),
	    args->text, &canonical)) {
		edit(s, buf_view(&canonical));
		for (struct walk w = walk_of(scan_get(buf_view(&canonical),
		    "edits")); walk_next(&w, NULL, &one); )
			edit(s, one);
	}
	buf_release(&canonical);
}

/* Learn the path of an edit that did not fail, and the first line that reports
 * an error, of a failed result or of any command's output. */
static void
take_result(void *self, struct view_call *call, const struct rec *r,
    struct slice content)
{
	struct simulation *s = self;
	struct fact *f = call->note;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	(void)content;
	msg_text(rec_get(r, "content"), &b);
	fact_result(s->view, f, r, buf_view(&b), buf_view(&b));
	/* as every spelling of it ends */
	struct slice path = compact_path(&s->methods[0].compact,
	    first_line(f->what));
	if ((f->kind == TOOL_EDIT || f->kind == TOOL_WRITE) && !f->failed &&
	    path.n > 0)
		learn(&s->essentials, ESSENTIAL_PATH, path);
	if (f->kind == TOOL_COMMAND || f->failed) {
		struct slice line = first_error(buf_view(&b));

		line = slice_trim_end(slice_part(line, 0, utf8_cut(line.p,
		    line.n, LINE_BYTES)), " \t\r");
		/* what only a screen needs is taken out of the view */
		if (line.n > 0 && memchr(line.p, '\033', line.n) == NULL &&
		    memchr(line.p, '\r', line.n) == NULL)
			learn(&s->essentials, ESSENTIAL_ERROR, line);
	}
	buf_release(&b);
}

static void
add(struct simulation *s, enum method_rule rule, const struct conf *conf,
    const char *strategy, long window)
{
	struct method *m = &s->methods[s->nmethods++];

	*m = (struct method){ .rule = rule, .window = window,
		.changed = SIZE_MAX };
	if (is_ours(m)) {
		struct compact *c = &m->compact;

		compact_init(c, conf, strategy, window);
		c->set.every_call |= rule == METHOD_EVERY_CALL;
		c->family = c->view->family = s->family;
		c->model = true;	/* whatever a header says of it */
	}
	request_init(&m->request, s->family);
}

void
simulation_init(struct simulation *s, const struct conf *conf,
    const char *strategy, long window, bool all, enum token_family family)
{
	static const long usual[] = { 12288, 16384, 32768, 65536, 131072 };

	*s = (struct simulation){ .nwindows = sizeof usual / sizeof *usual,
		.family = family, .view = view_new() };
	s->view->hooks = (struct view_hooks){ s, take_call, take_result };
	request_init(&s->plain, family);
	memcpy(s->windows, usual, sizeof usual);
	if (window >= 0) {
		s->windows[0] = window;
		s->nwindows = 1;
	}
	for (size_t i = 0; i < s->nwindows; i++) {
		add(s, METHOD_OURS, conf, strategy, s->windows[i]);
		add(s, METHOD_EVERY_CALL, conf, strategy, s->windows[i]);
		add(s, METHOD_DROP, conf, NULL, s->windows[i]);
		for (size_t k = 0; all && k < COMPACTING; k++)
			if (&strategies[k] != s->methods[i *
			    s->each].compact.set.strategy)
				add(s, METHOD_OURS, conf, strategies[k].name,
				    s->windows[i]);
		s->each = s->nmethods / (i + 1);
	}
	for (int rule = METHOD_RAW; rule <= METHOD_TURN10; rule++)
		add(s, (enum method_rule)rule, conf, NULL, 0);
}

void
simulation_release(struct simulation *s)
{
	for (size_t i = 0; i < s->nmethods; i++) {
		struct method *m = &s->methods[i];

		request_release(&m->request);
		FREE(m->at, m->steps);
		if (is_ours(m))
			compact_release(&m->compact);
	}
	view_free(s->view);
	request_release(&s->plain);
	finder_release(&s->essentials.texts);
	FREE(s->essentials.v, s->session, s->model);
}

/* ---- steps ---- */

static void
look(struct simulation *s)
{
	struct news news = take_view(&s->plain, s->view);
	for (size_t i = 0; i < s->nmethods; i++)
		s->methods[i].changed = num_min(s->methods[i].changed,
		    news.first);
}

/* The model answered; the plain view has the answer as it was generated.  A
 * server's cache now holds the request and this answer. */
static void
reply(struct simulation *s)
{
	size_t i;

	look(s);
	for (i = s->plain.n; i > s->before; i--)
		if (s->plain.m[i - 1].role == 'a')
			break;
	if (i <= s->before)
		return;
	struct slice message = request_message(&s->plain, i - 1);
	for (size_t k = 0; k < s->nmethods; k++) {
		struct method *m = &s->methods[k];

		if (m->n == 0 || m->sent == 0)
			continue;
		cut(&m->request, m->sent);
		buf_adds(&m->request.bytes, m->request.bytes.len > 0 ? "," :
		    "");
		buf_slice(&m->request.bytes, message);
		add_message(&m->request, message, m->request.bytes.len);
	}
}

void
simulation_record(struct simulation *s, const struct rec *r)
{
	unsigned prev = TOKEN_START;
	struct slice tools;

	switch (r->kind) {
	case R_COMPACTION: case R_COMPACT: case R_RECOVERY: case R_LIMIT:
	case R_REQUEST: case R_GO:
		return;		/* about the window of the original run, or
				 * for us to make */
	case R_ERROR:
		if (rec_str_is(r, "stage", "compact"))
			return;
		break;
	case R_HAMR:
		FREE(s->session, s->model);
		s->session = rec_strdup(r, "session");
		s->model = rec_strdup(r, "model");
		break;
	case R_TOOLS:
		tools = rec_get(r, "tools");
		s->tools = tools.n > 2 ? token_sum(s->family, tools.p,
		    tools.n, &prev) : 0;
		break;
	case R_ASSISTANT: case R_USAGE:	/* a model was called here */
		if (s->asked || s->view->n == 0)
			break;
		s->asked = true;
		s->steps++;
		look(s);
		s->before = s->plain.n;
		for (size_t i = 0; i < s->nmethods; i++)
			method_go(&s->methods[i], s);
		break;
	default: break;
	}
	for (size_t i = 0; i < s->nmethods; i++)
		if (is_ours(&s->methods[i]))
			compact_record(&s->methods[i].compact, r);
	if (!rec_is_message(r->kind))
		return;
	s->messages++;
	view_add(s->view, r);
	if (r->kind == R_USER)
		learn_user(&s->essentials, r);
	if (r->kind == R_ASSISTANT && s->asked)
		reply(s);
	s->asked = r->kind == R_ASSISTANT;
}
