/* seccomp.c - system calls that no command needs, refused by the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "seccomp.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#define X32_BIT 0x40000000U	/* the other numbers of x86-64 */
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER == __LITTLE_ENDIAN
#define ARCH AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define ARCH AUDIT_ARCH_S390X
#elif defined(__i386__)
#define ARCH AUDIT_ARCH_I386
#elif defined(__arm__)
#define ARCH AUDIT_ARCH_ARM
#endif

/* The low half of a 64-bit argument is what an int argument is. */
#if __BYTE_ORDER == __BIG_ENDIAN
#define LOW(n) (offsetof(struct seccomp_data, args[n]) + 4)
#else
#define LOW(n) offsetof(struct seccomp_data, args[n])
#endif

/* Newer than the headers of Debian 12; the same on every architecture. */
#define NR_FCHMODAT2 452
#define NR_OPEN_TREE_ATTR 467
#define MAKES_FILE (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))
#define NEW_NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | \
	CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#if defined(__s390x__)
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif
#define MAX 240			/* a jump goes no farther than 255 */

/* Where a jump goes: the answers stand at the end, in this order. */
enum label { ALLOW, REFUSE, NO_SUCH_CALL, KILL, ASK, NLABELS };

/* When a rule counts. */
enum { SHARED = 1, NO_UNIX = 2, UNIX = 4, NET_NONE = 8, NET_ANY = 16,
	NO_SETGID = 32 };

/* The first rule of a call that is true gives the answer; without one, or
 * with none that is true, the call is allowed.  Those of a call stand
 * together. */
struct rule {
	int call;
	enum label answer;
	unsigned char when;	/* all of these */
	unsigned char how;	/* what argument is to k; 0: always true */
	unsigned char arg;
	unsigned k;
};

#define LACKS 0xff		/* none of these bits; no code of BPF's */

#define ANY(call, answer, when) { call, answer, when, 0, 0, 0 }
#define OWN(call) \
	{ call, ALLOW, SHARED, BPF_JEQ, 0, 0 }, ANY(call, ASK, SHARED)
/* Whoever may run a file with one of these bits has the rights of its owner, or
 * its group, from then on.  This call makes a file of the mode in argument n. */
#define MODE(call, n) \
	{ call, REFUSE, 0, BPF_JSET, n, S_ISUID | S_ISGID }
/* This one if its flags, the argument before that, say so, */
#define OPENED(call, n) \
	{ call, ALLOW, 0, LACKS, (n) - 1, MAKES_FILE }, MODE(call, n)
/* and this one changes a file, or a folder. */
#define CHANGED(call, n) \
	{ call, REFUSE, 0, BPF_JSET, n, S_ISUID }, \
	{ call, REFUSE, NO_SETGID, BPF_JSET, n, S_ISGID }

