/* runlog.h - what happened around a session's records: .hamr/runs/ID.log.
 *
 * For whoever investigates a failed run: when a stage started and how it ended,
 * what it said on stderr, how long each answer and call took, retries, signals.
 * One file per session, one run after the other, mode 0600; at most 1 MiB (the
 * middle is left out, and a line says so).  The 50 files written last are kept.
 * A line is
 *
 *	2026-11-20T16:55:44.123Z WHO      what
 *
 * Every function takes a NULL log and then does nothing.  A line that cannot be
 * written is lost; the run continues.
 */
#pragma once

#include "base/buf.h"
#include "record/rec.h"

struct runlog;

/* The log of session id, whose file is at path. */
struct runlog *runlog_open(const char *path, const char *id);
void runlog_close(struct runlog *l);

/* Its path, borrowed; NULL: none. */
const char *runlog_path(const struct runlog *l);

/* Keep this text (the value of a key) out of the log; NULL and short texts are
 * ignored. */
void runlog_redact(struct runlog *l, const char *secret);

/* One line. */
void runlog_line(struct runlog *l, const char *who, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Log what matters of a record that was committed or only passed on. */
void runlog_record(struct runlog *l, const struct rec *r);
