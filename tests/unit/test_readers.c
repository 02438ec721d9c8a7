/* test_readers.c - which commands only look. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "calls/job.h"

static const char *const readers[] = {
	"ls", " ls  -la\tsrc ", "cat a.c", "cat 'a b' \"c d\"", "cat a\\ b",
	"pwd", "head -n 5 a.c", "tail -n 5 a.c", "wc -l *.c", "ls src/*.c",
	"grep -rn 'a|b' .", "grep -n \"foo\\.c\" x", "grep '$HOME' x",
	"grep \"a\\$b\" x", "rg -n foo src", "rg 'x;y' src/*.c",
	"find . -name '*.c' -type f", "find . \\( -name a -o -name b \\)",
	"find . ! -name x", "stat a", "file a", "du -sh .", "diff a b",
	"git status", "git log --oneline -5", "git log --format='%h %s'",
	"git --no-pager diff --stat HEAD~1..HEAD", "git diff -- a.c",
	"git show HEAD:a.c", "git branch", "git branch -a",
	"git branch --show-current", "git blame -L 1,5 a.c", "git ls-files",
	"git stash list", "git remote -v", "git tag -l",
	"'ls'", "l\\s", "cat 'caf\303\251'", "git diff HEAD^ HEAD",
};

static const char *const others[] = {
	"", " ", "make", "./ls", "/bin/ls x", "../cat y", "rm x", "ls; rm x",
	"ls && rm x", "ls & rm x", "ls&", "ls | sh", "ls\nrm x", "ls\rrm x",
	"ls >x", "ls>x", "cat <f", "ls 2>/dev/null", "cat <<E", "cat <(ls)",
	"ls $(rm x)", "ls `rm x`", "ls \"$(rm x)\"", "ls \"`rm x`\"",
	"ls $x", "ls ${x}", "ls \"$x\"", "ls $'x'", "A=b ls", "ls {a,b}",
	"ls ~", "ls #x", "ls 'x", "ls \"x", "ls x\\", "(ls)", "{ ls; }",
	"! ls", "time ls", "if ls", "[ -e x ]", "eval ls", "exec ls",
	"command ls", "env ls", "sudo ls", "xargs ls", "sort -o x y",
	"tee x", "sed -i s/a/b/ x", "sed -n 1w/tmp/x y", "awk 1 x", "xxd a b",
	"uniq a b", "tail -f x", "tail -F x", "tail -5f x", "tail --follow x",
	"tail --fol=name x", "tail --retry x",
	"find . -exec rm {} +", "find . -exec rm x \\;", "find . '-exec' x \\;",
	"find . -e\\xec x \\;", "find . -execdir x \\;", "find . -ok x \\;",
	"find . -okdir x", "find . -delete", "find . -fprint x",
	"find . -fprintf x y", "find . -fls x", "find *", "find . -name *.c",
	"rg --pre x y", "rg --pre=x y", "rg --hostname-bin=x y", "rg x *",
	"rg x [-]*", "file -C -m x", "file --compile", "file --comp",
	"diff -l a b", "diff --paginate a b", "git", "git push", "git commit",
	"git -c core.pager=x log", "git -C /x log", "git --exec-path=. log",
	"git --git-dir=x log", "git -p log", "git diff --output=x",
	"git diff --output x", "git log --outp=x", "git log --o x",
	"git diff --ext-diff", "git diff --ext", "git log --textconv",
	"git log --show-signature", "git log --format=%GG", "git grep -O x",
	"git grep -Ovi x", "git grep --open-files-in-pager x", "git grep -nO x",
	"git branch x", "git branch -d x", "git branch -D x",
	"git branch --edit-description", "git tag v1", "git tag -d x",
	"git remote add x y", "git stash", "git stash pop", "git config x y",
	"git fetch", "git diff *", "git cat-file --filters x",
	"git checkout x", "git status; x", "git log | x", "caf\303\251",
	"ls \303\251\\;x", "ls 'a'\\\n", "ls \x01", "ls a\vb", "echo a",
};

static void
only_look(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
		if (!readers_has(readers[i]))
			fail_msg("is one: %s", readers[i]);
}

static void
do_more(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (readers_has(others[i]))
			fail_msg("is none: %s", others[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_look),
		cmocka_unit_test(do_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
