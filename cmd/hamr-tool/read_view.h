/* read_view.h - lines of a file as read shows them: numbered, cut, capped. */
#ifndef HAMR_TOOL_READ_VIEW_H
#define HAMR_TOOL_READ_VIEW_H

#include "files_in.h"

#define LINE_CHARS FILES_LINE_CHARS
#define NUMBERED 8		/* bytes of "%6d TAB" and LF, about */
#define HEAD_ROOM 160		/* kept of the room for what is no line */

/* The lines that are wanted, and what came of showing them. */
struct view {
	long first, last;	/* wanted; then shown */
	long lines;		/* in the file; -1 unknown */
	bool crlf;
	bool cut_line;		/* a line was cut: nothing is proved */
	bool lossy;
	long long whole;	/* bytes, had there been no cap */
	size_t room;
	struct buf body;
};

/* Show one line (without its end), of a true length of bytes.  False: it has no
 * room. */
bool view_line(struct view *v, long no, struct slice s, long long bytes);
/* Those of a text whose lines begin at at[]. */
void view_lines(struct view *v, struct slice text, const size_t *at);
/* "[612 more: {...}]", if there is more. */
void view_more(const struct view *v, const char *rel, struct buf *out);
void view_meta(const struct view *v, struct result *r);

#endif