static const struct rule rules[] = {
	/* the most frequent call first.  mkdir drops both bits by itself */
	OPENED(SYS_openat, 3), CHANGED(SYS_fchmod, 1),
	CHANGED(SYS_fchmodat, 2), CHANGED(NR_FCHMODAT2, 2),
	MODE(SYS_mknodat, 2),
#ifdef SYS_open
	OPENED(SYS_open, 2), MODE(SYS_creat, 1), MODE(SYS_mknod, 1),
	CHANGED(SYS_chmod, 1),
#endif
	/* its mode is in memory, where no filter can look: as if the kernel
	 * were older, then openat is called */
	ANY(SYS_openat2, NO_SUCH_CALL, 0),
	ANY(SYS_mount, REFUSE, 0), ANY(SYS_umount2, REFUSE, 0),
	ANY(SYS_pivot_root, REFUSE, 0), ANY(SYS_setns, REFUSE, 0),
	ANY(SYS_unshare, REFUSE, 0), ANY(SYS_open_tree, REFUSE, 0),
	ANY(SYS_move_mount, REFUSE, 0), ANY(SYS_fsopen, REFUSE, 0),
	ANY(SYS_fsconfig, REFUSE, 0), ANY(SYS_fsmount, REFUSE, 0),
	ANY(SYS_fspick, REFUSE, 0), ANY(SYS_mount_setattr, REFUSE, 0),
	ANY(NR_OPEN_TREE_ATTR, REFUSE, 0), ANY(SYS_bpf, REFUSE, 0),
	ANY(SYS_perf_event_open, REFUSE, 0), ANY(SYS_userfaultfd, REFUSE, 0),
	ANY(SYS_io_uring_setup, REFUSE, 0), ANY(SYS_io_uring_enter, REFUSE, 0),
	ANY(SYS_io_uring_register, REFUSE, 0), ANY(SYS_keyctl, REFUSE, 0),
	ANY(SYS_add_key, REFUSE, 0), ANY(SYS_request_key, REFUSE, 0),
	ANY(SYS_kexec_load, REFUSE, 0),
#ifdef SYS_kexec_file_load
	ANY(SYS_kexec_file_load, REFUSE, 0),
#endif
#if defined(__i386__) && defined(SYS_socketcall)
	/* its arguments are in memory; socket is not */
	ANY(SYS_socketcall, REFUSE, 0),
#endif
	ANY(SYS_init_module, REFUSE, 0), ANY(SYS_finit_module, REFUSE, 0),
	ANY(SYS_delete_module, REFUSE, 0),
	/* so are the flags of this; then clone is called */
	ANY(SYS_clone3, NO_SUCH_CALL, 0),
	{ SYS_clone, REFUSE, 0, BPF_JSET, CLONE_FLAGS, NEW_NAMESPACES },
	{ SYS_ioctl, REFUSE, 0, BPF_JEQ, 1, TIOCSTI },
	{ SYS_ioctl, REFUSE, 0, BPF_JEQ, 1, TIOCLINUX },

	/* System V IPC and message queues are shared with all processes of
	 * the machine unless a namespace sees to it */
#ifdef SYS_shmget
	ANY(SYS_shmget, REFUSE, SHARED), ANY(SYS_shmctl, REFUSE, SHARED),
	ANY(SYS_shmat, REFUSE, SHARED), ANY(SYS_shmdt, REFUSE, SHARED),
	ANY(SYS_semget, REFUSE, SHARED), ANY(SYS_semctl, REFUSE, SHARED),
	ANY(SYS_semop, REFUSE, SHARED), ANY(SYS_semtimedop, REFUSE, SHARED),
	ANY(SYS_msgget, REFUSE, SHARED), ANY(SYS_msgctl, REFUSE, SHARED),
	ANY(SYS_msgsnd, REFUSE, SHARED), ANY(SYS_msgrcv, REFUSE, SHARED),
#endif
#ifdef SYS_ipc
	ANY(SYS_ipc, REFUSE, SHARED),
#endif
	ANY(SYS_mq_open, REFUSE, SHARED), ANY(SYS_mq_unlink, REFUSE, SHARED),
	/* their first argument is a process; 0 is the caller */
	OWN(SYS_prlimit64), OWN(SYS_sched_setparam),
	OWN(SYS_sched_setscheduler), OWN(SYS_sched_setaffinity),
	OWN(SYS_sched_setattr),
	/* a process or a group, which the first argument tells, never a user;
	 * a group only as 0, the caller's */
	{ SYS_setpriority, REFUSE, SHARED, BPF_JGT, 0, PRIO_PGRP },
	{ SYS_setpriority, ALLOW, SHARED, BPF_JEQ, 1, 0 },
	{ SYS_setpriority, ASK, SHARED, BPF_JEQ, 0, PRIO_PROCESS },
	ANY(SYS_setpriority, REFUSE, SHARED),
	{ SYS_ioprio_set, REFUSE, SHARED, BPF_JEQ, 0, 0 },
	{ SYS_ioprio_set, REFUSE, SHARED, BPF_JGT, 0, 2 },
	{ SYS_ioprio_set, ALLOW, SHARED, BPF_JEQ, 1, 0 },
	{ SYS_ioprio_set, ASK, SHARED, BPF_JEQ, 0, 1 },
	ANY(SYS_ioprio_set, REFUSE, SHARED),

	/* One end of a pair of datagram sockets can send to any socket by its
	 * name; those of SOCK_STREAM (1) and SOCK_SEQPACKET (5) are
	 * connected.  The kernel takes the low four bits for the type. */
	{ SYS_socketpair, REFUSE, NO_UNIX, BPF_JSET, 1, 0xa },
	{ SYS_socketpair, ALLOW, NO_UNIX, BPF_JSET, 1, 1 },
	ANY(SYS_socketpair, REFUSE, NO_UNIX),
	{ SYS_socket, ALLOW, NET_NONE, BPF_JEQ, 0, AF_NETLINK },
	{ SYS_socket, ALLOW, NET_NONE | UNIX, BPF_JEQ, 0, AF_UNIX },
	ANY(SYS_socket, REFUSE, NET_NONE),
	{ SYS_socket, REFUSE, NET_ANY, BPF_JEQ, 0, AF_VSOCK },
	{ SYS_socket, REFUSE, NET_ANY, BPF_JEQ, 0, AF_ALG },
	{ SYS_socket, REFUSE, NET_ANY, BPF_JEQ, 0, AF_PACKET },
	{ SYS_socket, REFUSE, NET_ANY | NO_UNIX, BPF_JEQ, 0, AF_UNIX },
};

#define NRULES (sizeof rules / sizeof rules[0])

