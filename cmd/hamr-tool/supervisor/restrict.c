/* restrict.c - the supervisor confines itself to its setup, and tests that. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#include "restrict.h"
#include "supervisor.h"

#define FILE_SIZE ((rlim_t)2 << 30)
#define OPEN_FILES 1024
#define CAP_LAST 63
#define PROBE "/etc/.hamr-self-test"

struct setup {
	struct wire_setup head;
	bool alone;
	bool network;		/* a network namespace decides, or it is open;
				 * else the filter refuses IP sockets */
	bool setgid;		/* chmod may set it: a filter cannot tell a
				 * folder from a file */
	const char *root, *fixed;	/* "" if there is none */
	const char *const *writable, *const *hidden, *const *mounts;
};

/* ---- Landlock: which files may be touched ---- */

/* <linux/landlock.h> of Debian 12 ends with version 2. */
enum {
	FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2,
	FS_REMOVE_DIR = 1 << 4, FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_CHAR = 1 << 6, FS_MAKE_DIR = 1 << 7, FS_MAKE_REG = 1 << 8,
	FS_MAKE_SOCK = 1 << 9, FS_MAKE_FIFO = 1 << 10,
	FS_MAKE_BLOCK = 1 << 11, FS_MAKE_SYM = 1 << 12,
	FS_REFER = 1 << 13,		/* version 2 */
	FS_TRUNCATE = 1 << 14,		/* version 3 */
	NET_BIND_TCP = 1 << 0, NET_CONNECT_TCP = 1 << 1,	/* version 4 */
	SCOPE_ABSTRACT_UNIX = 1 << 0, SCOPE_SIGNAL = 1 << 1	/* version 6 */
};

#define CREATE_VERSION 1
#define RULE_PATH_BENEATH 1
#define FILE_RIGHTS (FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE)

struct attr {
	uint64_t fs, net, scoped;
};

struct path_rule {
	uint64_t rights;
	int32_t fd;
} __attribute__((packed));

int
landlock_version(void)
{
	long v = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

	return v > 0 ? (int)v : 0;
}

const char *
landlock_lacks(int v)
{
#define LACKS(what) "it cannot protect .git and .hamr inside a writable " \
	"root, hide the secrets in it, nor stop files elsewhere from being " \
	what "chmod'ed or touched; and there are no pseudo-terminals and no " \
	"System V IPC"
	return v < 3 ? LACKS("truncated, ") : LACKS("");
}

static void
allow(int rules, const char *path, uint64_t rights, int flags)
{
	struct path_rule rule = { rights, open(path,
	    O_PATH | O_CLOEXEC | flags) };
	struct stat st;

	if (rule.fd < 0)
		return;
	if (fstat(rule.fd, &st) == 0 && !S_ISLNK(st.st_mode)) {
		if (!S_ISDIR(st.st_mode))
			rule.rights &= FILE_RIGHTS;
		syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &rule,
		    0);
	}
	close(rule.fd);
}

/* A rule covers everything beneath its path and cannot be undone, so a folder
 * that contains something hidden gets no rule; the other entries in it do. */
static void
allow_reading(int rules, const struct setup *s, const char *dir)
{
	DIR *d = file_opendir(AT_FDCWD, dir[0] != '\0' ? dir : "/");
	struct dirent *e;

	while ((e = file_readdir(d)) != NULL) {
		char *path = xasprintf("%s/%s", dir, e->d_name);
		size_t n = strlen(path);
		bool is_hidden = false, holds_hidden = false;

		for (int i = 0; i < s->head.nhidden; i++) {
			bool near = strncmp(s->hidden[i], path, n) == 0;

			is_hidden |= near && s->hidden[i][n] == '\0';
			holds_hidden |= near && s->hidden[i][n] == '/';
		}
		if (!is_hidden && !holds_hidden)
			allow(rules, path, FS_READ_FILE, O_NOFOLLOW);
		else if (!is_hidden && e->d_type != DT_LNK)
			allow_reading(rules, s, path);
		free(path);
	}
	file_closedir(d);
}

