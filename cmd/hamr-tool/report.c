/* report.c - a command that is over, as the text the model reads. */
#include <stdlib.h>
#include <string.h>

#include "keep.h"
#include "mem.h"

#include "report.h"

#define NOTES 512		/* bytes of the cap for lines of ours */

/* "SIGKILL"; real-time signals have no name. */
static char *
signal_name(int sig)
{
	const char *name = sigabbrev_np(sig);

	return name != NULL ? xasprintf("SIG%s", name) :
	    xasprintf("SIG%d", sig);
}

static void
first_line(const struct report *p, struct buf *out)
{
	char *name;

	if (p->cause == CAUSE_TIMEOUT) {
		buf_fmt(out, "timed out after %lld s", (long long)p->timeout);
	} else if (p->cause == CAUSE_CANCEL) {
		buf_adds(out, "interrupted");
	} else if (!p->known) {
		buf_adds(out, "interrupted: the sandbox was ended while it "
		    "ran");
	} else if (p->signalled) {
		name = signal_name(p->number);
		buf_fmt(out, "killed by %s", name);
		free(name);
	} else {
		buf_fmt(out, "exit %d", p->number);
	}
	if (p->ended[0] != '\0')
		buf_fmt(out, "; ended: %s", p->ended);
	if (p->notes[0] != '\0')
		buf_fmt(out, "; %s", p->notes);
	if (p->clamped)
		buf_fmt(out, "; timeout clamped to %lld s",
		    (long long)p->timeout);
}

/* ---- both streams within the cap ---- */

static void
put_stream(const struct output *o, size_t share, const char *where,
    struct buf *out)
{
	struct buf tail = BUF_INIT(2 * o->cap);
	struct slice head = output_head(o);

	if (output_is_whole(o)) {
		buf_slice(&tail, head);
		output_tail(o, &tail);
		head = tail.p != NULL ? buf_view(&tail) : SLICE("");
	} else {
		output_tail(o, &tail);
	}
	if (o->total <= share)
		buf_slice(out, head);
	else
		result_join(out, head, buf_view(&tail), o->total, share,
		    where);
	buf_release(&tail);
}

/* What each stream may show: one that is short leaves its share to the
 * other. */
static void
shares(const struct report *p, size_t room, size_t *out, size_t *err)
{
	*err = room / 5 * 2;
	if (p->err->total < *err)
		*err = (size_t)p->err->total;
	*out = room - *err;
	if (p->out->total < *out) {
		*out = (size_t)p->out->total;
		*err = room - *out;
	}
}

static void
put_streams(const struct report *p, size_t out, size_t err, const char *where,
    struct buf *b)
{
	if (p->out->total + p->err->total > 0 && b->len > 0)
		buf_addc(b, '\n');
	put_stream(p->out, out, where, b);
	if (p->err->total == 0)
		return;
	if (b->p[b->len - 1] != '\n')
		buf_addc(b, '\n');
	buf_adds(b, "[stderr]\n");
	put_stream(p->err, err, where, b);
}

static void
put_cut(const struct report *p, struct result *r)
{
	size_t room = p->cap > 2 * NOTES ? p->cap - NOTES : p->cap / 2;
	unsigned long long sum = p->out->total + p->err->total;
	char *path, *where;
	size_t out, err;

	path = keep_output(p->rootfd, p->out, p->err);
	if (path == NULL)
		where = xstrdup("the whole could not be kept");
	else
		where = xasprintf("%s in %s", sum > OUTPUT_SPOOL_MAX - 16 ?
		    "the first 64 MiB are" : "the whole is", path);
	shares(p, room, &out, &err);
	put_streams(p, out, err, where, &r->content);
	if (path != NULL)
		json_str(r->meta, "output_file", path);
	r->truncated = true;
	free(where);
	free(path);
}

static void
put_meta(const struct report *p, struct result *r)
{
	char *name;

	if (p->command != NULL)
		json_str(r->meta, "command", p->command);
	if (p->known && p->signalled) {
		name = signal_name(p->number);
		json_str(r->meta, "signal", name);
		free(name);
	} else if (p->known) {
		json_int(r->meta, "exit", p->number);
	}
	json_int(r->meta, "stdout_bytes", (long long)p->out->raw);
	json_int(r->meta, "stderr_bytes", (long long)p->err->raw);
	if (p->command != NULL)
		json_str(r->meta, "cwd", p->root);
	json_str(r->meta, "sandbox", p->sandbox);
	if (p->unlimited != NULL)
		json_str(r->meta, "unlimited", p->unlimited);
}

static bool
is_error(const struct report *p)
{
	return p->cause != CAUSE_NONE || p->signalled || !p->known ||
	    p->number != 0;
}

void
report_text(const struct report *p, struct result *r)
{
	size_t total = (size_t)p->out->total;
	struct report only = *p;
	struct output none;

	output_init(&none, p->out->cap);
	only.err = &none;
	r->bytes = (long long)total;
	if (total <= p->cap)
		put_streams(&only, total, 0, "", &r->content);
	else
		put_cut(&only, r);
	if (p->notes != NULL && p->notes[0] != '\0')
		buf_fmt(&r->content, "%s[%s]", r->content.len > 0 &&
		    r->content.p[r->content.len - 1] != '\n' ? "\n" : "",
		    p->notes);
	r->lossy = r->lossy || p->out->clean.lossy;
	output_release(&none);
}

void
report_fill(const struct report *p, struct result *r)
{
	unsigned long long whole;

	if (p->plain && !is_error(p)) {
		report_text(p, r);
		put_meta(p, r);
		return;
	}
	first_line(p, &r->content);
	whole = r->content.len + 1 + p->out->total + (p->err->total > 0 ?
	    p->err->total + strlen("[stderr]\n") + (p->out->total > 0 &&
	    p->out->last != '\n') : 0);
	if (p->out->total + p->err->total == 0)
		whole--;
	r->bytes = (long long)whole;
	put_meta(p, r);
	if (whole <= p->cap)
		put_streams(p, (size_t)whole, (size_t)whole, "", &r->content);
	else
		put_cut(p, r);
	r->lossy = p->out->clean.lossy || p->err->clean.lossy;
	r->is_error = is_error(p);
	if (p->cause == CAUSE_TIMEOUT)
		r->code = "timeout";
	else if (p->cause == CAUSE_CANCEL || !p->known)
		r->code = "interrupted";
}
