/* killat.c - run a program and kill it at its K-th system call (tests only).
 *
 *	killat FILE K PROGRAM ARG...
 *
 * FILE is made; when it is there already, PROGRAM just runs: a stage that is
 * started again lives.  K 0 counts only.  FILE then holds how many calls there
 * were, or the number of the one it was killed at.  The program keeps its pid,
 * its parent and its descriptors: a process of nobody's watches it.  Its own
 * children are not watched.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

#define OPTIONS (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC)

static void
tell(const char *file, unsigned long n)
{
	FILE *f = fopen(file, "w");

	if (f != NULL) {
		fprintf(f, "%lu\n", n);
		fclose(f);
	}
}

/* Is pid about to make a call (and not back from one)? */
static int
at_entry(pid_t pid, unsigned long *nr)
{
	struct ptrace_syscall_info i;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof i, &i) <= 0 ||
	    i.op != PTRACE_SYSCALL_INFO_ENTRY)
		return 0;
	*nr = (unsigned long)i.entry.nr;
	return 1;
}

static void
watch(pid_t pid, const char *file, unsigned long k)
{
	unsigned long n = 0, nr = 0;
	int st, begun = 0;

	while (waitpid(pid, &st, __WALL) == pid && WIFSTOPPED(st)) {
		int sig = WSTOPSIG(st), event = st >> 16;

		if (event == PTRACE_EVENT_EXEC)
			begun = 1;
		else if (event == PTRACE_EVENT_STOP && begun &&
		    (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN ||
		    sig == SIGTTOU)) {
			ptrace(PTRACE_LISTEN, pid, 0, 0);
			continue;
		} else if (sig == (SIGTRAP | 0x80) && begun &&
		    at_entry(pid, &nr) && ++n == k) {
			tell(file, nr);
			kill(pid, SIGKILL);
			continue;
		}
		if (event != 0 || sig == (SIGTRAP | 0x80))
			sig = 0;
		ptrace(PTRACE_SYSCALL, pid, 0, sig);
	}
	if (k == 0)
		tell(file, n);
}

/* The watcher: holds nothing of the program's, so that ends of pipes end. */
static void
watcher(pid_t pid, const char *file, unsigned long k, int ready)
{
	setsid();
	if (ptrace(PTRACE_SEIZE, pid, 0, OPTIONS) < 0 ||
	    ptrace(PTRACE_INTERRUPT, pid, 0, 0) < 0)
		_exit(1);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	watch(pid, file, k);
	_exit(0);
}

/* Start the watcher of this very process; 0, or -1. */
static int
be_watched(const char *file, unsigned long k)
{
	pid_t self = getpid(), child;
	char c;
	int p[2];

	if (pipe(p) < 0)
		return -1;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	child = fork();
	if (child == 0) {
		if (fork() == 0)
			watcher(self, file, k, p[1]);
		_exit(0);
	}
	close(p[1]);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (child < 0 || read(p[0], &c, 1) != 1)
		return -1;
	close(p[0]);
	return 0;
}

int
main(int argc, char **argv)
{
	int fd;

	if (argc < 4) {
		fprintf(stderr, "usage: killat FILE K PROGRAM ARG...\n");
		return 2;
	}
	fd = open(argv[1], O_CREAT | O_EXCL | O_WRONLY, 0600);
	if (fd >= 0) {
		close(fd);
		if (be_watched(argv[1], strtoul(argv[2], NULL, 10)) < 0) {
			fprintf(stderr, "killat: cannot be watched\n");
			return 71;
		}
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 71;
}
