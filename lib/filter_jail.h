/* filter_jail.h - what a process that runs a jq program gives up. */
#ifndef HAMR_FILTER_JAIL_H
#define HAMR_FILTER_JAIL_H

#include <stddef.h>

#define FILTER_FD 0		/* the socket, from filter_withdraw on */

/* Nothing of the user's can be reached from here on but fd, as FILTER_FD. */
void filter_withdraw(int fd);

/* No file can be opened, no more than this be mapped. */
void filter_confine(size_t memory);

#endif
