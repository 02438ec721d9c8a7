/* shell.h - what a bash command is for, judged by its words alone.
 *
 * No shell is run and nothing is expanded.  These are guesses by word lists,
 * biased so that a wrong one costs least: what is not known to be harmless may
 * change files, what is not known to be idle may inform.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Append cmd with blanks outside quotes folded (chapter 3.1). */
void shell_fold(struct slice cmd, struct buf *out);

struct shell {
	bool idle;		/* cannot inform: :, true, echo of a constant */
	bool poll;		/* looks whether something has happened */
	bool waits;		/* sleeps */
	bool pauses;		/* and does nothing else */
	bool measures;		/* counts or weighs what changes: wc, du */
	size_t echoes;		/* may print words of its own, lines as long as
				 * this: echo, python -c; 0: it does not */
	bool reads;		/* known to change no file */
	bool finds;		/* looks for files */
	bool fetches;		/* something from a server */
	bool sends;		/* and gives it something */
	bool mutates;		/* known to change files */
	bool moves;		/* only between states that git has */
	bool matters;		/* and not only git's index and history */
	struct slice removes;	/* the one path that is all it changes */
	bool runs;		/* has a command that neither only reads nor is
				 * known to change files: a test, a program */
};

void shell_judge(struct slice cmd, struct shell *out);
