/* restrict.h - a process confines itself, and all it starts, to a setup: files
 * by Landlock, system calls by seccomp, and limits.
 *
 * Refused by the filter, with EPERM: the mount family, pivot_root, setns,
 * unshare and new namespaces, bpf, perf_event_open, userfaultfd, io_uring,
 * keys, kexec, modules; sockets of AF_VSOCK, AF_ALG, AF_PACKET, of AF_UNIX
 * unless they are allowed; TIOCSTI and TIOCLINUX; the bits S_ISUID and S_ISGID,
 * on creation and by chmod.  openat2 and clone3, whose arguments a filter
 * cannot see, fail with ENOSYS.  Without namespaces, also: System V IPC, POSIX
 * message queues, limits and priorities of other processes.  A call of another
 * architecture ends the process.
 */
#pragma once

#include <stdbool.h>

#include "wire.h"

/* Confine this process to the setup on fd WIRE_SETUP, which is closed, and test
 * that it holds.
 * alone: bubblewrap has made the namespaces.  0, or -1 with why, if known.
 *
 * *listener is readable when a process asks for limits or priorities of a pid
 * that may be its own; call restrict_answer then.  -1: none. */
int restrict_self(bool alone, int *listener, char why[WIRE_TEXT]);
/* Answer one such request: EPERM unless it is about the asking
 * process or one of its threads. */
void restrict_answer(int listener);

/* The first version of Landlock in which files can be renamed and linked into
 * other folders. */
#define LANDLOCK_REFER 2

/* The version of the kernel's Landlock, 0: none. */
int landlock_version(void);

/* What version v cannot do that bubblewrap does, as text; never "". */
const char *landlock_lacks(int v);
