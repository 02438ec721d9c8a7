/* act.c - go: each open call, one after another or side by side. */
#include "job.h"
#include "parallel.h"
#include "trail.h"

/* One call; false: it has no answer, stop. */
static bool
act_one(struct tool *t, struct call_state *c)
{
	struct job j;
	bool answered;

	job_begin(&j, t, c);
	answered = job_steps(&j) == STEP_DONE;
	if (answered)
		job_answer(&j);
	job_end(&j);
	return answered;
}

void
tool_act(struct tool *t)
{
	bool go_on = !t->closed;
	size_t i = 0, n;

	t->acting = true;
	tool_verify(t);
	/* starts of ours that nobody committed before this go */
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
		n = parallel_run(t, i);
		go_on = n > 0 ? parallel_do(t, i, n) :
		    act_one(t, &t->calls[i]);
		i += n > 0 ? n : 1;
	}
	t->acting = false;
	trail_pause(t->trail);
	tool_catch_up(t);
	tool_tell(t);
}
