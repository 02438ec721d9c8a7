/* test_guard_shell.c - what a command is for, told from its words alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sign/shell.h"

static struct traits
of(const char *cmd)
{
	struct traits t = { .idle = false };
	struct slice removes;

	shell_judge(slice_of(cmd), &t, &removes);
	return t;
}

static void
idle(void **state)
{
	static const char *const yes[] = { ":", "true", " : ", "echo hi",
		"echo 'a; b' \"c\"", "printf '%s\\n' x", "true; echo done",
		": && :", "cat /dev/null", "", "echo hi 2>/dev/null",
		"echo '$HOME'", "# nothing", "echo \\$HOME",
		"cat <<E\nrm a > b; all done\nE", "cat <<-'E'\n\t$a\n\tE\n",
		"cat <<E\nhi\nE\necho hi" };
	static const char *const no[] = { "ls", "echo $HOME", "echo \"$x\"",
		"echo hi >f", "echo hi >> f", "echo `date`", "echo $(date)",
		"echo *", "echo hi; ls", "make", "cat f", "cat <f", "true | cat",
		"x=1", "echo hi | tee f", "echo <(ls)", "echo hi &>f",
		"cat <<E\n$HOME\nE", "cat <<E f\nhi\nE", "cat <<E >f\nhi\nE",
		"cat <<E | sh\nls\nE", "cat <<E\nhi\nE\nls", "cat <<<a" };

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		assert_true(of(yes[i]).idle);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		assert_false(of(no[i]).idle);
}

static void
poll(void **state)
{
	static const char *const yes[] = { "sleep 5", "sleep 5; cat log",
		"ps aux", "ps aux | grep x", "tail -f log", "docker ps -a",
		"kubectl get pods", "systemctl status x", "cd d && tail log",
		"sudo ps", "while sleep 1; do cat f; done", "FOO=1 ps",
		"timeout 5 tail -f log" };
	static const char *const no[] = { "git status", "make 2>&1 | tail -5",
		"await", "details", "echo sleep", "docker pss", "tailor x",
		"cat sleep", "docker build .", "grep ps f" };

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		assert_true(of(yes[i]).poll);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		assert_false(of(no[i]).poll);
}

static void
files(void **state)
{
	static const char *const reads[] = { "ls -l", "cat a b", "git status",
		"grep -n x f | head", "cd d; ls", "git diff 2>/dev/null",
		"ls 2>&1", "wc -l <f", "sed -n 1p f" };
	static const char *const writes[] = { "rm f", "echo x >f", "mv a b",
		"sed -i s/a/b/ f", "sed -i.bak s/a/b/ f", "git checkout f",
		"ls | tee f", "sudo rm f", "perl -pi -e 1 f", "cat a >| b" };
	static const char *const unknown[] = { "make", "./x",
		"find . -name x", "python3 t.py",
		"python3 - <<'E'\nif a > b:\n\trm = 1\nE" };

	(void)state;
	for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
		assert_true(of(reads[i]).reads);
		assert_false(of(reads[i]).mutates);
	}
	for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
		assert_false(of(writes[i]).reads);
		assert_true(of(writes[i]).mutates);
	}
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
		assert_false(of(unknown[i]).reads);
		assert_false(of(unknown[i]).mutates);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(idle),
		cmocka_unit_test(poll), cmocka_unit_test(files) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
