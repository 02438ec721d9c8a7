/* stages.c - child processes of the loop, all started through libpipeline. */
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <pipeline.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "stage_name.h"
#include "stages.h"

#define LAST_CHANCE_MS 700	/* from SIGTERM to SIGKILL */

struct child {
	pipeline *p;
	int in, out;
	int err, err_theirs;	/* both ends of its stderr, or -1 */
	int pass;		/* a descriptor it inherits, or 0 */
	bool merge;
	pid_t group;
};

/* Runs in the child between fork and exec: only async-signal-safe calls. */
static void
before_exec(void *data)
{
	const struct child *c = data;
	pid_t leader = pipeline_get_pid(c->p, 0);
	sigset_t none;

	/* The first command's own pid is not yet known to its own copy; a
	 * later one may come before the first has made the group. */
	for (int i = 0; setpgid(0, leader > 0 ? leader : 0) < 0 && i < 50; i++)
		nanosleep(&(struct timespec){ 0, 1000 * 1000 }, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (c->pass > 0)
		fcntl(c->pass, F_SETFD, 0);
	if (c->merge)
		dup2(STDOUT_FILENO, STDERR_FILENO);
	else if (c->err_theirs >= 0)
		dup2(c->err_theirs, STDERR_FILENO);
}

static pipecmd *
new_command(const char *line, const char *const *flags, size_t nflags)
{
	size_t n = strcspn(line, " \t");
	char *first = xmemdup0(line, n), *path = stage_beside_us(first);
	pipecmd *cmd;

	if (path != NULL) {
		cmd = pipecmd_new(path);
		if (line[n] != '\0')
			pipecmd_argstr(cmd, line + n);
	} else {
		cmd = pipecmd_new_argstr(line);
	}
	for (size_t i = 0; i < nflags; i++)
		pipecmd_arg(cmd, flags[i]);
	free(first);
	free(path);
	return cmd;
}

/* Where libpipeline's last words lead: it ends the process by error(3) when a
 * fork, a pipe or an allocation fails, and a session must get its end record
 * first.  error's hook takes no argument, so this cannot travel. */
struct way_out {
	sigjmp_buf back;
	pid_t owner;
};

static struct way_out *
way_out(void)
{
	static struct way_out w;

	return &w;
}

/* In the place of the program's name, before error() has said anything. */
static void
instead_of_dying(void)
{
	if (getpid() == way_out()->owner)
		siglongjmp(way_out()->back, 1);
	fprintf(stderr, "%s: ", program_invocation_name);
}

/* Find out before that, while nothing is begun, whether there are descriptors
 * left. */
static int
room_for(size_t commands, struct err *e)
{
	int fd[64];
	size_t n = 0, want = 2 * commands + 4;
	int r = 0;

	if (want > sizeof fd / sizeof *fd)
		want = sizeof fd / sizeof *fd;
	while (n < want) {
		fd[n] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (fd[n] < 0) {
			r = err_sys(e, ST_SYSTEM, "cannot start a stage");
			break;
		}
		n++;
	}
	while (n > 0)
		close(fd[--n]);
	return r;
}

/* A request of the later steps goes through in one write, without the two
 * processes waking each other for every 64 KiB; a refusal only costs time. */
#define PIPE_SIZE (256 << 10)

static void
own_end(int fd)
{
	fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void
add_command(struct child *c, const struct child_opts *o, pipecmd *cmd)
{
	for (size_t k = 0; k < o->nunset; k++)
		pipecmd_unsetenv(cmd, o->unset[k]);
	pipecmd_discard_err(cmd, o->hush);
	pipecmd_pre_exec(cmd, before_exec, NULL, c);
	pipeline_command(c->p, cmd);
}

/* Nobody hears a child that there is no pipe for. */
static void
overhear(struct child *c)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) < 0)
		return;
	c->err = fd[0];
	c->err_theirs = fd[1];
	fcntl(c->err, F_SETFL, O_NONBLOCK);
}

static pipecmd *
command_of(const char *const *argv, size_t n)
{
	pipecmd *cmd = pipecmd_new(argv[0]);

	for (size_t i = 1; i < n; i++)
		pipecmd_arg(cmd, argv[i]);
	return cmd;
}

static void
build(struct child *c, const struct child_opts *o)
{
	c->p = pipeline_new();
	for (size_t i = 0; i < o->n; i++)
		add_command(c, o, new_command(o->commands[i], o->flags,
		    i == 0 ? o->nflags : 0));
	if (o->n == 0)
		add_command(c, o, command_of(o->argv, o->nargv));
	pipeline_want_in(c->p, -1);
	pipeline_want_out(c->p, -1);
}

static int
take_ends(struct child *c, struct err *e)
{
	FILE *in = pipeline_get_infile(c->p);
	FILE *out = pipeline_get_outfile(c->p);

	c->group = pipeline_get_pid(c->p, 0);
	if (in == NULL || out == NULL) {
		err_sys(e, ST_SYSTEM, "cannot start a stage");
		kill(-c->group, SIGKILL);
		return -1;
	}
	c->in = fileno(in);
	c->out = fileno(out);
	return 0;
}

