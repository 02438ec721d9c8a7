/* people.h - what prints for people: --report, --ledger, and the stage that
 * reads for them.
 */
#ifndef COMPACT_PEOPLE_H
#define COMPACT_PEOPLE_H

#include "conf.h"
#include "stage.h"
#include "token.h"

enum people_mode { PEOPLE_NONE, PEOPLE_REPORT, PEOPLE_SVG, PEOPLE_LEDGER };

struct people_opts {
	enum people_mode mode;
	const char *strategy;	/* NULL: none was given */
	long window;		/* -1: none was given */
	enum token_family family;	/* the report counts by it */
};

/* Run it on the inputs. */
int people_run(const struct stage *inputs, const struct conf *conf,
    const struct people_opts *o);

#endif
