/* confine.h - the supervisor keeps itself, and so all it starts, within what
 * its setup allows; and tries whether that holds. */
#ifndef HAMR_TOOL_CONFINE_H
#define HAMR_TOOL_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

/* setup: fd of a struct wire_setup and its texts.  alone: bubblewrap has made
 * the namespaces.  Bits of supervisor.h, and for FAULT_SETUP the reason in
 * text (n bytes).  *listener as of seccomp.h. */
int confine(int setup, bool alone, int *listener, char *text, size_t n);

#endif
