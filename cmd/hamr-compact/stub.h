/* stub.h - a call and its outcome in short, and what stands for both once they
 * are old.
 */
#ifndef COMPACT_STUB_H
#define COMPACT_STUB_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "memid.h"
#include "rec.h"
#include "view.h"

enum tool_kind { TOOL_OTHER, TOOL_READ, TOOL_EDIT, TOOL_WRITE, TOOL_COMMAND };

/* By the tool's name, also under the names of other programs. */
enum tool_kind tool_kind(const char *name);
/* With the `command` (JSON, or nothing) that it was called with. */
enum tool_kind tool_does(enum tool_kind kind, struct slice command);

/* It lives as long as the view. */
struct fact {
	enum tool_kind kind;
	bool done, failed;
	bool cut;		/* its result is not whole */
	bool listing;		/* of a folder or a search, not of a file */
	bool elided;		/* a compaction told that it is not in view */
	bool remembered;	/* hamr-mem makes an item of its result */
	bool longer;		/* the arguments are too long to stay */
	long reads;		/* how often the path was read by then */
	long first, last, lines;	/* of a file; 0: not known */
	long exit;		/* of a command; -1: not known */
	size_t at;		/* messages read before the call's */
	size_t file;		/* index + 1 in struct files, or 0 */
	size_t bytes;		/* of the content before any cut */
	size_t hole;		/* where in the stub the memory id goes */
	const char *hash;	/* of the content as it came, when asked for */
	char mem[MEMID_SIZE];	/* "": not made yet */
	const char *error;	/* first line that tells of an error, or "" */
	const char *name;	/* of the tool */
	char what[];		/* path, or command */
};

struct fact *fact_new(struct view *v, const char *name,
    const struct view_args *args);

/* Take the result in: r its record, was its decoded content, text the same as
 * it is shown. */
void fact_result(struct view *v, struct fact *f, const struct rec *r,
    struct slice was, struct slice text);

/* Append the stub; false when the result is short and stays.  f->hole is where
 * the id of the memory item may be put. */
bool stub_text(struct fact *f, struct slice text, struct buf *out);

/* Append args with long strings cut; false when they are short and stay. */
bool slim_args(struct slice args, struct buf *out);

/* The first line of text that tells of an error; p NULL when none does. */
struct slice error_line(struct slice text);

#endif
