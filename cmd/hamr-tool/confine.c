/* confine.c - the supervisor keeps itself within its setup, and tries it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

#include "box.h"
#include "box_wire.h"
#include "landlock.h"
#include "seccomp.h"
#include "supervisor.h"

#include "confine.h"

#define SETUP_MAX ((size_t)4 << 20)
#define FILE_SIZE ((rlim_t)2 << 30)
#define OPEN_FILES 1024
#define CAP_LAST 63
#define PROBE "/etc/.hamr-self-test"

struct setup {
	struct wire_setup head;
	const char **writable, **hidden;
	const char *root, *fixed;	/* "" when there is none */
};

/* ---- the layers ---- */

static void
limit(int what, rlim_t most)
{
	struct rlimit r;

	if (getrlimit(what, &r) < 0)
		return;
	if (r.rlim_max == RLIM_INFINITY || r.rlim_max > most)
		r.rlim_max = most;
	if (r.rlim_cur == RLIM_INFINITY || r.rlim_cur > r.rlim_max)
		r.rlim_cur = r.rlim_max;
	setrlimit(what, &r);
}

static void
limits(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	/* when memory ends, a command goes before anything else does */
	if (fd >= 0) {
		if (file_write_all(fd, "1000", 4) < 0)
			errno = 0;	/* then as the kernel likes */
		close(fd);
	}
	limit(RLIMIT_FSIZE, FILE_SIZE);
	limit(RLIMIT_NOFILE, OPEN_FILES);
	limit(RLIMIT_CORE, 0);
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

static int
layers(const struct setup *s, bool alone, char *text, size_t n)
{
	/* a network namespace sees to sockets, where there is one */
	struct landlock l = { s->writable, (size_t)s->head.nwritable,
		s->hidden, (size_t)s->head.nhidden, alone || s->head.network,
		alone || s->head.unix_sockets };
	bool landlock = s->head.layer == LAYER_LANDLOCK ||
	    (alone && landlock_version() >= LANDLOCK_REFER);

	if (s->head.layer == LAYER_NONE)
		return 0;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!alone)
		drop_caps();
	limits();
	if (landlock && landlock_apply(&l) < 0) {
		snprintf(text, n, "landlock: %s", strerror(errno));
		return FAULT_SETUP;
	}
	return 0;
}

static int
filter(const struct setup *s, bool alone, int *listener, char *text, size_t n)
{
	struct seccomp_want w = { alone || s->head.network ? SECCOMP_NET_ANY :
	    SECCOMP_NET_NONE, s->head.unix_sockets, !alone };

	if (s->head.layer == LAYER_NONE || seccomp_apply(&w, listener) == 0)
		return 0;
	snprintf(text, n, "seccomp: %s", strerror(errno));
	return FAULT_SETUP;
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

/* Is nothing there any more, where nothing can be made?  (A stub of .git goes
 * with the run that made it.) */
static bool
is_gone(const struct setup *s, const char *path)
{
	struct statvfs v;

	return !s->head.root_writable && statvfs(path, &v) < 0 &&
	    errno == ENOENT;
}

/* Before the filter, so that it is the other layers that are tried. */
static int
try(const struct setup *s, bool alone)
{
	int bad = 0;

	if (s->head.layer == LAYER_NONE)
		return 0;
	if (has_caps())
		bad |= FAULT_CAPS;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		bad |= FAULT_PRIVS;
	if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0)
		bad |= FAULT_REMOUNT;
	if (s->head.layer >= LAYER_LANDLOCK && can_write_etc())
		bad |= FAULT_ETC;
	if (s->head.layer < LAYER_BWRAP)
		return bad;
	if (!alone)
		bad |= FAULT_PID;
	/* root may write settings of the kernel's without any capability */
	if (!is_read_only("/") || !is_read_only("/etc") ||
	    !is_read_only("/proc/sys"))
		bad |= FAULT_ETC;
	if ((!s->head.root_writable && !is_read_only(s->root)) ||
	    (!is_read_only(s->fixed) && !is_gone(s, s->fixed)))
		bad |= FAULT_ROOT;
	return bad;
}

static int
try_filter(const struct setup *s)
{
	int fd;

	if (s->head.layer == LAYER_NONE)
		return 0;
	fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != EPERM ? FAULT_SECCOMP : 0;
}

/* ---- the setup ---- */

static const char *
next_text(const char **p, const char *end)
{
	const char *s = *p;

	if (s >= end)
		return "";
	*p += strlen(s) + 1;
	return s;
}

static const char **
next_texts(const char **p, const char *end, int n)
{
	const char **v = xcalloc((size_t)n + 1, sizeof *v);

	for (int i = 0; i < n; i++)
		v[i] = next_text(p, end);
	return v;
}

int
confine(int fd, bool alone, int *listener, char *text, size_t n)
{
	struct buf b = BUF_INIT(SETUP_MAX);
	struct setup s;
	const char *p, *end;
	int bad;

	*listener = -1;
	if (file_read_fd(fd, "setup", &b, NULL) < 0 || b.len < sizeof s.head)
		return FAULT_SETUP;
	memcpy(&s.head, b.p, sizeof s.head);
	p = b.p + sizeof s.head;
	end = b.p + b.len;
	s.root = next_text(&p, end);
	s.fixed = next_text(&p, end);
	s.writable = next_texts(&p, end, s.head.nwritable);
	s.hidden = next_texts(&p, end, s.head.nhidden);
	bad = layers(&s, alone, text, n);
	if (bad == 0)
		bad = try(&s, alone);
	if (bad == 0)
		bad = filter(&s, alone, listener, text, n);
	if (bad == 0)
		bad = try_filter(&s);
	free(s.writable);
	free(s.hidden);
	buf_release(&b);
	return bad;
}
