/* restrict.h - a process keeps itself, and all it starts, within a setup: which
 * files may be touched, by Landlock, which system calls made, by seccomp, and
 * limits.
 *
 * Refused by the filter, with EPERM: the mount family, pivot_root, setns,
 * unshare and new namespaces, bpf, perf_event_open, userfaultfd, io_uring,
 * keys, kexec, modules; sockets of AF_VSOCK, AF_ALG, AF_PACKET, of AF_UNIX
 * unless they are allowed; TIOCSTI and TIOCLINUX; the bits S_ISUID and S_ISGID,
 * of what is made and by chmod.  openat2 and clone3, whose arguments no filter
 * can see, are not there.  Without namespaces, also: System V IPC, POSIX
 * message queues, limits and priorities of other processes.  A call of another
 * architecture ends the process.
 */
#pragma once

#include <stdbool.h>

#include "wire.h"

/* Within what the setup on fd WIRE_SETUP allows; and try whether that holds.
 * alone: bubblewrap has made the namespaces.  0, or -1 and why, where it is
 * known.
 *
 * *listener: readable when a process asks for limits or priorities of one that
 * may be itself, by its number; restrict_answer must answer.  -1: none. */
int restrict_self(bool alone, int *listener, char why[WIRE_TEXT]);
/* Allowed for a process itself and its threads. */
void restrict_answer(int listener);

/* The first version of Landlock in which files can be renamed and linked into
 * other folders. */
#define LANDLOCK_REFER 2

/* The version of the kernel's Landlock, 0: none. */
int landlock_version(void);

/* What version v cannot do that bubblewrap does, as text; never "". */
const char *landlock_lacks(int v);
