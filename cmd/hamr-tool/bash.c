/* bash.c - the bash tool: one command, its status, its output, its end. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "env.h"
#include "file.h"
#include "hold.h"
#include "mem.h"
#include "output.h"
#include "report.h"

#include "bash.h"

#define TIMEOUT_DEFAULT 120
#define TIMEOUT_MAX 600
#define QUIET_MS 100		/* after bash has ended, nothing for so long */
#define QUIET_LIMIT_MS 1000	/* and never longer than this */
#define GRACE_TIMEOUT_MS 2000
#define GRACE_CANCEL_MS 500
#define STREAM_MAX ((size_t)1 << 20)
#define COMMAND_MAX 131000	/* the kernel's limit for one argument */
#define READ_BYTES 65536
#define CHUNK_MAX ((size_t)4 * READ_BYTES)

enum { FD_BOX, FD_OUT, FD_ERR, FD_SIGNAL, NFDS };

struct run {
	struct stage *stage;
	const struct bash_opts *o;
	struct box *box;
	struct box_io io;
	int signals;			/* signalfd */
	struct output out, err;
	struct buf chunk;
	size_t streamed;
	long long deadline, quiet, limit, kill;
	bool exited;
	enum bash_cause cause;
};

/* ---- output ---- */

static void
stream(struct run *r, const char *name)
{
	struct stage *s = r->stage;
	size_t n = r->chunk.len;
	struct json *o;

	if ((s->mode == STAGE_FILTER && !s->stream) || n == 0 ||
	    r->o->id == NULL)
		return;
	if (n > STREAM_MAX - r->streamed) {
		r->streamed = STREAM_MAX;
		return;
	}
	r->streamed += n;
	o = json_object();
	json_str(o, "type", "output");
	json_str(o, "tool_call_id", r->o->id);
	json_str(o, "stream", name);
	json_slice(o, "text", buf_view(&r->chunk));
	stage_put_json(s, R_OUTPUT, o);
}

/* One read; false when there is nothing now, or ever. */
static bool
take(struct run *r, int *fd, struct output *o, const char *name)
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
		output_add(o, NULL, 0, &r->chunk);
	} else {
		output_add(o, buf, (size_t)n, &r->chunk);
		if (r->exited)
			r->quiet = file_now_ms() + QUIET_MS;
	}
	stream(r, name);
	return n > 0;
}

static void
take_rest(struct run *r)
{
	/* nobody writes any more: what the pipe holds, and no more */
	while (take(r, &r->io.out, &r->out, "stdout"))
		;
	while (take(r, &r->io.err, &r->err, "stderr"))
		;
	if (r->io.out >= 0)
		output_add(&r->out, NULL, 0, &r->chunk);
	if (r->io.err >= 0)
		output_add(&r->err, NULL, 0, &r->chunk);
}

/* ---- the end ---- */

static void
learn(struct run *r)
{
	box_learn(r->box);
	if (r->exited || !box_exited(r->box))
		return;
	r->exited = true;
	r->quiet = file_now_ms() + QUIET_MS;
	r->limit = file_now_ms() + QUIET_LIMIT_MS;
}

static void
begin_end(struct run *r, enum bash_cause cause, int grace)
{
	r->cause = cause;
	r->kill = file_now_ms() + grace;
	box_signal(r->box, SIGTERM);
	/* who was stopped must run to see it */
	box_signal(r->box, SIGCONT);
}

/* Is it over?  Also turns a reason to stop into an ending. */
static bool
judge(struct run *r, int flags, bool signalled)
{
	long long now = file_now_ms();

	if (box_lost(r->box))
		return true;
	if (r->cause != CAUSE_CANCEL && (signalled ||
	    (flags & ~STAGE_READY) != 0)) {
		begin_end(r, CAUSE_CANCEL, GRACE_CANCEL_MS);
		return false;
	}
	if (r->cause == CAUSE_NONE && !r->exited && now >= r->deadline) {
		begin_end(r, CAUSE_TIMEOUT, GRACE_TIMEOUT_MS);
		return false;
	}
	if (r->cause != CAUSE_NONE)
		return now >= r->kill || (r->exited && box_empty(r->box));
	return r->exited && (now >= r->quiet || now >= r->limit ||
	    (r->io.out < 0 && r->io.err < 0));
}

