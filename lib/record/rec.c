/* rec.c - reads and writes records. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "rec.h"
#include "term/term.h"

#define BLOCK ((size_t)256 << 10)	/* the buffer's first size */
#define KEPT (16 * BLOCK)	/* a long line's buffer up to this stays */
#define BOTH_MS 50		/* from closing one end to closing the other */
#define QUEUE ((size_t)128 << 10)	/* written as soon as this is queued */

/* In the order of enum rec_kind. */
static const char *const kinds[] = { "", "system", "user", "assistant", "tool",
	"hamr", "config", "tools", "verdict", "constrain", "answer", "start",
	"compaction", "compact", "limit", "usage", "checkpoint", "error",
	"recovery", "undo", "verification", "end", "request", "delta",
	"output", "progress", "ask", "file", "verify", "go", "sync", "cancel" };

char *
rec_strdup(const struct rec *r, const char *key)
{
	return scan_strdup(rec_get(r, key));
}

bool
rec_str_is(const struct rec *r, const char *key, const char *text)
{
	return scan_str_is(rec_get(r, key), text);
}

bool
rec_int(const struct rec *r, const char *key, int64_t *out)
{
	return scan_int(rec_get(r, key), out);
}

int
rec_parse(struct scan *s, const char *p, size_t n, struct rec *r)
{
	enum rec_kind kind = R_SYSTEM, last = R_TOOL;
	double version;

	if (scan_record(s, p, n) < 0)
		return -1;
	r->line = (struct slice){ p, n };
	r->m = s->m;
	r->n = s->n;
	struct slice v = rec_get(r, "role");
	if (scan_kind(v) != SCAN_STRING) {
		v = rec_get(r, "type");
		kind = R_HAMR;
		last = R_CANCEL;
	} else if (scan_str_is(v, "developer")) {
		v = SLICE("\"system\"");
	}
	while (kind <= last && !scan_str_is(v, kinds[kind]))
		kind++;
	r->kind = kind <= last ? kind : R_OTHER;
	if (r->kind != R_HAMR)
		return 0;
	v = rec_get(r, "v");
	if (v.p == NULL || (num_double(v.p, v.n, &version) &&
	    version == REC_VERSION))
		return 0;
	/* what follows may have another meaning */
	s->why = "a transcript of another version of hamr (\"v\" is not 1)";
	s->at = (size_t)(v.p - p);
	return -1;
}

bool
rec_text_next(struct rec_text *t)
{
	struct slice line;

	while (slice_line(&t->rest, &line))
		if (rec_parse(&t->scan, line.p, line.n, &t->rec) == 0)
			return true;
	scan_release(&t->scan);
	return false;
}

/* ---- reading ---- */

void
rec_in_init(struct rec_in *in, int fd, const char *name, size_t max)
{
	*in = (struct rec_in){ .fd = fd, .name = name, .max = max };
}

void
rec_in_release(struct rec_in *in)
{
	free(in->buf);
	scan_release(&in->scan);
	in->buf = NULL;
	in->cap = in->start = in->end = in->looked = 0;
}

/* The LF that ends the first line not taken, or NULL. */
static char *
find_lf(struct rec_in *in)
{
	if (in->looked < in->start)
		in->looked = in->start;
	if (in->looked == in->end)
		return NULL;
	char *lf = memchr(in->buf + in->looked, '\n', in->end - in->looked);
	in->looked = lf != NULL ? (size_t)(lf - in->buf) : in->end;
	return lf;
}

const char *
rec_unpack(struct slice head)
{
	static const struct {
		const char *begins, *remedy;
	} others[] = {
		{ "\037\213", "; it is compressed: unpack it first "
		    "(gzip -dc)" },
		{ "\050\265\057\375", "; it is compressed: unpack it first "
		    "(zstd -dc)" },
		{ "PK\003\004", "; it is an archive: unpack it first (unzip)" },
	};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (slice_starts(head, others[i].begins))
			return others[i].remedy;
	if (slice_starts(head, "\377\376") || slice_starts(head, "\376\377") ||
	    (head.n > 1 && (head.p[0] == '\0') != (head.p[1] == '\0')))
		return "; it is UTF-16: convert it to UTF-8 first (iconv)";
	return "";
}

