/* search_in.h - a search and what it has found; for search*.c. */
#ifndef HAMR_TOOL_SEARCH_IN_H
#define HAMR_TOOL_SEARCH_IN_H

#include <regex.h>

#include "files_in.h"

#define LINES_MAX 100		/* lines shown, context included */
#define LINE_BYTES 300
#define MATCHES_MAX 10000	/* counted */
#define TEXT_MAX ((size_t)1 << 20)	/* LINES_MAX lines of paths too */

/* What was found.  It lies in memory shared with the process that searches,
 * so that what was found stays when that one is stopped. */
struct found {
	long matches, shown, skipped, unread;
	bool done;		/* nothing was left out for lack of time */
	bool cut;		/* a line was cut */
	bool more;		/* a line was not shown */
	bool lossy;
	size_t len;
	char text[TEXT_MAX];
};

struct search {
	struct files *f;
	struct slice query;
	bool regex;
	regex_t re;
	long context;
	size_t room;		/* for text */
	long long deadline;
	struct found *found;
	struct buf text;	/* of the file at hand */
	unsigned files;		/* looked at so far */
	bool stopped;
};

/* Search one file; false: that is enough. */
bool search_file(void *arg, const struct seen *seen);

#endif
