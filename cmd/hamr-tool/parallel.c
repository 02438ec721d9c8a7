/* parallel.c - calls that only read, side by side. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

#include "parallel.h"

#define ROOM_SLACK 512		/* of a result that did not feel its room */
#define RUN_MAX 64		/* calls that are begun at once */
#define STOP_MS 300		/* to end with what was found */
#define KILL_MS 500		/* and then, to end at all */

enum lane_state {
	LANE_READY,		/* refused or answered before it began */
	LANE_LATE,		/* all of it when its turn comes */
	LANE_HERE,		/* started; done here, in its turn */
	LANE_WAITING,		/* started; for a process of its own */
	LANE_RUNNING,
	LANE_OVER		/* its process has ended */
};

struct lane {
	struct job job;
	enum lane_state state;
	size_t room;		/* of the budget, when it was forked */
	pid_t pid;
	int fd;			/* its message comes here */
	struct buf text;
};

struct lanes {
	struct tool *t;
	struct lane *v;
	size_t n, running, jobs;
	volatile int *stop;	/* shared with the processes: end */
};

/* ---- which calls ---- */

static bool
is_slow(const struct tool *t, const struct call_state *c)
{
	struct slice args = { c->args, c->nargs };

	return c->args != NULL && c->action < ACT_SHARE &&
	    c->start != START_FOREIGN && job_is_slow(t, c->name, args);
}

size_t
parallel_run(const struct tool *t, size_t i)
{
	size_t n = 0, slow = 0;

	/* one that is quick has nothing to wait for */
	if (conf_int(t->conf, "tools.jobs") < 2 ||
	    !job_only_reads(t, t->calls[i].name) ||
	    !is_slow(t, &t->calls[i]))
		return 0;
	for (; i < t->ncalls && n < RUN_MAX; i++) {
		const struct call_state *c = &t->calls[i];

		/* one that may come to be refused for those before it waits
		 * for them */
		if (c->done || !job_only_reads(t, c->name) ||
		    !files_surely(t->files, n))
			break;
		n++;
		slow += is_slow(t, c);
	}
	return slow > 1 ? n : 0;
}

/* ---- before the work ---- */

static void
prepare(struct lane *ln)
{
	struct job *j = &ln->job;

	if (j->call->action == ACT_SHARE) {
		ln->state = LANE_LATE;	/* its twin may be before it here */
		return;
	}
	if (job_before(j) != STEP_NEXT) {
		ln->state = LANE_READY;
		return;
	}
	ln->state = is_slow(j->t, j->call) ? LANE_WAITING : LANE_HERE;
}

/* The starts of all, in call order, read back before anything is done. */
static bool
begin(struct lanes *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].state == LANE_HERE ||
		    l->v[i].state == LANE_WAITING)
			job_propose(&l->v[i].job);
	for (size_t i = 0; i < l->n; i++)
		if ((l->v[i].state == LANE_HERE ||
		    l->v[i].state == LANE_WAITING) &&
		    job_begun(&l->v[i].job) != STEP_NEXT)
			return false;
	return true;
}

/* ---- processes ---- */

static bool
is_stopped(void *arg)
{
	return *(volatile int *)arg != 0;
}

/* The process of one call: it says its message and ends.  Records are the
 * parent's business. */
static _Noreturn void
child(struct lanes *l, struct lane *ln, int out)
{
	struct stage *s = l->t->stage;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct json *o;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	s->mode = STAGE_FILTER;
	s->stream = false;
	s->in.eof = true;
	s->out.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	files_stop(l->t->files, is_stopped, (void *)(uintptr_t)l->stop);
	job_work(&ln->job);
	o = result_message(&ln->job.r, "", "", ln->job.ms, NULL);
	json_print(o, &b);
	_exit(file_write_all(out, b.p, b.len) == 0 ? 0 : 1);
}

static void
launch(struct lanes *l, struct lane *ln)
{
	int fd[2];

	ln->room = files_left(l->t->files);
	if (pipe2(fd, O_CLOEXEC) < 0) {
		ln->state = LANE_HERE;
		return;
	}
	ln->pid = fork();
	if (ln->pid == 0)
		child(l, ln, fd[1]);
	close(fd[1]);
	ln->fd = fd[0];
	if (ln->pid < 0) {
		close(fd[0]);
		ln->state = LANE_HERE;
		return;
	}
	ln->state = LANE_RUNNING;
	l->running++;
}

static void
launch_some(struct lanes *l)
{
	for (size_t i = 0; i < l->n && l->running < l->jobs; i++)
		if (l->v[i].state == LANE_WAITING)
			launch(l, &l->v[i]);
}

static void
reap(struct lanes *l, struct lane *ln)
{
	close(ln->fd);
	while (waitpid(ln->pid, NULL, 0) < 0 && errno == EINTR)
		;
	ln->state = LANE_OVER;
	l->running--;
}

