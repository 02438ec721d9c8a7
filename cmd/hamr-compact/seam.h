/* seam.h - one hamr-compact within: records in, requests and figures out.
 *
 * What prints for people asks the engine here and nowhere else.
 */
#ifndef COMPACT_SEAM_H
#define COMPACT_SEAM_H

#include "compact.h"

enum seam_answer {
	SEAM_NOTHING,		/* no message yet */
	SEAM_REQUEST,
	SEAM_CLOSED		/* nothing fits: no request */
};

struct seam {
	struct compact compact;
	long epoch;		/* the last one told */
	bool every_call;
};

/* strategy: of a flag, or NULL; flag_window: -1 when there is none. */
void seam_init(struct seam *s, const struct conf *conf, const char *strategy,
    long flag_window);
/* For comparison: what is older than the newest steps goes at each call. */
void seam_every_call(struct seam *s);
void seam_release(struct seam *s);
void seam_reset(struct seam *s);

void seam_record(struct seam *s, const struct rec *r);

/* As at `go`.  Append the messages of the request, a JSON array; *epoch: it
 * was compacted just now. */
enum seam_answer seam_go(struct seam *s, struct buf *messages, bool *epoch);

/* Append the messages as they would be sent now. */
void seam_messages(struct seam *s, struct buf *messages);

uint64_t seam_tools(const struct seam *s);	/* their estimate, 1/64 */
long seam_size(const struct seam *s);		/* tokens, as at go */
long seam_tokens(const struct seam *s, uint64_t sum);	/* with margin */
const char *seam_strategy(const struct seam *s);
const char *seam_stage(const struct seam *s);
long seam_room(const struct seam *s);		/* B; 0: no limit */
long seam_high(const struct seam *s);		/* the high mark, tokens */

#endif
