/* prog.c - one program run to its end: a command, a hook, a plug-in. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#include "prog.h"

#define QUIET_MS 100		/* silence to wait for after its end */
#define QUIET_LIMIT_MS 1000	/* but no longer than this */
#define ALIVE_MS 1000		/* between signs of life */
#define GRACE_CANCEL_MS 500
#define READ_BYTES 65536
#define NOTES_MAX 8192
#define SHOWN_MAX ((size_t)1 << 20)	/* in `output` records */

enum { FD_BOX, FD_IN, FD_OUT, FD_ERR, NFDS };

struct run {
	struct prog *p;
	struct stage *stage;
	size_t shown;		/* bytes put into `output` records, or dropped
				 * because they are past SHOWN_MAX */
	struct box *box;
	struct box_io io;
	struct slice left;	/* input not written yet */
	struct buf chunk;	/* the output just stored, for its record */
	/* ms: when the wait is over: the timeout, after its exit that of the
	 * quiet, or when to kill what was told to stop; the end of the quiet
	 * at the latest (0: it runs); the last sign of life */
	long long until, limit, told;
};

/* ---- its input and output ---- */

void
prog_put_output(struct stage *s, const char *id, const char *stream,
    struct slice text)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	scan_put(&b, "{'type':'output','tool_call_id':@,'stream':@,'text':@}",
	    slice_of(id), slice_of(stream), text);
	stage_put(s, R_OUTPUT, buf_view(&b));
	buf_release(&b);
}

/* Store n bytes of a stream; bytes NULL: its end. */
static void
store(struct run *r, bool err, const char *bytes, size_t n)
{
	struct prog *p = r->p;
	struct output *o = err ? p->err : p->out;

	if (o == NULL) {
		if (!err && bytes != NULL && buf_add(p->text, bytes, n) < 0)
			p->end = PROG_TOO_MUCH;
		return;
	}
	output_add(o, bytes, n, &r->chunk);
	if (p->id == NULL || r->chunk.len == 0)
		return;
	r->shown += r->chunk.len;
	if (r->shown <= SHOWN_MAX)
		prog_put_output(r->stage, p->id, err ? "stderr" : "stdout",
		    buf_view(&r->chunk));
}

/* Read once; false if there is nothing now, or at the end. */
static bool
take(struct run *r, bool err)
{
	int *fd = err ? &r->io.err : &r->io.out;
	char bytes[READ_BYTES];

	if (*fd < 0)
		return false;
	ssize_t n = read(*fd, bytes, sizeof bytes);
	if (n < 0)
		return errno == EINTR;
	if (n == 0) {
		close(*fd);
		*fd = -1;
		store(r, err, NULL, 0);
		return false;
	}
	store(r, err, bytes, (size_t)n);
	return r->p->end != PROG_TOO_MUCH;
}

static void
stop(struct run *r, enum prog_end why, int grace)
{
	r->p->end = why;
	r->until = file_now_ms() + grace;
	if (grace > 0) {
		box_signal(r->box, SIGTERM);
		/* a stopped process must run to see it */
		box_signal(r->box, SIGCONT);
	}
}

/* Is it over?  Also turns a reason to stop into an ending. */
static bool
is_over(struct run *r, bool cancel)
{
	struct prog *p = r->p;

	if (p->end == PROG_TOO_MUCH || r->box->lost)
		return true;
	if (p->end != PROG_CANCEL && cancel)
		stop(r, PROG_CANCEL, p->grace < GRACE_CANCEL_MS ? p->grace :
		    GRACE_CANCEL_MS);
	else if (p->end == PROG_ENDED && r->limit == 0 &&
	    file_now_ms() >= r->until)
		stop(r, PROG_TIMEOUT, p->grace);
	/* do not stop when both streams end: a process that closed them may be
	 * about to exit, and must not be reported as killed */
	return file_now_ms() >= r->until || (r->limit > 0 && r->box->empty);
}

static void
watch(struct run *r)
{
	static const struct timespec touch[2] = { { 0, UTIME_NOW },
		{ 0, UTIME_OMIT } };
	struct prog *p = r->p;
	bool cancel = false;

	while (!is_over(r, cancel)) {
		struct pollfd fds[NFDS] = {
			[FD_BOX] = { r->box->fd, POLLIN, 0 },
			[FD_IN] = { r->io.in, POLLOUT, 0 },
			[FD_OUT] = { r->io.out, POLLIN, 0 },
			[FD_ERR] = { r->io.err, POLLIN, 0 },
		};
		long long now = file_now_ms();
		int left = r->until > now ? (int)(r->until - now) : 0;

		if (p->alive > 0 && left > ALIVE_MS)
			left = ALIVE_MS;
		if (p->alive > 0 && now >= r->told + ALIVE_MS) {
			futimens(p->alive, touch);
			r->told = now;
		}
		/* not stage_wait: with a reason to stop it returns at once */
		if (p->end == PROG_CANCEL)
			poll(fds, NFDS, left);
		else
			cancel = (stage_wait(r->stage, fds, NFDS, left) &
			    ~STAGE_READY) != 0;
		ssize_t n = 1;
		while (fds[FD_IN].revents != 0 && n > 0 && r->left.n > 0) {
			n = write(r->io.in, r->left.p, r->left.n);
			r->left = slice_from(r->left, n > 0 ? (size_t)n : 0);
			if (n < 0 && errno == EINTR)
				n = 1;
		}
		/* all input is written, or the program does not read it */
		if (fds[FD_IN].revents != 0 && (n >= 0 || errno != EAGAIN)) {
			close(r->io.in);
			r->io.in = -1;
		}
		bool heard = fds[FD_OUT].revents != 0 && take(r, false);
		heard |= fds[FD_ERR].revents != 0 && take(r, true);
		if (fds[FD_BOX].revents != 0)
			box_update(r->box);
		if (r->box->exited && r->limit == 0) {
			r->limit = file_now_ms() + QUIET_LIMIT_MS;
			heard = true;
		}
		if (heard && r->limit > 0 && p->end == PROG_ENDED)
			r->until = file_now_ms() + QUIET_MS < r->limit ?
			    file_now_ms() + QUIET_MS : r->limit;
	}
}

