/* supervisor.h - the process inside a box: runs its commands, one at a time,
 * and ends every process of each.
 *
 * hamr-tool itself, started with WIRE_ARG alone and the fds of wire.h: as
 * process 1 of a namespace by bubblewrap, else as a child that keeps itself
 * and what it starts from files and network as the setup says.
 */
#pragma once

#define WIRE_ARG "--supervisor"	/* how hamr-tool is told to be one */

_Noreturn void supervisor_main(void);

/* n texts, each ended by NUL, from *p on, which moves behind them; NULL for
 * those that are not there.  Yours to free. */
char **split_texts(char **p, const char *end, int n);
