/* peer.c - one command of ours run to its end, its output taken. */
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "peer.h"
#include "stages.h"

#define QUIET_MS 500		/* from the end of its output to its own */

int
peer_run(const char *command, const char *const *args, size_t n, int ms,
    enum peer_err err, struct buf *out, struct err *e)
{
	struct child_opts o = { .commands = &command, .n = 1, .flags = args,
		.nflags = n, .hush = err == PEER_ERR_NONE,
		.merge = err == PEER_ERR_OUT };
	struct child *c = child_start(&o, e);
	long long until = file_now_ms() + ms, left;
	char part[65536];
	int st;

	if (c == NULL)
		return -1;
	child_close_in(c);
	while ((left = until - file_now_ms()) > 0) {
		struct pollfd p = { child_out(c), POLLIN, 0 };
		ssize_t k;

		if (poll(&p, 1, (int)left) <= 0)
			break;
		k = read(p.fd, part, sizeof part);
		if (k <= 0 || buf_add(out, part, (size_t)k) < 0)
			break;
	}
	st = child_end(c, left > 0 ? QUIET_MS : 0);
	return WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}

int
peer_on_tty(const char *command, const char *const *args, size_t n,
    struct err *e)
{
	int st = child_on_tty(command, args, n, e);

	if (st < 0)
		return -1;
	return WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}
