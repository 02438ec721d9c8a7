/* file_lines.h - which lines of a file were shown, and which still count.
 *
 * The rules are those by which hamr-tool checks an edit: a read shows lines of
 * a content, the agent's own edit moves them along, any other content
 * invalidates them.
 */
#pragma once

#include "record/line_set.h"
#include "record/rec.h"
#include "items/fact.h"

/* Lines of a file, as they are numbered now. */
struct span {
	struct line_set lines;
	size_t call;		/* that showed them: its number */
	bool written;		/* in its arguments, not its result */
	bool stale;		/* the file has changed since */
};

/* Calls are numbered from 1 on. */
struct file_lines {
	struct slice path;
	char hash[65];		/* of the content last seen; "" */
	long lines;		/* 0: not known */
	size_t reads, edits, writes;
	size_t touched, changed;	/* by which call; 0: never */
	bool gone;		/* deleted */
	struct span *spans;
	size_t n, cap;
};

void file_lines_release(struct file_lines *f);

/* A call did this to the file, according to its result r. */
void file_was_read(struct file_lines *f, size_t call, const struct fact *fact,
    const struct rec *r, struct slice text);
void file_was_edited(struct file_lines *f, size_t call, const struct rec *r);
void file_was_written(struct file_lines *f, size_t call, const struct rec *r,
    long lines);
/* A command, a plug-in or an undo changed the file after so many calls; hash
 * NULL: it was deleted. */
void file_was_changed(struct file_lines *f, size_t calls, const char *hash);