struct prog {
	struct sock_filter f[MAX];
	unsigned char label[MAX];	/* of a jump, when it is true */
	unsigned short n;
};

static void
put(struct prog *p, unsigned code, size_t k)
{
	p->f[p->n++] = (struct sock_filter)BPF_STMT((unsigned short)code,
	    (unsigned)k);
}

/* If what is loaded compares so with k, go to the label; else go on, unless
 * more than that is skipped. */
static void
jump(struct prog *p, unsigned how, unsigned k, enum label to, unsigned skipped)
{
	p->label[p->n] = (unsigned char)to;
	put(p, BPF_JMP | how | BPF_K, k);
	p->f[p->n - 1].jf = (unsigned char)skipped;
}

static void
build(struct prog *p, const struct seccomp_want *w, bool listened)
{
	const unsigned answers[] = { [ALLOW] = SECCOMP_RET_ALLOW,
		[REFUSE] = SECCOMP_RET_ERRNO | EPERM,
		[NO_SUCH_CALL] = SECCOMP_RET_ERRNO | ENOSYS,
		[KILL] = SECCOMP_RET_KILL_PROCESS,
		[ASK] = listened ? SECCOMP_RET_USER_NOTIF :
		    SECCOMP_RET_ERRNO | EPERM };
	int now = (w->shared ? SHARED : 0) | (w->unix_sockets ? UNIX :
	    NO_UNIX) | (w->network ? NET_ANY : NET_NONE) |
	    (w->setgid ? 0 : NO_SETGID);
	const size_t nr = offsetof(struct seccomp_data, nr);
	unsigned short end;

	p->n = 0;
	put(p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	jump(p, BPF_JEQ, ARCH, NLABELS, 0);
	p->f[p->n - 1].jt = 1;
	jump(p, BPF_JGE, 0, KILL, 0);
	put(p, BPF_LD | BPF_W | BPF_ABS, nr);
#ifdef X32_BIT
	jump(p, BPF_JGE, X32_BIT, REFUSE, 0);
#endif
	for (size_t i = 0; i < NRULES; i++) {
		const struct rule *r = &rules[i];
		bool lacks;

		if ((r->when & ~now) != 0)
			continue;
		if (r->how == 0) {
			jump(p, BPF_JEQ, (unsigned)r->call, r->answer, 0);
			continue;
		}
		lacks = r->how == LACKS;
		jump(p, BPF_JEQ, (unsigned)r->call, NLABELS, 3 + lacks);
		put(p, BPF_LD | BPF_W | BPF_ABS, LOW(r->arg));
		if (lacks) {
			jump(p, BPF_JSET, r->k, NLABELS, 0);
			p->f[p->n - 1].jt = 1;
		}
		jump(p, lacks ? BPF_JGE : r->how, lacks ? 0 : r->k, r->answer,
		    0);
		/* the last one of this call? */
		if (i + 1 == NRULES || r[1].call != r->call)
			put(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
		else
			put(p, BPF_LD | BPF_W | BPF_ABS, nr);
	}
	end = p->n;
	for (int i = 0; i < NLABELS; i++)
		put(p, BPF_RET | BPF_K, answers[i]);
	/* each jump knows now how far its label is */
	for (unsigned short i = 0; i < end; i++)
		if (BPF_CLASS(p->f[i].code) == BPF_JMP &&
		    p->label[i] != NLABELS)
			p->f[i].jt = (unsigned char)(end + p->label[i] -
			    i - 1);
}

int
seccomp_apply(const struct seccomp_want *w, int *listener)
{
	*listener = -1;
#ifdef ARCH
	struct prog p = { .n = 0 };
	struct sock_fprog fp;

	if (w->shared) {
		build(&p, w, true);
		fp = (struct sock_fprog){ p.n, p.f };
		*listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    SECCOMP_FILTER_FLAG_NEW_LISTENER, &fp);
		if (*listener >= 0)
			return 0;
		/* somebody above us listens: then all is refused */
	}
	build(&p, w, false);
	fp = (struct sock_fprog){ p.n, p.f };
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fp, 0, 0);
#else
	(void)w;
	errno = ENOSYS;
	return -1;
#endif
}

void
seccomp_answer(int listener)
{
	struct seccomp_notif n;
	struct seccomp_notif_resp r;
	int about;
	char path[64];

	memset(&n, 0, sizeof n);
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n) < 0)
		return;
	about = (int)(n.data.nr == SYS_setpriority ||
	    n.data.nr == SYS_ioprio_set ? n.data.args[1] : n.data.args[0]);
	snprintf(path, sizeof path, "/proc/%u/task/%d", n.pid, about);
	r = (struct seccomp_notif_resp){ .id = n.id };
	if (access(path, F_OK) == 0)
		r.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else
		r.error = -EPERM;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &r);
}
