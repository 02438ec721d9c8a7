/* key.c - the key: where it comes from, and that it goes nowhere else. */
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "key.h"
#include "mem.h"

#define KEY_MAX ((size_t)64 << 10)

extern char **environ;

void
key_protect(void)
{
	struct rlimit none = { 0, 0 };

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
}

static pid_t
start(const char *const *argv, size_t n, int out)
{
	char **v = xcalloc(n + 1, sizeof *v);
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int rc;

	for (size_t i = 0; i < n; i++)
		v[i] = xstrdup(argv[i]);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	rc = posix_spawnp(&pid, v[0], &fa, NULL, v, environ);
	posix_spawn_file_actions_destroy(&fa);
	for (size_t i = 0; i < n; i++)
		free(v[i]);
	free(v);
	return rc == 0 ? pid : -1;
}

char *
key_command(const char *const *argv, size_t n, struct err *e)
{
	struct buf b = BUF_INIT(KEY_MAX);
	int fd[2], st = 0, got;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0) {
		err_sys(e, ST_SYSTEM, "pipe");
		return NULL;
	}
	pid = start(argv, n, fd[1]);
	close(fd[1]);
	got = pid < 0 ? 0 : file_read_fd(fd[0], "the output of "
	    "provider.api_key_command", &b, e);
	close(fd[0]);
	if (pid >= 0)
		waitpid(pid, &st, 0);
	if (got == 0 && (pid < 0 || st != 0 || b.len == 0)) {
		err_set(e, ST_CONFIG, "provider.api_key_command: %s %s; run "
		    "it in a shell to see why", argv[0], pid < 0 ?
		    "cannot be started" : st != 0 ? "failed" :
		    "printed no key");
		got = -1;
	}
	if (got < 0) {
		buf_release(&b);
		return NULL;
	}
	b.p[strcspn(b.p, "\r\n")] = '\0';
	return buf_detach(&b);
}

int
key_check(char *key, const char *origin, struct err *e)
{
	size_t n = strlen(key);

	while (n > 0 && strchr("\r\n", key[n - 1]) != NULL)
		key[--n] = '\0';
	for (const unsigned char *p = (unsigned char *)key; *p != '\0'; p++)
		if (*p <= ' ' || *p == 0x7f)
			return err_set(e, ST_CONFIG, "the key from %s has "
			    "blanks or control bytes in it; a key is one "
			    "word", origin);
	return 0;
}

void
key_redact(const char *key, struct buf *b)
{
	size_t n = key != NULL ? strlen(key) : 0, at = 0;
	struct buf out = BUF_INIT(b->max);
	const char *hit;

	if (n < 6 || b->len == 0 || memmem(b->p, b->len, key, n) == NULL)
		return;
	while ((hit = memmem(b->p + at, b->len - at, key, n))) {
		buf_add(&out, b->p + at, (size_t)(hit - b->p) - at);
		buf_adds(&out, "[key]");
		at = (size_t)(hit - b->p) + n;
	}
	buf_add(&out, b->p + at, b->len - at);
	buf_release(b);
	*b = out;
}
