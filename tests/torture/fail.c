/* fail.c - preloaded into a program, lets one of its calls fail (tests only).
 *
 *	FAIL_IN=NAME	the program meant; others of the same environment
 *			run as ever
 *	FAIL=KIND:K	the K-th call of a kind fails; KIND:K+ it and all later
 *			ones; KIND:0 none
 *	FAIL_COUNT=FILE	gets, at the program's end, how many there were
 *
 *	FAIL_CLOCK=S:K	in every program, from its K-th look at the clock of
 *			the day on that is S seconds off
 *	FAIL_SPEED=N	the clock that only goes on (CLOCK_MONOTONIC) is N times
 *			as fast
 *
 * Kinds: alloc read write open fork fsync link.  What libc calls within itself
 * is not seen, but for its allocations.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

enum kind { NONE, ALLOC, READ, WRITE, OPEN, FORK, FSYNC, LINK };
static long jump;		/* seconds */
static unsigned long jump_at, looks;
static long speed = 1;
static struct timespec begun;
static const char *const names[] = { "", "alloc", "read", "write", "open",
	"fork", "fsync", "link" };
static const int reasons[] = { 0, ENOMEM, EIO, ENOSPC, EMFILE, EAGAIN, EIO,
	EPERM };

static enum kind chosen;
static unsigned long at, seen;
static bool onwards;
static bool sheltered;
static pid_t owner;

static bool
fails(enum kind k)
{
	unsigned long n;

	if (chosen != k || sheltered || owner != getpid())
		return false;
	n = __atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
	if (at == 0 || n < at || (n > at && !onwards))
		return false;
	errno = reasons[k];
	return true;
}

__attribute__((constructor)) static void
begin(void)
{
	const char *f = getenv("FAIL"), *in = getenv("FAIL_IN");
	const char *clock = getenv("FAIL_CLOCK");
	char *end;

	if (clock != NULL) {
		jump = strtol(clock, &end, 10);
		jump_at = strtoul(*end == ':' ? end + 1 : "1", NULL, 10);
	}
	if (getenv("FAIL_SPEED") != NULL) {
		clock_gettime(CLOCK_MONOTONIC, &begun);
		speed = strtol(getenv("FAIL_SPEED"), NULL, 10);
	}
	if (f == NULL || in == NULL ||
	    strcmp(in, program_invocation_short_name) != 0)
		return;
	owner = getpid();
	for (int k = ALLOC; k <= LINK; k++) {
		size_t n = strlen(names[k]);

		if (strncmp(f, names[k], n) == 0 && f[n] == ':') {
			at = strtoul(f + n + 1, &end, 10);
			onwards = *end == '+';
			chosen = (enum kind)k;
		}
	}
}

__attribute__((destructor)) static void
end(void)
{
	const char *file = getenv("FAIL_COUNT");
	unsigned long n = seen;
	FILE *f;

	if (chosen == NONE || owner != getpid() || file == NULL)
		return;
	chosen = NONE;
	f = fopen(file, "w");
	if (f != NULL) {
		fprintf(f, "%lu\n", n);
		fclose(f);
	}
}

void *
malloc(size_t n)
{
	return fails(ALLOC) ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return fails(ALLOC) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return n != 0 && fails(ALLOC) ? NULL : __libc_realloc(p, n);
}

/* The next definition of the function this stands in. */
#define NEXT(type) ((type)dlsym(RTLD_NEXT, __func__))

/* regcomp of glibc 2.36 frees twice what it could not get (free_dfa_content):
 * nothing that a program could do about, so nothing fails in there. */
int
regcomp(regex_t *r, const char *pattern, int flags)
{
	int got;

	sheltered = true;
	got = NEXT(int (*)(regex_t *, const char *, int))(r, pattern, flags);
	sheltered = false;
	return got;
}

/* A function that only counts and hands on. */
#define STANDS_FOR(kind, bad, result, name, params, args)		\
result name params;							\
result name params							\
{									\
	if (fails(kind))						\
		return bad;						\
	return NEXT(result (*) params) args;				\
}

STANDS_FOR(READ, -1, ssize_t, read, (int fd, void *p, size_t n), (fd, p, n))
STANDS_FOR(READ, -1, ssize_t, pread64, (int fd, void *p, size_t n, off_t o),
    (fd, p, n, o))
STANDS_FOR(READ, -1, ssize_t, pread, (int fd, void *p, size_t n, off_t o),
    (fd, p, n, o))
