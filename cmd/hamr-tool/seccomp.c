/* seccomp.c - system calls that no command needs, refused by the kernel. */
#include <errno.h>
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
#define NR_OPEN_TREE_ATTR 467
#define NEW_NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | \
	CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define MAX 160

/* Where a jump goes: the answers stand at the end, in this order. */
enum label { ALLOW, REFUSE, NO_SUCH_CALL, KILL, ASK, NLABELS };

struct prog {
	struct sock_filter f[MAX];
	unsigned char label[MAX];	/* of a jump, when it is true */
	unsigned short n;
};

static const int refused[] = {
	SYS_mount, SYS_umount2, SYS_pivot_root, SYS_setns, SYS_unshare,
	SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsconfig, SYS_fsmount,
	SYS_fspick, SYS_mount_setattr, NR_OPEN_TREE_ATTR,
	SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
	SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
	SYS_keyctl, SYS_add_key, SYS_request_key,
	SYS_kexec_load,
#ifdef SYS_kexec_file_load
	SYS_kexec_file_load,
#endif
#if defined(__i386__) && defined(SYS_socketcall)
	SYS_socketcall,		/* its arguments are in memory; socket is not */
#endif
	SYS_init_module, SYS_finit_module, SYS_delete_module,
};

/* Shared with all processes of the machine unless a namespace sees to it. */
static const int ipc[] = {
#ifdef SYS_shmget
	SYS_shmget, SYS_shmctl, SYS_shmat, SYS_shmdt, SYS_semget, SYS_semctl,
	SYS_semop, SYS_semtimedop, SYS_msgget, SYS_msgctl, SYS_msgsnd,
	SYS_msgrcv,
#endif
#ifdef SYS_ipc
	SYS_ipc,
#endif
	SYS_mq_open, SYS_mq_unlink,
};

static void
put(struct prog *p, unsigned short code, unsigned k)
{
	p->f[p->n++] = (struct sock_filter)BPF_STMT(code, k);
}

static void
load(struct prog *p, size_t offset)
{
	put(p, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset);
}

/* If what is loaded compares so with k, go to the label, else go on. */
static void
jump(struct prog *p, unsigned short how, unsigned k, enum label to)
{
	p->label[p->n] = (unsigned char)to;
	put(p, (unsigned short)(BPF_JMP | how | BPF_K), k);
}

/* If it is not k, skip the next n. */
static void
unless(struct prog *p, unsigned k, unsigned char n)
{
	p->label[p->n] = NLABELS;
	p->f[p->n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
	    k, 0, n);
}

/* Each jump knows now how far its label is. */
static void
finish(struct prog *p, bool listened)
{
	const unsigned answers[] = { [ALLOW] = SECCOMP_RET_ALLOW,
		[REFUSE] = SECCOMP_RET_ERRNO | EPERM,
		[NO_SUCH_CALL] = SECCOMP_RET_ERRNO | ENOSYS,
		[KILL] = SECCOMP_RET_KILL_PROCESS,
		[ASK] = listened ? SECCOMP_RET_USER_NOTIF :
		    SECCOMP_RET_ERRNO | EPERM };
	unsigned short end = p->n;

	for (int i = 0; i < NLABELS; i++)
		put(p, BPF_RET | BPF_K, answers[i]);
	for (unsigned short i = 0; i < end; i++)
		if (BPF_CLASS(p->f[i].code) == BPF_JMP &&
		    p->label[i] != NLABELS)
			p->f[i].jt = (unsigned char)(end + p->label[i] -
			    i - 1);
}

/* The rest of the program is about one call; n instructions follow. */
static void
sockets(struct prog *p, bool unix_sockets, enum seccomp_net net)
{
	unless(p, SYS_socket, net == SECCOMP_NET_NONE ? 5 :
	    unix_sockets ? 5 : 6);
	load(p, LOW(0));
	if (net == SECCOMP_NET_NONE) {
		jump(p, BPF_JEQ, AF_NETLINK, ALLOW);
		jump(p, BPF_JEQ, unix_sockets ? AF_UNIX : AF_NETLINK, ALLOW);
		jump(p, BPF_JGE, 0, REFUSE);
		jump(p, BPF_JGE, 0, REFUSE);
		return;
	}
	jump(p, BPF_JEQ, AF_VSOCK, REFUSE);
	jump(p, BPF_JEQ, AF_ALG, REFUSE);
	jump(p, BPF_JEQ, AF_PACKET, REFUSE);
	if (!unix_sockets)
		jump(p, BPF_JEQ, AF_UNIX, REFUSE);
	jump(p, BPF_JGE, 0, ALLOW);
}

