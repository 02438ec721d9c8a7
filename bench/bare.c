/* bare.c - the least a client can do: one keep-alive socket, N requests that
 * grow by STEP bytes each, each answer read to its end.
 *
 *	bare PORT N STEP	prints the milliseconds per exchange
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void
put(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);

		if (k <= 0)
			exit(1);
		p += k;
		n -= (size_t)k;
	}
}

/* The scripts end every answer with a chunk of no bytes. */
static void
take(int fd)
{
	static char b[65536];
	size_t n = 0;

	while (n < 5 || memcmp(b + n - 5, "0\r\n\r\n", 5) != 0) {
		ssize_t k = read(fd, b + n, sizeof b - n);

		if (k <= 0)
			exit(1);
		n += (size_t)k;
	}
}

int
main(int argc, char **argv)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0), n, step;
	char head[256], *body;
	double t;

	if (argc != 4)
		return 2;
	n = atoi(argv[2]);
	step = atoi(argv[3]);
	a.sin_port = htons((unsigned short)atoi(argv[1]));
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&a, sizeof a) < 0)
		return 1;
	body = malloc((size_t)(n * step + 1));
	memset(body, 'x', (size_t)(n * step + 1));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	t = now();
	for (int i = 1; i <= n; i++) {
		int k = snprintf(head, sizeof head, "POST "
		    "/v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
		    "Content-Length: %d\r\n\r\n", i * step);

		put(fd, head, (size_t)k);
		put(fd, body, (size_t)(i * step));
		take(fd);
	}
	printf("%.3f\n", (now() - t) / n);
	return 0;
}
