/* job.h - a call on its way through the steps. */
#pragma once

#include "extras/schema.h"
#include "root/signals.h"
#include "tool.h"

struct job {
	struct tool *t;
	struct call_state *call;
	const struct schema *schema;
	bool misuse;		/* no such tool, or arguments that are not
				 * JSON */
	struct buf args;	/* canonical */
	struct result r;
	enum box_kind kind;	/* what a command of it gets */
	struct slice line;	/* its message, if another process made that */
	long long ms;
	bool shared;
	bool allowed;		/* approved: its sandbox may be writable */
	bool edited;		/* a person changed its arguments */
	bool unasked;		/* nobody was there to approve it */
	bool offline;		/* it gets no network, whatever is set */
	bool online;		/* it does: a person said so */
	struct signals signals;	/* from its work to job_end */
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
/* Its tool message; as the after_tool hooks leave it; and put, and
 * remembered. */
void job_print(struct job *j, struct buf *out);
void job_message(struct job *j, struct buf *out);
void job_answer(struct job *j);

/* Does it change one file, which it keeps itself (edit, write)? */
bool job_has_plan(const struct job *j);
/* May this call, now approved, change the root? */
bool job_writes(const struct job *j);

/* ---- hook.c: the user's own programs around a call ----
 *
 * [hooks] before_tool and after_tool (chapter 7.6), [tools] approve (5.2).
 * They are run without a sandbox, in the root, with hamr-tool's environment. */

/* before_tool: each in turn, up to one that refuses (STEP_DONE).  One that
 * cannot be started or does not end in time is told on stderr; it refuses
 * nothing. */
enum step hook_before(struct job *j);

/* The approver's say: STEP_NEXT when it allows; it must have spoken.  diff may
 * be NULL. */
enum step hook_approve(struct job *j, const char *diff);

/* after_tool: each in turn is given the tool message (one line) as the one
 * before it left it, and may put another in its place.  One that fails leaves
 * it as it was, and is told on stderr and in an error record. */
void hook_after(struct job *j, struct buf *message);
