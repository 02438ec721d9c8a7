/* seccomp.h - system calls that no command needs, refused by the kernel. */
#pragma once

#include <stdbool.h>

struct seccomp_want {
	bool network;		/* left to a network namespace, or open; else
				 * sockets are for the machine itself only */
	bool unix_sockets;
	bool shared;		/* no namespaces of its own */
	bool setgid;		/* chmod may set it: no filter can tell a
				 * folder from a file */
};

/* For this process and all it starts; no_new_privs must be set.  Refuses, with
 * EPERM: the mount family, pivot_root, setns, unshare and new namespaces, bpf,
 * perf_event_open, userfaultfd, io_uring, keys, kexec, modules; sockets of
 * AF_VSOCK, AF_ALG, AF_PACKET, of AF_UNIX unless unix_sockets; TIOCSTI and
 * TIOCLINUX; the bits S_ISUID and S_ISGID, of what is made and by chmod.
 * openat2 and clone3, whose arguments no filter can see, are not there.  If
 * shared, also: System V IPC, POSIX message queues, limits and
 * priorities of other processes.  A call of another architecture ends the
 * process.  0, or -1 with errno.
 *
 * *listener: readable when a process asks for limits or priorities of one that
 * may be itself, by its number; seccomp_answer must answer.  -1: none. */
int seccomp_apply(const struct seccomp_want *w, int *listener);
/* Allowed for a process itself and its threads. */
void seccomp_answer(int listener);
