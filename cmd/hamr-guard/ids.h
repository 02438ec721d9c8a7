/* ids.h - the last few calls of a row: what a verdict rests on. */
#ifndef HAMR_GUARD_IDS_H
#define HAMR_GUARD_IDS_H

#include <stddef.h>

#define IDS_MAX 16
#define ID_MAX 256		/* longer ids are not kept */

/* Zero it, clear it.  Oldest first. */
struct ids {
	char *id[IDS_MAX];	/* JSON texts */
	size_t line[IDS_MAX];	/* where the call stands */
	unsigned step[IDS_MAX];	/* its step in the turn, from 1 */
	size_t n;
};

void ids_add(struct ids *s, const char *id, size_t line, unsigned step);
void ids_clear(struct ids *s);

#endif
