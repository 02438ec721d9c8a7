/* people.h - what is told to people instead of to a model: --report,
 * --explain, --calibrate, --compare.
 *
 * They read transcripts as the filter does, with judges whose records are not
 * written, and print tables.
 */
#ifndef HAMR_GUARD_PEOPLE_H
#define HAMR_GUARD_PEOPLE_H

#include "import_left.h"
#include "table.h"
#include "tally.h"
#include "umpire.h"

/* One of the four. */
struct people;
struct view_ops {
	/* A record came; the ledger has it. */
	void (*record)(struct people *p, const struct rec *r);
	/* A transcript is over: p->ledger.here is of it, the judges still
	 * know it. */
	void (*over)(struct people *p);
	/* All is read. */
	void (*end)(struct people *p);
};
extern const struct view_ops view_report, view_explain, view_calibrate,
    view_compare;

struct people {
	const struct view_ops *view;
	struct stage *stage;
	struct bench bench;
	const char *profile;	/* of all but --compare */
	const char *call;	/* --explain */
	struct sheet sheet;
	struct ledger ledger;
	void *self;		/* the view's own */
	const char *name;	/* of the file in hand */
	const struct rec *rec;	/* the record in hand */
	bool open;		/* a transcript has begun */
	unsigned long of_file;	/* which one of its file */
	bool begun;		/* something was printed */
	struct import_left left;	/* out, by importers */
	int status;		/* that the view wants */
};

/* Run the stage with one of the views; the exit status. */
int people_run(struct people *p);

/* "session.jsonl", or with its lines when it is one of several. */
void people_title(const struct people *p, struct buf *b);
enum paint people_paint(enum action a);
/* "bash  make check" of a call of the step in hand: tool, then its point. */
char *people_tool(const struct entry *e);

#endif
