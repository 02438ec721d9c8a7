/* program.c - a jq program of the user's, run in a process of its own. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "filter.h"
#include "mem.h"
#include "program.h"

#define BLOCK ((size_t)64 << 10)
#define SECONDS 2		/* of processor time for one input */
/* A filter sees one record, an importer may have to keep a whole file. */
#define MEMORY(importer) ((size_t)((importer) ? 2 : 1) << 30)

struct program {
	const char *name;
	pid_t pid;
	int fd;
	size_t memory;		/* what it may map */
	bool last;		/* no more inputs will be given */
	int error;		/* why something could not be sent */
	struct buf in, out;
	size_t at;		/* what of in has been taken */
	program_waiter *wait;	/* NULL: block */
	void *wait_ctx;
	bool given_up;		/* wait said so */
};

static int
reap(struct program *p)
{
	int st = 0;

	close(p->fd);
	p->fd = -1;
	while (p->pid > 0 && waitpid(p->pid, &st, 0) < 0 && errno == EINTR)
		continue;
	p->pid = 0;
	return st;
}

/* The process is gone: at the end of its work, or why else? */
static int
gone(struct program *p, struct err *e)
{
	int st = p->pid != 0 ? reap(p) : 0;

	if (p->given_up)
		return err_set(e, ST_DATA, "%s: given up", p->name);
	if (WIFSIGNALED(st) && WTERMSIG(st) == SIGPROF)
		return err_set(e, ST_DATA, "%s: stopped, it takes too "
		    "long; does it loop?", p->name);
	if (WIFSIGNALED(st))
		return err_set(e, ST_DATA, "%s: libjq ended with \"%s\"; did "
		    "it need more than %zu MiB of memory?", p->name,
		    strsignal(WTERMSIG(st)), p->memory >> 20);
	if (p->error != 0) {
		errno = p->error;
		return err_sys(e, ST_SYSTEM, "%s: cannot be fed", p->name);
	}
	if (p->last && p->in.len == p->at)
		return PROGRAM_END;
	return err_set(e, ST_DATA, "%s: it has ended early", p->name);
}

/* Send what is queued; a dead peer is found by the next read, and so is one
 * that cannot be reached, as it is left then. */
static void
send_all(struct program *p)
{
	size_t done = 0;

	while (done < p->out.len) {
		ssize_t n = send(p->fd, p->out.p + done, p->out.len - done,
		    MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			if (errno != EPIPE && errno != ECONNRESET)
				p->error = errno;
			shutdown(p->fd, SHUT_RDWR);
			break;
		}
		done += (size_t)n;
	}
	buf_reset(&p->out);
}

static void
put(struct program *p, char tag, const void *head, size_t nhead,
    struct slice payload)
{
	uint32_t n = (uint32_t)(nhead + payload.n);

	buf_addc(&p->out, tag);
	buf_add(&p->out, &n, sizeof n);
	buf_add(&p->out, head, nhead);
	buf_slice(&p->out, payload);
}

void
program_give(struct program *p, struct slice json, size_t line)
{
	uint64_t no = line;

	put(p, FILTER_INPUT, &no, sizeof no, json);
}

void
program_last(struct program *p)
{
	p->last = true;
	put(p, FILTER_LAST, "", 0, SLICE(""));
}

void
program_wait(struct program *p, program_waiter *wait, void *ctx)
{
	p->wait = wait;
	p->wait_ctx = ctx;
}

/* False: it is wanted no more, and killed. */
static bool
is_readable(struct program *p)
{
	struct pollfd fd = { p->fd, POLLIN, 0 };

	while (p->wait != NULL && fd.revents == 0 && !p->given_up)
		if (p->wait(p->wait_ctx, &fd, 1, -1) != 0 &&
		    fd.revents == 0) {
			p->given_up = true;
			kill(p->pid, SIGKILL);
		}
	return !p->given_up;
}

/* More bytes of it; 0 at its end. */
static ssize_t
fill(struct program *p)
{
	ssize_t n;

	if (p->at > 0) {
		buf_drop(&p->in, p->at);
		p->at = 0;
	}
	if (!is_readable(p))
		return 0;
	buf_reserve(&p->in, BLOCK);
	do
		n = read(p->fd, p->in.p + p->in.len, BLOCK);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		p->in.len += (size_t)n;
	return n;
}

