/* filter.h - libjq: a jq program served in a process of its own.
 *
 * libjq aborts when memory runs out and a program may loop for ever, so it
 * never runs in the process that was asked for it: program.c starts a child
 * that calls filter_serve() and talks to it over one socket.  The library is
 * loaded there too, and only there (it costs start-up).
 *
 * Frames, both ways: one byte that says what it is, the length as 32 bits in
 * the machine's order, the bytes.  More of them may be queued than are asked
 * for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

/* to the child */
#define FILTER_INPUT 'I'	/* 64 bits, the line it begins on (0: unknown),
				 * then checked JSON */
#define FILTER_LAST 'Z'		/* the end of the input */
/* from the child */
#define FILTER_READY 'R'	/* the program compiles */
#define FILTER_BAD 'C'		/* it does not: why */
#define FILTER_MORE 'N'		/* it waits for an input, or the end */
#define FILTER_VALUE 'V'	/* a result, JSON */
#define FILTER_SAME '='		/* the result is the input itself */
#define FILTER_ERROR 'E'	/* the program failed on this input: why */
#define FILTER_DONE 'D'		/* all results of one input have been sent */

struct frames {
	struct buf in, out;
	size_t at;		/* what of in has been taken */
};

void frames_init(struct frames *f);
void frames_release(struct frames *f);

/* Queue a frame; its payload is in two parts. */
void frames_put(struct frames *f, char tag, struct slice head,
    struct slice rest);

/* Take the next frame, its payload valid until the next fill; false: it is not
 * there yet.  Read more from fd: read(2)'s answer. */
bool frames_take(struct frames *f, char *tag, struct slice *payload);
ssize_t frames_fill(struct frames *f, int fd);

struct filter_job {
	const char *text;	/* the program */
	const char *vars;	/* a JSON object: its global variables */
	bool importer;		/* inputs know their lines: "_line" is set in
				 * each object and in the objects of its
				 * lists; FILTER_SAME is never sent */
	unsigned seconds;	/* processor time for one input */
	size_t memory;		/* all it may map */
};

/* Serve the job on descriptor fd until the other side closes it.  Gives up
 * the environment, all other descriptors and the right to open more. */
void filter_serve(const struct filter_job *job, int fd)
	__attribute__((noreturn));
