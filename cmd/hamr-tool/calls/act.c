/* act.c - go: run each open call, one after another or in parallel.
 *
 * In a run of consecutive calls of tools that change nothing, those that may
 * take long each get a process of their own, at most [tools] jobs at a time.
 * The others, and all state (budgets, proofs, results), are handled in call
 * order, so the output is the same as that of a sequential run.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#include "extras/extra.h"
#include "run/command.h"

#include "job.h"
#include "journal_calls.h"

#define ROOM_SLACK 512		/* a result with this much to spare is whole */
#define RUN_MAX 64		/* calls started at once */
#define READ_BYTES 65536
#define STOP_MS 800		/* to report the results so far */

struct batch {
	struct tool *t;
	struct job *v;
	size_t n, jobs;
	int input[2];		/* of the processes: EOF cancels them */
	long long until;	/* they were told to stop by then; 0: not yet */
};

/* ---- which calls ---- */

enum pace {
	CHANGES,		/* it may change something: never in parallel */
	QUICK,
	SLOW			/* a process of its own may pay off */
};

static enum pace
pace_of(const struct tool *t, const struct call_state *c)
{
	const struct schema *s = tool_schema(t, c->name);

	/* what shares a result waits for its twin */
	if (s == NULL || c->action == ACT_SHARE || (s->id != TOOL_READ &&
	    s->id != TOOL_VIEW && s->id != TOOL_SEARCH_MEMORY &&
	    (s->id != TOOL_PLUGIN || extra_of(s)->mutates)))
		return CHANGES;
	return c->args != NULL && c->action < ACT_BLOCK &&
	    c->start != START_FOREIGN && s->id != TOOL_VIEW &&
	    (s->id != TOOL_READ || (c->canonical && files_walks(t->files,
	    slice_of(c->args)))) ? SLOW : QUICK;
}

/* ---- processes ---- */

/* Start those that wait, as long as there is a place for one.  Each gets a
 * process that runs it, writes its message and exits; only the parent reads and
 * writes records. */
static void
launch(struct batch *l)
{
	struct stage *s = l->t->stage;
	size_t running = 0;
	int fd[2];

	for (size_t i = 0; i < l->n; i++)
		running += l->v[i].state == JOB_RUNNING;
	for (size_t i = 0; i < l->n && running < l->jobs && l->until == 0;
	    i++) {
		struct job *j = &l->v[i];

		if (j->state != JOB_WAITING)
			continue;
		j->state = JOB_HERE;
		if ((l->input[0] < 0 && pipe2(l->input, O_CLOEXEC) < 0) ||
		    pipe2(fd, O_CLOEXEC) < 0)
			continue;
		j->pid = fork();
		if (j->pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			file_close(l->input[1]);
			rec_in_init(&s->in, l->input[0], "", REC_MAX);
			s->mode = STAGE_RESIDENT;
			s->out.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
			l->t->files->editor_reads = false;
			job_work(j);
			job_print(j);
			_exit(file_write_all(fd[1], j->message.p,
			    j->message.len) == 0 ? 0 : 1);
		}
		close(fd[1]);
		j->fd = fd[0];
		if (j->pid > 0) {
			j->state = JOB_RUNNING;
			running++;
		} else {
			close(fd[0]);
		}
	}
}

/* End the call's process, if it has not ended; then its message is cut. */
static void
reap(struct job *j)
{
	int status = -1;

	kill(j->pid, SIGKILL);
	while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(j->fd);
	j->state = JOB_ENDED;
	if (status != 0)
		buf_reset(&j->message);
}

/* Read what the processes write, each its message before it ends.  Once there
 * is a reason to stop, all are told to, and killed if they do not. */
static void
read_some(struct batch *l)
{
	struct pollfd p[RUN_MAX];
	long long left = l->until - file_now_ms();

	for (size_t i = 0; i < l->n; i++)
		p[i] = (struct pollfd){ l->v[i].state == JOB_RUNNING ?
		    l->v[i].fd : -1, POLLIN, 0 };
	if (l->until != 0) {	/* stage_wait returns at once by now */
		poll(p, l->n, left > 0 ? (int)left : 0);
	} else if ((stage_wait(l->t->stage, p, l->n, -1) &
	    ~STAGE_READY) != 0) {
		l->until = file_now_ms() + STOP_MS;
		close(l->input[1]);
		l->input[1] = -1;
		return;
	}
	for (size_t i = 0; i < l->n; i++) {
		struct buf *b = &l->v[i].message;
		ssize_t n = 0;

		if (p[i].fd < 0 || (p[i].revents == 0 && (l->until == 0 ||
		    left > 0)))
			continue;
		if (p[i].revents != 0 && buf_reserve(b, READ_BYTES) == 0)
			n = read(p[i].fd, b->p + b->len, READ_BYTES);
		b->len += n > 0 ? (size_t)n : 0;
		if (n <= 0)
			reap(&l->v[i]);
	}
}

/* Finish call k, whose turn it is.  False: it has no answer. */
static bool
turn(struct batch *l, size_t k)
{
	struct job *j = &l->v[k];

	for (launch(l); j->state == JOB_RUNNING; launch(l))
		read_some(l);
	if (j->state == JOB_READY)
		return true;
	/* would a read have the same result in the room that is left by now? */
	size_t room = files_room(l->t->files);
	if (j->message.len > 0 && (j->schema->id != TOOL_READ ||
	    room == l->t->files->result_cap || ROOM_SLACK + scan_get(
	    buf_view(&j->message), "content").n <= room))
		return true;
	buf_reset(&j->message);
	if (j->state != JOB_HERE && l->until != 0)
		return false;
	job_work(j);
	return true;
}

