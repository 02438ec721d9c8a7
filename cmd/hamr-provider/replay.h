/* replay.h - answers out of a file instead of a server (chapter 4.5).
 *
 * The file is a script (NDJSON of assistant messages and error records), a
 * transcript (its assistant messages and the provider's errors), or a
 * cassette (exchanges with a server as --record wrote them, but for those that
 * were tried again).  Read whole
 * when opened, through the door (rec.h): a refused line is "FILE:LINE: why".
 * In a transcript an error of another stage is no answer; an error without
 * "stage" (a script's) is one.
 */
#ifndef PROVIDER_REPLAY_H
#define PROVIDER_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "rec.h"

struct replay;

/* speed: tokens (4 bytes of text) a second, 0: all at once. */
struct replay *replay_open(const char *path, double speed, struct err *e);
void replay_free(struct replay *r);

/* Does this record of stdin count as an answer given before?  (An assistant
 * message, or an error with stage "provider".) */
bool replay_counts(const struct rec *r);

/* One answer; JSON values as slices of the file, {NULL, 0} when absent. */
struct replay_answer {
	bool is_error;
	struct slice tape;	/* the line of a cassette; else {NULL, 0} */
	struct slice usage;	/* the usage record (whole line) that stood
				 * between the answer before and this one */
	/* a message */
	struct slice content;		/* a string, parts, or null */
	struct slice reasoning;		/* a string */
	struct slice tool_calls;	/* an array */
	struct slice finish;		/* finish_reason, a string */
	struct slice meta;		/* an object */
	/* an error */
	struct slice code, message, retryable, partial;
};

/* Answer number i, from 0.  False past the end. */
bool replay_get(const struct replay *r, size_t i, struct replay_answer *a);

size_t replay_count(const struct replay *r);
bool replay_has_tapes(const struct replay *r);

/* Pacing of a text that is shown as deltas: the length of the next piece of
 * it (whole characters, about a word; all of it when not paced; never 0 for
 * a text that is not empty) and the milliseconds to wait before it. */
size_t replay_piece(const struct replay *r, struct slice text);
int replay_delay(const struct replay *r, size_t piece);

#endif
