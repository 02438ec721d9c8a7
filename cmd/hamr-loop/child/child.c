/* child.c - child processes of the loop, all started through libpipeline. */
#include <ctype.h>
#include <errno.h>
#if __has_include(<error.h>)
#include <error.h>
#endif
#include <fcntl.h>
#include <pipeline.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "base/file.h"
#include "base/mem.h"

#define LAST_CHANCE_MS 700	/* from SIGTERM to SIGKILL */
#define ERR_LINE_MAX ((size_t)8192)	/* a longer line comes in pieces */
#define QUIET_MS 500		/* from the end of its output to its own */

/* ---- commands ---- */

/* Runs in the child between fork and exec: only async-signal-safe calls. */
static void
before_exec(void *data)
{
	const struct child *c = data;
	pid_t leader = pipeline_get_pid(c->p, 0);
	int tty = c->o.tty ? open("/dev/tty", O_RDWR) : -1;
	sigset_t none;

	/* The first command does not know its own pid here; a later one may
	 * run before the first has made the group. */
	for (int i = 0; !c->o.tty && i < 50 &&
	    setpgid(0, leader > 0 ? leader : 0) < 0; i++)
		nanosleep(&(struct timespec){ 0, 1000 * 1000 }, NULL);
	for (int fd = 0; fd < 3 && tty >= 0; fd++)
		dup2(tty, fd);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (c->o.pass > 0)
		fcntl(c->o.pass, F_SETFD, 0);
	if (c->o.err == CHILD_ERR_OUT)
		dup2(STDOUT_FILENO, STDERR_FILENO);
	else if (c->err_theirs >= 0)
		dup2(c->err_theirs, STDERR_FILENO);
}

static void
add_command(struct child *c, size_t i)
{
	const struct child_opts *o = &c->o;
	const char *line = o->commands[i];
	size_t n = strcspn(line, " \t");
	char *first = xmemdup0(line, n);
	char *path = strncmp(first, "hamr-", 5) == 0 && strchr(first, '/') ==
	    NULL ? which_beside(first, NULL) : NULL;
	pipecmd *cmd;

	if (path != NULL) {
		cmd = pipecmd_new(path);
		if (line[n] != '\0')
			pipecmd_argstr(cmd, line + n);
	} else {
		cmd = pipecmd_new_argstr(line);
	}
	for (const char *const *w = o->flags; i == 0 && w != NULL &&
	    *w != NULL; w++)
		pipecmd_arg(cmd, *w);
	for (const char *const *w = o->unset; w != NULL && *w != NULL; w++)
		pipecmd_unsetenv(cmd, *w);
	if (o->settings != NULL)
		pipecmd_setenv(cmd, "HAMR_SET", o->settings);
	pipecmd_discard_err(cmd, o->err == CHILD_ERR_NONE);
	pipecmd_pre_exec(cmd, before_exec, NULL, c);
	pipeline_command(c->p, cmd);
	FREE(first, path);
}

/* ---- starting ---- */

/* Where to return to when libpipeline calls error(3), which would end the
 * process: a session must get its end record first.  A global, because error's
 * hook takes no argument. */
struct error_return {
	sigjmp_buf back;
	pid_t owner;
};

static struct error_return *
error_return(void)
{
	static struct error_return w;

	return &w;
}

/* Called by error() before any output, in place of printing the program's name.
 */
static void
return_from_error(void)
{
	if (getpid() == error_return()->owner)
		siglongjmp(error_return()->back, 1);
	fprintf(stderr, "%s: ", program_invocation_name);
}

/* So that a large request goes through in one write, without the two processes
 * waking each other for every 64 KiB.  A refusal only costs time. */
#define PIPE_SIZE (256 << 10)

/* Build and start the pipeline, from in to out, which libpipeline closes.  When
 * that fails, what exists of it is leaked: we cannot know how far libpipeline
 * came. */
