/* job.h - a call on its way through the steps; for act.c and approve.c. */
#ifndef HAMR_TOOL_JOB_H
#define HAMR_TOOL_JOB_H

#include "judge.h"
#include "tool.h"

struct job {
	struct tool *t;
	struct call_state *call;
	const struct schema *schema;
	struct buf args;	/* canonical */
	struct result r;
	enum box_kind kind;	/* what a command of it gets; set by
				 * job_approve */
	long long ms;
	bool shared;
};

enum step {
	STEP_NEXT,		/* go on with the next step */
	STEP_DONE,		/* r is the answer */
	STEP_STOP		/* no answer now: cancelled, or at an end */
};

/* approve.c: may this call, now approved, change the root? */
bool job_writes(const struct job *j);

/* approve.c: --yes, or a person asked (-r), or a preview. */
enum step job_approve(struct job *j);

#endif
