/* supervisor.h - the process inside a box: runs its commands, one at a time,
 * and ends every process of each.
 *
 * hamr-tool itself, started with WIRE_ARG alone and the fds of wire.h: by
 * bubblewrap as process 1 of a namespace, else as a child that denies itself
 * and its descendants files and network as the setup says.
 */
#pragma once

#define WIRE_ARG "--supervisor"	/* makes hamr-tool a supervisor */

_Noreturn void supervisor_main(void);

/* Split n texts, each ended by NUL, off *p, which moves past them; missing ones
 * are NULL.  The caller frees the array; the texts are borrowed. */
char **split_texts(char **p, const char *end, int n);