STANDS_FOR(READ, -1, ssize_t, recv, (int fd, void *p, size_t n, int f),
    (fd, p, n, f))
STANDS_FOR(WRITE, -1, ssize_t, pwrite64,
    (int fd, const void *p, size_t n, off_t o), (fd, p, n, o))
STANDS_FOR(WRITE, -1, ssize_t, pwrite,
    (int fd, const void *p, size_t n, off_t o), (fd, p, n, o))
STANDS_FOR(WRITE, -1, ssize_t, writev,
    (int fd, const struct iovec *v, int n), (fd, v, n))
STANDS_FOR(WRITE, -1, ssize_t, send,
    (int fd, const void *p, size_t n, int f), (fd, p, n, f))
/* What is said on stderr arrives: it is what we look at. */
ssize_t
write(int fd, const void *p, size_t n)
{
	if (fd != 2 && fails(WRITE))
		return -1;
	return NEXT(ssize_t (*)(int, const void *, size_t))(fd, p, n);
}

STANDS_FOR(FORK, -1, pid_t, fork, (void), ())
STANDS_FOR(FORK, EAGAIN, int, posix_spawn, (pid_t *pid, const char *path,
    const posix_spawn_file_actions_t *a, const posix_spawnattr_t *t,
    char *const argv[], char *const env[]), (pid, path, a, t, argv, env))
STANDS_FOR(FORK, EAGAIN, int, posix_spawnp, (pid_t *pid, const char *path,
    const posix_spawn_file_actions_t *a, const posix_spawnattr_t *t,
    char *const argv[], char *const env[]), (pid, path, a, t, argv, env))
STANDS_FOR(FSYNC, -1, int, fsync, (int fd), (fd))
STANDS_FOR(LINK, -1, int, link, (const char *from, const char *to), (from, to))
STANDS_FOR(FSYNC, -1, int, fdatasync, (int fd), (fd))

static mode_t
mode_of(int flags, va_list ap)
{
	bool has = (flags & O_CREAT) != 0 ||
	    (flags & O_TMPFILE) == O_TMPFILE;

	return has ? va_arg(ap, mode_t) : 0;
}

#define OPENS(name)							\
int name(const char *path, int flags, ...)				\
{									\
	va_list ap;							\
	mode_t mode;							\
									\
	va_start(ap, flags);						\
	mode = mode_of(flags, ap);					\
	va_end(ap);							\
	if (fails(OPEN))						\
		return -1;						\
	return NEXT(int (*)(const char *, int, ...))(path, flags, mode); \
}

#define OPENS_AT(name)							\
int name(int dir, const char *path, int flags, ...)			\
{									\
	va_list ap;							\
	mode_t mode;							\
									\
	va_start(ap, flags);						\
	mode = mode_of(flags, ap);					\
	va_end(ap);							\
	if (fails(OPEN))						\
		return -1;						\
	return NEXT(int (*)(int, const char *, int, ...))(dir, path,	\
	    flags, mode);						\
}

OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)

/* ---- the clock ---- */

static long
off(void)
{
	return jump_at != 0 && ++looks >= jump_at ? jump : 0;
}

int
clock_gettime(clockid_t id, struct timespec *t)
{
	int r = NEXT(int (*)(clockid_t, struct timespec *))(id, t);

	if (r == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		t->tv_sec += off();
	if (r == 0 && id == CLOCK_MONOTONIC && speed > 1) {
		long ns = (t->tv_sec - begun.tv_sec) * 1000000000 +
		    t->tv_nsec - begun.tv_nsec;

		t->tv_sec = begun.tv_sec + ns / 1000000000 * speed +
		    ns % 1000000000 * speed / 1000000000;
		t->tv_nsec = ns % 1000000000 * speed % 1000000000;
	}
	return r;
}

time_t
time(time_t *out)
{
	time_t t = NEXT(time_t (*)(time_t *))(NULL) + off();

	if (out != NULL)
		*out = t;
	return t;
}

int
gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	int r = NEXT(int (*)(struct timeval *, void *))(t, zone);

	if (r == 0)
		t->tv_sec += off();
	return r;
}

/* openat2 has no function of its own, nor has clone3 */
long
syscall(long nr, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if ((nr == SYS_openat2 && fails(OPEN)) ||
	    (nr == SYS_clone3 && fails(FORK)))
		return -1;
	return NEXT(long (*)(long, ...))(nr, a[0], a[1], a[2], a[3], a[4],
	    a[5]);
}
