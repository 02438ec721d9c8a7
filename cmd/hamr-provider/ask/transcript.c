/* transcript.c - the stage: what it reads, and when it answers. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "request/quirks.h"

#include "discover.h"
#include "exchange.h"
#include "replay.h"
#include "transcript.h"

/* ---- what is read ---- */

/* The value of a key, as a slice of `line`, the copy of the record's line. */
static struct slice
kept(const struct rec *r, const char *key, struct slice line)
{
	struct slice v = rec_get(r, key);

	if (v.p != NULL)
		v.p = line.p + (v.p - r->line.p);
	return v;
}

/* Keep a request.  Find its members now, while the record is parsed. */
static void
keep_request(struct provider *p, const struct rec *r)
{
	struct ask *a = &p->ask;
	int64_t tokens;

	buf_reset(&p->request);
	buf_slice(&p->request, r->line);
	struct slice line = buf_view(&p->request);
	p->requested = true;
	*a = (struct ask){
		.messages = scan_only(SCAN_ARRAY, kept(r, "messages", line)),
		.tools = scan_only(SCAN_ARRAY, kept(r, "tools", line)),
		.params = scan_only(SCAN_OBJECT, kept(r, "params", line)),
		.tool_choice = kept(r, "tool_choice", line),
	};
	if (rec_int(r, "tokens", &tokens))
		a->estimate = tokens;
}

/* Load the spooled messages into the view. */
static void
recall(struct provider *p)
{
	struct buf b = BUF_INIT((size_t)1 << 40);

	if (p->spool < 0)
		return;
	if (lseek(p->spool, 0, SEEK_SET) == 0)
		file_read_fd(p->spool, "messages", &b, NULL);
	for (struct rec_text t = { .rest = buf_view(&b) }; rec_text_next(&t); )
		view_add(p->view, &t.rec);
	buf_release(&b);
	close(p->spool);
	p->spool = -1;
}

/* In a session requests usually arrive complete, so the messages, many
 * megabytes, are spooled to a file until a request needs them. */
static void
remember(struct stage *s, const struct rec *r)
{
	struct provider *p = s->self;

	if (p->spool == -2)
		p->spool = s->mode == STAGE_RESIDENT ? file_unnamed() : -1;
	if (p->spool >= 0 &&
	    file_write_all(p->spool, r->line.p, r->line.n) == 0 &&
	    file_write_all(p->spool, "\n", 1) == 0)
		return;
	recall(p);
	view_add(p->view, r);
}

static void
read_record(struct stage *s, const struct rec *r)
{
	struct provider *p = s->self;
	char *model;
	int64_t n;

	if (replay_counts(r))
		p->answers++;
	if (rec_is_message(r->kind)) {
		remember(s, r);
		p->asked = r->kind != R_ASSISTANT;
		p->blocked = false;
	}
	switch (r->kind) {
	case R_ASSISTANT:
		p->requested = false;	/* this answers it */
		ids_note(&p->ids, rec_get(r, "tool_calls"));
		buf_reset(&p->constrain);
		break;
	case R_REQUEST:
		keep_request(p, r);
		p->blocked = false;
		break;
	case R_TOOLS:
		buf_reset(&p->tools);
		buf_slice(&p->tools, rec_get(r, "tools"));
		break;
	case R_CONSTRAIN:
		buf_reset(&p->constrain);
		buf_slice(&p->constrain, rec_get(r, "tool_choice"));
		break;
	case R_CONFIG:
		/* the user chose another model in the session; when it is
		 * replayed in a pipeline, the flags count */
		model = s->mode == STAGE_RESIDENT ? scan_strdup(scan_get(
		    rec_get(r, "set"), "provider.model")) : NULL;
		if (model != NULL) {
			free(p->set->model);
			p->set->model = model;
		}
		break;
	case R_LIMIT:
		if (rec_int(r, "context_tokens", &n) && n > 0)
			p->limit = (long)n;
		break;
	case R_ERROR:
		if (rec_str_is(r, "stage", "compact") ||
		    rec_str_is(r, "stage", "hamr-compact")) {
			p->blocked = true;
			p->requested = false;
		}
		break;
	default:
		break;
	}
}

static bool
keep(struct stage *s, const struct rec *r)
{
	(void)s;
	return r->kind != R_REQUEST;
}