/* One end of a pair of datagram sockets can send to any socket by its name;
 * those of the other kinds are connected. */
static void
pairs(struct prog *p)
{
	unless(p, SYS_socketpair, 5);
	load(p, LOW(1));
	put(p, BPF_ALU | BPF_AND | BPF_K, 0xf);
	jump(p, BPF_JEQ, SOCK_STREAM, ALLOW);
	jump(p, BPF_JEQ, SOCK_SEQPACKET, ALLOW);
	jump(p, BPF_JGE, 0, REFUSE);
}

/* Calls whose first argument is a process: 0 is the caller. */
static void
process_calls(struct prog *p)
{
	static const int calls[] = { SYS_prlimit64, SYS_sched_setparam,
		SYS_sched_setscheduler, SYS_sched_setaffinity,
		SYS_sched_setattr };

	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		unless(p, (unsigned)calls[i], 3);
		load(p, LOW(0));
		jump(p, BPF_JEQ, 0, ALLOW);
		jump(p, BPF_JGE, 0, ASK);
	}
}

/* Calls about one process, a group or a user, which the first argument tells:
 * process is its value for one.  A group only as 0, the caller's. */
static void
priority_call(struct prog *p, int call, unsigned process)
{
	unless(p, (unsigned)call, 9);
	load(p, LOW(0));
	unless(p, process, 3);
	load(p, LOW(1));
	jump(p, BPF_JEQ, 0, ALLOW);
	jump(p, BPF_JGE, 0, ASK);
	unless(p, process + 1, 2);
	load(p, LOW(1));
	jump(p, BPF_JEQ, 0, ALLOW);
	jump(p, BPF_JGE, 0, REFUSE);
}

/* What namespaces would see to. */
static void
shared(struct prog *p)
{
	for (size_t i = 0; i < sizeof ipc / sizeof ipc[0]; i++)
		jump(p, BPF_JEQ, (unsigned)ipc[i], REFUSE);
	process_calls(p);
	priority_call(p, SYS_setpriority, PRIO_PROCESS);
	priority_call(p, SYS_ioprio_set, 1);
}

static void
build(struct prog *p, const struct seccomp_want *w, bool listened)
{
	load(p, offsetof(struct seccomp_data, arch));
	p->label[p->n] = NLABELS;
	p->f[p->n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
	    ARCH, 1, 0);
	jump(p, BPF_JGE, 0, KILL);
	load(p, offsetof(struct seccomp_data, nr));
#ifdef X32_BIT
	jump(p, BPF_JGE, X32_BIT, REFUSE);
#endif
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		jump(p, BPF_JEQ, (unsigned)refused[i], REFUSE);
	/* its flags are in memory, where no filter can look: as if the kernel
	 * were older, then clone is called */
	jump(p, BPF_JEQ, SYS_clone3, NO_SUCH_CALL);
	unless(p, SYS_clone, 3);
#if defined(__s390x__)
	load(p, LOW(1));
#else
	load(p, LOW(0));
#endif
	jump(p, BPF_JSET, NEW_NAMESPACES, REFUSE);
	jump(p, BPF_JGE, 0, ALLOW);
	unless(p, SYS_ioctl, 4);
	load(p, LOW(1));
	jump(p, BPF_JEQ, TIOCSTI, REFUSE);
	jump(p, BPF_JEQ, TIOCLINUX, REFUSE);
	jump(p, BPF_JGE, 0, ALLOW);
	if (w->shared)
		shared(p);
	if (!w->unix_sockets)
		pairs(p);
	sockets(p, w->unix_sockets, w->net);
	finish(p, listened);
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
		p.n = 0;	/* somebody above us listens: then all is refused */
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
