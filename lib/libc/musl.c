/* musl.c - what musl.h declares; empty elsewhere. */
#ifdef HAMR_MUSL
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int
close_range(unsigned from, unsigned to, int flags)
{
	return (int)syscall(SYS_close_range, from, to, flags);
}

int
renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
	return (int)syscall(SYS_renameat2, from, old, to, new, flags);
}

int
statx(int dir, const char *path, int flags, unsigned mask, struct statx *st)
{
	return (int)syscall(SYS_statx, dir, path, flags, mask, st);
}

int
posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *a,
    int from)
{
	(void)a;
	return close_range((unsigned)from, ~0U, CLOSE_RANGE_CLOEXEC) < 0 ?
	    errno : 0;
}

const char *
sigabbrev_np(int sig)
{
	static const char *const names[] = {
		[SIGHUP] = "HUP", [SIGINT] = "INT", [SIGQUIT] = "QUIT",
		[SIGILL] = "ILL", [SIGTRAP] = "TRAP", [SIGABRT] = "ABRT",
		[SIGBUS] = "BUS", [SIGFPE] = "FPE", [SIGKILL] = "KILL",
		[SIGUSR1] = "USR1", [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
		[SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
		[SIGSTKFLT] = "STKFLT", [SIGCHLD] = "CHLD",
		[SIGCONT] = "CONT", [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
		[SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU", [SIGURG] = "URG",
		[SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",
		[SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF",
		[SIGWINCH] = "WINCH", [SIGIO] = "POLL", [SIGPWR] = "PWR",
		[SIGSYS] = "SYS",
	};

	return sig > 0 && (size_t)sig < sizeof names / sizeof *names ?
	    names[sig] : NULL;
}

#undef regexec
int
musl_regexec(const regex_t *re, const char *text, size_t n, regmatch_t m[],
    int flags)
{
	size_t len;
	char *copy;
	int r;

	if (!(flags & REG_STARTEND))
		return regexec(re, text, n, m, flags);
	len = (size_t)m[0].rm_eo;
	copy = malloc(len + 1);
	if (copy == NULL)
		return REG_ESPACE;
	if (len > 0)
		memcpy(copy, text, len);
	copy[len] = '\0';
	r = regexec(re, copy, n, m, flags & ~REG_STARTEND);
	free(copy);
	return r;
}
#endif
