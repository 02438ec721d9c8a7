/* seccomp.c - system calls that no command needs, refused by the kernel. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
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
#define MAX 96

/* Where a jump goes: the answers stand at the end, in this order. */
enum label { ALLOW, REFUSE, NO_SUCH_CALL, KILL, NLABELS };

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
finish(struct prog *p)
{
	static const unsigned answers[] = { [ALLOW] = SECCOMP_RET_ALLOW,
		[REFUSE] = SECCOMP_RET_ERRNO | EPERM,
		[NO_SUCH_CALL] = SECCOMP_RET_ERRNO | ENOSYS,
		[KILL] = SECCOMP_RET_KILL_PROCESS };
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

static void
build(struct prog *p, bool unix_sockets, enum seccomp_net net)
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
	sockets(p, unix_sockets, net);
	finish(p);
}

int
seccomp_apply(bool unix_sockets, enum seccomp_net net)
{
#ifdef ARCH
	struct prog p = { .n = 0 };
	struct sock_fprog fp;

	build(&p, unix_sockets, net);
	fp = (struct sock_fprog){ p.n, p.f };
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fp, 0, 0);
#else
	(void)unix_sockets;
	(void)net;
	errno = ENOSYS;
	return -1;
#endif
}
