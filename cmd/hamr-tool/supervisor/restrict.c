/* restrict.c - the supervisor keeps itself within its setup, and tries it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

#include "landlock.h"
#include "seccomp.h"
#include "supervisor.h"
#include "wire.h"

#define SETUP_MAX ((size_t)4 << 20)
#define FILE_SIZE ((rlim_t)2 << 30)
#define OPEN_FILES 1024
#define CAP_LAST 63
#define PROBE "/etc/.hamr-self-test"

struct setup {
	struct wire_setup head;
	bool alone;
	const char *root, *fixed;	/* "" when there is none */
	const char *const *texts;	/* writable, hidden, mounts */
};

/* ---- the layers ---- */

static void
set_limits(void)
{
	static const struct { int what; rlim_t most; } rows[] = {
		{ RLIMIT_FSIZE, FILE_SIZE }, { RLIMIT_NOFILE, OPEN_FILES },
		{ RLIMIT_CORE, 0 } };
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	struct rlimit r;

	/* when memory ends, a command goes before anything else does */
	if (fd >= 0) {
		if (file_write_all(fd, "1000", 4) < 0)
			errno = 0;	/* then as the kernel likes */
		close(fd);
	}
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		rlim_t most = rows[i].most;

		if (getrlimit(rows[i].what, &r) < 0)
			continue;
		if (r.rlim_max == RLIM_INFINITY || r.rlim_max > most)
			r.rlim_max = most;
		if (r.rlim_cur == RLIM_INFINITY || r.rlim_cur > r.rlim_max)
			r.rlim_cur = r.rlim_max;
		setrlimit(rows[i].what, &r);
	}
}

/* Root without bubblewrap: root's name, and none of its powers. */
static void
drop_caps(void)
{
	struct { unsigned version; int pid; } head = { 0x20080522, 0 };
	struct { unsigned e, p, i; } none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED, 0, 0,
	    0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (unsigned long c = 0; c <= CAP_LAST; c++)
		prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
	syscall(SYS_capset, &head, none);
}

/* ---- do they hold? ---- */

static bool
has_caps(void)
{
	struct buf b = BUF_INIT(65536);
	const char *at = NULL;
	bool none;

	if (file_read("/proc/self/status", &b, NULL) == 0 && b.p != NULL)
		at = strstr(b.p, "\nCapEff:\t");
	none = at != NULL && strtoull(at + 9, NULL, 16) == 0;
	buf_release(&b);
	return !none;
}

static bool
can_write_etc(void)
{
	int fd = open(PROBE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno == EEXIST;
	close(fd);
	unlink(PROBE);
	return true;
}

static bool
is_read_only(const char *path)
{
	struct statvfs v;

	return path[0] == '\0' || (statvfs(path, &v) == 0 &&
	    (v.f_flag & ST_RDONLY) != 0);
}

/* Is it there, by its own name, what bubblewrap was to mount?  Where something
 * else writes in the root, a link may have led either of them elsewhere. */
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
	bool yes;

	if (fd < 0)
		return errno == ENOSYS;		/* before 5.6 */
	yes = fstat(fd, &st) == 0 &&
	    (ino == 0 || (st.st_dev == dev && st.st_ino == ino)) &&
	    (statx(fd, "", AT_EMPTY_PATH, 0, &x) < 0 ||
	    (x.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) == 0 ||
	    (x.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0);
	close(fd);
	return yes;
}

/* What does not hold; NULL when all does.  Before the filter, so that it is
 * the other layers that are tried. */
static const char *
try_layers(const struct setup *s)
{
	bool namespaces = s->head.layer == LAYER_BWRAP;
	struct statvfs v;

	if (has_caps())
		return "it kept capabilities";
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return "it could gain privileges";
	/* root may write settings of the kernel's without any capability */
	if ((s->head.layer >= LAYER_LANDLOCK && can_write_etc()) ||
	    (namespaces && (!is_read_only("/") || !is_read_only("/etc") ||
	    !is_read_only("/proc/sys"))))
		return "it could write /etc";
	if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0)
		return "it could remount /";
	if (!namespaces)
		return NULL;
	for (int i = 0; i < s->head.nmounts; i++)
		if (!is_mounted(s->texts[s->head.nwritable + s->head.nhidden +
		    i]))
			return "the root changed meanwhile";
	if (!s->head.root_writable && !is_read_only(s->root))
		return "it could write what is read-only";
	/* a stub of .git goes with the run that made it: where nothing can be
	 * made, it may be gone */
	if (!is_read_only(s->fixed) && (s->head.root_writable ||
	    statvfs(s->fixed, &v) == 0 || errno != ENOENT))
		return "it could write what is read-only";
	return s->alone ? NULL : "it saw other processes";
}

/* ---- the setup ---- */

/* Each layer, the filter last: what is forbidden before it is forbidden by the
 * others. */
static int
apply(const struct setup *s, int *listener, char why[WIRE_TEXT])
{
	/* a network namespace sees to sockets, where there is one */
	bool network = s->alone || s->head.network;
	struct landlock l = { s->texts, (size_t)s->head.nwritable,
		s->texts + s->head.nwritable, (size_t)s->head.nhidden,
		network, s->alone || s->head.unix_sockets };
	struct stat st;
	/* in a tree that is a group's each folder has the bit, and chmod and
	 * cp keep it; not for root, whose own group is nobody's to use */
	struct seccomp_want w = { network, s->head.unix_sockets, !s->alone,
		geteuid() != 0 && stat(s->root, &st) == 0 &&
		(st.st_mode & S_ISGID) != 0 };
	const char *bad;
	int fd;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!s->alone)
		drop_caps();
	set_limits();
	if ((s->head.layer == LAYER_LANDLOCK || (s->alone &&
	    landlock_version() >= LANDLOCK_REFER)) &&
	    landlock_apply(&l) < 0) {
		snprintf(why, WIRE_TEXT, "landlock: %s", strerror(errno));
		return -1;
	}
	bad = try_layers(s);
	if (bad == NULL && seccomp_apply(&w, listener) != 0) {
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
	struct buf b = BUF_INIT(SETUP_MAX);
	char *p, **texts;
	int got;

	*listener = -1;
	if (file_read_fd(WIRE_SETUP, "setup", &b, NULL) < 0 ||
	    b.len < sizeof s.head)
		return -1;
	memcpy(&s.head, b.p, sizeof s.head);
	p = b.p + sizeof s.head;
	texts = split_texts(&p, b.p + b.len, 2 + s.head.nwritable +
	    s.head.nhidden + s.head.nmounts);
	s.root = texts[0];
	s.fixed = texts[1];
	s.texts = (const char *const *)texts + 2;
	got = s.head.layer == LAYER_NONE ? 0 : apply(&s, listener, why);
	free(texts);
	buf_release(&b);
	return got;
}