/* Advice if the first line shows a file that people often mistake for a
 * transcript. */
static const char *
remedy(const struct rec_in *in, struct slice line)
{
	const char *unpack = rec_unpack(line);

	if (in->line > 1)
		return "";
	if (*unpack != '\0')
		return unpack;
	line = slice_trim_end(line, " \t\r");
	if (slice_starts(line, "["))
		return "; it is a JSON array: split it into lines first (jq "
		    "-c '.[]')";
	if (slice_starts(line, "{") &&
	    memchr("{[,:", line.p[line.n - 1], 4) != NULL)
		return "; it is JSON over several lines: put each value on "
		    "one line first (jq -c .)";
	return "";
}

/* Little usually follows a very long line: move it to a buffer of the first
 * size. */
static void
shrink(struct rec_in *in)
{
	size_t have = in->end - in->start;

	if (in->cap <= KEPT || have > BLOCK / 2)
		return;
	char *fresh = xmalloc(BLOCK);
	memcpy(fresh, in->buf + in->start, have);
	free(in->buf);
	in->buf = fresh;
	in->cap = BLOCK;
	in->start = in->looked = 0;
	in->end = have;
}

int
rec_line(struct rec_in *in, struct slice *line, struct err *e)
{
	bool skipped;

	shrink(in);
	do {
		const char *lf = find_lf(in);

		*line = rec_unread(in);
		if (lf != NULL)
			line->n = (size_t)(lf - line->p);
		else if (line->n <= in->max && (!in->eof || line->n == 0))
			return 0;
		in->cut = lf == NULL;
		in->start += line->n + (lf != NULL);
		skipped = in->skipping;	/* the end of a line too long */
		in->skipping = in->cut && line->n > in->max;
		if (in->cut && (skipped || (in->drop_end && in->eof)))
			return 0;
	} while (skipped);
	in->line++;
	return line->n <= in->max ? 1 : err_set(e, ST_DATA, "%s:%zu: line "
	    "longer than %zu bytes (record.max_bytes)", in->name, in->line,
	    in->max);
}

int
rec_take(struct rec_in *in, const struct rec **r, struct err *e)
{
	struct slice line;
	int got = rec_line(in, &line, e);

	if (got <= 0)
		return got;
	if (in->cut && !in->open_end)
		return err_set(e, ST_DATA, "%s:%zu: line cut short (no line "
		    "feed at its end)%s", in->name, in->line,
		    remedy(in, line));
	if (rec_parse(&in->scan, line.p, line.n, &in->rec) < 0)
		return err_set(e, ST_DATA, "%s:%zu: %s at byte %zu%s",
		    in->name, in->line, in->scan.why, in->scan.at + 1,
		    remedy(in, line));
	in->rec.no = in->line;
	*r = &in->rec;
	return 1;
}

bool
rec_waiting(struct rec_in *in)
{
	return find_lf(in) != NULL || (in->eof && in->end > in->start);
}

int
rec_fill(struct rec_in *in, struct err *e)
{
	struct pollfd p[2] = { { in->fd, POLLIN, 0 }, { in->out, 0, 0 } };
	size_t have = in->end - in->start;
	ssize_t n;

	while (in->out > 0 && poll(p, 2, -1) < 0 && errno == EINTR)
		;
	/* Nobody reads our output any more.  A peer that closes both ends may
	 * close this one first, as bash does: wait a moment for the end of
	 * the input. */
	if (p[1].revents != 0 && poll(p, 1, BOTH_MS) <= 0) {
		raise(SIGPIPE);
		errno = EPIPE;
		return err_sys(e, ST_SYSTEM, "stdout");
	}
	/* Make room for a block after what is there: move it to the front if
	 * that is cheap, else double the buffer.  An empty buffer starts over
	 * at the front, in memory already touched. */
	shrink(in);
	if (have == 0)
		in->start = in->end = in->looked = 0;
	if (in->cap - in->end < BLOCK / 4 && in->start > 0 &&
	    have <= in->cap / 2) {
		memmove(in->buf, in->buf + in->start, have);
		in->looked -= num_min(in->looked, in->start);
		in->end = have;
		in->start = 0;
	}
	if (in->cap - in->end < BLOCK / 4) {
		in->cap = in->cap != 0 ? in->cap * 2 : BLOCK;
		in->buf = xrealloc(in->buf, in->cap);
	}
	for (;;) {
		n = read(in->fd, in->buf + in->end, in->cap - in->end);
		if (n >= 0 || (errno != EINTR && errno != EAGAIN))
			break;
		if (errno == EAGAIN)
			poll(p, 1, -1);
	}
	if (n < 0)
		return err_sys(e, ST_SYSTEM, "%s", in->name);
	if (n == 0) {
		in->eof = true;
		return 0;
	}
	in->end += (size_t)n;
	return 1;
}

