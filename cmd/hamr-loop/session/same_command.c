/* same_command.c - does one shell command run another?
 *
 * Reads only as much of the shell's grammar as it takes to find blanks,
 * operators and redirections outside quotes; in doubt commands differ.
 */
#include <string.h>

#include "same_command.h"
#include "base/mem.h"

#define OPERATORS "&|;\n"

/* Words, as written, and operators. */
struct line {
	struct slice *all;	/* owned */
	struct slice *v;	/* those that count */
	size_t n;
	bool pipefail;		/* the line sets it */
};

/* The length of the word at p, with quoted parts and the "&" of "2>&1". */
static size_t
word(const char *p)
{
	size_t n = 0;

	while (p[n] != '\0' && !(p[n] == ' ' || p[n] == '\t')) {
		bool redirects = p[n] == '&' && (p[n + 1] == '>' ||
		    (n > 0 && strchr("<>", p[n - 1]) != NULL));

		if (strchr(OPERATORS, p[n]) != NULL && !redirects)
			break;
		if (p[n] == '\'' || p[n] == '"') {
			const char *close = p + n;
			do
				close = strchr(close + 1, p[n]);
			while (close != NULL && p[n] == '"' &&
			    close[-1] == '\\');
			if (close == NULL)
				return strlen(p);
			n = (size_t)(close - p);
		} else if (p[n] == '\\' && p[n + 1] != '\0') {
			n++;
		}
		n++;
	}
	return n;
}

static bool
is_operator(struct slice s)
{
	return strchr(OPERATORS, *s.p) != NULL;
}

/* Drop a leading "cd ." or "set -o pipefail" with the operator after it. */
static bool
drop_first(struct line *l, const char *root)
{
	size_t n = 0;
	bool pipefail = false;

	for (; n < l->n && !is_operator(l->v[n]); n++)
		pipefail |= n > 0 && slice_is(l->v[n], "pipefail") &&
		    slice_starts(l->v[n - 1], "-");
	if (n < 2 || n == l->n || !(slice_is(l->v[n], "&&") ||
	    slice_is(l->v[n], ";") || slice_is(l->v[n], "\n")))
		return false;
	if (slice_is(l->v[0], "set") && pipefail)
		l->pipefail = true;
	else if (!slice_is(l->v[0], "cd") || n != 2 ||
	    !(slice_is(l->v[1], ".") || slice_is(l->v[1], "./") ||
	    (root != NULL && slice_is(l->v[1], root))))
		return false;
	l->v += n + 1;
	l->n -= n + 1;
	return true;
}

static void
normalize(const char *text, const char *root, struct line *l)
{
	bool target = false;	/* of a redirection of stderr */
	size_t cap = 0;

	*l = (struct line){ .n = 0 };
	for (const char *p = text; *(p += strspn(p, " \t")) != '\0'; ) {
		struct slice s = { p, word(p) };

		if (s.n == 0)
			s.n = p[1] == p[0] || (p[0] == '|' && p[1] == '&') ?
			    2 : 1;
		p += s.n;
		bool redirects = !target && slice_starts(s, "2>");
		if (!redirects && !target) {
			GROW(l->all, l->n, cap);
			l->all[l->n++] = slice_is(s, "|&") ?
			    slice_part(s, 0, 1) : s;
		}
		target = redirects && (slice_is(s, "2>") ||
		    slice_is(s, "2>>"));
	}
	l->v = l->all;
	while (drop_first(l, root))
		;
	while (l->n > 0 && (slice_is(l->v[l->n - 1], ";") ||
	    slice_is(l->v[l->n - 1], "\n")))
		l->n--;
}

bool
same_command_covers(const char *ran, const char *wanted, const char *root)
{
	struct line r, w;

	normalize(ran, root, &r);
	normalize(wanted, root, &w);
	bool same = w.n > 0 && r.n >= w.n && strstr(ran, "<<") == NULL;
	for (size_t i = 0; same && i < w.n; i++)
		same = slice_eq(r.v[i], w.v[i]);
	/* with pipefail a filter after it hides no failure */
	if (same && r.n > w.n)
		same = r.pipefail && slice_is(r.v[w.n], "|");
	for (size_t i = w.n; same && i < r.n; i++)
		same = !is_operator(r.v[i]) || slice_is(r.v[i], "|");
	FREE(r.all, w.all);
	return same || strcmp(ran, wanted) == 0;
}