/* A whole frame: 1; the end at a border: 0; in mid-frame: -1. */
static int
take(struct program *p, char *tag, struct slice *payload)
{
	uint32_t n;

	while (p->in.len - p->at < FILTER_HEAD)
		if (fill(p) <= 0)
			return p->in.len == p->at ? 0 : -1;
	memcpy(&n, p->in.p + p->at + 1, sizeof n);
	while (p->in.len - p->at - FILTER_HEAD < n)
		if (fill(p) <= 0)
			return -1;
	*tag = p->in.p[p->at];
	*payload = (struct slice){ p->in.p + p->at + FILTER_HEAD, n };
	p->at += FILTER_HEAD + n;
	return 1;
}

int
program_next(struct program *p, struct slice *text, struct err *e)
{
	char tag;

	*text = SLICE("");
	if (p->pid == 0)
		return gone(p, e);
	send_all(p);
	if (take(p, &tag, text) <= 0)
		return gone(p, e);
	switch (tag) {
	case FILTER_MORE: return PROGRAM_NEED;
	case FILTER_VALUE: return PROGRAM_VALUE;
	case FILTER_SAME: return PROGRAM_SAME;
	case FILTER_ERROR: return PROGRAM_ERROR;
	default: return PROGRAM_DONE;
	}
}

/* ---- starting and ending ---- */

/* Where libjq says at which line, that goes before its words; what it asks
 * users of a shell is no use here. */
static int
refused_at(const struct program *p, char *text, struct err *e)
{
	static const char at[] = " at <top-level>, line ", shell[] =
	    " (Unix shell quoting issues?)";
	char *where = strstr(text, at), *aside = strstr(text, shell);
	const char *line;
	int n;

	if (where == NULL)
		return err_set(e, ST_USAGE, "%s: %s", p->name, text[0] != '\0' ?
		    text : "does not compile");
	line = where + sizeof at - 1;
	n = (int)strspn(line, "0123456789");
	*where = '\0';
	if (aside != NULL)
		*aside = '\0';
	return err_set(e, ST_USAGE, "%s:%.*s: %s", p->name, n, line, text);
}

/* The first line of what libjq said, without the name of its program. */
static int
refused(const struct program *p, struct slice why, struct err *e)
{
	char *text = xmemdup0(why.p, why.n);
	char *start = text;

	if (strncmp(start, "jq: error: ", 11) == 0)
		start += 11;
	start[strcspn(start, "\n")] = '\0';
	refused_at(p, start, e);
	free(text);
	return -1;
}

static int
wait_ready(struct program *p, struct err *e)
{
	struct slice text;
	char tag;

	if (take(p, &tag, &text) <= 0)
		return gone(p, e);
	return tag == FILTER_READY ? 0 : refused(p, text, e);
}

static int
start(struct program *p, const struct filter_job *job, struct err *e)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
		return err_sys(e, ST_SYSTEM, "socketpair");
	p->pid = fork();
	if (p->pid == 0) {
		close(fd[0]);
		filter_serve(job, fd[1]);
	}
	close(fd[1]);
	p->fd = fd[0];
	if (p->pid < 0) {
		p->pid = 0;
		return err_sys(e, ST_SYSTEM, "fork");
	}
	return wait_ready(p, e);
}

struct program *
program_new(const char *name, const char *text, const char *vars,
    bool importer, struct err *e)
{
	struct program *p = xcalloc(1, sizeof *p);
	struct filter_job job = { .text = text, .vars = vars,
		.importer = importer, .seconds = SECONDS,
		.memory = MEMORY(importer) };

	p->name = name;
	p->fd = -1;
	p->memory = job.memory;
	p->in.max = p->out.max = BUF_RECORD_MAX * 2;
	if (start(p, &job, e) == 0)
		return p;
	program_free(p);
	return NULL;
}

/* It holds nothing that has to be saved. */
void
program_free(struct program *p)
{
	if (p == NULL)
		return;
	if (p->pid > 0)
		kill(p->pid, SIGKILL);
	if (p->fd >= 0)
		reap(p);
	buf_release(&p->in);
	buf_release(&p->out);
	free(p);
}

int
program_run(struct program *p, struct slice json, struct buf *out,
    struct err *e)
{
	struct slice text;
	bool given = false;
	int ev, r = 0;

	while ((ev = program_next(p, &text, e)) >= 0 && ev != PROGRAM_DONE &&
	    ev != PROGRAM_END) {
		if (ev == PROGRAM_NEED && !given) {
			program_give(p, json, 0);
			given = true;
		} else if (ev == PROGRAM_ERROR) {
			r = 1;
			err_set(e, ST_DATA, "%s: %.*s", p->name,
			    (int)(text.n < 300 ? text.n : 300), text.p);
		} else if (ev != PROGRAM_NEED) {
			buf_slice(out, ev == PROGRAM_SAME ? json : text);
			buf_addc(out, '\n');
		}
	}
	return ev < 0 ? -1 : r;
}
