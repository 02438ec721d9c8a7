/* job.h - a call on its way through the steps. */
#pragma once

#include "extras/schema.h"
#include "tool.h"

enum job_state {
	JOB_READY,		/* refused or answered before its start */
	JOB_HERE,		/* started; runs in this process, in turn */
	JOB_WAITING,		/* started; waits for a process of its own */
	JOB_RUNNING,
	JOB_ENDED		/* its process has, and written its message */
};

struct job {
	struct tool *t;
	struct call_state *call;
	const struct schema *schema;
	bool misuse;		/* no such tool, or arguments that are not
				 * JSON */
	struct buf args;	/* canonical */
	struct result r;
	enum mode mode;		/* in which it was judged */
	struct box_spec spec;	/* the sandbox its command gets */
	struct buf message;	/* its tool message, once that is made */
	long long ms;
	bool writes;		/* it may change the root: it is allowed to */
	bool edited;		/* a person changed its arguments */
	bool unasked;		/* nobody was there to approve it */
	/* of act.c */
	enum job_state state;
	pid_t pid;
	int fd;			/* its process writes the message here */
};

enum step {
	STEP_NEXT,		/* continue with the next step */
	STEP_DONE,		/* r is the answer */
	STEP_STOP		/* no answer now: cancelled or at the end */
};

/* Must calls stop now: cancelled, failed, or at the end of the input? */
bool job_must_stop(struct tool *t);

void job_begin(struct job *j, struct tool *t, struct call_state *c);
void job_end(struct job *j);

/* The steps of a call: what comes before the start, put the start, read it back
 * (or flush it), do the work. */
enum step job_before(struct job *j);
void job_put_start(struct job *j);
enum step job_confirm_start(struct job *j);
void job_work(struct job *j);
/* Make its message; the same, learnt from and after the after_tool hooks. */
void job_print(struct job *j);
void job_answer(struct job *j);

/* Does it change a single file, whose old content it records itself (edit,
 * write)? */
bool job_has_plan(const struct job *j);

/* ---- hook.c: the user's own programs around a call ----
 *
 * [hooks] before_tool and after_tool (chapter 7.6), [tools] approve (5.2).
 * They run without a sandbox, in the root, with hamr-tool's environment. */

/* before_tool: run each hook until one refuses (STEP_DONE).  A hook that cannot
 * be started or does not end in time is reported on stderr and refuses
 * nothing. */
enum step hook_before(struct job *j);

/* Ask the approver: STEP_NEXT if it allows the call; no answer is a refusal.
 * diff may be NULL. */
enum step hook_approve(struct job *j, const char *diff);

/* after_tool: each hook in turn gets the tool message (one line) from the hook
 * before it, and may replace it.  A hook that fails leaves it unchanged, and is
 * reported on stderr and in an error record. */
void hook_after(struct job *j);

/* ---- readers.c: commands that only read ----
 *
 * This decides whether to ask, not what is possible: a command taken for a
 * reader still runs in a sandbox that is read-only and has no network. */

/* Is the command, as bash would read it, one simple command (no pipes, lists,
 * redirections, substitutions, assignments) that runs a program of the table
 * without an option that writes, runs something or never ends? */
bool readers_has(const char *command);
