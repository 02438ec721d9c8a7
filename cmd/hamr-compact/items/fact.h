/* fact.h - a summary of a call and its outcome, and the texts made from it: a
 * line of context at the end of the result, and what replaces both once they
 * are old.
 */
#pragma once

#include "record/rec.h"
#include "view/view.h"

enum tool_kind { TOOL_OTHER, TOOL_READ, TOOL_EDIT, TOOL_WRITE, TOOL_COMMAND };

/* It lives as long as the view. */
struct fact {
	enum tool_kind kind;
	bool failed;
	bool cut;		/* its result is incomplete */
	bool holes;		/* ... and lacks some of first to last */
	bool listing;		/* of a folder or a search, not of a file */
	bool elided;		/* a compaction said it is not in view */
	bool remembered;	/* hamr-mem makes an item of its result */
	long reads;		/* how often the path was read so far */
	long first, last, lines;	/* of a file; 0: not known */
	long cut_to;		/* tokens, where stage 3 cut it */
	long exit;		/* of a command; -1: not known */
	size_t at;		/* messages read before the call's own */
	size_t file, command;	/* its number, see struct subjects, or 0 */
	size_t bytes;		/* of the content before any cut */
	const char *hash;	/* of the content as it came, if requested */
	const char *error;	/* first line that reports an error, or "" */
	const char *name;	/* of the tool */
	char what[];		/* path, or command */
};

/* A number of a line or the like; 0: it is none. */
long positive(struct slice v);

/* The first line of a path or command: all that is shown of it, as other lines
 * might pass for ours. */
struct slice first_line(const char *what);

/* Of a call of the tool `name` (JSON). */
struct fact *fact_new(struct view *v, struct slice name,
    const struct view_args *args);

/* Take in the result: r is its record, was its decoded content, text that
 * content as shown. */
void fact_result(struct view *v, struct fact *f, const struct rec *r,
    struct slice was, struct slice text);

/* Is there "git status" (what: "status") in a command line? */
bool runs_git(const char *command, const char *what);

/* The first line that reports an error; n 0: there is none. */
struct slice first_error(struct slice text);

enum { INSPECTIONS = 2 };	/* git status, git diff */

/* Append the line of context (chapter 8.4), after an LF; nothing if the result
 * gets none.  The line is made once, when the result is taken in, and never
 * changes, so that the prefix of a request stays the same.  inspected: how
 * often each git command that inspects was run. */
void context_line(const struct fact *f, size_t inspected[INSPECTIONS],
    struct buf *out);

/* Append the stub.  0: the result is short and stays; else the place in the
 * stub where the id of the memory item may go. */
size_t stub_text(const struct fact *f, struct slice text, struct buf *out);

/* Append args with long strings cut; for an edit, only in what it replaced.
 * False: they are short and stay. */
bool slim_args(struct slice args, bool edit, struct buf *out);
