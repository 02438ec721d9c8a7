/* import_pair.h - what an importer made, as records of ours.
 *
 * One pass for all formats: ids made unique or made up, each result given to
 * the oldest open call of its id, tools and paths under our names, what
 * changed files hashed.  Members that are null are left out.
 */
#ifndef HAMR_IMPORT_PAIR_H
#define HAMR_IMPORT_PAIR_H

#include "import_name.h"
#include "msg.h"
#include "rec.h"

struct import_call;		/* private */

struct import_pair {
	struct import_names names;
	const char *format;	/* said in the header; may be NULL */
	/* counted, over all conversations */
	size_t calls, results, conversations;
	size_t unanswered;	/* calls without a result */
	size_t strays;		/* results without a call */
	/* private, of the conversation in hand */
	struct pairing open;
	struct import_call *call;
	size_t ncalls, capcalls;
	size_t first;		/* no call before this one is open */
	struct map ids;		/* all ids there are */
	size_t made_up, epoch;
	struct scan scan;
	struct buf args, text;
};

/* Append the record that r stands for, without LF; for NULL the header of a
 * conversation that has none.  lossy: something of it was lost where it
 * entered. */
void import_pair(struct import_pair *p, const struct rec *r, bool lossy,
    struct buf *out);

/* The last conversation is over: count what is still open. */
void import_pair_end(struct import_pair *p);
void import_pair_release(struct import_pair *p);

#endif