static int
begin(struct child *c, int in, int out, struct err *e)
{
	volatile int r = 0;
	sigset_t reaps;

	/* What a stage leaves behind is reaped by libpipeline, too: in a
	 * container, nobody else may do so, and a group of zombies seems alive.
	 * It must hear of that, whatever our parent had blocked. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigemptyset(&reaps);
	sigaddset(&reaps, SIGCHLD);
	sigprocmask(SIG_UNBLOCK, &reaps, NULL);
	error_return()->owner = getpid();
	error_print_progname = return_from_error;
	if (sigsetjmp(error_return()->back, 1) == 0) {
		c->p = pipeline_new();
		for (size_t i = 0; c->o.commands[i] != NULL; i++)
			add_command(c, i);
		if (!c->o.tty) {
			fcntl(in, F_SETPIPE_SZ, PIPE_SIZE);
			fcntl(out, F_SETPIPE_SZ, PIPE_SIZE);
			pipeline_want_in(c->p, in);
			pipeline_want_out(c->p, out);
		}
		pipeline_start(c->p);
		c->group = pipeline_get_pid(c->p, 0);
	} else {
		r = err_sys(e, ST_SYSTEM, "cannot be started");
	}
	error_print_progname = NULL;
	return r;
}

/* Make a pipe whose end `ours` (0 reads) does not block. */
static bool
make_pipe(int fd[2], int ours)
{
	return pipe2(fd, O_CLOEXEC) == 0 &&
	    fcntl(fd[ours], F_SETFL, O_NONBLOCK) == 0;
}

struct child *
child_start(const struct child_opts *o, struct err *e)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 };
	bool told = o->err == CHILD_ERR_LINES;

	bool made = (o->tty || (make_pipe(in, 1) && make_pipe(out, 0))) &&
	    (!told || make_pipe(err, 0));
	struct child *c = xcalloc(1, sizeof *c);
	*c = (struct child){ .o = *o, .in = in[1], .out = out[0],
		.err = err[0], .err_theirs = err[1],
		.partial = BUF_INIT(2 * ERR_LINE_MAX) };
	int r = made ? begin(c, in[0], out[1], e) :
	    err_sys(e, ST_SYSTEM, "cannot be started");
	file_close(err[1]);
	if (r == 0)
		return c;
	if (!made) {	/* else libpipeline may have closed them */
		file_close(in[0]);
		file_close(out[1]);
	}
	file_close(in[1]);
	file_close(out[0]);
	file_close(err[0]);
	free(c);
	return NULL;
}

struct child *
child_open(const char *command, const char *const *args, enum child_err err,
    struct err *e)
{
	return child_start(&(struct child_opts){ .commands = ARGS(command),
	    .flags = args, .err = err }, e);
}

/* ---- ending ---- */

bool
child_read_err(struct child *c)
{
	char part[4096];
	ssize_t n = c->err >= 0 ? read(c->err, part, sizeof part) : 0;
	struct slice rest = { part, n > 0 ? (size_t)n : 0 };

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return errno == EINTR;
	while (rest.n > 0) {
		size_t k = slice_find(rest, 0, "\n");

		buf_add(&c->partial, rest.p, k);
		if (k < rest.n || c->partial.len > ERR_LINE_MAX) {
			c->o.on_line(c->o.arg, buf_view(&c->partial));
			buf_reset(&c->partial);
		}
		rest = slice_from(rest, k + (k < rest.n));
	}
	if (n > 0)
		return true;
	file_close(c->err);
	c->err = -1;
	return false;
}

/* Read what is there now, and at most as much as a pipe holds, as a process it
 * left behind may hold the other end. */
static void
read_all_err(struct child *c)
{
	for (int i = 0; i < 256 && child_read_err(c); i++)
		;
}

void
child_close_in(struct child *c)
{
	file_close(c->in);
	c->in = -1;
}

