/* reports.h - reports for people instead of a model: --report, --explain,
 * --calibrate, --compare.
 *
 * They read transcripts as the filter does, with judges whose records are not
 * written, and print tables.
 */
#pragma once

#include "import/import.h"
#include "profiles/profile.h"
#include "table.h"
#include "usage.h"

struct report;

/* One of the four.  Functions may be NULL. */
struct report_ops {
	size_t size;		/* of its state, zeroed at the start */
	bool all;		/* profiles judge, not only the chosen one */
	bool allow;		/* calls that may run are of interest, too */
	bool counts_only;	/* nothing is refused */
	/* A record came; the usage has it, the judges do not. */
	void (*record)(struct report *p, const struct rec *r);
	/* What the one judge says (see struct watch); over: its turn had
	 * ended, or the halt was said before. */
	void (*fired)(struct report *p, const struct verdict *v, bool over);
	void (*counted)(struct report *p, enum rule r, unsigned long value,
	    size_t line);
	void (*constrained)(struct report *p, enum rule r, size_t line);
	/* A transcript is over: p->usage.here is of it. */
	void (*over)(struct report *p);
	/* All input is read (without records, only --explain is called).
	 * Frees what the state holds. */
	void (*end)(struct report *p);
};
extern const struct report_ops report_verdicts, report_explain,
    report_calibrate, report_compare;

struct judge {
	struct report *report;
	struct profile profile;
	struct watch watch;
	struct savings savings;
	const char *file;	/* of its first firing */
};

struct report {
	const struct report_ops *ops;
	struct stage *stage;
	struct profile_env env;
	size_t profile;		/* of all but --compare */
	const char *call;	/* --explain */
	uint64_t line;		/* the same as a number; 0: it is none */
	/* private to the four */
	struct sheet sheet;
	struct usage usage;
	struct judge *judge;	/* one, or PROFILES */
	void *self;		/* the one's own */
	const char *name;	/* of the current file: lives as long as p */
	const struct rec *rec;	/* the current record */
	bool open;		/* a transcript has begun */
	unsigned long of_file;	/* which one of its file */
	bool begun;		/* something was printed */
	struct import_left left;	/* out, by importers */
};

/* Run the stage with one of them; the exit status. */
int report_run(struct report *p);

/* "2 turns, 5 steps, 7 calls, about 1,234 tokens" */
void amounts_put(const struct amounts *a, struct buf *b);
uint64_t tokens_of(uint64_t sixtyfourths);
extern const enum paint action_paints[];
/* A verdict's action with its colour. */
const char *report_action(const struct verdict *v, enum paint *p);
