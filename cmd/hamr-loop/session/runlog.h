/* runlog.h - what happened around a session's records: .hamr/runs/ID.log.
 *
 * For whoever investigates a failed run: when a stage was started
 * and how it ended, what it said on stderr, how long each step took and where,
 * retries, signals.  One file a session, one run after the other, mode
 * 0600; at most 1 MiB (what is left out is from the middle, and told), and the
 * 50 files that were written last.  A line is
 *
 *	2026-11-20T16:55:44.123Z WHO      what
 *
 * Every function takes NULL for a log: then it does nothing.  A log that
 * cannot be written is not kept; the run continues.
 */
#pragma once

#include "base/buf.h"
#include "record/rec.h"

struct runlog;

/* The log of session id, whose file is at path. */
struct runlog *runlog_open(const char *path, const char *id);
void runlog_close(struct runlog *l);

/* Where it is; NULL: nowhere. */
const char *runlog_path(const struct runlog *l);

/* This text (the value of a key) never gets in; NULL and short ones are
 * ignored. */
void runlog_redact(struct runlog *l, const char *secret);

/* One line. */
void runlog_line(struct runlog *l, const char *who, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A slot is asked; it has answered.  Their times are told as one line a step,
 * when the next one begins. */
#define RUNLOG_SLOTS 8
void runlog_asked(struct runlog *l, int slot, const char *name);
void runlog_answered(struct runlog *l, int slot);

/* A record that was committed, or passed by: what of it matters here. */
void runlog_record(struct runlog *l, const struct rec *r);