static int
wait_ms(const struct run *r)
{
	long long now = file_now_ms(), until = r->deadline;

	if (r->cause != CAUSE_NONE)
		until = r->kill;
	else if (r->exited)
		until = r->quiet < r->limit ? r->quiet : r->limit;
	return until > now ? (int)(until - now) : 0;
}

static void
watch(struct run *r)
{
	for (;;) {
		struct pollfd fds[NFDS] = {
			[FD_BOX] = { box_fd(r->box), POLLIN, 0 },
			[FD_OUT] = { r->io.out, POLLIN, 0 },
			[FD_ERR] = { r->io.err, POLLIN, 0 },
			[FD_SIGNAL] = { r->cause == CAUSE_CANCEL ? -1 :
			    r->signals, POLLIN, 0 },
		};
		int flags;

		/* a reason to stop stays true: then it would not wait */
		if (r->cause == CAUSE_CANCEL) {
			poll(fds, NFDS, wait_ms(r));
			flags = 0;
		} else {
			flags = stage_wait(r->stage, fds, NFDS, wait_ms(r));
		}
		if (fds[FD_OUT].revents != 0)
			take(r, &r->io.out, &r->out, "stdout");
		if (fds[FD_ERR].revents != 0)
			take(r, &r->io.err, &r->err, "stderr");
		if (fds[FD_BOX].revents != 0)
			learn(r);
		if (judge(r, flags, fds[FD_SIGNAL].revents != 0))
			return;
	}
}

/* ---- signals ---- */

struct masks {
	sigset_t old;
	struct sigaction pipe;
};

static void
hold_signals(struct run *r, struct masks *m)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t set;

	hold_set(&set);
	sigprocmask(SIG_BLOCK, &set, &m->old);
	sigaction(SIGPIPE, &ignore, &m->pipe);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A signal that came meanwhile ends this process here. */
static void
release_signals(struct run *r, const struct masks *m)
{
	if (r->signals >= 0)
		close(r->signals);
	sigaction(SIGPIPE, &m->pipe, NULL);
	sigprocmask(SIG_SETMASK, &m->old, NULL);
}

void
bash_end_by_pipe(const struct stage *s)
{
	if (s->out.error != EPIPE)
		return;
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}

/* ---- one call ---- */

/* False with e; *no: why, when there is a box that could not start it. */
static bool
try_spawn(struct run *r, struct box_cmd *cmd, int *no, struct err *e)
{
	struct box_want want = boxes_want(r->o->boxes, r->o->kind);
	char **env;
	bool good;

	if (r->o->offline)
		want.network = want.unix_sockets = false;
	r->box = boxes_resident(r->o->boxes, &want, e);
	if (r->box == NULL)
		return false;
	env = box_env(r->box, NULL, 0);
	cmd->env = env;
	good = box_spawn(r->box, cmd, &r->io) == 0;
	*no = errno;
	if (!good && *no == ETIMEDOUT)
		err_set(e, ST_SYSTEM, "the supervisor of the command gave no "
		    "answer; the command may have run, and was ended");
	else if (!good)
		err_sys(e, ST_SYSTEM, "bash could not be started");
	env_free(env);
	return good;
}

static bool
spawn(struct run *r, struct box_cmd *cmd, struct err *e)
{
	int no = 0;

	if (try_spawn(r, cmd, &no, e))
		return true;
	/* the command before may have moved the way to the root, if that is in
	 * its /tmp: a sandbox that is new has it again */
	if (r->box == NULL || (no != ENOENT && no != ENOTDIR && no != ELOOP &&
	    no != EACCES))
		return false;
	box_drop(r->box);
	return try_spawn(r, cmd, &no, e);
}