/* Do n calls from number i on, those that are slow in parallel.  False: stop,
 * some have no answer. */
static bool
do_calls(struct tool *t, size_t i, size_t n)
{
	struct batch l = { .t = t, .n = n,
		.v = xcalloc(n, sizeof *l.v),
		.jobs = (size_t)conf_int(t->conf, "tools.jobs"),
		.input = { -1, -1 } };
	bool good = true;
	size_t k;

	for (k = 0; k < n; k++) {
		struct job *j = &l.v[k];
		struct call_state *c = &t->calls[i + k];

		job_begin(j, t, c);
		enum step s = job_before(j);
		j->state = s != STEP_NEXT ? JOB_READY :
		    n > 1 && pace_of(t, c) == SLOW ? JOB_WAITING : JOB_HERE;
		good = good && s != STEP_STOP;
	}
	/* put the starts of all, in call order, and read them back before any
	 * work is done */
	for (k = 0; k < n && good; k++)
		if (l.v[k].state >= JOB_HERE)
			job_put_start(&l.v[k]);
	for (k = 0; k < n && good; k++)
		if (l.v[k].state >= JOB_HERE)
			good = job_confirm_start(&l.v[k]) == STEP_NEXT;
	for (k = 0; k < n && good && turn(&l, k); k++) {
		job_answer(&l.v[k]);
		stage_put(t->stage, R_TOOL, buf_view(&l.v[k].message));
	}
	good = good && k == n;
	file_close(l.input[0]);
	file_close(l.input[1]);
	for (k = 0; k < n; k++) {
		if (l.v[k].state == JOB_RUNNING)
			reap(&l.v[k]);
		job_end(&l.v[k]);
	}
	free(l.v);
	return good;
}

/* If a verify record is waiting, run its command and put the verification.
 * Seconds and characters are those of chapter 7.2. */
static void
verify(struct tool *t)
{
	bool full = t->verify_full;
	long long begun = file_now_ms();
	struct command cmd = { .prog = { .sandboxes = t->sandboxes,
		.id = "verification" }, .root = &t->files->root,
		.cap = full ? 12000 : 4000, .bare = true,
		.command = t->verify };
	const struct prog *run = &cmd.prog;
	struct result r;
	struct buf v = BUF_INIT(BUF_RECORD_MAX);

	if (t->verify == NULL)
		return;
	result_init(&r);
	if (t->verify[0] == '\0') {
		result_error(&r, "bad_arguments", "no command is configured; "
		    "set verification.defaultCommand");
	} else {
		/* If no private copy can be made, the user's command runs as
		 * bash would; the record says so (sandbox). */
		cmd.prog.spec = sandboxes_spec(t->sandboxes, sandboxes_why_not(
		    t->sandboxes, BOX_PRIVATE) == NULL ? BOX_PRIVATE :
		    BOX_WRITE);
		bash_run(t->stage, &cmd, full ? 120 : 60, &r);
	}
	scan_put(&v, "{'type':'verification','command':@,'profile':@,"
	    "'status':@", slice_of(t->verify),
	    slice_of(full ? "full" : "quick"),
	    slice_of(run->ran && prog_is_good(run) ? "passed" : "failed"));
	if (run->ran && run->end == PROG_ENDED && !run->signalled)
		scan_put(&v, ",'exit':$", SCAN_INT(run->number));
	scan_put(&v, ",'output':@", buf_view(&r.content));
	if (run->ran)
		scan_put(&v, ",'sandbox':@", slice_of(run->sandbox));
	scan_put(&v, ",'ms':$}", SCAN_INT(file_now_ms() - begun));
	stage_put(t->stage, R_VERIFICATION, buf_view(&v));
	result_release(&r);
	buf_release(&v);
	xset(&t->verify, NULL);
}

void
tool_act(struct stage *s)
{
	struct tool *t = s->self;
	bool go_on = !t->closed;
	size_t i = 0;

	t->acting = true;
	verify(t);
	/* drop our starts that were not committed before this go */
	for (size_t k = 0; k < t->ncalls; k++)
		if (t->calls[k].start == START_PROPOSED)
			t->calls[k].start = START_NONE;
	while (i < t->ncalls && go_on) {
		if (t->calls[i].done) {
			i++;
			continue;
		}
		if (job_must_stop(t))
			break;
		/* How many calls from here on can run in parallel?  None if
		 * the first is quick: it need not wait for others. */
		size_t n = 0, slow = 0;
		bool worth = conf_int(t->conf, "tools.jobs") >= 2 &&
		    pace_of(t, &t->calls[i]) == SLOW;
		for (; worth && i + n < t->ncalls && n < RUN_MAX; n++) {
			const struct call_state *c = &t->calls[i + n];
			enum pace pace = c->done ? CHANGES : pace_of(t, c);

			/* a call that may be refused because of those before
			 * it has to wait for them */
			if (pace == CHANGES || !files_read_is_sure(t->files, n))
				break;
			slow += pace == SLOW;
		}
		if (slow <= 1)
			n = 1;
		go_on = do_calls(t, i, n);
		i += n;
	}
	t->acting = false;
	journal_calls_pause(t->journal);
	tool_catch_up(t);
	tool_put_changed(t);
	stage_wait(s, NULL, 0, 0);	/* write all this */
	tool_may_end(s);
}
