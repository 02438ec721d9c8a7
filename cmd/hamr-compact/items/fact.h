/* fact.h - a call and its outcome in short, and what is said of both: a line of
 * context at the end of the result, and what stands for them once they are old.
 */
#pragma once

#include "record/rec.h"
#include "view/view.h"
#include "action.h"

/* It lives as long as the view. */
struct fact {
	enum tool_kind kind;
	bool done, failed;
	bool cut;		/* its result is not whole */
	bool listing;		/* of a folder or a search, not of a file */
	bool elided;		/* a compaction told that it is not in view */
	bool remembered;	/* hamr-mem makes an item of its result */
	long reads;		/* how often the path was read by then */
	long first, last, lines;	/* of a file; 0: not known */
	long exit;		/* of a command; -1: not known */
	size_t at;		/* messages read before the call's */
	size_t file;		/* index + 1 in struct files, or 0 */
	size_t bytes;		/* of the content before any cut */
	const char *hash;	/* of the content as it came, when asked for */
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

/* Append the line of context (chapter 8.4), with its LF before it; nothing
 * when the result gets none.  It is made once, when the result is taken in,
 * and never changed, so that the prefix of a request stays.  inspected: how
 * often git was asked for what. */
void context_line(const struct fact *f, struct map *inspected,
    struct buf *out);

/* Append the stub; 0 when the result is short and stays, else where in it the
 * id of the memory item may be put. */
size_t stub_text(const struct fact *f, struct slice text, struct buf *out);

/* Append args with long strings cut, of an edit only what it replaced; false
 * when they are short and stay. */
bool slim_args(struct slice args, bool edit, struct buf *out);