/* Allow reading, except what is hidden (and what is created later in a folder
 * that contains something hidden), and writing only as listed.  Listed paths
 * that do not exist are skipped. */
static int
landlock_apply(const struct setup *s)
{
	int v = landlock_version();
	struct attr a = { .fs = FS_WRITE_FILE | FS_REMOVE_DIR |
	    FS_REMOVE_FILE | FS_MAKE_CHAR | FS_MAKE_DIR | FS_MAKE_REG |
	    FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_BLOCK | FS_MAKE_SYM |
	    (v >= 2 ? FS_REFER : 0) | (v >= 3 ? FS_TRUNCATE : 0) };

	if (s->head.nhidden > 0)
		a.fs |= FS_READ_FILE;
	if (v >= 4 && !s->network)
		a.net = NET_BIND_TCP | NET_CONNECT_TCP;
	if (v >= 6)
		a.scoped = SCOPE_SIGNAL | (s->alone || s->head.unix_sockets ?
		    0 : SCOPE_ABSTRACT_UNIX);
	int rules = (int)syscall(SYS_landlock_create_ruleset, &a, v >= 6 ?
	    sizeof a : v >= 4 ? 16 : 8, 0);
	if (rules < 0)
		return -1;
	if (s->head.nhidden > 0)
		allow_reading(rules, s, "");
	for (int i = 0; i < s->head.nwritable; i++)
		allow(rules, s->writable[i], a.fs, 0);
	int got = (int)syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
	return got;
}

/* ---- seccomp: system calls that no command needs ---- */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#define X32_BIT 0x40000000U	/* call numbers of the x32 ABI */
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

/* An int argument is in the low half of the 64-bit one. */
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

enum answer { ALLOW, REFUSE, NO_SUCH_CALL, ASK };

/* When a rule applies. */
enum { SHARED = 1, NO_UNIX = 2, UNIX = 4, NET_NONE = 8, NET_ANY = 16,
	NO_SETGID = 32 };

/* A call's first rule that is true decides; if none is, the call is allowed.
 * The rules of a call must be adjacent. */
struct rule {
	int call;
	enum answer answer;
	unsigned char when;	/* all of these */
	unsigned char how;	/* what argument is to k; 0: always true */
	unsigned char arg;
	unsigned k;
};

#define NONE_OF 0xff		/* none of these bits; not a BPF code */

#define ANY(call, answer, when) { call, answer, when, 0, 0, 0 }
#define OWN(call) \
	{ call, ALLOW, SHARED, BPF_JEQ, 0, 0 }, ANY(call, ASK, SHARED)
/* A file with one of these bits runs with its owner's or its group's rights.
 * This call makes a file with the mode in argument n; */
#define MODE(call, n) \
	{ call, REFUSE, 0, BPF_JSET, n, S_ISUID | S_ISGID }
/* this one does if its flags, the argument before that, say so; */
#define OPENED(call, n) \
	{ call, ALLOW, 0, NONE_OF, (n) - 1, MAKES_FILE }, MODE(call, n)
/* and this one changes the mode of a file or a folder. */
#define CHANGED(call, n) \
	{ call, REFUSE, 0, BPF_JSET, n, S_ISUID }, \
	{ call, REFUSE, NO_SETGID, BPF_JSET, n, S_ISGID }

