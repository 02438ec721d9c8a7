/* readers.c - commands that only read.
 *
 * We parse the part of bash's grammar of a simple command whose meaning depends
 * only on its bytes: words of plain characters, '...', "..." without
 * expansions, and escaped characters.  Anything else is not taken for a reader.
 * No library on our list parses shell.
 */
#include <string.h>

#include "job.h"

static bool
is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z') || strchr("%+,-./:=@^_!", c) != NULL;
}

/* Add the word at *p, without its quotes, and advance *p; any_glob is set if it
 * may expand to options.  False: not one that we understand. */
static bool
take_word(const char **p, struct texts *words, bool *any_glob)
{
	struct buf b = BUF_INIT(1 << 20);
	bool good = true, glob = false;
	const char *from = *p;
	char quote = '\0';	/* the open quote, if any */

	while (good && **p != '\0' && (quote != '\0' || (**p != ' ' &&
	    **p != '\t'))) {
		char c = **p;

		if (c == quote || (quote == '\0' && (c == '\'' ||
		    c == '"'))) {
			quote = c == quote ? '\0' : c;
			++*p;
			continue;
		}
		if (c == '\\' && (quote == '\0' || (quote == '"' &&
		    (*p)[1] != '\0' && strchr("$`\"\\", (*p)[1]) != NULL)))
			c = *++*p;
		else if (quote != '\0')
			good = quote != '"' || strchr("$`", c) == NULL;
		else if (strchr("*?[]", c) != NULL)
			glob = true;
		else if (c == '~')	/* elsewhere it is a home folder */
			good = *p > from && is_plain((*p)[-1]) &&
			    strchr("=:", (*p)[-1]) == NULL;
		else
			good = is_plain(c);
		good = good && c != '\0' && !b.over;
		buf_addc(&b, c);
		*p += c != '\0';
	}
	/* a pattern that starts with a plain character, other than '-', cannot
	 * expand to an option */
	*any_glob |= glob && !(is_plain(*from) && *from != '-');
	texts_add(words, buf_detach(&b));
	return good && quote == '\0';
}

/* Programs that may have any option, even one that a pattern expands to. */
static const char *const harmless[] = { "cat", "ls", "head", "wc", "nl",
	"stat", "du", "df", "pwd", "basename", "dirname", "realpath",
	"readlink", "cksum", "md5sum", "sha1sum", "sha256sum", "cmp", "grep",
	"egrep", "fgrep", NULL };

/* A program, and the options that it must not have.  A word that only looks
 * like an option, after "--" or as another option's value, counts as one. */
static const struct reader {
	const char *name;
	const char *letters;	/* short options that are refused */
	const char *longs[8];	/* long ones, and arguments of find */
} readers[] = {
	{ "tail", "fF", { "--follow", "--retry" } },
	{ "diff", "l", { "--paginate" } },
	{ "rg", "", { "--pre", "--hostname-bin" } },
	{ "find", "", { "-exec", "-ok", "-delete", "-fprint", "-fls" } },
	{ "file", "C", { "--compile" } },
};

/* Is arg none of the refused options?  getopt_long and git accept a prefix of a
 * long name, and "--name=value". */
static bool
may_have(const struct reader *r, const char *arg)
{
	size_t n = strcspn(arg, "=");

	if (arg[0] != '-')
		return true;
	if (arg[1] != '-' && strpbrk(arg, r->letters) != NULL)
		return false;
	for (size_t i = 0; r->longs[i] != NULL; i++)
		if (strncmp(arg, r->longs[i], strlen(r->longs[i])) == 0 ||
		    (r->longs[i][1] == '-' && n > 2 &&
		    strncmp(arg, r->longs[i], n) == 0))
			return false;
	return true;
}

/* Options that write a file or run a program, for any git command; -O is git
 * grep's. */
static const struct reader git = { "git", "O", { "--output", "--ext-diff",
	"--textconv", "--show-signature", "--open-files-in-pager",
	"--filters", "--exec" } };

/* The git commands that may have anything but the options above. */
static const char *const commands[] = { "log", "diff", "show", "status",
	"blame", "ls-files", "ls-tree", "rev-parse", "rev-list", "merge-base",
	"describe", "grep", NULL };

/* The git commands that may have only the words listed after them. */
static const char *const strict[][13] = {
	{ "branch", "-a", "-r", "-v", "-vv", "-av", "-avv", "-rv", "-l",
	    "--list", "--all", "--show-current" },
	{ "tag", "-l", "--list" },
	{ "remote", "-v" },
	{ "stash", "list" },
};

/* Does it only read?  w are the words of a git command without patterns. */
static bool
git_reads(const struct texts *w)
{
	const char *const *only = NULL;
	size_t at = 1;

	while (at < w->n && strcmp(w->v[at], "--no-pager") == 0)
		at++;
	if (at >= w->n)
		return false;
	for (size_t i = 0; i < sizeof strict / sizeof strict[0] &&
	    only == NULL; i++)
		if (strcmp(strict[i][0], w->v[at]) == 0)
			only = strict[i] + 1;
	if (only == NULL && !slice_in(slice_of(w->v[at]), commands))
		return false;
	/* without an argument it stashes changes */
	if (strcmp(w->v[at], "stash") == 0 && at + 1 == w->n)
		return false;
	while (++at < w->n)
		if ((only != NULL && !slice_in(slice_of(w->v[at]), only)) ||
		    !may_have(&git, w->v[at]) ||
		    strstr(w->v[at], "%G") != NULL)
			return false;
	return true;
}

bool
readers_has(const char *command)
{
	const char *p = command + strspn(command, " \t");
	const char *slash = strrchr(command, '\\');
	/* a newline starts another command */
	bool simple = strpbrk(command, "\n\r") == NULL, any_glob = false;
	struct texts w = { .n = 0 };

	/* in some locales a backslash may be the second byte of a character */
	for (const char *c = command; slash != NULL && c < slash; c++)
		simple = simple && ((unsigned char)*c & 0x80) == 0;
	for (; simple && *p != '\0'; p += strspn(p, " \t"))
		simple = take_word(&p, &w, &any_glob);
	simple = simple && w.n > 0;
	bool yes = simple && slice_in(slice_of(w.v[0]), harmless);
	if (simple && !any_glob && strcmp(w.v[0], "git") == 0)
		yes = git_reads(&w);
	for (size_t r = 0; simple && !any_glob && r < sizeof readers /
	    sizeof readers[0]; r++) {
		bool is = strcmp(readers[r].name, w.v[0]) == 0;

		for (size_t i = 1; is && i < w.n; i++)
			is = may_have(&readers[r], w.v[i]);
		yes |= is;
	}
	texts_release(&w);
	return yes;
}
