/* modes.c - what hamr-compact prints for people: counts, budgets, proofs. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

#include "modes.h"

/* ---- --count ---- */

static int
sum_fd(int fd, const char *name, enum token_family f, unsigned *prev,
    uint64_t *sum, struct err *e)
{
	char block[65536];
	ssize_t n;

	while ((n = read(fd, block, sizeof block)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, ST_SYSTEM, "%s", name);
		*sum += token_sum(f, block, (size_t)n, prev);
	}
	return 0;
}

int
mode_count(const char *const *files, size_t n, enum token_family f,
    struct err *e)
{
	unsigned prev = TOKEN_START;
	uint64_t sum = 0;
	char text[32];
	int got = 0;

	if (n == 0)
		got = sum_fd(STDIN_FILENO, "stdin", f, &prev, &sum, e);
	for (size_t i = 0; i < n && got == 0; i++) {
		int fd = strcmp(files[i], "-") == 0 ? STDIN_FILENO :
		    open(files[i], O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return err_sys(e, errno == ENOENT ? ST_NOINPUT :
			    ST_SYSTEM, "%s", files[i]);
		got = sum_fd(fd, files[i], f, &prev, &sum, e);
		if (fd != STDIN_FILENO)
			close(fd);
	}
	if (got < 0)
		return -1;
	n = (size_t)snprintf(text, sizeof text, "%" PRIu64 "\n",
	    (sum + 32) / 64);
	if (file_write_all(STDOUT_FILENO, text, n) < 0)
		return err_sys(e, ST_SYSTEM, "stdout");
	return 0;
}

/* ---- --view ---- */

void
mode_view(struct compact *c, struct buf *out)
{
	struct buf all = BUF_INIT((size_t)1 << 40);
	struct slice m;
	struct walk w;

	view_print(c->view, &all);
	walk_in(&w, buf_view(&all));
	while (walk_next(&w, NULL, &m)) {
		buf_slice(out, m);
		buf_addc(out, '\n');
	}
	buf_release(&all);
}
