/* compact.h - the state of one transcript, and when it is compacted.
 *
 * All of it follows from the records read so far.  Whether to compact is
 * decided after each record at which all calls are answered, and before each
 * assistant message (a model was called there): never only because of a `go`,
 * so that where these stand makes no difference.  A `compaction` record read
 * decides instead of us.
 */
#ifndef COMPACT_COMPACT_H
#define COMPACT_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "budget.h"
#include "buf.h"
#include "conf.h"
#include "map.h"
#include "rec.h"
#include "stage.h"
#include "token.h"
#include "view.h"

#include "stub.h"
#include "summary.h"

struct strategy {
	const char *name;
	long high, low;		/* percent of B; high 0: never */
	bool stubs_first;	/* fold only when stubs do not suffice */
};

/* What the configuration says, and `config` records of the session. */
struct settings {
	struct budget_keys budget;
	long keep_tokens, keep_steps;
	bool every_call;
	bool memory;		/* stubs name the items of hamr-mem */
	const struct strategy *strategy;
};

struct epoch {
	long number;		/* 0: none yet */
	size_t row;		/* of the table of stages, when number > 0 */
	size_t fold, tail, thin;	/* nodes: folded, the tail's first
					 * one, and shown slim */
	size_t summary_cap;
	long before, after;	/* tokens */
	long base;		/* the size the next trigger rests on */
	size_t messages_in;
	bool recorded;		/* it was read as a record */
	bool written;		/* read, or written by us */
};

/* What a server counted of a request of ours. */
struct anchor {
	bool set;
	bool open;		/* the message it was for is not here yet */
	long tokens, completion;
	uint64_t sum;		/* the estimate of what the tokens count */
};

/* What is known of a path that was read, edited or written. */
struct file {
	const char *path;	/* lives as long as the view */
	size_t touched;		/* messages read before the last call */
	size_t edited, written;	/* the same of changes; 0: never */
	long reads;
};

struct files {
	struct map by_path;	/* to index + 1 */
	struct file *v;
	size_t n, cap;
};

/* A result of which less is shown since a stage 3, or the notes folded into
 * it. */
struct cut {
	size_t call;
	long tokens;		/* of the result; 0: it is its notes */
	size_t notes;		/* so many, the first ones, are left out */
	char *is, *was;		/* what is shown of the result, and was */
	size_t had;		/* notes that were left out */
};

struct compact {
	const struct conf *conf;
	long flag_window;	/* -1: none */
	const char *flag_strategy;	/* NULL: none */
	bool model;		/* the configuration names one */
	enum token_family start_family, family;
	/* below: of this transcript */
	struct settings set;
	struct view *view;
	struct summary *summary;
	struct files files;
	struct map commands;	/* text: messages before it ran last */
	struct map inspected;	/* "git status": how often */
	struct budget budget;
	long limit;		/* -1: none */
	struct epoch epoch;
	size_t *kept, nkept, capkept;	/* calls in full before the tail */
	struct cut *cuts;
	size_t ncuts, capcuts;
	size_t changed;		/* nodes before it are shown as they were
				 * when an epoch was written last */
	size_t elided;		/* calls before it are no longer looked at */
	size_t folded_results, folded_upto;
	bool decided;		/* nothing came since it was asked whether
				 * to compact */
	bool fits;		/* the answer then */
	bool demand;		/* compact now, one stage further */
	bool hashes;		/* set by the caller: hash each result */
	bool foreign;		/* another program made the requests */
	char *session;		/* its name, for ids of memory items; NULL:
				 * not known, or made of the next two */
	char *first_role;
	struct buf first;	/* text of the first message */
	char *tools;		/* the array of the last `tools`, or NULL */
	uint64_t tools_sum;
	char *choice;		/* tool_choice of an unspent constrain */
	int64_t choice_steps;
	struct anchor anchor;
	long ratio;		/* real / estimate, in 1/1024 */
	struct buf folded;	/* the summary as it is shown */
	struct buf seen;	/* our own request or error, just read */
	/* while a message is taken in: its text as it came, cleaned, clipped;
	 * what is made of it, and that quoted */
	struct buf tmp, clean, text, made, quoted;
};

/* ---- compact.c: records ---- */

/* strategy: of a flag, or NULL; model: of the configuration. */
void compact_init(struct compact *c, const struct conf *conf,
    const char *strategy, long flag_window, const char *model);
void compact_reset(struct compact *c);	/* as new */
void compact_release(struct compact *c);
void compact_record(struct compact *c, const struct rec *r);

/* Before a request: compact if it is time.  False when what is left does not
 * fit the window.  Asking twice changes nothing. */
bool compact_decide(struct compact *c);

/* The request record, in parts that are right until a record is taken in. */
enum { REQUEST_PARTS = 3 };
void compact_request(struct compact *c, struct slice part[REQUEST_PARTS]);

/* ---- ingest.c: messages ---- */

/* The callbacks of the view. */
void ingest_hooks(struct compact *c, struct view_hooks *h);
void files_release(struct files *f);

/* ---- context.c: what is said at the end of a result ---- */

/* Append the line (chapter 8.4), with its LF before it; nothing when the
 * result gets none. */
void context_line(struct compact *c, const struct fact *f,
    struct buf *out);

/* ---- size.c ---- */

/* Tokens of the request as it would be sent now. */
long compact_size(const struct compact *c);
/* The same for a part of it. */
long compact_tokens(const struct compact *c, uint64_t sum);
/* A server counted a request; its answer came. */
void size_usage(struct compact *c, const struct rec *r);
void size_answer(struct compact *c);
void size_start(struct compact *c);

/* ---- settings.c ---- */

/* From the configuration and the flags. */
void settings_load(struct compact *c);
/* A `config` record. */
void settings_record(struct compact *c, const struct rec *r);
const struct strategy *strategy_named(const char *name);

/* ---- epoch.c ---- */

/* Compact if it is time.  False when what is left does not fit the window.
 * Only for compact_decide, which asks once for each state. */
bool epoch_decide(struct compact *c);

/* A compaction record was read.  (epoch_rec.c) */
void epoch_read(struct compact *c, const struct rec *r);

/* "0", "1", "2", "2b", "3". */
const char *epoch_stage(const struct compact *c);

/* Append the compaction record of this epoch.  (epoch_print.c) */
void epoch_print(struct compact *c, struct buf *out);

/* The size that starts the next epoch. */
long epoch_trigger(const struct compact *c);

#endif
