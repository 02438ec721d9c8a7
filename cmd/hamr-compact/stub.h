/* stub.h - what stands for a result or a call's arguments once they are old,
 * and what a summary will want to know of them.
 */
#ifndef COMPACT_STUB_H
#define COMPACT_STUB_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "rec.h"

enum tool_kind { TOOL_OTHER, TOOL_READ, TOOL_EDIT, TOOL_WRITE, TOOL_COMMAND };

/* By the tool's name, also under the names of other programs. */
enum tool_kind tool_kind(const char *name);

/* A call and its outcome in short; one allocation. */
struct fact {
	enum tool_kind kind;
	bool done, failed;
	long reads;		/* how often the path was read by then */
	long first, last, lines;	/* of a read; 0: not known */
	size_t bytes;		/* of the content before any cut */
	char error[144];	/* first line that tells of an error */
	char name[64];		/* of the tool */
	char what[];		/* path, or command */
};

/* args: the arguments, a checked JSON object. */
struct fact *fact_new(const char *name, struct slice args);

/* Take the result in: r its record, text its decoded content. */
void fact_result(struct fact *f, const struct rec *r, struct slice text);

/* Append the stub as text; false when the result is short and stays. */
bool stub_text(const struct fact *f, struct slice text, struct buf *out);

/* Append args with long strings cut; false when they are short and stay. */
bool slim_args(struct slice args, struct buf *out);

#endif