static const struct rule rules[] = {
	/* most frequent call first; mkdir itself drops both bits */
	OPENED(SYS_openat, 3), CHANGED(SYS_fchmod, 1),
	CHANGED(SYS_fchmodat, 2), CHANGED(NR_FCHMODAT2, 2),
	MODE(SYS_mknodat, 2),
#ifdef SYS_open
	OPENED(SYS_open, 2), MODE(SYS_creat, 1), MODE(SYS_mknod, 1),
	CHANGED(SYS_chmod, 1),
#endif
	/* its mode is in memory, which a filter cannot read: pretend that the
	 * kernel is older, and callers fall back to openat */
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
	/* its arguments are in memory; those of socket are not */
	ANY(SYS_socketcall, REFUSE, 0),
#endif
	ANY(SYS_init_module, REFUSE, 0), ANY(SYS_finit_module, REFUSE, 0),
	ANY(SYS_delete_module, REFUSE, 0),
	/* its flags are in memory too; callers fall back to clone */
	ANY(SYS_clone3, NO_SUCH_CALL, 0),
	{ SYS_clone, REFUSE, 0, BPF_JSET, CLONE_FLAGS, NEW_NAMESPACES },
	{ SYS_ioctl, REFUSE, 0, BPF_JEQ, 1, TIOCSTI },
	{ SYS_ioctl, REFUSE, 0, BPF_JEQ, 1, TIOCLINUX },

	/* without a namespace, System V IPC and message queues are shared with
	 * all processes of the machine */
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
	/* argument 0 says what argument 1 is: a process, a group (only 0, the
	 * caller's), never a user */
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
	struct sock_filter f[8 + 5 * NRULES];
	unsigned short n;
};

static void
put(struct prog *p, unsigned code, size_t k)
{
	p->f[p->n++] = (struct sock_filter)BPF_STMT((unsigned short)code,
	    (unsigned)k);
}

/* Skip this many instructions if the loaded value compares to k as how says,
 * and that many if it does not. */
static void
skip(struct prog *p, unsigned how, unsigned k, unsigned yes, unsigned no)
{
	p->f[p->n++] = (struct sock_filter)BPF_JUMP((unsigned short)(BPF_JMP |
	    how | BPF_K), k, (unsigned char)yes, (unsigned char)no);
}

static void
build(struct prog *p, const struct setup *s, bool listened)
{
	const unsigned answers[] = { [ALLOW] = SECCOMP_RET_ALLOW,
		[REFUSE] = SECCOMP_RET_ERRNO | EPERM,
		[NO_SUCH_CALL] = SECCOMP_RET_ERRNO | ENOSYS,
		[ASK] = listened ? SECCOMP_RET_USER_NOTIF :
		    SECCOMP_RET_ERRNO | EPERM };
	int now = (s->alone ? 0 : SHARED) | (s->head.unix_sockets ? UNIX :
	    NO_UNIX) | (s->network ? NET_ANY : NET_NONE) |
	    (s->setgid ? 0 : NO_SETGID);
	const unsigned load = BPF_LD | BPF_W | BPF_ABS;
	const size_t nr = offsetof(struct seccomp_data, nr);

	p->n = 0;
	put(p, load, offsetof(struct seccomp_data, arch));
	skip(p, BPF_JEQ, ARCH, 1, 0);
	put(p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	put(p, load, nr);
#ifdef X32_BIT
	skip(p, BPF_JGE, X32_BIT, 0, 1);
	put(p, BPF_RET | BPF_K, answers[REFUSE]);
#endif
	for (const struct rule *r = rules; r < rules + NRULES; r++) {
		bool lacks = r->how == NONE_OF;

		if ((r->when & ~now) != 0)
			continue;
		skip(p, BPF_JEQ, (unsigned)r->call, 0, r->how == 0 ? 1 : 4);
		if (r->how != 0) {
			put(p, load, LOW(r->arg));
			skip(p, lacks ? BPF_JSET : r->how, r->k, lacks,
			    !lacks);
		}
		put(p, BPF_RET | BPF_K, answers[r->answer]);
		if (r->how == 0)
			continue;
		/* the last one of this call? */
		if (r + 1 == rules + NRULES || r[1].call != r->call)
			put(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
		else
			put(p, load, nr);
	}
	put(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
}

static int
seccomp_apply(const struct setup *s, int *listener)
{
	*listener = -1;
#ifdef ARCH
	struct prog p = { .n = 0 };
	struct sock_fprog fp;

	if (!s->alone) {
		build(&p, s, true);
		fp = (struct sock_fprog){ p.n, p.f };
		*listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    SECCOMP_FILTER_FLAG_NEW_LISTENER, &fp);
		if (*listener >= 0)
			return 0;
		/* a filter above ours has a listener: refuse instead of ask */
	}
	build(&p, s, false);
	fp = (struct sock_fprog){ p.n, p.f };
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fp, 0, 0);
#else
	(void)s;
	errno = ENOSYS;
	return -1;
#endif
}

void
restrict_answer(int listener)
{
	struct seccomp_notif n;
	char path[64];

	memset(&n, 0, sizeof n);
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n) < 0)
		return;
	int about = (int)(n.data.nr == SYS_setpriority ||
	    n.data.nr == SYS_ioprio_set ? n.data.args[1] : n.data.args[0]);
	snprintf(path, sizeof path, "/proc/%u/task/%d", n.pid, about);
	struct seccomp_notif_resp r = { .id = n.id };
	if (access(path, F_OK) == 0)
		r.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else
		r.error = -EPERM;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &r);
}

