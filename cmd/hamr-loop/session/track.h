/* track.h - what the loop knows, derived from the committed records alone.
 *
 * Live and resumed runs are treated alike: feed it every record in order.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/mem.h"
#include "record/msg.h"
#include "record/rec.h"

struct open_call {
	char *id, *name;
	bool started;		/* has a start record */
	bool done;		/* has a result */
};

/* Failures a turn survives (chapter 7.3), as in recovery records. */
enum scenario { EMPTY_RESPONSE, INFINITE_LOOP, BASH_FAILURE,
	MALFORMED_TOOL_CALL, CONTEXT_EXHAUSTION, PROVIDER_DOWN, STAGE_DIED,
	SCENARIOS };

extern const char *const track_scenarios[SCENARIOS];
extern const char *const track_modes[];		/* ends with NULL */
bool track_is_mode(struct slice val);		/* a JSON value */

/* The string among a call's arguments (checked JSON) that tells it from other
 * calls, or p NULL; *is_path: it names a file. */
struct slice track_about(struct slice args, bool *is_path);

/* What the task's turn must have done (contract.h). */
enum contract { CONTRACT_NONE, CONTRACT_SOFT, CONTRACT_HARD };

/* The budget is used up: the model was told; it has answered. */
enum spent { SPENT_NOT, SPENT_TOLD, SPENT_ANSWERED };

struct usage {
	int64_t prompt, completion, cached;
	double cost;
	bool has_cost;
};
void usage_add(struct usage *u, const struct rec *r);	/* a usage record */

struct track {
	char *mode, *model, *cwd;	/* of the header and config records */
	bool has_person;	/* a person said or ran something */
	char *tools;		/* the newest tools record, or NULL */
	bool tools_due;		/* none came since the mode was set */
	int64_t limit;		/* tokens of the window, as the server told
				 * last; -1: it did not */
	char *verify_command;	/* what counts as verification, or NULL */
	enum rec_kind last;	/* kind of the last message; R_OTHER: none */
	struct usage total;	/* of the session */
	long requests;
	int64_t context;	/* tokens of the last request and its answer */
	bool ended;		/* the last record that counts is an end */
	char *end;		/* the last end record, or NULL; ... */
	off_t end_at;		/* ... where it ends in the session */

	/* the turn: since the last message of a person that began one, rather
	 * than being typed during it */
	char *task;		/* what the person wrote, or NULL */
	enum contract contract;
	bool unanswered;	/* the task has no answer yet */
	char *undone;		/* "a.c, b.c": what the person undid since their
				 * last message, or NULL */
	bool refused;		/* a person or an approver said no to a call */
	bool no_consent;	/* a change was not made because nobody was
				 * there to allow it */
	long steps;		/* assistant messages */
	long started;		/* calls that got a start */
	int cut_in_a_row;	/* answers cut by length, one after the other */
	bool repeats;		/* the last was cut for repeating itself */
	bool halted;		/* a halt is in force; its rule and text: */
	char *halt_rule, *halt_text;
	int recovered[SCENARIOS];	/* times, without progress since */
	int nudges;		/* reminders of the contract so far */
	bool verified;		/* passed since the last change */
	char *verification;	/* the record of the newest one, unless it was
				 * stopped, or the model told; or NULL */
	enum spent spent;
	int repairs;		/* repair turns begun; the counts before: */
	long steps_before, started_before;
	char *bash_failed;	/* the last command that failed, until it
				 * passes; or NULL */
	char *bash_output;	/* its output */
	struct usage usage;
	const char *unlimited;	/* what the sandbox did not limit, or NULL */
	const char *sandbox;	/* the weakest that a command ran in; NULL: no
				 * command ran */
	struct texts files;	/* changed, each once */
	bool files_unknown;	/* a command's changes are not known */

	/* the last assistant message */
	struct open_call *calls;
	size_t ncalls, capcalls;
	size_t first_open;	/* the first of them without a result */
	char *answer;		/* its text, "" when none; that of a newer one
				 * that was interrupted, if it is text alone */
	char *finish;		/* its finish_reason or "" */
	bool had_calls;		/* it asks for calls, or dropped some */

	/* the newest error of provider or compact since the last message */
	char *error_code, *error_text, *partial;
	bool error_retryable, has_partial;
	int64_t retry_after;	/* seconds the server asks for; 0: none */

	/* the guard: offset of the last record that it may react to, and how
	 * many of its records follow that */
	off_t decision;
	size_t guard_after;
	/* private */
	int last_recovery;	/* may still bring progress; -1: none */
	enum scenario recovery;	/* not yet reported to the model; SCENARIOS:
				 * none */
};

void track_init(struct track *t, const char *verify_command);
void track_release(struct track *t);

/* Take the record r, which is at offset at in the session. */
void track_record(struct track *t, const struct rec *r, off_t at);

bool track_is_blank(const char *text);

/* Add the JSON string val to paths unless it is there. */
void track_add_path(struct texts *paths, struct slice val);

/* Has a call with this id (as JSON) no result? */
bool track_awaits(const struct track *t, struct slice id);
/* Has a call of the last assistant message no result? */
bool track_has_open(const struct track *t);
