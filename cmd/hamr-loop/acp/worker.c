/* worker.c - a session's process: start it, talk to it, end it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "internal.h"

#define NAME "hamr-loop: "	/* before its own messages */

struct worker *
worker_new(struct acp *a, const char *id, const char *cwd)
{
	struct worker *s = xcalloc(1, sizeof *s);

	s->acp = a;
	s->id = id != NULL ? xstrdup(id) : NULL;
	s->cwd = xstrdup(cwd);
	buf_init(&s->out, 4 * BUF_RECORD_MAX);
	a->v = xgrow(a->v, a->n, &a->cap, sizeof(struct worker *));
	a->v[a->n++] = s;
	return s;
}

/* A line of its stderr. */
static void
forward_err_line(void *worker, struct slice line)
{
	struct worker *s = worker;
	size_t name = slice_starts(line, NAME) ? strlen(NAME) : 0;

	dprintf(STDERR_FILENO, "%.*s\n", (int)line.n, line.p);
	xset(&s->last, xmemdup0(line.p + name, line.n - name));
}

int
worker_begin(struct worker *s, struct err *e)
{
	struct child_opts o = { .commands = ARGS("hamr-loop"),
		.err = CHILD_ERR_LINES, .on_line = forward_err_line, .arg = s };
	const char *set = getenv("HAMR_SET");
	char *resume = s->id != NULL ? xasprintf("--resume=%s", s->id) : NULL;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct argv a = { 0 };

	argv_words(&a, s->acp->args.v);
	if (s->acp->reads || s->acp->writes)
		argv_option(&a, "-o", !s->acp->writes ?
		    "tools.buffers=[\"read\"]" : s->acp->reads ?
		    "tools.buffers=[\"read\",\"write\"]" :
		    "tools.buffers=[\"write\"]");
	argv_add(&a, "--records");
	argv_option(&a, "-C", s->cwd);
	argv_add(&a, resume);
	o.flags = a.v;
	/* pass the editor's servers in its environment: they may have keys,
	 * which ps must not show */
	buf_fmt(&b, "%s\n", set != NULL ? set : "");
	for (size_t i = 0; i < s->servers.n; i++)
		buf_fmt(&b, "%s\n", s->servers.v[i]);
	o.settings = b.over ? "" : b.p;
	s->child = child_start(&o, e);
	buf_release(&b);
	FREE(a.v, resume);
	if (s->child == NULL)
		return -1;
	rec_in_init(&s->in, s->child->out, "session", REC_MAX);
	s->written = 0;
	return 0;
}

void
worker_work(struct worker *s, enum work work, struct slice request)
{
	s->work = work;
	xset(&s->request, xmemdup0(request.p, request.n));
	s->cancelled = s->dropped = s->said_text = false;
	s->messages++;	/* what is said is not part of the last one */
	xset(&s->status, NULL);
	xset(&s->reason, NULL);
	xset(&s->error, NULL);
	worker_send(s, "{'type':'sync','n':$}", SCAN_INT(++s->sync));
}

void
worker_cancel(struct worker *s)
{
	s->cancelled = true;
	worker_send(s, "{'type':'cancel'}");
	acp_drop_questions(s);
}

void
worker_write(struct worker *s)
{
	ssize_t n = write(s->child->in, s->out.p + s->written,
	    s->out.len - s->written);

	if (n > 0)	/* its end is handled elsewhere */
		s->written += (size_t)n;
	if (s->written == s->out.len) {
		buf_reset(&s->out);
		s->written = 0;
	}
}

void
worker_end(struct worker *s, int ms)
{
	/* killed, it could not say why: its last line is about something else
	 */
	if (WIFSIGNALED(child_end(s->child, ms)))
		xset(&s->last, NULL);
	rec_in_release(&s->in);
	s->child = NULL;
	buf_reset(&s->out);
	acp_drop_questions(s);
}

void
worker_read(struct worker *s)
{
	const struct rec *r;
	struct err e;
	int got = rec_fill(&s->in, &e), took = 1;

	while (got >= 0 && (took = rec_take(&s->in, &r, &e)) > 0)
		update_record(s, r, false);
	if (got > 0 && took >= 0)
		return;
	worker_end(s, WORKER_END_MS);
	acp_finish_work(s, true);
}

void
worker_free(struct worker *s)
{
	struct acp *a = s->acp;

	if (s->child != NULL)
		worker_end(s, 0);
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i] == s) {
			memmove(a->v + i, a->v + i + 1, (--a->n - i) *
			    sizeof(struct worker *));
			break;
		}
	calls_clear(s);
	texts_release(&s->models);
	texts_release(&s->servers);
	buf_release(&s->out);
	FREE(s->id, s->cwd, s->root, s->mode, s->model, s->title, s->commands,
	    s->last, s->request, s->closing, s->status, s->reason, s->error, s);
}