/* Build and start it.  What is begun when that fails is left as it is: nobody
 * knows how far libpipeline came. */
static int
begin(struct child *c, const struct child_opts *o, struct err *e)
{
	volatile int r = 0;

	way_out()->owner = getpid();
	error_print_progname = instead_of_dying;
	if (sigsetjmp(way_out()->back, 1) == 0) {
		build(c, o);
		pipeline_start(c->p);
		r = take_ends(c, e);
	} else {
		r = err_sys(e, ST_SYSTEM, "cannot start a stage");
	}
	error_print_progname = NULL;
	return r;
}

struct child *
child_start(const struct child_opts *o, struct err *e)
{
	struct child *c;
	int r;

	for (size_t i = 0; i < o->n; i++)
		if (stage_check(o->commands[i], e) < 0)
			return NULL;
	if (room_for(o->n + 2, e) < 0)
		return NULL;
	c = xcalloc(1, sizeof *c);
	c->err = c->err_theirs = -1;
	c->pass = o->pass;
	c->merge = o->merge;
	if (o->overhear)
		overhear(c);
	r = begin(c, o, e);
	if (c->err_theirs >= 0)
		close(c->err_theirs);
	if (r < 0) {
		if (c->err >= 0)
			close(c->err);
		free(c);
		return NULL;
	}
	own_end(c->in);
	own_end(c->out);
	return c;
}

int
child_in(const struct child *c)
{
	return c->in;
}

int
child_out(const struct child *c)
{
	return c->out;
}

pid_t
child_pid(const struct child *c)
{
	return c->group;
}

/* libpipeline owns the descriptor and closing it behind its back would be a
 * double close: let the number lead to /dev/null instead. */
static void
deaden(int fd, int flags)
{
	int null = open("/dev/null", flags | O_CLOEXEC);

	if (null < 0)
		return;
	dup3(null, fd, O_CLOEXEC);
	close(null);
}

int
child_take_err(struct child *c)
{
	int fd = c->err;

	c->err = -1;
	return fd;
}

void
child_close_in(struct child *c)
{
	deaden(c->in, O_WRONLY);
}

static bool
alive(const struct child *c)
{
	return kill(-c->group, 0) == 0 || errno == EPERM;
}

int
child_end(struct child *c, int ms)
{
	long long end = file_now_ms() + ms;
	const struct timespec nap = { 0, 200 * 1000 };
	int *statuses = NULL, n = 0, r = 0;

	deaden(c->in, O_WRONLY);
	deaden(c->out, O_RDONLY);
	while (alive(c) && file_now_ms() < end)
		nanosleep(&nap, NULL);	/* libpipeline's handler reaps */
	if (alive(c)) {
		/* hamr-tool ends its call at SIGTERM, if it is let run */
		kill(-c->group, SIGTERM);
		kill(-c->group, SIGCONT);
		end = file_now_ms() + LAST_CHANCE_MS;
		while (alive(c) && file_now_ms() < end)
			nanosleep(&nap, NULL);
	}
	if (alive(c))
		kill(-c->group, SIGKILL);
	/* libpipeline would say on stderr who was ended by a signal */
	setenv("PIPELINE_QUIET", "1", 1);
	pipeline_wait_all(c->p, &statuses, &n);
	unsetenv("PIPELINE_QUIET");
	for (int i = 0; i < n; i++)
		if (statuses[i] != 0) {
			r = statuses[i];
			break;
		}
	free(statuses);
	pipeline_free(c->p);
	if (c->err >= 0)
		close(c->err);
	free(c);
	return r;
}

static void
to_terminal(void *data)
{
	int tty = open("/dev/tty", O_RDWR);
	sigset_t none;

	(void)data;
	for (int fd = 0; fd < 3 && tty >= 0; fd++)
		dup2(tty, fd);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
}

/* As begin(). */
static int
begin_there(pipeline *p, struct err *e)
{
	volatile int r = 0;

	way_out()->owner = getpid();
	error_print_progname = instead_of_dying;
	if (sigsetjmp(way_out()->back, 1) == 0)
		pipeline_start(p);
	else
		r = err_sys(e, ST_SYSTEM, "cannot start a command");
	error_print_progname = NULL;
	return r;
}

int
child_on_tty(const char *command, const char *const *args, size_t n,
    struct err *e)
{
	pipeline *p;
	pipecmd *cmd;
	int *statuses = NULL, k = 0, r = -1;

	if (stage_check(command, e) < 0 || room_for(1, e) < 0)
		return -1;
	p = pipeline_new();
	cmd = new_command(command, args, n);
	pipecmd_pre_exec(cmd, to_terminal, NULL, NULL);
	pipeline_command(p, cmd);
	if (begin_there(p, e) < 0)
		return -1;
	pipeline_wait_all(p, &statuses, &k);
	if (k > 0)
		r = statuses[0];
	free(statuses);
	pipeline_free(p);
	return r;
}