bool
child_is_alive(const struct child *c, int ms)
{
	long long end = file_now_ms() + ms;
	struct pollfd p = { c->o.stop > 0 ? c->o.stop : -1, POLLIN, 0 };
	bool alive;

	while ((alive = kill(-c->group, 0) == 0 || errno == EPERM) &&
	    file_now_ms() < end &&	/* libpipeline's handler reaps */
	    ppoll(&p, 1, &(struct timespec){ 0, 200 * 1000 }, NULL) <= 0)
		;
	return alive;
}

/* Reap all of it and free c. */
static int
reap(struct child *c)
{
	int *statuses = NULL, n = 0, r = 0;

	/* else libpipeline reports on stderr what was killed by a signal */
	setenv("PIPELINE_QUIET", "1", 1);
	pipeline_wait_all(c->p, &statuses, &n);
	unsetenv("PIPELINE_QUIET");
	for (int i = 0; i < n && r == 0; i++)
		r = statuses[i];
	free(statuses);
	pipeline_free(c->p);
	read_all_err(c);
	if (c->partial.len > 0)
		c->o.on_line(c->o.arg, buf_view(&c->partial));
	buf_release(&c->partial);
	file_close(c->err);
	free(c);
	return r;
}

int
child_end(struct child *c, int ms)
{
	file_close(c->in);
	file_close(c->out);
	read_all_err(c);
	if (ms >= 0 && child_is_alive(c, ms)) {
		/* hamr-tool ends its call on SIGTERM, but must be running */
		kill(-c->group, SIGTERM);
		kill(-c->group, SIGCONT);
		c->o.stop = 0;
		if (child_is_alive(c, LAST_CHANCE_MS))
			kill(-c->group, SIGKILL);
	}
	return reap(c);
}

/* ---- to its end ---- */

long long
child_communicate(struct child *c, struct slice *input, long long until,
    struct buf *out)
{
	char part[65536];
	long long left;

	if (input->n == 0)
		child_close_in(c);
	while ((left = until - file_now_ms()) > 0) {
		struct pollfd p[3] = { { c->in, POLLOUT, 0 },
			{ c->out, POLLIN, 0 },
			{ c->o.stop > 0 ? c->o.stop : -1, POLLIN, 0 } };
		ssize_t n;

		if (poll(p, 3, left < INT32_MAX ? (int)left : INT32_MAX) < 0 &&
		    errno != EINTR)
			break;
		if (p[2].revents != 0)
			break;
		if (p[0].revents != 0) {
			n = write(c->in, input->p, input->n);
			if (n > 0)
				*input = slice_from(*input, (size_t)n);
			if (input->n == 0 || (n < 0 && errno != EAGAIN &&
			    errno != EINTR))
				child_close_in(c);
		}
		if (p[1].revents == 0)
			continue;
		n = read(c->out, part, sizeof part);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0 || (out != NULL && buf_add(out, part,
		    (size_t)n) < 0))
			break;
	}
	return left;
}

/* The exit status as a shell reports it. */
static int
code_of(int st)
{
	return WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}

int
child_run(const char *command, const char *const *args, int ms,
    enum child_err err, struct buf *out, struct err *e)
{
	struct child *c = child_open(command, args, err, e);

	if (c == NULL)
		return -1;
	long long left = child_communicate(c, &(struct slice){ "", 0 },
	    file_now_ms() + ms, out);
	return code_of(child_end(c, left > 0 ? QUIET_MS : 0));
}

/* Wait until the foreground child has ended.  It is told to end when something
 * comes on stop, and soon killed.  When it stops, other than by a Ctrl-Z that
 * has stopped us too, only we could continue it, so we stop as well, for the
 * shell to see.  SIGCHLD is blocked but in ppoll, with mask. */
