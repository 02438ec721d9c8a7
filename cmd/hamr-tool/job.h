/* job.h - a call on its way through the steps; for act.c, approve.c,
 * hook.c, parallel.c and trail.c.
 */
#ifndef HAMR_TOOL_JOB_H
#define HAMR_TOOL_JOB_H

#include "hold.h"
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
	bool allowed;		/* approved: its sandbox may be writable */
	bool unasked;		/* nobody was there to approve it */
	bool offline;		/* it gets no network, whatever is set */
	struct hold hold;	/* from its work to job_end */
};

enum step {
	STEP_NEXT,		/* go on with the next step */
	STEP_DONE,		/* r is the answer */
	STEP_STOP		/* no answer now: cancelled, or at an end */
};

/* Cancelled, failed or at the end of its input: no more calls now. */
bool job_must_stop(struct tool *t);

void job_begin(struct job *j, struct tool *t, struct call_state *c);
void job_end(struct job *j);

/* All of it, up to its answer; or in pieces: what comes before its start, the
 * start put, the start read back (or flushed), the work. */
enum step job_steps(struct job *j);
enum step job_before(struct job *j);
void job_propose(struct job *j);
enum step job_begun(struct job *j);
void job_work(struct job *j);
/* What comes before its start takes a while: what its work needs may begin. */
void job_prepare(struct job *j);
/* Its tool message, as the after_tool hook leaves it; and put, and
 * remembered. */
void job_message(struct job *j, struct buf *out);
void job_answer(struct job *j);

/* Does a tool of this name change nothing, whatever its arguments? */
bool job_only_reads(const struct tool *t, const char *name);
/* And may this call of it take long, so that a process of its own pays? */
bool job_is_slow(const struct tool *t, const char *name, struct slice args);
/* approve.c: may this call, now approved, change the root? */
bool job_writes(const struct job *j);

/* approve.c: --yes, or a person asked (-r), or a preview. */
enum step job_approve(struct job *j);

#endif
