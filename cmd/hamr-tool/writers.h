/* writers.h - files that others have open for writing: what a pipeline of the
 * user's writes while a call runs is not the call's work.
 */
#ifndef HAMR_TOOL_WRITERS_H
#define HAMR_TOOL_WRITERS_H

#include <stdbool.h>
#include <sys/stat.h>

struct writers {
	struct { dev_t dev; ino_t ino; } *v;
	size_t n, cap;
	bool looked;
};

/* Has a process of our login session (the shell's jobs; not what we started,
 * which has sessions of its own) this file open for writing?  All are looked at
 * when the first file is asked for, and not again before writers_release. */
bool writers_have(struct writers *w, const struct stat *st);
void writers_release(struct writers *w);

#endif
