/* import_convert.h - turns an importer's results into hamr records.
 *
 * One pass for all formats: makes ids unique or invents them, pairs each
 * result with the oldest open call of its id, renames tools and paths to ours,
 * hashes the contents of changed files.  Null members are left out.
 */
#pragma once

#include "base/mem.h"
#include "record/msg.h"
#include "record/rec.h"

/* The user's own tool names, each "THEIRS=ours" ([loop_guard] tools). */
struct import_names {
	const char *const *own;
	size_t n;
};

/* The canonical name of a tool, or name itself if no canonical tool is known to
 * do the same.  args are its arguments, checked JSON: one tool that views,
 * creates and edits is three of ours. */
struct slice import_name(const struct import_names *own, struct slice name,
    struct slice args);

/* If the arguments of one of our file tools have the path under another key
 * (and have no "path"), append args with that key renamed, all else byte for
 * byte.  False: nothing to do. */
bool import_path(struct slice tool, struct slice args, struct buf *out);

struct import_call;		/* private */

struct import_convert {
	struct import_names names;
	const char *format;	/* put into the header; may be NULL */
	/* counted, over all conversations */
	size_t unanswered;	/* calls without a result */
	size_t strays;		/* results without a call */
	/* private, of the current conversation */
	struct pairing open;
	struct import_call *call;
	size_t ncalls, capcalls;
	struct arena texts;	/* of the calls */
	size_t first;		/* no call before this one is open */
	struct map ids;		/* all ids there are */
	size_t made_up, epoch;
	struct scan scan;
	struct buf args, text;
};

/* Append the record for r, without LF; for NULL the header of a conversation
 * that has none.  lossy: part of r was lost when it was read. */
void import_convert(struct import_convert *p, const struct rec *r, bool lossy,
    struct buf *out);

/* The last conversation is over: count what is still open. */
void import_convert_end(struct import_convert *p);
void import_convert_release(struct import_convert *p);