/* Forget the transcript, but not the state of the process. */
static void
forget(struct provider *p)
{
	view_free(p->view);
	p->view = NULL;
	if (p->spool >= 0)
		close(p->spool);
	p->spool = -2;
	map_release(&p->ids);
	messages_cache_release(&p->cache);
	bufs_release(BUFS(&p->tools, &p->constrain, &p->request));
	p->answers = 0;
	p->limit = -1;
	p->asked = p->blocked = p->requested = false;
}

static void
begin(struct provider *p)
{
	p->view = view_new();
	p->view->system_in_place = p->set->system_in_place &&
	    !p->set->api->one_system;
}

static void
reset(struct stage *s)
{
	forget(s->self);
	begin(s->self);
}

/* ---- acting ---- */

/* Make a request of the messages, the tools and the choice read so far. */
static void
make_request(struct provider *p)
{
	struct slice tools = scan_only(SCAN_ARRAY, buf_view(&p->tools));
	struct slice choice = buf_view(&p->constrain);
	struct buf *b = &p->request;

	buf_reset(b);
	p->ask = (struct ask){ .estimate = 0 };
	if (p->replay != NULL && !replay_has_tapes(p->replay))
		return;		/* a script does not look at it */
	recall(p);
	view_take_messages(p->view, b);
	size_t n = b->len;
	buf_slice(b, tools);
	buf_slice(b, choice);
	p->ask = (struct ask){ .messages = { b->p, n },
		.estimate = (long long)(view_sum(p->view) / 64) };
	if (tools.p != NULL)
		p->ask.tools = (struct slice){ b->p + n, tools.n };
	if (choice.n > 0)
		p->ask.tool_choice = (struct slice){ b->p + n + tools.n,
			choice.n };
}

static void
act(struct stage *s)
{
	struct provider *p = s->self;

	if (!p->requested && (p->blocked || !p->asked))
		return;
	if (!p->requested)
		make_request(p);
	if (!p->requested && s->last) {		/* it is not needed again */
		view_free(p->view);
		begin(p);
	}
	struct ask ask = p->ask;
	/* the choice of a tool: the request's own, else that of its params,
	 * else of the configuration's */
	const struct slice choices[] = { ask.tool_choice,
		scan_get(ask.params, "tool_choice"),
		scan_get(slice_of(p->set->params), "tool_choice") };
	ask.tool_choice = (struct slice){ NULL, 0 };
	for (size_t i = 0; i < 3 && ask.tool_choice.p == NULL; i++)
		if (scan_kind(choices[i]) != SCAN_NULL)
			ask.tool_choice = choices[i];
	struct buf request = p->request;	/* another may arrive */
	p->request = BUF_INIT(request.max);
	p->requested = false;
	p->flags = 0;
	if (p->replay != NULL)
		replay_answer(p, &ask);
	else
		exchange(p, &ask);
	buf_reset(&request);
	if (p->request.p == NULL)	/* its memory serves the next one */
		p->request = request;
	else
		buf_release(&request);
}

static void
sync_limit(struct stage *s)
{
	struct provider *p = s->self;

	if (p->limit_asked || s->mode != STAGE_RESIDENT || p->replay != NULL)
		return;
	p->limit_asked = true;
	server_put_limit(p);
}

/* libcurl starts while the other stages do. */
static void
idle(struct stage *s, int fd)
{
	struct provider *p = s->self;

	(void)fd;
	if (s->mode == STAGE_RESIDENT && p->replay == NULL &&
	    *p->set->base_url != '\0')
		server_http(p);
}

const struct stage_ops provider_ops = {
	.name = "provider",
	.keep = keep,
	.record = read_record,
	.act = act,
	.sync = sync_limit,
	.idle = idle,
	.reset = reset,
};

void
provider_init(struct provider *p, struct settings *set)
{
	*p = (struct provider){ .set = set, .spool = -2, .record = -1,
		.limit = -1 };
	if (strcmp(set->reasoning_replay, "never") == 0)
		p->quirks = QUIRK_NO_REASONING;		/* as if refused */
	bufs_init(BUFS(&p->models, &p->request, &p->tools, &p->constrain,
	    &p->held), BUF_RECORD_MAX);
	begin(p);
}

void
provider_release(struct provider *p)
{
	forget(p);
	http_free(p->http);
	bufs_release(BUFS(&p->models, &p->held));
	replay_free(p->replay);
	if (p->record >= 0)
		close(p->record);
}