/* ---- the self-test ---- */

static bool
is_read_only(const char *path)
{
	struct statvfs v;

	return path[0] == '\0' || (statvfs(path, &v) == 0 &&
	    (v.f_flag & ST_RDONLY) != 0);
}

/* Is what bubblewrap was to mount at its path?  If another process writes in
 * the root, a link may have led the source or the target elsewhere. */
static bool
is_mounted(const char *text)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS };
	char *at;
	uintmax_t dev = strtoumax(text, &at, 10);
	uintmax_t ino = strtoumax(at, &at, 10);
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, at + 1, &how, sizeof how);
	struct statx x;
	struct stat st;

	if (fd < 0)
		return errno == ENOSYS;		/* before 5.6 */
	errno = 0;
	bool yes = fstat(fd, &st) == 0 &&
	    (ino == 0 || (st.st_dev == dev && st.st_ino == ino)) &&
	    (statx(fd, "", AT_EMPTY_PATH, 0, &x) < 0 ||
	    (x.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) == 0 ||
	    (x.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0);
	close(fd);
	return yes;
}

/* What does not hold, or NULL.  Call it before seccomp_apply, so that it tests
 * the other layers. */
static const char *
try_layers(const struct setup *s)
{
	bool namespaces = s->head.layer == LAYER_BWRAP;
	bool files = s->head.layer >= LAYER_LANDLOCK;
	struct __user_cap_header_struct head = {
		_LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[2];
	struct statvfs v;

	if (syscall(SYS_capget, &head, caps) < 0 ||
	    (caps[0].effective | caps[1].effective) != 0)
		return "it kept capabilities";
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return "it could gain privileges";
	int fd = files ? open(PROBE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	    0600) : -1;
	bool writes = fd >= 0 || (files && errno == EEXIST);
	if (fd >= 0) {
		close(fd);
		unlink(PROBE);
	}
	/* root can write kernel settings without any capability */
	if (writes || (namespaces && (!is_read_only("/") ||
	    !is_read_only("/etc") || !is_read_only("/proc/sys"))))
		return "it could write /etc";
	if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0)
		return "it could remount /";
	if (!namespaces)
		return NULL;
	for (int i = 0; i < s->head.nmounts; i++)
		if (!is_mounted(s->mounts[i]))
			return errno == EACCES ? "the root, or a folder in it "
			    "with files to protect, cannot be entered; ask "
			    "the user to chmod u+rwx it" :
			    "the root changed meanwhile";
	if (!s->head.root_writable && !is_read_only(s->root))
		return "it could write what is read-only";
	/* a stub of .git disappears with the run that made it; that is harmless
	 * where nothing can be created */
	if (!is_read_only(s->fixed) && (s->head.root_writable ||
	    statvfs(s->fixed, &v) == 0 || errno != ENOENT))
		return "it could write what is read-only";
	return s->alone ? NULL : "it saw other processes";
}

