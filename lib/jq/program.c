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
#include "base/mem.h"
#include "program.h"

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
	struct frames wire;
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
	if (p->last && p->wire.in.len == p->wire.at)
		return PROGRAM_END;
	return err_set(e, ST_DATA, "%s: it ended early", p->name);
}

void
program_give(struct program *p, struct slice json, size_t line)
{
	uint64_t no = line;

	frames_put(&p->wire, FILTER_INPUT, (struct slice){ (const char *)&no,
	    sizeof no }, json);
}

void
program_last(struct program *p)
{
	p->last = true;
	frames_put(&p->wire, FILTER_LAST, SLICE(""), SLICE(""));
}

void
program_wait(struct program *p, program_waiter *wait, void *ctx)
{
	p->wait = wait;
	p->wait_ctx = ctx;
}

/* Wait for the next frame; false: there are no more.  The process is killed
 * when its results are no longer wanted. */
static bool
take(struct program *p, char *tag, struct slice *payload)
{
	while (!frames_take(&p->wire, tag, payload)) {
		struct pollfd fd = { p->fd, POLLIN, 0 };

		while (p->wait != NULL && fd.revents == 0)
			if (p->wait(p->wait_ctx, &fd, 1, -1) != 0 &&
			    fd.revents == 0) {
				p->given_up = true;
				kill(p->pid, SIGKILL);
				return false;
			}
		if (frames_fill(&p->wire, p->fd) <= 0)
			return false;
	}
	return true;
}

int
program_next(struct program *p, struct slice *text, struct err *e)
{
	struct buf *out = &p->wire.out;
	char tag;

	*text = SLICE("");
	if (p->pid == 0)
		return gone(p, e);
	/* send what is queued; a dead peer is found by the next read, and so
	 * is one that cannot be reached, as it is left then */
	for (size_t done = 0; done < out->len; ) {
		ssize_t n = send(p->fd, out->p + done, out->len - done,
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
	buf_reset(out);
	if (!take(p, &tag, text))
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

/* The first line of what libjq said, without the name of its program.  Where
 * it says at which line, that goes first; its advice to users of a shell
 * goes. */
static void
refused(const struct program *p, struct slice why, struct err *e)
{
	static const char at[] = " at <top-level>, line ", shell[] =
	    " (Unix shell quoting issues?)";
	char *whole = xmemdup0(why.p, why.n), *text = whole, *where, *aside;

	if (strncmp(text, "jq: error: ", 11) == 0)
		text += 11;
	text[strcspn(text, "\n")] = '\0';
	where = strstr(text, at);
	aside = strstr(text, shell);
	if (where == NULL) {
		err_set(e, ST_USAGE, "%s: %s", p->name, text[0] != '\0' ?
		    text : "does not compile");
	} else {
		const char *line = where + sizeof at - 1;
		int n = (int)strspn(line, "0123456789");

		*where = '\0';
		if (aside != NULL)
			*aside = '\0';
		err_set(e, ST_USAGE, "%s:%.*s: %s", p->name, n, line, text);
	}
	free(whole);
}

struct program *
program_new(const char *name, const char *text, const char *vars,
    bool importer, struct err *e)
{
	struct program *p = xcalloc(1, sizeof *p);
	struct filter_job job = { .text = text, .vars = vars,
		.importer = importer, .seconds = SECONDS,
		.memory = MEMORY(importer) };
	struct slice why;
	int fd[2];
	char tag;

	p->name = name;
	p->fd = -1;
	p->memory = job.memory;
	frames_init(&p->wire);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0) {
		err_sys(e, ST_SYSTEM, "socketpair");
		program_free(p);
		return NULL;
	}
	p->pid = fork();
	if (p->pid == 0) {
		close(fd[0]);
		filter_serve(&job, fd[1]);
	}
	close(fd[1]);
	p->fd = fd[0];
	if (p->pid < 0) {
		p->pid = 0;
		err_sys(e, ST_SYSTEM, "fork");
	} else if (!take(p, &tag, &why)) {
		gone(p, e);
	} else if (tag == FILTER_READY) {
		return p;
	} else {
		refused(p, why, e);
	}
	program_free(p);
	return NULL;
}

void
program_free(struct program *p)
{
	if (p == NULL)
		return;
	if (p->pid > 0)
		kill(p->pid, SIGKILL);
	if (p->fd >= 0)
		reap(p);
	frames_release(&p->wire);
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
