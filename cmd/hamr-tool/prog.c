/* prog.c - one program run to its end: a hook, an approver, a plug-in. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "file.h"

#include "prog.h"

#define QUIET_MS 100		/* after its end, nothing for so long */
#define QUIET_LIMIT_MS 1000	/* and never longer than this */
#define READ_BYTES 65536
#define NOTES_MAX 4096

enum { FD_BOX, FD_IN, FD_OUT, FD_ERR, NFDS };

struct run {
	struct prog *p;
	struct box *box;
	struct box_io io;
	struct slice left;	/* of the input */
	struct buf chunk;
	long long deadline, quiet, limit, kill;
	bool exited, stopping;
};

/* ---- its input and output ---- */

static void
give(struct run *r)
{
	ssize_t n = 0;

	if (r->io.in < 0)
		return;
	while (r->left.n > 0) {
		n = write(r->io.in, r->left.p, r->left.n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		r->left.p += n;
		r->left.n -= (size_t)n;
	}
	if (n < 0 && errno == EAGAIN)
		return;
	close(r->io.in);	/* all of it, or it does not read */
	r->io.in = -1;
}

static void
keep(struct run *r, bool err, const char *p, size_t n)
{
	struct output *o = err ? r->p->err : r->p->out;

	if (!err && o == NULL) {
		if (p != NULL && buf_add(r->p->text, p, n) < 0)
			r->p->end = PROG_TOO_MUCH;
		return;
	}
	output_add(o, p, n, &r->chunk);
}

/* One read; false when there is nothing now, or ever. */
static bool
take(struct run *r, int *fd, bool err)
{
	char buf[READ_BYTES];
	ssize_t n;

	if (*fd < 0)
		return false;
	n = read(*fd, buf, sizeof buf);
	if (n < 0)
		return errno == EINTR;
	if (n == 0) {
		close(*fd);
		*fd = -1;
		return false;
	}
	keep(r, err, buf, (size_t)n);
	if (r->exited)
		r->quiet = file_now_ms() + QUIET_MS;
	return r->p->end != PROG_TOO_MUCH;
}

/* ---- its end ---- */

static void
learn(struct run *r)
{
	box_learn(r->box);
	if (r->exited || (!box_exited(r->box) && !box_lost(r->box)))
		return;
	r->exited = true;
	r->quiet = file_now_ms() + QUIET_MS;
	r->limit = file_now_ms() + QUIET_LIMIT_MS;
}

static void
stop(struct run *r, enum prog_end why)
{
	r->stopping = true;
	r->p->end = why;
	r->kill = file_now_ms() + r->p->grace;
	if (r->p->grace > 0)
		box_signal(r->box, SIGTERM);
}

static bool
is_over(struct run *r, int flags)
{
	long long now = file_now_ms();

	if (r->p->end == PROG_TOO_MUCH || box_lost(r->box))
		return true;
	if (!r->stopping && (flags & ~STAGE_READY) != 0)
		stop(r, PROG_CANCEL);
	else if (!r->stopping && !r->exited && now >= r->deadline)
		stop(r, PROG_TIMEOUT);
	if (r->stopping)
		return now >= r->kill || (r->exited && box_empty(r->box));
	return r->exited && (now >= r->quiet || now >= r->limit ||
	    (r->io.out < 0 && r->io.err < 0) || box_empty(r->box));
}

static int
wait_ms(const struct run *r)
{
	long long now = file_now_ms(), until = r->deadline;

	if (r->stopping)
		until = r->kill < now + 10 ? r->kill : now + 10;
	else if (r->exited)
		until = r->quiet < r->limit ? r->quiet : r->limit;
	return until > now ? (int)(until - now) : 0;
}

static void
watch(struct run *r, struct stage *s)
{
	int flags = 0;

	while (!is_over(r, flags)) {
		struct pollfd fds[NFDS] = {
			[FD_BOX] = { r->exited ? -1 : box_fd(r->box), POLLIN,
			    0 },
			[FD_IN] = { r->io.in, POLLOUT, 0 },
			[FD_OUT] = { r->io.out, POLLIN, 0 },
			[FD_ERR] = { r->io.err, POLLIN, 0 },
		};

		if (r->stopping) {	/* its reason stays true */
			if (r->exited)
				box_learn(r->box);
			poll(fds, NFDS, wait_ms(r));
		} else {
			flags = stage_wait(s, fds, NFDS, wait_ms(r));
		}
		if (fds[FD_IN].revents != 0)
			give(r);
		if (fds[FD_OUT].revents != 0)
			take(r, &r->io.out, false);
		if (fds[FD_ERR].revents != 0)
			take(r, &r->io.err, true);
		if (fds[FD_BOX].revents != 0)
			learn(r);
	}
}

static void
finish(struct run *r)
{
	int code = 0;

	box_end(r->box, NULL);
	while (r->p->end != PROG_TOO_MUCH && take(r, &r->io.out, false))
		;
	while (take(r, &r->io.err, true))
		;
	keep(r, false, NULL, 0);
	keep(r, true, NULL, 0);
	if (r->p->end == PROG_ENDED && !box_exited(r->box)) {
		r->p->end = PROG_FAILED;
		err_set(&r->p->e, ST_SYSTEM, "its end is not known");
	} else if (r->p->end == PROG_ENDED) {
		box_status(r->box, &code, &r->p->number);
		r->p->signalled = code != CLD_EXITED;
	}
}

static bool
start(struct run *r)
{
	struct prog *p = r->p;
	struct box_cmd cmd = { .argv = p->argv, .env = p->env,
		.piped = true };
	char **own = NULL;
	bool started;

	p->end = PROG_FAILED;
	r->box = box_open(p->boxes, &p->want, &p->e);
	if (r->box == NULL)
		return false;
	p->sandbox = box_name(r->box);
	if (p->env == NULL)
		cmd.env = own = box_env(r->box, NULL, 0);
	started = box_spawn(r->box, &cmd, &r->io) == 0;
	if (started)
		p->end = PROG_ENDED;
	else
		err_sys(&p->e, ST_SYSTEM, "%s", p->argv[0]);
	if (own != NULL)
		env_free(own);
	return started;
}

void
prog_run(struct prog *p, struct stage *s)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	struct run r = { .p = p, .io = { -1, -1, -1 }, .left = p->input,
		.chunk = BUF_INIT((size_t)4 * READ_BYTES) };

	buf_init(&p->notes, NOTES_MAX);
	sigaction(SIGPIPE, &ignore, &old);
	r.deadline = file_now_ms() + p->ms;
	if (start(&r)) {
		r.deadline = file_now_ms() + p->ms;
		watch(&r, s);
		finish(&r);
	}
	box_io_close(&r.io);
	if (r.box != NULL)
		box_done(r.box, &p->notes);
	buf_release(&r.chunk);
	sigaction(SIGPIPE, &old, NULL);
	if (s->out.error == EPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
}

void
prog_release(struct prog *p)
{
	buf_release(&p->notes);
}

/* ---- in words ---- */

bool
prog_is_good(const struct prog *p)
{
	return p->end == PROG_ENDED && !p->signalled && p->number == 0;
}

void
prog_how(const struct prog *p, struct buf *out)
{
	const char *name;

	switch (p->end) {
	case PROG_ENDED:
		name = p->signalled ? sigabbrev_np(p->number) : NULL;
		if (name != NULL)
			buf_fmt(out, "SIG%s", name);
		else
			buf_fmt(out, "%s %d", p->signalled ? "signal" :
			    "status", p->number);
		break;
	case PROG_TIMEOUT:
		buf_fmt(out, "no end within %d s", p->ms / 1000);
		break;
	case PROG_CANCEL: buf_adds(out, "interrupted"); break;
	case PROG_TOO_MUCH:
		buf_fmt(out, "more than %zu KiB of output",
		    p->text != NULL ? p->text->max >> 10 : 0);
		break;
	case PROG_FAILED: buf_adds(out, p->e.text); break;
	}
}