/* ---- the setup ---- */

/* Apply each layer, the filter last: until then a refusal comes from the other
 * layers, so that the self-test tests them. */
static int
apply(const struct setup *s, int *listener, char why[WIRE_TEXT])
{
	static const struct { int what; rlim_t most; } rows[] = {
		{ RLIMIT_FSIZE, FILE_SIZE }, { RLIMIT_NOFILE, OPEN_FILES },
		{ RLIMIT_CORE, 0 } };
	struct __user_cap_header_struct head = {
		_LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
	struct rlimit r;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	/* root without bubblewrap: keep the uid, drop all capabilities */
	if (!s->alone) {
		prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED,
		    0, 0, 0);
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
		for (unsigned long c = 0; c <= CAP_LAST; c++)
			prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
		syscall(SYS_capset, &head, none);
	}
	/* when memory runs out, kill a command first */
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (file_write_all(fd, "1000", 4) < 0)
			errno = 0;	/* the kernel chooses, then */
		close(fd);
	}
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (getrlimit(rows[i].what, &r) < 0)
			continue;
		/* no limit is the largest number */
		if (r.rlim_max > rows[i].most)
			r.rlim_max = rows[i].most;
		if (r.rlim_cur > r.rlim_max)
			r.rlim_cur = r.rlim_max;
		setrlimit(rows[i].what, &r);
	}
	if ((s->head.layer == LAYER_LANDLOCK || (s->alone &&
	    landlock_version() >= LANDLOCK_REFER)) &&
	    landlock_apply(s) < 0) {
		snprintf(why, WIRE_TEXT, "landlock: %s", strerror(errno));
		return -1;
	}
	const char *bad = try_layers(s);
	if (bad == NULL && seccomp_apply(s, listener) != 0) {
		snprintf(why, WIRE_TEXT, "seccomp: %s", strerror(errno));
		return -1;
	}
	if (bad == NULL) {
		/* file_close leaves errno as it is */
		fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
		file_close(fd);
		if (fd >= 0 || errno != EPERM)
			bad = "a forbidden system call went through";
	}
	if (bad != NULL)
		snprintf(why, WIRE_TEXT, "its self-test failed: %s", bad);
	return bad == NULL ? 0 : -1;
}

int
restrict_self(bool alone, int *listener, char why[WIRE_TEXT])
{
	struct setup s = { .alone = alone };
	struct buf b = BUF_INIT(WIRE_SETUP_MAX);
	struct stat st;

	*listener = -1;
	int got = file_read_fd(WIRE_SETUP, "setup", &b, NULL);
	close(WIRE_SETUP);
	if (got < 0 || b.len < sizeof s.head)
		return -1;
	memcpy(&s.head, b.p, sizeof s.head);
	char *p = b.p + sizeof s.head;
	char **texts = split_texts(&p, b.p + b.len, 2 + s.head.nwritable +
	    s.head.nhidden + s.head.nmounts);
	s.root = texts[0];
	s.fixed = texts[1];
	s.writable = (const char *const *)texts + 2;
	s.hidden = s.writable + s.head.nwritable;
	s.mounts = s.hidden + s.head.nhidden;
	/* with a network namespace, sockets need no filter */
	s.network = alone || s.head.network;
	/* in a tree shared by a group each folder has the bit, and chmod and cp
	 * keep it; never for root, whose group nobody may borrow */
	s.setgid = geteuid() != 0 && stat(s.root, &st) == 0 &&
	    (st.st_mode & S_ISGID) != 0;
	got = s.head.layer == LAYER_NONE ? 0 : apply(&s, listener, why);
	free(texts);
	buf_release(&b);
	return got;
}
