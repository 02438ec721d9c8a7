/* stage.h - the stage contract (chapter 1.2), once, for all five stages.
 *
 * A stage supplies callbacks; stage_run reads the inputs, passes records on,
 * calls the stage, answers go and sync, and returns the exit status.  In
 * filter mode every record read is written again; of the kinds that are never
 * stored (rec_is_passing), only requests are, and with --stream deltas and
 * output.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"
#include "base/err.h"
#include "import/import.h"
#include "jq/program.h"
#include "record/rec.h"

enum stage_mode {
	STAGE_FILTER,
	STAGE_NEW,		/* -n: own records only */
	STAGE_RESIDENT		/* -r: own records only, and acts only at go */
};

struct stage;

struct stage_ops {
	const char *name;	/* "guard": the stage of its error records */
	/* Is this record passed on (filter mode)?  NULL: always.  Called
	 * before record(). */
	bool (*keep)(struct stage *s, const struct rec *r);
	/* A record was read (never go, sync, cancel).  May put own records.
	 * r is valid during the call only. */
	void (*record)(struct stage *s, const struct rec *r);
	/* go, or the end of input in filter mode.  NULL: nothing to do. */
	void (*act)(struct stage *s);
	/* Finish what the records so far imply; the sync follows.  May be
	 * NULL. */
	void (*sync)(struct stage *s);
	/* There is no input: do other work and return once fd is readable.
	 * May be NULL. */
	void (*idle)(struct stage *s, int fd);
	/* stage_wait found stdin readable: the command reads it, as it speaks
	 * another protocol there (and never calls stage_run).  NULL: stdin
	 * holds records. */
	void (*input)(struct stage *s);
	/* An own record that is not written because the stage is mute.  May
	 * be NULL. */
	void (*unwritten)(struct stage *s, enum rec_kind kind,
	    struct slice line);
	/* A new transcript begins: forget everything.  May be NULL. */
	void (*reset)(struct stage *s);
	/* All input is read, or a failure ended the run: the last chance to
	 * put anything into s->out.  May be NULL. */
	void (*end)(struct stage *s);
};

struct stage {
	/* set by the command before stage_run */
	const struct stage_ops *ops;
	void *self;		/* the command's own state */
	enum stage_mode mode;
	bool stream;		/* --stream: deltas and output in filter mode */
	bool lenient;		/* --lenient */
	bool open_end;		/* a last line without LF is a record too */
	bool mute;		/* own records are made but not written; they
				 * go to unwritten() */
	const char *const *files;	/* inputs; none: stdin */
	size_t nfiles;
	int signals;		/* a descriptor that is readable when the
				 * process is to end: as if cancelled; or 0 */
	size_t max_bytes;	/* record.max_bytes; 0: REC_MAX */
	struct import_opts import;	/* stage_reads sets it; without conf
					 * only our own records are read */
	struct program *jq;	/* --jq: filters what is written */
	/* for the command to read */
	struct rec_in in;
	struct rec_out out;
	bool last;		/* act(): nothing of the transcript follows */
	bool cancelled;		/* cancel was read; act() and input() may set
				 * it, or take it back */
	/* private */
	struct import *from;	/* reads another program's transcript */
	bool dirty;		/* a record came since the last go */
	bool begun;		/* this transcript has a record */
	bool acting;
	enum rec_kind reply;	/* stage_ask waits for a record of this kind */
	const char *asked;	/* and id; NULL: it does not wait */
	char *answer;		/* its line */
	struct err err;		/* the failure that ends the run */
	bool failed;
	int status;
};

int stage_run(struct stage *s);

/* Write an own record of this kind (one line, no LF).  Filter mode leaves out
 * kinds that are never stored, see above; a mute stage hands the record to
 * unwritten(). */
void stage_put(struct stage *s, enum rec_kind kind, struct slice line);
/* The same for a long line in parts. */
void stage_put_parts(struct stage *s, enum rec_kind kind,
    const struct slice *part, size_t n);

/* Write an error record: {"type":"error","stage":...,"code","message",...}.
 * extra: further members, as `,"key":value`, or empty. */
void stage_error(struct stage *s, const char *code, bool retryable,
    const char *message, struct slice extra);

/* Set the exit status.  Statuses from 65 on win over smaller ones; otherwise
 * the first one set stays. */
void stage_status(struct stage *s, int status);

/* End the run with this failure once act() or record() returns. */
void stage_fail(struct stage *s, const struct err *e);

/* What an importer left out of the current transcript; NULL: the transcript is
 * hamr's own. */
const struct import_left *stage_left_out(const struct stage *s);

/* While acting: flush, then wait for fds (revents are filled) or ms
 * milliseconds (-1: no limit), and take in what arrives on stdin: with -r
 * every record but go and sync goes to record() at once; otherwise only a
 * cancel that comes next is taken, so that nothing is read ahead.  Returns a
 * set of these; the first three stay set until act() returns. */
enum {
	STAGE_CANCEL = 1,	/* cancel was read: stop within a second */
	STAGE_EOF = 2,		/* -r: stdin has ended, or the run has failed:
				 * stop now */
	STAGE_CLOSED = 4,	/* nobody reads stdout: stop now */
	STAGE_READY = 8		/* one of fds has revents */
};
int stage_wait(struct stage *s, struct pollfd *fds, size_t n, int ms);

/* Write a record of kind, wait for a reply record with this id, and return the
 * reply's line, which the caller frees.  NULL: stage_wait said to stop before
 * one came. */
char *stage_ask(struct stage *s, enum rec_kind kind, struct slice line,
    enum rec_kind reply, const char *id);

/* ---- command line parts that all stages share ---- */

struct stage_args {
	enum stage_mode mode;
	bool stream, lenient, quiet, no_config;
	const char *format;	/* -F, NULL: auto */
	const char *jq;		/* --jq, or NULL */
	const char **set;	/* -o */
	size_t nset, capset;
};

#define STAGE_SHORT ":nrqF:o:hV"
enum { OPT_LENIENT = 256, OPT_STREAM, OPT_NO_CONFIG, OPT_JQ, OPT_COMMAND };
/* For stages that call stage_reads, for -F and --jq. */
#define STAGE_JQ { "jq", 1, 0, OPT_JQ }
#define STAGE_LONG \
	{ "lenient", 0, 0, OPT_LENIENT }, { "stream", 0, 0, OPT_STREAM }, \
	{ "no-config", 0, 0, OPT_NO_CONFIG }, { "help", 0, 0, 'h' }, \
	{ "version", 0, 0, 'V' }

/* Handle a common option that getopt_long returned; true if c was one.  -h and
 * -V print the caller's help text or the version and exit with 0; an unknown
 * option exits with ST_USAGE. */
bool stage_option(struct stage_args *a, int c, char *const *argv,
    const char *help);

/* Check -F for a stage without importers: only "auto" and "hamr" will do.  0,
 * or -1 with e (ST_USAGE). */
int stage_format(const struct stage_args *a, struct err *e);

/* Let s read other programs' transcripts too, by -F, and write through --jq.
 * Call it after stage_apply.  conf is borrowed until the end of the run. */
int stage_reads(struct stage *s, const struct stage_args *a,
    const struct conf *conf, struct err *e);

/* Copy what the command line and record.max_bytes say into s. */
void stage_apply(struct stage *s, const struct stage_args *a,
    const struct conf *conf);

/* conf_load with these -o and --no-config; root as in conf.h. */
struct conf *stage_conf(const struct stage_args *a, const char *root,
    struct err *e);
