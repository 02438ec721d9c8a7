/* step.c - what a step of an agent costs, beside the least that it can cost.
 *
 *	step [-d MS] [-r RUNS] N ANSWER [COMMAND [ARG ...]]
 *
 * Serves an OpenAI-compatible model on a port of its own, starts COMMAND with
 * PORT in its arguments replaced by that port, and gives the body in the file
 * ANSWER to N requests, each after MS (0), %d in it replaced by the number of
 * the step; then it closes and ends the client with SIGTERM.  Without a COMMAND
 * the client is the floor: a C program with one keep-alive socket, whose request grows as ours did (STEP_BYTES of the
 * environment a step), and which forks STEP_SHELL at each step when that is
 * set.  Prints on one line:
 *
 *	ms from the start to the last byte of the first request,
 *	ms from an answer's last byte to the next request's, the median and the
 *	90th percentile of the last 21 steps,
 *	KiB of RSS and of PSS of COMMAND and all it started, at the last step,
 *	bytes of the last request
 *
 * With -r the start is the median of so many runs, the rest the last run's.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LAST = 21, BODY_MAX = 1 << 20 };

static char in[1 << 25];
static int delay_ms;		/* -d */

struct memory {
	long rss, pss;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
put(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);

		if (k <= 0)
			_exit(1);
		p += k;
		n -= (size_t)k;
	}
}

/* ---- the floor ---- */

/* Every answer ends with a chunk of no bytes. */
static bool
read_answer(int fd)
{
	static char b[65536];
	static const char end[] = "0\r\n\r\n";
	size_t n = 0;

	while (n < 5 || memcmp(b + n - 5, end, 5) != 0) {
		ssize_t k;

		if (n > sizeof b / 2) {
			memmove(b, b + n - 5, 5);
			n = 5;
		}
		k = read(fd, b + n, sizeof b - n);
		if (k <= 0)
			return false;
		n += (size_t)k;
	}
	return true;
}

static void
run_shell(const char *command)
{
	pid_t pid = vfork();

	if (pid == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl("/bin/bash", "bash", "-c", command, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

static void
floor_client(unsigned short port, int steps)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const char *bytes = getenv("STEP_BYTES"), *shell = getenv("STEP_SHELL");
	size_t grow = bytes != NULL ? strtoul(bytes, NULL, 10) : 300;
	char *body = malloc(grow * (size_t)steps + 1), head[256];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (body == NULL || connect(fd, (struct sockaddr *)&a, sizeof a) < 0)
		_exit(1);
	memset(body, 'x', grow * (size_t)steps);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	for (size_t i = 1; i <= (size_t)steps; i++) {
		int k = snprintf(head, sizeof head, "POST "
		    "/v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
		    "Content-Length: %zu\r\n\r\n", i * grow);

		put(fd, head, (size_t)k);
		put(fd, body, i * grow);
		if (!read_answer(fd))
			_exit(1);
		if (shell != NULL)
			run_shell(shell);
	}
	pause();
	_exit(0);
}

/* ---- the client ---- */

static pid_t
start(char **argv, unsigned short port, int steps)
{
	pid_t pid = fork();
	char text[16];

	if (pid != 0)
		return pid;
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argv[0] == NULL)
		floor_client(port, steps);
	snprintf(text, sizeof text, "%d", port);
	for (char **p = argv; *p != NULL; p++) {
		char *at = strstr(*p, "PORT"), *made;

		if (at == NULL)
			continue;
		made = malloc(strlen(*p) + sizeof text);
		sprintf(made, "%.*s%s%s", (int)(at - *p), *p, text, at + 4);
		*p = made;
	}
	if (freopen("/dev/null", "r", stdin) == NULL ||
	    freopen("/dev/null", "w", stdout) == NULL)
		_exit(1);
	execvp(argv[0], argv);
	_exit(127);
}

/* Add what a process takes, and all that descend from it. */
static void
weigh(long pid, struct memory *m)
{
	char path[64], line[256];
	FILE *f;
	DIR *d;
	long n;

	snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", pid);
	f = fopen(path, "r");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, "Rss: %ld", &n) == 1)
			m->rss += n;
		else if (sscanf(line, "Pss: %ld", &n) == 1)
			m->pss += n;
	if (f != NULL)
		fclose(f);
	snprintf(path, sizeof path, "/proc/%ld/task", pid);
	d = opendir(path);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL; ) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "/proc/%ld/task/%.20s/children",
		    pid, e->d_name);
		f = fopen(path, "r");
		while (f != NULL && fscanf(f, "%ld", &n) == 1)
			weigh(n, m);
		if (f != NULL)
			fclose(f);
	}
	if (d != NULL)
		closedir(d);
}

/* ---- the server ---- */

