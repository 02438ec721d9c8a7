/* stage.h - the stage contract (chapter 1.2), once, for all five stages.
 *
 * A stage gives callbacks; stage_run reads the inputs, passes records on,
 * calls the stage, answers go and sync, and returns the exit status.  In
 * filter mode every record read is written again and passing-only records
 * (rec_is_passing) are not, but for requests.
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
	STAGE_RESIDENT		/* -r: the same, and acts at go only */
};

struct stage;

struct stage_ops {
	const char *name;	/* "guard": the stage of its error records */
	/* Is this record passed on (filter mode)?  NULL: yes, always.  Asked
	 * before it is passed on, that is, before record(). */
	bool (*keep)(struct stage *s, const struct rec *r);
	/* A record was read (never go, sync, cancel).  May put own records.
	 * r is valid during the call only. */
	void (*record)(struct stage *s, const struct rec *r);
	/* go, or the end of input in filter mode.  NULL: nothing to do. */
	void (*act)(struct stage *s);
	/* Finish what the records so far imply; the sync follows.  May be
	 * NULL. */
	void (*sync)(struct stage *s);
	/* Nothing is there to be read: return when fd can be, look after other
	 * things meanwhile.  May be NULL. */
	void (*idle)(struct stage *s, int fd);
	/* stdin, found readable by stage_wait, is the command's own to read:
	 * it speaks another protocol (and never calls stage_run).  NULL: it
	 * holds records. */
	void (*input)(struct stage *s);
	/* An own record that is not written, for the stage is mute.  May be
	 * NULL. */
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
	bool mute;		/* own records are made but not written: who
				 * made them looks at them otherwise */
	const char *const *files;	/* inputs; none: stdin */
	size_t nfiles;
	size_t max_bytes;	/* record.max_bytes; 0: REC_MAX */
	struct import_opts import;	/* stage_reads sets it; without conf
					 * only our own records are read */
	struct program *jq;	/* --jq: what is written goes through it */
	/* for the command to read */
	struct rec_in in;
	struct rec_out out;
	bool last;		/* act(): nothing of the transcript follows */
	/* private */
	struct import *from;	/* the input is another program's */
	bool dirty;		/* a record came since the last go */
	bool begun;		/* this transcript has a record */
	bool cancelled, acting;
	enum rec_kind reply;	/* waited for by stage_ask: a record of this */
	const char *asked;	/* kind and id, NULL: none */
	char *answer;		/* its line */
	struct err err;		/* the failure that ends the run */
	bool failed;
	int status;
};

int stage_run(struct stage *s);

/* Write an own record of this kind (one line, no LF).  Passing-only kinds are
 * left out in filter mode, see above; a mute stage hands it to unwritten(). */
void stage_put(struct stage *s, enum rec_kind kind, struct slice line);
/* The same of a long line that lies in parts. */
void stage_put_parts(struct stage *s, enum rec_kind kind,
    const struct slice *part, size_t n);

/* An error record: {"type":"error","stage":...,"code","message",...}.
 * extra: further members, as `,"key":value`, or empty. */
void stage_error(struct stage *s, const char *code, bool retryable,
    const char *message, struct slice extra);

/* The status the run shall end with; 65 and above win over smaller ones, and
 * of two of a kind the first. */
void stage_status(struct stage *s, int status);

/* The run ends now with this failure (after act() or record() returns). */
void stage_fail(struct stage *s, const struct err *e);

/* What an importer left out of the transcript in hand; NULL: it is ours. */
const struct import_left *stage_left_out(const struct stage *s);

/* While acting: wait for fds (revents are filled) or ms milliseconds (-1: no
 * limit), flushing first and taking in what arrives on stdin meanwhile: with
 * -r every record but go and sync is handed to record() at once; otherwise
 * only a cancel that comes next is taken, so that nothing is read ahead.
 * Returns a set of these; the first three stay true until act() returns. */
enum {
	STAGE_CANCEL = 1,	/* cancel was read: stop within a second */
	STAGE_EOF = 2,		/* -r only: stdin has ended: stop now */
	STAGE_CLOSED = 4,	/* nobody reads stdout: stop now */
	STAGE_READY = 8		/* one of fds has revents */
};
int stage_wait(struct stage *s, struct pollfd *fds, size_t n, int ms);

/* Put a record of this kind, and wait for one of the other kind with its id:
 * that one's line, yours.  NULL: it was to stop before one came. */
char *stage_ask(struct stage *s, enum rec_kind kind, struct slice line,
    enum rec_kind reply, const char *id);

/* For input(): as if cancel had been read, or not. */
void stage_cancel(struct stage *s, bool cancelled);

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
/* For stages that read and write what -F and --jq say (stage_reads). */
#define STAGE_JQ { "jq", 1, 0, OPT_JQ }
#define STAGE_LONG \
	{ "lenient", 0, 0, OPT_LENIENT }, { "stream", 0, 0, OPT_STREAM }, \
	{ "no-config", 0, 0, OPT_NO_CONFIG }, { "help", 0, 0, 'h' }, \
	{ "version", 0, 0, 'V' }

/* Take a common option that getopt_long returned; true when c was one.  -h and
 * -V print the caller's help text or the version and end the process with 0,
 * an unknown option ends it with ST_USAGE. */
bool stage_option(struct stage_args *a, int c, char *const *argv,
    const char *help);

/* -F: "auto" and "hamr" are read without an importer. */
int stage_format(const struct stage_args *a, struct err *e);

/* s reads other programs' transcripts too, by -F, and writes through --jq;
 * after stage_apply.  conf is borrowed until the end of the run. */
int stage_reads(struct stage *s, const struct stage_args *a,
    const struct conf *conf, struct err *e);

/* Copy what the command line said into s. */
void stage_apply(struct stage *s, const struct stage_args *a);

/* conf_load with these -o and --no-config; root as in conf.h. */
struct conf *stage_conf(const struct stage_args *a, const char *root,
    struct err *e);
