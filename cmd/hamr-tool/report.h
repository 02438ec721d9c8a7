/* report.h - a command that is over, as the text the model reads. */
#ifndef HAMR_TOOL_REPORT_H
#define HAMR_TOOL_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "output.h"
#include "result.h"

enum bash_cause { CAUSE_NONE, CAUSE_TIMEOUT, CAUSE_CANCEL };

struct report {
	const char *command, *root;	/* command NULL: none to tell */
	bool plain;		/* a plug-in: when all is well, stdout alone */
	int rootfd;
	size_t cap;
	int64_t timeout;	/* seconds */
	bool clamped;
	const struct output *out, *err;
	const char *ended;	/* what had to be ended, "" nothing */
	const char *notes;	/* what else is to be told, "" nothing */
	const char *sandbox;	/* it ran in */
	const char *unlimited;	/* box_unlimited, where it is told */
	enum bash_cause cause;
	bool known;		/* the status of bash is known */
	bool signalled;
	int number;		/* exit status or signal */
};

/* First line, stdout, "[stderr]" and stderr, within the cap; and the meta of
 * chapter 2.4.  The whole goes to .hamr/out when it was cut. */
void report_fill(const struct report *p, struct result *r);

/* The text in out alone, within the cap (rootfd and cap count). */
void report_text(const struct report *p, struct result *r);

#endif