static void
wait_tty(const struct child *c, const sigset_t *mask)
{
	struct pollfd p = { c->o.stop > 0 ? c->o.stop : -1, POLLIN, 0 };
	struct timespec chance = { 0, LAST_CHANCE_MS * 1000000L };
	bool told = false;

	for (;;) {
		siginfo_t s = { .si_pid = 0 };

		if (waitid(P_PID, (id_t)c->group, &s, WEXITED | WSTOPPED |
		    WNOWAIT | WNOHANG) < 0)
			return;		/* libpipeline has reaped it */
		if (s.si_pid == 0) {
			int n = ppoll(&p, 1, told ? &chance : NULL, mask);

			if (n >= 0) {
				kill(c->group, n > 0 ? SIGTERM : SIGKILL);
				kill(c->group, SIGCONT);
				told = true;
				p.fd = -1;
			}
			continue;
		}
		if (s.si_code != CLD_STOPPED)
			return;
		s.si_pid = 0;
		if (waitid(P_PID, (id_t)c->group, &s, WSTOPPED | WNOWAIT |
		    WNOHANG) < 0 || s.si_pid == 0)
			continue;	/* it continues, and so do we */
		kill(getpid(), SIGTSTP);
		kill(c->group, SIGCONT);
	}
}

/* Ignore Ctrl-C and Ctrl-\ meanwhile, as system(3) does, and unblock them: a
 * blocked one would be kept, and come on stop. */
int
child_run_tty(const char *command, const char *const *args, int stop,
    struct err *e)
{
	struct child_opts o = { .commands = ARGS(command), .flags = args,
		.stop = stop, .tty = true };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
	struct sigaction chld, stops;
	struct termios modes;
	bool known = tcgetattr(STDIN_FILENO, &modes) == 0;
	struct child *c = child_start(&o, e);
	sigset_t mask, before;

	if (c == NULL)
		return -1;
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	/* libpipeline does not want to hear of a stop */
	sigaction(SIGCHLD, NULL, &chld);
	stops = chld;
	stops.sa_flags &= ~SA_NOCLDSTOP;
	sigaction(SIGCHLD, &stops, NULL);
	sigprocmask(SIG_BLOCK, NULL, &before);
	mask = before;
	sigdelset(&mask, SIGTSTP);
	sigdelset(&mask, SIGINT);
	sigdelset(&mask, SIGQUIT);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigdelset(&mask, SIGCHLD);
	wait_tty(c, &mask);
	sigprocmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGCHLD, &chld, NULL);
	int code = code_of(reap(c));
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	if (known)	/* it may have died in raw mode */
		tcsetattr(STDIN_FILENO, TCSANOW, &modes);
	return code;
}

void
argv_words(struct argv *a, const char *const *words)
{
	for (; words != NULL && *words != NULL; words++) {
		GROW(a->v, a->n + 1, a->cap);
		a->v[a->n++] = *words;
		a->v[a->n] = NULL;
	}
}

void
argv_option(struct argv *a, const char *flag, const char *value)
{
	if (value != NULL && value[0] != '\0')
		argv_add(a, flag, value);
}

void
argv_shell(struct buf *b, const char *word)
{
	const char *plain = word;

	while (isalnum((unsigned char)*plain) ||
	    (*plain != '\0' && strchr("_-./:=@%+,", *plain) != NULL))
		plain++;
	if (*plain == '\0' && *word != '\0') {
		buf_adds(b, word);
		return;
	}
	buf_addc(b, '\'');
	for (; *word != '\0'; word++)
		buf_slice(b, *word == '\'' ? SLICE("'\\''") :
		    (struct slice){ word, 1 });
	buf_addc(b, '\'');
}

void
argv_ours(struct argv *a, const struct opts *o)
{
	if (o->no_config)
		argv_add(a, "--no-config");
	for (size_t i = 0; i < o->nset; i++)
		argv_option(a, "-o", o->set[i]);
}

void
argv_server(struct argv *a, const struct opts *o)
{
	argv_option(a, "--provider", o->provider);
	argv_option(a, "--model", o->model);
	argv_option(a, "--base-url", o->base_url);
}
