/* ledger_git.c - the working context: what git said last. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#include "ledger.h"

/* Is there "git status" (or "git diff") in a command line?  Options of git
 * may stand between. */
static bool
asks(const char *command, const char *what)
{
	size_t n = strlen(what);

	for (const char *p = command; (p = strstr(p, "git ")) != NULL; p++) {
		const char *q = p + 4;

		if (p > command && strchr(" ;&|(\n", p[-1]) == NULL)
			continue;
		while (*q == '-') {	/* -C dir, --no-pager */
			size_t skip = strcspn(q, " ");
			bool pair = strncmp(q, "-C ", 3) == 0;

			q += skip + (q[skip] == ' ');
			if (pair)
				q += strcspn(q, " "), q += *q == ' ';
		}
		if (strncmp(q, what, n) == 0 && strchr(" ;&|)\n", q[n]) !=
		    NULL)
			return true;
	}
	return false;
}

/* "XY path" of git status --short, or a line of its long form that names a
 * changed file. */
static bool
is_change(const char *p, size_t n)
{
	static const char *const names[] = { "modified:", "new file:",
		"deleted:", "renamed:", "both modified:" };

	if (n > 3 && p[2] == ' ' && strchr(" MADRCUT?!", p[0]) != NULL &&
	    strchr(" MADRCUT?!", p[1]) != NULL && (p[0] != ' ' || p[1] != ' '))
		return true;
	while (n > 0 && (*p == '\t' || *p == ' '))
		p++, n--;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (n > strlen(names[i]) && strncmp(p, names[i],
		    strlen(names[i])) == 0)
			return true;
	return false;
}

static char *
status_in_short(struct slice text)
{
	const char *p = text.p, *end = text.p + text.n;
	char branch[128] = "";
	size_t changes = 0;

	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((lf != NULL ? lf : end) - p);

		if (n > 10 && strncmp(p, "On branch ", 10) == 0)
			snprintf(branch, sizeof branch, "branch %.*s, ",
			    (int)(n - 10 < 100 ? n - 10 : 100), p + 10);
		else if (n > 3 && strncmp(p, "## ", 3) == 0)
			snprintf(branch, sizeof branch, "branch %.*s, ",
			    (int)(n - 3 < 100 ? n - 3 : 100), p + 3);
		else
			changes += is_change(p, n);
		p += n + 1;
	}
	return changes > 0 ? xasprintf("%s%zu changed", branch, changes) :
	    xasprintf("%sclean", branch);
}

static char *
diff_in_short(struct slice text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n' || i + 1 == text.n;
	return xasprintf("%zu line%s", lines, lines == 1 ? "" : "s");
}

void
ledger_git(struct ledger *l, size_t call, struct slice text)
{
	const char *command = l->calls[call].what;

	if (l->calls[call].failed)
		return;
	if (asks(command, "status")) {
		free(l->status.said);
		l->status = (struct ledger_git){ call + 1,
			status_in_short(text) };
	}
	if (asks(command, "diff")) {
		free(l->diff.said);
		l->diff = (struct ledger_git){ call + 1,
			diff_in_short(text) };
	}
}
