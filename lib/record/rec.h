/* rec.h - reads and writes records; nothing else does.
 *
 * A record is one JSON object on one line that ends with LF (chapter 2.1).  A
 * bad record is refused with "NAME:LINE: why", status 65.  A record that
 * passes through keeps its bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "json/scan.h"

#define REC_VERSION 1		/* "v" of the first record of a transcript */

/* The kind of a record, by its role or else its type, as listed in rec.c. */
enum rec_kind {
	R_OTHER,		/* unknown role and type */
	R_SYSTEM, R_USER, R_ASSISTANT, R_TOOL,	/* roles (developer: system) */
	R_HAMR, R_CONFIG, R_TOOLS, R_VERDICT, R_CONSTRAIN, R_ANSWER, R_START,
	R_COMPACTION, R_COMPACT, R_LIMIT, R_USAGE, R_CHECKPOINT, R_ERROR,
	R_RECOVERY, R_UNDO, R_VERIFICATION, R_END,
	/* sent between processes, never stored: */
	R_REQUEST, R_DELTA, R_OUTPUT, R_PROGRESS, R_ASK, R_FILE, R_VERIFY, R_GO,
	R_SYNC, R_CANCEL
};

#define rec_is_message(k) ((k) >= R_SYSTEM && (k) <= R_TOOL)
#define rec_is_passing(k) ((k) >= R_REQUEST)

struct rec {
	struct slice line;	/* as read, without the LF */
	struct member *m;	/* its members, in order */
	size_t n;
	enum rec_kind kind;
	size_t no;		/* line number, from 1 */
};

/* The value of a top-level key; {NULL, 0} when absent. */
static inline struct slice
rec_get(const struct rec *r, const char *key)
{
	return scan_member(r->m, r->n, key);
}

/* A string value, decoded, or NULL; the caller frees it. */
char *rec_strdup(const struct rec *r, const char *key);
bool rec_str_is(const struct rec *r, const char *key, const char *text);
bool rec_int(const struct rec *r, const char *key, int64_t *out);

/* Check one line that is already in memory and fill *r.  s keeps the members
 * and must outlive r.  0, or -1 with s->why and s->at. */
int rec_parse(struct scan *s, const char *p, size_t n, struct rec *r);

/* The records of a text, one a line; other lines are skipped:
 *
 *	for (struct rec_text t = { .rest = text }; rec_text_next(&t); )
 *		... t.rec ...
 *
 * A caller that stops before the end calls scan_release(&t.scan). */
struct rec_text {
	struct slice rest;
	struct scan scan;
	struct rec rec;
};

bool rec_text_next(struct rec_text *t);

/* ---- reading ---- */

#define REC_MAX ((size_t)64 << 20)	/* record.max_bytes */

struct rec_in {
	int fd;
	const char *name;	/* "stdin" or the file, for messages */
	size_t max;		/* longest line, without its LF */
	size_t line;		/* number of the last line taken */
	bool open_end;		/* a last line without LF is a record too
				 * (formats of other programs) */
	bool drop_end;		/* ... is dropped: it is still being written,
				 * or a crash cut it short */
	bool eof;		/* rec_fill has seen the end */
	bool cut;		/* the last line taken has no LF */
	int out;		/* where what is read goes, see rec_fill; 0:
				 * nowhere */
	/* private */
	char *buf;
	size_t cap, start, end, looked;
	bool skipping;
	struct scan scan;
	struct rec rec;
};

void rec_in_init(struct rec_in *in, int fd, const char *name, size_t max);
void rec_in_release(struct rec_in *in);	/* does not close fd */

/* Take the next complete line of what has been read.  1: *r is its record,
 * valid until the next call on in.  0: none yet (or none left, if in->eof).
 * -1: refused, e says why; the line is consumed, and the next call takes the
 * one after it (--lenient). */
int rec_take(struct rec_in *in, const struct rec **r, struct err *e);

/* The same for a line that need not be a record, and is valid until the next
 * rec_take, rec_line or rec_fill.  -1: it is too long. */
int rec_line(struct rec_in *in, struct slice *line, struct err *e);

/* One read(2).  1: got bytes, 0: the end, -1: failed, e says why.  If the
 * reader of in->out goes away while this waits for input, the process ends as
 * if it had written there: by SIGPIPE or, if that is ignored, with EPIPE. */
int rec_fill(struct rec_in *in, struct err *e);

/* rec_take, reading as needed: 1 a record, 0 the end, -1 refused. */
int rec_next(struct rec_in *in, const struct rec **r, struct err *e);

/* Is there a complete line, so that rec_take will not return 0? */
bool rec_waiting(struct rec_in *in);

/* The bytes read but not taken yet; drop the first n (for importers). */
struct slice rec_unread(const struct rec_in *in);
void rec_unread_drop(struct rec_in *in, size_t n);
/* Advice, after a semicolon, if a file that begins like this is compressed or
 * in another encoding; "" if not. */
const char *rec_unpack(struct slice head);

/* ---- writing ---- */

struct rec_out {
	int fd;			/* stdout */
	bool regular;		/* a regular file: need not be flushed early */
	bool tty;
	struct buf buf;
	int signals;		/* once this descriptor is readable, nobody is
				 * waited for to read; or 0 */
	int error;		/* errno of the first failure, sticky */
};

void rec_out_init(struct rec_out *o);
/* Queue one line (without LF).  Written when the queue is large. */
void rec_put(struct rec_out *o, struct slice line);
/* The same as rec_put for a line in parts. */
void rec_put_parts(struct rec_out *o, const struct slice *part, size_t n);
/* Write what is queued.  0, or -1 and e (ST_SYSTEM).  A closed pipe ends the
 * process by SIGPIPE unless that is ignored (then errno EPIPE). */
int rec_flush(struct rec_out *o, struct err *e);
/* Flush and close: the last act of a command. */
int rec_end(struct rec_out *o, struct err *e);