static bool
start(struct run *r)
{
	struct prog *p = r->p;

	for (int i = 0; i < 2; i++) {
		struct texts own = { .n = 0 };

		r->box = (p->resident ? sandboxes_resident : box_open)(
		    p->sandboxes, &p->spec, &p->e);
		if (r->box == NULL)
			return false;
		p->sandbox = r->box->name;
		if (p->env == NULL)
			own = box_env(r->box, NULL, 0);
		p->ran = box_spawn(r->box, p->argv, p->env != NULL ? p->env :
		    own.v, !p->resident, &r->io) == 0;
		int no = errno;
		texts_release(&own);
		if (p->ran)
			return true;
		errno = no;
		if (no == ETIMEDOUT)
			err_set(&p->e, ST_INTERRUPTED, "the command's "
			    "supervisor did not answer; the command may have "
			    "run, and was killed");
		else
			err_sys(&p->e, ST_SYSTEM, p->resident ?
			    "%s could not be started" : "%s", p->argv[0]);
		/* if the path to the root leads through the sandbox's /tmp, the
		 * last command may have moved it: a new sandbox has it again */
		if (!p->resident || i > 0 || (no != ENOENT && no != ENOTDIR &&
		    no != ELOOP && no != EACCES))
			return false;
		box_close(r->box);
	}
	return false;
}

struct prog
prog_trusted(struct sandboxes *bs, const char *const *argv, int ms,
    struct buf *text)
{
	return (struct prog){ .sandboxes = bs, .spec = { .kind = BOX_WRITE,
		.network = true, .unix_sockets = true, .bare = true },
		.argv = (char *const *)(void *)argv, .env = environ,
		.ms = ms, .text = text };
}

void
prog_run(struct prog *p, struct stage *s)
{
	struct run r = { .p = p, .stage = s, .io = { -1, -1, -1 },
		.left = p->input,
		.chunk = BUF_INIT((size_t)4 * READ_BYTES) };

	buf_init(&p->notes, NOTES_MAX);
	buf_init(&p->ended, NOTES_MAX);
	p->end = PROG_FAILED;
	if (start(&r)) {
		p->end = PROG_ENDED;
		r.until = file_now_ms() + p->ms;
		watch(&r);
		box_end(r.box, p->end == PROG_ENDED && p->resident ?
		    &p->ended : NULL);
		box_update(r.box);
		/* all writers are gone: read what is left in the pipes */
		while (p->end != PROG_TOO_MUCH && take(&r, false))
			;
		while (take(&r, true))
			;
		if (r.io.out >= 0)
			store(&r, false, NULL, 0);
		if (r.io.err >= 0)
			store(&r, true, NULL, 0);
		p->exited = r.box->exited;
		if (p->exited) {
			p->number = r.box->number;
			p->signalled = r.box->code != CLD_EXITED;
		} else if (p->end == PROG_ENDED) {
			p->end = PROG_FAILED;
			err_set(&p->e, ST_SYSTEM, "its exit status is unknown");
		}
		p->unlimited = r.box->unlimited;
	}
	box_io_close(&r.io);
	if (r.box != NULL)
		box_done(r.box, &p->notes);
	buf_release(&r.chunk);
}

void
prog_release(struct prog *p)
{
	bufs_release(BUFS(&p->notes, &p->ended));
}

bool
prog_is_good(const struct prog *p)
{
	return p->end == PROG_ENDED && !p->signalled && p->number == 0;
}

void
prog_signal_name(struct buf *out, const char *word, int sig)
{
	const char *name = sigabbrev_np(sig);

	if (name != NULL)
		buf_fmt(out, "SIG%s", name);
	else
		buf_fmt(out, "%s%d", word, sig);
}

void
prog_outcome(const struct prog *p, struct buf *out)
{
	switch (p->end) {
	case PROG_ENDED:
		if (p->signalled)
			prog_signal_name(out, "signal ", p->number);
		else
			buf_fmt(out, "status %d", p->number);
		break;
	case PROG_TIMEOUT:
		buf_fmt(out, "did not end within %d s", p->ms / 1000);
		break;
	case PROG_CANCEL: buf_adds(out, "interrupted"); break;
	case PROG_TOO_MUCH:
		buf_fmt(out, "more than %zu KiB of output",
		    p->text != NULL ? p->text->max >> 10 : 0);
		break;
	case PROG_FAILED: buf_adds(out, p->e.text); break;
	}
}
