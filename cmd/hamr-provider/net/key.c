/* key.c - the API key: get it, check it, and keep it out of any output. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"

#include "key.h"

#define OUTPUT_MAX ((size_t)64 << 10)
#define LOOK_MS 5
#define KEY_MS 10000		/* for the command; a message below says 10 s */
#define PIECES_MAX ((size_t)16 << 10)	/* bytes from one piece of a key to the
					 * next, which is in the next event */
#define ESCAPES_MAX ((size_t)8)	/* backslashes before one character */
#define CANNOT_RUN 127		/* the command's status when exec failed */

void
key_protect(void)
{
	struct rlimit none = { 0, 0 };

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
}

char *
key_command(const char *const *argv, struct err *e)
{
	long long until = file_now_ms() + KEY_MS;
	char *key = xcalloc(1, OUTPUT_MAX + 1);
	int fd[2] = { -1, -1 }, st = 0;
	pid_t pid = pipe2(fd, O_CLOEXEC) < 0 ? -1 : fork(), ended = 0;
	size_t n = 0;
	ssize_t k;

	/* the command runs in its own process group, so that it can be killed
	 * with its children; it dies with us if we are killed */
	if (pid == 0) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		int null = open("/dev/null", O_RDONLY);
		if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
		    dup2(fd[1], STDOUT_FILENO) >= 0)
			execvp(argv[0], (char *const *)argv);
		_exit(CANNOT_RUN);
	}
	if (pid > 0)
		setpgid(pid, pid);	/* as there, whichever runs first */
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	/* until the command exits, even if another process still holds the
	 * pipe open; a full one would make the command wait */
	while (pid > 0 && ended == 0 && n < OUTPUT_MAX &&
	    file_now_ms() < until) {
		poll(&(struct pollfd){ fd[0], POLLIN, 0 }, 1, LOOK_MS);
		ended = waitpid(pid, &st, WNOHANG);
		while ((k = read(fd[0], key + n, OUTPUT_MAX - n)) > 0)
			n += (size_t)k;
	}
	if (pid > 0 && ended == 0) {
		kill(-pid, SIGKILL);
		waitpid(pid, &st, 0);
	}
	file_close(fd[0]);
	file_close(fd[1]);
	const char *fault = pid < 0 || (ended > 0 && WIFEXITED(st) &&
	    WEXITSTATUS(st) == CANNOT_RUN) ? "cannot be started" :
	    n == OUTPUT_MAX ? "printed too much" :
	    ended == 0 ? "did not end within 10 s" : st != 0 ? "failed" :
	    n == 0 || strchr("\r\n", *key) != NULL ? "printed no key" : NULL;
	if (fault != NULL) {
		err_set(e, ST_CONFIG, "provider.api_key_command: %s %s; run "
		    "it in a shell to see why", argv[0], fault);
		free(key);
		return NULL;
	}
	key[strcspn(key, "\r\n")] = '\0';
	return key;
}

int
key_check(char *key, const char *origin, struct err *e)
{
	key[slice_trim_end(slice_of(key), "\r\n").n] = '\0';
	for (const unsigned char *p = (unsigned char *)key; *p != '\0'; p++)
		if (*p <= ' ' || *p == 0x7f)
			return err_set(e, ST_CONFIG, "the key from %s contains "
			    "spaces or control characters; a key is one "
			    "word", origin);
	return 0;
}

/* The last quote before byte `at` that no backslash escapes; at: there is none
 * near. */
static size_t
quote_before(struct slice s, size_t at)
{
	for (size_t i = at; i-- > 0 && at - i < PIECES_MAX;)
		if (s.p[i] == '"' && (i == 0 || s.p[i - 1] != '\\'))
			return i;
	return at;
}

/* A string of JSON ends at byte `at`.  In a stream, a later event may continue
 * it in a string of the same name: where that begins; 0: there is none near. */
static size_t
next_piece(struct slice s, size_t at)
{
	size_t open = quote_before(s, at);
	size_t name = quote_before(s, quote_before(s, open));
	struct slice mark = slice_part(s, name, num_min(open + 1, at));
	struct slice rest = slice_part(s, at, num_min(at + PIECES_MAX, s.n));
	const char *next = mark.n > 1 ? memmem(rest.p, rest.n, mark.p,
	    mark.n) : NULL;

	return next != NULL ? (size_t)(next - s.p) + mark.n : 0;
}

/* Where s goes on after the key's character c, as it is, escaped for JSON, also
 * in a string within strings, or for a URL; 0: it is not at byte `at`. */
static size_t
after(struct slice s, size_t at, char c)
{
	size_t i = at;

	if (i + 3 <= s.n && s.p[i] == '%' && num_hex(s.p[i + 1]) == c >> 4 &&
	    num_hex(s.p[i + 2]) == (c & 15))
		return i + 3;
	while (i < s.n && i - at < ESCAPES_MAX && s.p[i] == '\\')
		i++;
	if (i > at && i + 5 <= s.n && s.p[i] == 'u' &&
	    num_hex4(s.p + i + 1) == c)
		return i + 5;
	if (c == '\\' && i > at)
		return i;
	return i < s.n && s.p[i] == c ? i + 1 : 0;
}

/* Replace what key_redact does, except between the pieces of another
 * occurrence; true: there are such pieces, so look again. */
static bool
redact(const char *key, struct buf *b)
{
	struct buf out = BUF_INIT(b->max), between = BUF_INIT(b->max);
	struct slice s = buf_view(b);
	size_t from = 0, next;
	bool again = false;

	for (size_t at = 0; at < s.n; at++) {
		const char *k = key;
		size_t i = at;

		if (s.p[at] != *key && s.p[at] != '\\' && s.p[at] != '%')
			continue;
		buf_reset(&between);
		for (; *k != '\0' && i < s.n; k++) {
			while (k > key && i < s.n && s.p[i] == '"' &&
			    !(*k == '"' && k[1] != '\0' && i + 1 < s.n &&
			    s.p[i + 1] == k[1]) &&
			    (next = next_piece(s, i)) > 0) {
				buf_slice(&between, slice_part(s, i, next));
				i = next;
			}
			next = after(s, i, *k);
			if (next == 0)
				break;
			i = next;
			while (s.p[i - 1] == '\\' && k[0] == '\\' &&
			    k[1] == '\\')
				k++;
		}
		if (*k != '\0')
			continue;
		buf_slice(&out, slice_part(s, from, at));
		buf_adds(&out, "[key]");
		buf_slice(&out, buf_view(&between));
		again |= between.len > 0;
		from = i;
		at = i - 1;
	}
	if (from > 0) {
		buf_slice(&out, slice_from(s, from));
		buf_release(b);
		*b = out;
	}
	buf_release(&between);
	return again;
}

void
key_redact(const char *key, size_t least, struct buf *b)
{
	while (strlen(key) >= least && redact(key, b))
		;
}