/* The client is gone before its last request. */
static void
client_ended(int sig)
{
	static const char text[] = "step: the client ended too early\n";

	(void)sig;
	if (write(STDERR_FILENO, text, sizeof text - 1) > 0)
		_exit(1);
}

/* One whole request; its bytes, or 0 at the end of the connection. */
static size_t
read_request(int fd)
{
	size_t n = 0, want = 0;

	while (want == 0 || n < want) {
		ssize_t k = read(fd, in + n, sizeof in - 1 - n);
		char *head, *length;

		if (k <= 0)
			return 0;
		n += (size_t)k;
		in[n] = '\0';
		head = want == 0 ? strstr(in, "\r\n\r\n") : NULL;
		if (head == NULL)
			continue;
		length = strcasestr(in, "\r\ncontent-length:");
		want = (size_t)(head + 4 - in);
		if (length != NULL && length < head)
			want += strtoul(length + 17, NULL, 10);
	}
	return n;
}

static size_t
make_answer(const char *body, int step, char *out)
{
	static char made[2 * BODY_MAX];
	size_t n = 0;

	for (const char *p = body; *p != '\0'; )
		if (p[0] == '%' && p[1] == 'd') {
			n += (size_t)sprintf(made + n, "%d", step);
			p += 2;
		} else {
			made[n++] = *p++;
		}
	made[n] = '\0';
	return (size_t)sprintf(out, "HTTP/1.1 200 OK\r\nContent-Type: "
	    "text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	    "%zx\r\n%s\r\n0\r\n\r\n", n, made);
}

struct run {
	double first, *took;	/* ms, see above */
	struct memory memory;
	size_t bytes;
};

/* Answer the requests of one run; other ones (GET /props) are told 404. */
static void
serve(int listener, const char *body, int steps, pid_t pid, double begun,
    struct run *r)
{
	static const char none[] = "HTTP/1.1 404 Not Found\r\n"
	    "Content-Length: 0\r\n\r\n";
	static char out[2 * BODY_MAX + 256];
	double sent = 0;
	int done = 0;

	while (done < steps) {
		int fd = accept(listener, NULL, NULL);
		size_t k;

		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 },
		    sizeof(int));
		while (done < steps && (k = read_request(fd)) > 0) {
			if (memcmp(in, "POST", 4) != 0) {
				put(fd, none, sizeof none - 1);
				continue;
			}
			if (done == 0)
				r->first = now() - begun;
			else
				r->took[done - 1] = now() - sent;
			r->bytes = k;
			if (++done == steps)
				weigh(pid, &r->memory);
			k = make_answer(body, done, out);
			usleep((useconds_t)delay_ms * 1000);
			put(fd, out, k);
			sent = now();
		}
		close(fd);
	}
}

static void
read_body(const char *path, char *body)
{
	FILE *f = fopen(path, "r");
	size_t n = f == NULL ? 0 : fread(body, 1, BODY_MAX - 1, f);

	if (n == 0) {
		perror(path);
		exit(1);
	}
	fclose(f);
}

int
main(int argc, char **argv)
{
	static char body[BODY_MAX];
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t size = sizeof a;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int runs = 1, steps, last;
	double firsts[101];
	struct run r;

	if (argc > 2 && strcmp(argv[1], "-d") == 0) {
		delay_ms = atoi(argv[2]);
		argv += 2;
		argc -= 2;
	}
	if (argc > 2 && strcmp(argv[1], "-r") == 0) {
		runs = atoi(argv[2]);
		argv += 2;
		argc -= 2;
	}
	if (argc < 3 || runs < 1 || runs > 101)
		return 2;
	steps = atoi(argv[1]);
	read_body(argv[2], body);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&a, size) < 0 ||
	    listen(listener, 8) < 0 ||
	    getsockname(listener, (struct sockaddr *)&a, &size) < 0)
		return 1;
	for (int i = 0; i < runs; i++) {
		double begun = now();
		pid_t pid;

		signal(SIGCHLD, client_ended);
		pid = start(argv + 3, ntohs(a.sin_port), steps);

		r = (struct run){ .took = calloc((size_t)steps,
		    sizeof *r.took) };
		serve(listener, body, steps, pid, begun, &r);
		signal(SIGCHLD, SIG_DFL);
		firsts[i] = r.first;
		kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
	}
	qsort(firsts, (size_t)runs, sizeof *firsts, by_size);
	last = steps - 1 < LAST ? steps - 1 : LAST;
	qsort(r.took + steps - 1 - last, (size_t)last, sizeof *r.took,
	    by_size);
	printf("%.2f %.3f %.3f %ld %ld %zu\n", firsts[runs / 2],
	    last > 0 ? r.took[steps - 1 - last + last / 2] : 0,
	    last > 0 ? r.took[steps - 1 - last + last * 9 / 10] : 0,
	    r.memory.rss, r.memory.pss, r.bytes);
	return 0;
}
