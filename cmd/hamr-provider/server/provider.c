/* provider.c - the records of an answer; the one connection. */
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

#include "provider.h"

/* ---- records and notices ---- */

static void
put_delta(struct provider *p, const char *kind, struct slice text)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);

	scan_put(&line, "{'type':'delta','kind':@,'text':@}", slice_of(kind),
	    text);
	stage_put(p->stage, R_DELTA, buf_view(&line));
	buf_release(&line);
}

/* Put what was held back, as nothing continues it. */
static void
put_held(struct provider *p)
{
	if (p->held.len > 0)
		put_delta(p, p->held_kind, buf_view(&p->held));
	buf_reset(&p->held);
}

void
provider_delta(void *ctx, const char *kind, struct slice text)
{
	struct provider *p = ctx;
	struct buf all = BUF_INIT(BUF_RECORD_MAX);

	if (p->stage == NULL || (p->stage->mode == STAGE_FILTER &&
	    !p->stage->stream))
		return;
	if (p->held.len > 0 && strcmp(kind, p->held_kind) != 0)
		put_held(p);
	buf_slice(&all, buf_view(&p->held));
	buf_slice(&all, text);
	buf_reset(&p->held);
	/* first: a secret's end may begin it, too */
	settings_redact(p->set, true, &all);
	size_t n = all.len - settings_secret_begins(p->set, buf_view(&all));
	if (n > 0)
		put_delta(p, kind, slice_part(buf_view(&all), 0, n));
	buf_slice(&p->held, slice_from(buf_view(&all), n));
	p->held_kind = kind;
	buf_release(&all);
}

void
provider_put(struct provider *p, enum rec_kind kind, struct buf *line)
{
	put_held(p);
	settings_redact(p->set, true, line);
	stage_put(p->stage, kind, buf_view(line));
	buf_release(line);
}

void
provider_limit(struct provider *p, long long tokens, const char *source)
{
	struct buf line = BUF_INIT(BUF_RECORD_MAX);

	p->limit = (long)tokens;
	scan_put(&line, "{'type':'limit','context_tokens':$,'source':@}",
	    SCAN_INT(tokens), slice_of(source));
	provider_put(p, R_LIMIT, &line);
}

void
provider_fail(struct provider *p, struct failure *f, struct slice partial)
{
	struct buf extra = BUF_INIT(BUF_RECORD_MAX);

	settings_redact(p->set, false, &f->message);
	if (strcmp(f->code, "context_overflow") == 0 && f->limit > 0)
		provider_limit(p, f->limit, "server error");
	if (partial.n > 0)
		scan_put(&extra, ",'partial':$", partial);
	if (f->retryable && f->wait_ms > 0)
		scan_put(&extra, ",'retry_after':$",
		    SCAN_INT((f->wait_ms + 999) / 1000));
	settings_redact(p->set, true, &extra);
	put_held(p);
	stage_error(p->stage, f->code, f->retryable, buf_view(&f->message).p,
	    buf_view(&extra));
	buf_release(&extra);
	if (p->stage->mode != STAGE_RESIDENT)
		stage_status(p->stage, f->retryable ? ST_TEMP : ST_PEER);
}

void
provider_fail_final(struct provider *p, const char *code, struct slice partial,
    const char *fmt, ...)
{
	struct failure f;
	va_list ap;

	failure_init(&f);
	f.code = code;
	va_start(ap, fmt);
	buf_vfmt(&f.message, fmt, ap);
	va_end(ap);
	provider_fail(p, &f, partial);
	failure_release(&f);
}

void
provider_notice(struct provider *p, const char *fmt, ...)
{
	struct buf words = BUF_INIT(FAILURE_MAX);
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(&words, fmt, ap);
	va_end(ap);
	if (!p->set->quiet) {
		err_say("%s", words.p);
	} else if (p->stage != NULL && p->stage->mode == STAGE_RESIDENT) {
		scan_put(&line, "{'type':'progress','stage':'provider',"
		    "'message':@}", buf_view(&words));
		provider_put(p, R_PROGRESS, &line);
	}
	buf_release(&words);
}

/* ---- waiting ---- */

int
provider_wait(void *ctx, struct pollfd *fds, size_t n, int ms)
{
	enum { STOP = STAGE_CANCEL | STAGE_EOF | STAGE_CLOSED };
	struct provider *p = ctx;

	if (p->stage == NULL) {		/* --models, --probe */
		(void)poll(fds, n, ms);
		return 0;
	}
	p->flags |= stage_wait(p->stage, fds, n, ms) & STOP;
	return p->flags;
}

bool
provider_pause(struct provider *p, long long ms)
{
	long long end = file_now_ms() + ms, left;

	while ((left = end - file_now_ms()) > 0)
		if (provider_wait(p, NULL, 0, (int)left) != 0)
			return false;
	return true;
}

/* ---- the connection ---- */

struct http *
server_http(struct provider *p)
{
	struct http_conf c = p->set->http;

	c.url = p->set->base_url;
	if (p->http == NULL)
		p->http = http_new(&c);
	return p->http;
}

/* A query of base (?api-version=1) stays at the end. */
char *
server_url(const char *base, const char *path)
{
	size_t n = strcspn(base, "?#");
	struct slice bare = slice_trim_end((struct slice){ base, n }, "/");
	bool query = base[n] == '?';

	return xasprintf("%.*s%s%s%s", (int)bare.n, bare.p, path, !query ? "" :
	    strchr(path, '?') != NULL ? "&" : "?", query ? base + n + 1 : "");
}
