/* steps.c - a server that times its client: how long from the last byte of an
 * answer to the last byte of the next request.
 *
 *	steps N ANSWER	prints its port; gives the body in file ANSWER (events)
 *			N times and closes; then prints the median, in
 *			milliseconds, of the 21 steps (or fewer) up to step N,
 *			and the bytes of the last request
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LAST = 21 };

static char in[1 << 24];

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

/* One whole request; its bytes, or 0 at the end of the connection. */
static size_t
take(int fd)
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
answer(const char *path, char *out, size_t max)
{
	static char body[65536];
	FILE *f = fopen(path, "r");
	size_t n = f == NULL ? 0 : fread(body, 1, sizeof body, f);

	if (n == 0)
		exit(1);
	fclose(f);
	return (size_t)snprintf(out, max, "HTTP/1.1 200 OK\r\nContent-Type: "
	    "text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	    "%zx\r\n%.*s\r\n0\r\n\r\n", n, (int)n, body);
}

/* Other requests than for an answer (GET /props) are told 404. */
static bool
is_other(int fd)
{
	static const char none[] = "HTTP/1.1 404 Not Found\r\n"
	    "Content-Length: 0\r\n\r\n";

	if (memcmp(in, "POST", 4) == 0)
		return false;
	return write(fd, none, sizeof none - 1) > 0;
}

static int
serve(int fd, int steps, const char *out, size_t n, double *took, size_t *bytes)
{
	double sent = 0;
	size_t k = 1;
	int done = 0;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	while (done < steps) {
		k = take(fd);
		if (k == 0)
			return done;
		if (is_other(fd))
			continue;
		if (done > 0)
			took[done - 1] = now() - sent;
		*bytes = k;
		done++;
		if (write(fd, out, n) != (ssize_t)n)
			exit(1);
		sent = now();
	}
	return done;
}

int
main(int argc, char **argv)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t size = sizeof a;
	int s = socket(AF_INET, SOCK_STREAM, 0), n, done = 0, last;
	static char out[131072];
	double *took;
	size_t k, bytes = 0;

	if (argc != 3)
		return 2;
	n = atoi(argv[1]);
	k = answer(argv[2], out, sizeof out);
	took = calloc((size_t)n + 1, sizeof *took);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(s, (struct sockaddr *)&a, size) < 0 || listen(s, 8) < 0 ||
	    getsockname(s, (struct sockaddr *)&a, &size) < 0)
		return 1;
	printf("%d\n", ntohs(a.sin_port));
	fflush(stdout);
	while (done < n) {
		int fd = accept(s, NULL, NULL);

		done = serve(fd, n, out, k, took, &bytes);
		close(fd);
	}
	n--;
	last = n < LAST ? n : LAST;
	qsort(took + n - last, (size_t)last, sizeof *took, by_size);
	printf("%.3f %zu\n", took[n - last + last / 2], bytes);
	return 0;
}
