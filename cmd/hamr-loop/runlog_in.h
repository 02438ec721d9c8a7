/* runlog_in.h - the inside of a run's log; of runlog*.c only. */
#ifndef HAMR_LOOP_RUNLOG_IN_H
#define HAMR_LOOP_RUNLOG_IN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "runlog.h"

struct runlog {
	char *path;
	int fd;
	off_t size;
	time_t second;		/* of the line before, and its text */
	char at[32];
	char **hidden;
	size_t nhidden, caphidden;
	/* the step under way */
	const char *name[RUNLOG_SLOTS];
	long long since[RUNLOG_SLOTS], spent[RUNLOG_SLOTS];	/* us */
	long steps, calls;
	int64_t in, out;	/* tokens, as the server says */
	bool answered;		/* the model has; there is a step to tell */
};

#endif
