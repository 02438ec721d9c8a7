/* seccomp.h - system calls that no command needs, refused by the kernel. */
#ifndef HAMR_TOOL_SECCOMP_H
#define HAMR_TOOL_SECCOMP_H

#include <stdbool.h>

enum seccomp_net {
	SECCOMP_NET_ANY,	/* a network namespace, or nothing, sees to it */
	SECCOMP_NET_NONE	/* sockets for the machine itself only */
};

/* For this process and all it starts; no_new_privs must be set.  Refuses, with
 * EPERM: the mount family, pivot_root, setns, unshare and new namespaces, bpf,
 * perf_event_open, userfaultfd, io_uring, keys, kexec, modules; sockets of
 * AF_VSOCK, AF_ALG, AF_PACKET, of AF_UNIX unless unix_sockets; TIOCSTI and
 * TIOCLINUX.  A call of another architecture ends the process.
 * 0, or -1 with errno. */
int seccomp_apply(bool unix_sockets, enum seccomp_net net);

#endif