static bool
start(struct run *r, const char *command, struct err *e)
{
	/* a command may begin with '-' */
	bool dashes = command[0] == '-' || command[0] == '+';
	const char *argv[] = { "bash", "--noprofile", "--norc", "-c",
		dashes ? "--" : command, dashes ? command : NULL, NULL };
	struct box_cmd cmd = { .argv = (char *const *)(void *)argv };

	return spawn(r, &cmd, e);
}

static int64_t
timeout_of(struct slice args, bool *clamped)
{
	int64_t asked = TIMEOUT_DEFAULT, t;

	scan_int(scan_get(args, "timeout"), &asked);
	t = asked < 1 ? 1 : asked > TIMEOUT_MAX ? TIMEOUT_MAX : asked;
	*clamped = t != asked;
	return t;
}

static void
run(struct run *r, struct report *rep, struct result *res)
{
	struct buf ended = BUF_INIT(4096), notes = BUF_INIT(8192);
	int code = 0;

	r->deadline = file_now_ms() + rep->timeout * 1000;
	watch(r);
	box_end(r->box, r->cause == CAUSE_NONE ? &ended : NULL);
	learn(r);
	take_rest(r);
	rep->known = box_exited(r->box);
	box_status(r->box, &code, &rep->number);
	rep->signalled = code != CLD_EXITED;
	rep->ended = ended.len > 0 ? ended.p : "";
	rep->cause = r->cause;
	rep->sandbox = box_name(r->box);
	/* for the end record, which the loop writes */
	if (r->stage->mode == STAGE_RESIDENT)
		rep->unlimited = box_unlimited(r->box);
	box_done(r->box, &notes);
	r->box = NULL;
	rep->notes = notes.len > 0 ? notes.p : "";
	if (r->o->end != NULL)
		*r->o->end = (struct bash_end){ rep->known && !rep->signalled &&
		    rep->cause == CAUSE_NONE ? rep->number : -1,
		    rep->sandbox };
	report_fill(rep, res);
	buf_release(&ended);
	buf_release(&notes);
}

static void
not_started(struct run *r, const struct err *e, struct result *res)
{
	if (r->box != NULL)
		box_done(r->box, NULL);
	if (e->status == ST_POLICY)
		result_error(res, "denied", "denied: %s, so no command is "
		    "run; use the other tools", e->text);
	else
		result_error(res, "spawn_failed", "%s; nothing was run",
		    e->text);
}

void
bash_run(struct stage *s, const struct bash_opts *o, struct slice args,
    struct result *res)
{
	struct run r = { .stage = s, .o = o, .chunk = BUF_INIT(CHUNK_MAX),
		.io = { -1, -1, -1 }, .signals = -1 };
	char *command = scan_strdup(scan_get(args, "command"));
	struct report rep = { .command = command, .root = o->root,
		.rootfd = o->rootfd, .cap = o->cap, .out = &r.out,
		.err = &r.err };
	struct masks masks;
	struct err e;

	if (o->end != NULL)
		*o->end = (struct bash_end){ -1, NULL };
	rep.timeout = timeout_of(args, &rep.clamped);
	output_init(&r.out, o->cap);
	output_init(&r.err, o->cap);
	hold_signals(&r, &masks);
	if (r.signals < 0)
		result_error(res, "spawn_failed", "no signals can be had: %s; "
		    "nothing was run", strerror(errno));
	else if (strlen(command) > COMMAND_MAX)
		result_error(res, "too_large", "the command is longer than "
		    "%d bytes; write a script with write and run that",
		    COMMAND_MAX);
	else if (!start(&r, command, &e))
		not_started(&r, &e, res);
	else
		run(&r, &rep, res);
	box_io_close(&r.io);
	output_release(&r.out);
	output_release(&r.err);
	buf_release(&r.chunk);
	free(command);
	release_signals(&r, &masks);
}
