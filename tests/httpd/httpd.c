/*
 * httpd.c - the scripted HTTP server of the tests: it says what it is told.
 *
 *	httpd [-1tw] [-p PORT] [-l LOG] [-T SECONDS] SCRIPT...
 *
 * Listens on 127.0.0.1 (port 0 or none: any), prints "PORT\n", and answers
 * each request with one script: the first not used yet whose path and method
 * fit.  When all that fit are used, the last of them repeats.
 *	-1	do not repeat: 500.  (No script with that path: always 404.)
 *	-t	log also times ("ms") and the end of each connection:
 *		{"conn":1,"closed":"peer"|"us","ms":N}
 *	-w	end at end of file on stdin
 *	-T	end after so many seconds (600; 0: never): none is left behind
 * It ends with the process that started it, too.
 *
 * LOG is emptied, then has one line per request, written before the answer:
 *	{"conn":1,"n":1,"method":"POST","path":"/v1/x","headers":{"host":"..."},
 *	 "body":"...","script":1}
 * conn counts connections, n the requests on that one, script is the place
 * on the command line, 0 for none.  Header names are in lower case, equal
 * ones joined by ", ".  Bytes from 0x80 stand as they came.
 *
 * The language of the scripts is told in script.h.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conn.h"

struct server {
	struct stage stage;
	int fd;
	bool watch;
	struct conn **conns;
	size_t nconns;
	long ids;
};

static void
server_listen(struct server *sv, int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t n = sizeof a;
	int one = 1;

	a.sin_port = htons((uint16_t)port);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	sv->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sv->fd < 0)
		err(1, "socket");
	setsockopt(sv->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(sv->fd, (struct sockaddr *)&a, sizeof a)
	    || listen(sv->fd, 128)
	    || getsockname(sv->fd, (struct sockaddr *)&a, &n))
		err(1, "port %d", port);
	printf("%d\n", ntohs(a.sin_port));
	if (fclose(stdout))
		err(1, "stdout");
}

static void
server_accept(struct server *sv)
{
	int one = 1, fd = accept4(sv->fd, NULL, NULL,
				  SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	sv->conns = xresize(sv->conns, (sv->nconns + 1) * sizeof *sv->conns);
	sv->conns[sv->nconns++] = conn_new(fd, ++sv->ids);
}

/* What to poll each connection for; the time until the first wants to act. */
static int
server_poll(const struct server *sv, struct pollfd *fds)
{
	int64_t first = -1, t = now();

	fds[0] = (struct pollfd){.fd = sv->fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = sv->watch ? 0 : -1, .events = POLLIN};
	for (size_t i = 0; i < sv->nconns; i++) {
		const struct conn *c = sv->conns[i];
		bool asleep = c->wake > t;

		fds[i + 2] = (struct pollfd){.fd = c->fd, .events = POLLIN};
		if (!c->s || c->hung)
			continue;
		if (!asleep)
			fds[i + 2].events |= POLLOUT;
		else if (first < 0 || c->wake - t < first)
			first = c->wake - t;
	}
	return (int)first;
}

/* False: stdin has ended. */
static bool
server_turn(struct server *sv)
{
	size_t n = sv->nconns, left = 0;
	struct pollfd *fds = xresize(NULL, (n + 2) * sizeof *fds);
	char junk[512];
	bool go_on = true;
	int wait = server_poll(sv, fds);

	if (poll(fds, n + 2, wait) < 0 && errno != EINTR)
		err(1, "poll");
	if (fds[1].revents)
		go_on = read(0, junk, sizeof junk) > 0;
	for (size_t i = 0; i < n; i++) {
		struct conn *c = sv->conns[i];

		if (fds[i + 2].revents & (POLLIN | POLLHUP | POLLERR))
			conn_read(&sv->stage, c);
		if (c->fd >= 0)
			conn_step(&sv->stage, c);
		if (c->fd >= 0)
			sv->conns[left++] = c;
		else
			conn_free(c);
	}
	sv->nconns = left;
	if (fds[0].revents)
		server_accept(sv);
	free(fds);
	return go_on;
}

int
main(int argc, char **argv)
{
	static struct server sv;
	unsigned life = 600;
	int port = 0, o;

	while ((o = getopt(argc, argv, "1l:p:tT:w")) != -1)
		switch (o) {
		case '1': sv.stage.scripts.once = true; break;
		case 'p': port = atoi(optarg); break;
		case 't': sv.stage.log.times = true; break;
		case 'T': life = (unsigned)atoi(optarg); break;
		case 'w': sv.watch = true; break;
		case 'l':
			sv.stage.log.f = fopen(optarg, "we");
			if (!sv.stage.log.f)
				err(2, "%s", optarg);
			break;
		default: optind = argc; break;
		}
	if (optind >= argc)
		errx(2, "usage: httpd [-1tw] [-p PORT] [-l LOG] [-T SECONDS] "
			"SCRIPT...");
	scripts_init(&sv.stage.scripts, argv + optind, (size_t)(argc - optind));
	signal(SIGPIPE, SIG_IGN);
	/* no longer than who started us: a test that holds our output open
	 * would never be seen to end */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	alarm(life);
	sv.stage.log.born = now();
	server_listen(&sv, port);
	while (server_turn(&sv))
		;
	return 0;
}