int
rec_next(struct rec_in *in, const struct rec **r, struct err *e)
{
	for (;;) {
		int got = rec_take(in, r, e);

		if (got != 0 || in->eof)
			return got;
		if (rec_fill(in, e) < 0)
			return -1;
	}
}

struct slice
rec_unread(const struct rec_in *in)
{
	if (in->buf == NULL)
		return SLICE("");
	return (struct slice){ in->buf + in->start, in->end - in->start };
}

void
rec_unread_drop(struct rec_in *in, size_t n)
{
	in->start += n;
}

/* ---- writing ---- */

void
rec_out_init(struct rec_out *o)
{
	struct stat st;

	*o = (struct rec_out){ .fd = STDOUT_FILENO,
		.buf = BUF_INIT((size_t)1 << 40) };
	o->regular = fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode);
	o->tty = isatty(o->fd) == 1;
}

static void
write_all(struct rec_out *o, struct slice s)
{
	struct pollfd p[2] = { { o->fd, POLLOUT, 0 },
		{ o->signals, POLLIN, 0 } };
	bool heeds = o->signals > 0 && !o->regular;

	while (o->error == 0 && s.n > 0) {
		/* a pipe that takes any takes as much as this */
		size_t n = heeds ? num_min(s.n, PIPE_BUF) : s.n;

		if (heeds && poll(p, 2, -1) > 0 && p[0].revents == 0)
			o->error = EINTR;
		else if (file_write_all(o->fd, s.p, n) < 0)
			o->error = errno;
		s = slice_from(s, n);
	}
}

void
rec_put(struct rec_out *o, struct slice line)
{
	rec_put_parts(o, &line, 1);
}

/* A long part is not queued: copying it would cost more than writing it.  On a
 * terminal, a record has \u escapes for the characters that would steer it;
 * any other line was made for a terminal. */
void
rec_put_parts(struct rec_out *o, const struct slice *part, size_t n)
{
	struct buf line = BUF_INIT((size_t)1 << 40);

	for (size_t i = 0; i < n; i++) {
		if (o->tty || part[i].n < QUEUE) {
			buf_slice(o->tty ? &line : &o->buf, part[i]);
			continue;
		}
		rec_flush(o, NULL);
		write_all(o, part[i]);
	}
	if (line.len > 0 && line.p[0] == '{')
		term_json(&o->buf, buf_view(&line));
	else
		buf_slice(&o->buf, buf_view(&line));
	buf_release(&line);
	buf_addc(&o->buf, '\n');
	if (o->buf.len >= QUEUE)
		rec_flush(o, NULL);
}

int
rec_flush(struct rec_out *o, struct err *e)
{
	write_all(o, buf_view(&o->buf));
	buf_reset(&o->buf);
	if (o->buf.cap > 4 * QUEUE)
		buf_release(&o->buf);
	if (o->error == 0)
		return 0;
	errno = o->error;
	return err_sys(e, ST_SYSTEM, "stdout");
}

int
rec_end(struct rec_out *o, struct err *e)
{
	int r = rec_flush(o, e);

	buf_release(&o->buf);
	if (close(o->fd) < 0 && r == 0)
		r = err_sys(e, ST_SYSTEM, "stdout");
	return r;
}
