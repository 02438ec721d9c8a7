/* doctor_in.h - the inside of the doctor; of doctor*.c only. */
#ifndef HAMR_LOOP_DOCTOR_IN_H
#define HAMR_LOOP_DOCTOR_IN_H

#include <stdbool.h>

#include "buf.h"
#include "conf.h"
#include "opts.h"

enum state { FINE, NOTE, MISSING };

struct doctor {
	const struct opts *o;
	const struct conf *c;
	const char *root;
	const char *broken;	/* of the configuration; "": nothing */
	struct buf out;
	bool bad;
};

/* ---- doctor_say.c ---- */

/* One line. */
void dr_say(struct doctor *d, enum state s, const char *what,
    const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* ---- doctor_peer.c: what our other programs know ---- */

void doctor_stages(struct doctor *d);
void doctor_server(struct doctor *d);
void doctor_sandbox(struct doctor *d);

#endif