/* Read what has come of one; true when that was all. */
static bool
take(struct lane *ln)
{
	ssize_t n;

	if (buf_reserve(&ln->text, 65536) < 0)
		return true;
	n = read(ln->fd, ln->text.p + ln->text.len, 65536);
	if (n > 0)
		ln->text.len += (size_t)n;
	return n == 0 || (n < 0 && errno != EINTR);
}

/* Wait for any process for ms; the flags of stage_wait. */
static int
wait_any(struct lanes *l, int ms)
{
	struct pollfd *fds = xcalloc(l->n, sizeof *fds);
	int flags;

	for (size_t i = 0; i < l->n; i++)
		fds[i] = (struct pollfd){ l->v[i].state == LANE_RUNNING ?
		    l->v[i].fd : -1, POLLIN, 0 };
	/* a reason to stop stays true: then it would not wait */
	if (*l->stop != 0) {
		poll(fds, l->n, ms);
		flags = 0;
	} else {
		flags = stage_wait(l->t->stage, fds, l->n, ms);
	}
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].state == LANE_RUNNING && fds[i].revents != 0 &&
		    take(&l->v[i]))
			reap(l, &l->v[i]);
	free(fds);
	return flags & ~STAGE_READY;
}

/* End what runs: first asked, then told, then killed. */
static void
end_all(struct lanes *l)
{
	long long until = file_now_ms() + STOP_MS;

	*l->stop = 1;
	while (l->running > 0 && file_now_ms() < until)
		wait_any(l, 20);
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].state == LANE_RUNNING)
			kill(l->v[i].pid, SIGTERM);
	until = file_now_ms() + KILL_MS;
	while (l->running > 0 && file_now_ms() < until)
		wait_any(l, 20);
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].state == LANE_RUNNING) {
			kill(l->v[i].pid, SIGKILL);
			reap(l, &l->v[i]);
		}
}

/* ---- results ---- */

/* Turn the message of a process into the job's result. */
static bool
collect(struct lane *ln)
{
	struct scan scan = { .n = 0 };
	bool good = ln->text.len > 0 &&
	    scan_record(&scan, ln->text.p, ln->text.len) == 0 &&
	    result_take(&ln->job.r, (struct slice){ ln->text.p, ln->text.len },
	    &ln->job.ms);

	scan_release(&scan);
	return good;
}

static void
do_here(struct lane *ln)
{
	result_release(&ln->job.r);
	result_init(&ln->job.r);
	job_work(&ln->job);
}

/* The call's turn has come.  False: it has no answer. */
static bool
turn(struct lanes *l, struct lane *ln)
{
	struct files *f = l->t->files;

	while (ln->state == LANE_WAITING || ln->state == LANE_RUNNING) {
		launch_some(l);
		if (ln->state == LANE_RUNNING && wait_any(l, -1) != 0)
			end_all(l);
		if (*l->stop != 0 && ln->state == LANE_WAITING)
			return false;
	}
	if (ln->state == LANE_LATE)
		return job_steps(&ln->job) == STEP_DONE;
	if (ln->state == LANE_HERE)
		do_here(ln);
	if (ln->state != LANE_OVER)
		return true;
	if (!collect(ln)) {
		if (*l->stop != 0)
			return false;
		do_here(ln);
	} else if (ln->job.r.content.len + ROOM_SLACK > files_left(f) &&
	    files_left(f) < ln->room) {
		do_here(ln);	/* it had more room than there is by now */
	} else if (ln->job.schema->id == TOOL_READ && !ln->job.r.is_error) {
		files_charge(f, ln->job.r.content.len);
	}
	ln->job.call->ran = true;
	return true;
}

bool
parallel_do(struct tool *t, size_t i, size_t n)
{
	struct lanes l = { .t = t, .n = n,
		.v = xcalloc(n, sizeof *l.v),
		.jobs = (size_t)conf_int(t->conf, "tools.jobs") };
	size_t k;
	bool good;

	l.stop = mmap(NULL, sizeof *l.stop, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	good = l.stop != MAP_FAILED;
	for (k = 0; k < n; k++) {
		l.v[k].text = BUF_INIT(BUF_RECORD_MAX);
		job_begin(&l.v[k].job, t, &t->calls[i + k]);
		if (good)
			prepare(&l.v[k]);
	}
	good = good && begin(&l);
	for (k = 0; k < n && good; k++) {
		good = turn(&l, &l.v[k]);
		if (good)
			job_answer(&l.v[k].job);
	}
	if (l.stop != MAP_FAILED) {
		end_all(&l);
		munmap((void *)(uintptr_t)l.stop, sizeof *l.stop);
	}
	for (k = 0; k < n; k++) {
		job_end(&l.v[k].job);
		buf_release(&l.v[k].text);
	}
	free(l.v);
	return good;
}
