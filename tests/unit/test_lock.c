/* test_lock.c - a session's lock: a living loop is waited for no longer than is
 * asked, what a killed one left over is. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/session.h"

#define WAIT_MS 50

struct fix {
	char dir[64];
	pid_t loop;
};

static int
setup(void **state)
{
	struct fix *x = calloc(1, sizeof *x);

	strcpy(x->dir, "/tmp/hamr-lock.XXXXXX");
	*state = x;
	return mkdtemp(x->dir) == NULL;
}

static int
teardown(void **state)
{
	struct fix *x = *state;
	char name[128];

	if (x->loop > 0) {
		kill(x->loop, SIGKILL);
		waitpid(x->loop, NULL, 0);
	}
	snprintf(name, sizeof name, "%s/s.lock", x->dir);
	unlink(name);
	rmdir(x->dir);
	free(x);
	return 0;
}

/* A stage of the loop's: it has the lock for a while longer. */
static void
stage(void)
{
	if (fork() != 0)
		return;
	nanosleep(&(struct timespec){ 0, 300 * 1000 * 1000 }, NULL);
	_exit(0);
}

/* Another process takes the lock and stays; it has it when this returns. */
static void
hold(struct fix *x, bool with_stage)
{
	struct err e;
	int fd[2];
	char c;

	assert_int_equal(pipe(fd), 0);
	x->loop = fork();
	if (x->loop == 0) {
		alarm(120);
		if (lock_take(x->dir, "s", 0, &e) < 0)
			_exit(1);
		if (with_stage)
			stage();
		if (write(fd[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(fd[0], &c, 1), 1);
	close(fd[0]);
	close(fd[1]);
}

static void
a_living_loop_is_waited_for_briefly(void **state)
{
	struct fix *x = *state;
	char pid[32];
	struct err e;

	hold(x, false);
	alarm(120);	/* far from the time that is allowed here */
	assert_int_equal(lock_take(x->dir, "s", WAIT_MS, &e), -1);
	alarm(0);
	assert_int_equal(e.status, ST_TEMP);
	snprintf(pid, sizeof pid, "process %ld;", (long)x->loop);
	assert_non_null(strstr(e.text, pid));
}

static void
a_stopped_loop_lives(void **state)
{
	struct fix *x = *state;
	struct err e;

	hold(x, false);
	kill(x->loop, SIGSTOP);
	alarm(120);
	assert_int_equal(lock_take(x->dir, "s", WAIT_MS, &e), -1);
	alarm(0);
	assert_int_equal(e.status, ST_TEMP);
}

/* Killed, not yet reaped: the stage's copy is all that holds the lock. */
static void
what_is_left_over_is_waited_for(void **state)
{
	struct fix *x = *state;
	struct err e;
	int fd;

	hold(x, true);
	kill(x->loop, SIGKILL);
	fd = lock_take(x->dir, "s", 1, &e);
	assert_true(fd >= 0);
	close(fd);
}

/* The number in the file is a process that has nothing to do with it. */
static void
a_number_used_again_is_no_loop(void **state)
{
	struct fix *x = *state;
	struct err e;
	char name[128];
	FILE *f;
	int fd;

	hold(x, true);
	snprintf(name, sizeof name, "%s/s.lock", x->dir);
	f = fopen(name, "r+");
	assert_non_null(f);
	fprintf(f, "%ld\n", (long)getppid());
	fclose(f);
	kill(x->loop, SIGKILL);
	fd = lock_take(x->dir, "s", 120000, &e);
	assert_true(fd >= 0);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_living_loop_is_waited_for_briefly,
		    setup, teardown),
		cmocka_unit_test_setup_teardown(a_stopped_loop_lives, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(what_is_left_over_is_waited_for,
		    setup, teardown),
		cmocka_unit_test_setup_teardown(a_number_used_again_is_no_loop,
		    setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
