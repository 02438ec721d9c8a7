/* readers.c - commands that only look.
 *
 * The format read here is bash's grammar of a simple command, as far as its
 * meaning cannot depend on anything but its bytes: words of plain characters,
 * '...', "..." without expansions, and escaped characters.  Anything else is
 * not taken for a reader.  No library on our list parses shell.
 */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"

#include "readers.h"

#define WORDS_MAX 200

/* ---- words ---- */

struct words {
	char *v[WORDS_MAX + 1];
	size_t n;
	bool any_glob;		/* a word that may become others */
};

static void
words_release(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
}

static bool
is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z') || strchr("%+,-./:=@^_!", c) != NULL;
}

/* What stands in quotes that open at *p, appended; false: not that simple. */
static bool
take_quoted(const char **p, struct buf *out)
{
	char quote = *(*p)++;

	for (; **p != quote; (*p)++) {
		if (quote == '"' && **p == '\\' && (*p)[1] != '\0' &&
		    strchr("$`\"\\", (*p)[1]) != NULL)
			(*p)++;
		else if (**p == '\0' || (quote == '"' &&
		    strchr("$`", **p) != NULL))
			return false;
		buf_addc(out, **p);
	}
	(*p)++;
	return true;
}

/* One word at *p, without its quotes. */
static bool
take_word(const char **p, struct words *w)
{
	struct buf b = BUF_INIT(1 << 20);
	bool good = true, glob = false;
	const char *from = *p;

	while (good && **p != '\0' && **p != ' ' && **p != '\t') {
		char c = **p;

		if (c == '\'' || c == '"') {
			good = take_quoted(p, &b);
			continue;
		}
		if (c == '\\')
			c = *++*p;
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
	/* one that begins with a name can only become names in there */
	w->any_glob |= glob && !(is_plain(*from) && *from != '-');
	if (!good || w->n == WORDS_MAX) {
		buf_release(&b);
		return false;
	}
	w->v[w->n++] = xmemdup0(b.len > 0 ? b.p : "", b.len);
	buf_release(&b);
	return true;
}

static bool
words_take(struct words *w, const char *p)
{
	bool ascii = true;

	for (const char *c = p; *c != '\0'; c++) {
		ascii = ascii && (unsigned char)*c < 0x80;
		/* a new line begins another command; in some locales a
		 * backslash is the second half of a character */
		if (*c == '\n' || *c == '\r' || (*c == '\\' && !ascii))
			return false;
	}
	for (;;) {
		p += strspn(p, " \t");
		if (*p == '\0')
			return w->n > 0;
		if (!take_word(&p, w))
			return false;
	}
}

/* ---- options ---- */

/* Is arg, an option "--name" or "--name=value", this one or, as getopt_long and
 * git take it, a beginning of its name? */
static bool
is_long(const char *arg, const char *option)
{
	size_t n = strcspn(arg, "=");

	return n > 2 && (strncmp(arg, option, n) == 0 ||
	    strncmp(arg, option, strlen(option)) == 0);
}

/* Are there letters of this set among the short options of arg? */
static bool
is_short(const char *arg, const char *letters)
{
	return arg[0] == '-' && arg[1] != '-' && strpbrk(arg, letters) != NULL;
}

/* A program, and what it must not be given.  A word that only looks like an
 * option, behind "--" or as another's value, counts as one. */
struct reader {
	const char *name;
	const char *letters;	/* short options that are refused */
	const char *longs[8];	/* long ones, and arguments of find */
	bool any;		/* every option will do, also one that a
				 * pattern becomes */
};

static const struct reader readers[] = {
	{ "cat", "", { NULL }, true },
	{ "ls", "", { NULL }, true },
	{ "head", "", { NULL }, true },
	{ "tail", "fF", { "--follow", "--retry" }, false },
	{ "wc", "", { NULL }, true },
	{ "nl", "", { NULL }, true },
	{ "stat", "", { NULL }, true },
	{ "du", "", { NULL }, true },
	{ "df", "", { NULL }, true },
	{ "pwd", "", { NULL }, true },
	{ "basename", "", { NULL }, true },
	{ "dirname", "", { NULL }, true },
	{ "realpath", "", { NULL }, true },
	{ "readlink", "", { NULL }, true },
	{ "cksum", "", { NULL }, true },
	{ "md5sum", "", { NULL }, true },
	{ "sha1sum", "", { NULL }, true },
	{ "sha256sum", "", { NULL }, true },
	{ "cmp", "", { NULL }, true },
	{ "diff", "l", { "--paginate" }, false },
	{ "grep", "", { NULL }, true },
	{ "egrep", "", { NULL }, true },
	{ "fgrep", "", { NULL }, true },
	{ "rg", "", { "--pre", "--hostname-bin" }, false },
	{ "find", "", { "-exec", "-ok", "-delete", "-fprint", "-fls" },
	    false },
	{ "file", "C", { "--compile" }, false },
};

/* May arg be given, as far as these are refused? */
static bool
may_have(const struct reader *r, const char *arg)
{
	if (r->any || arg[0] != '-')
		return true;
	if (is_short(arg, r->letters))
		return false;
	for (size_t i = 0; r->longs[i] != NULL; i++)
		if (r->longs[i][1] == '-' ? is_long(arg, r->longs[i]) :
		    strncmp(arg, r->longs[i], strlen(r->longs[i])) == 0)
			return false;
	return true;
}

/* ---- git ---- */

/* Options that write a file or run a program, whatever the command: -O is one
 * of grep's. */
static const struct reader git = { "git", "O", { "--output", "--ext-diff",
	"--textconv", "--show-signature", "--open-files-in-pager",
	"--filters", "--exec" }, false };

/* What may follow git, and what may follow that: only these words, or (none are
 * listed) anything but the options above. */
static const struct {
	const char *name;
	const char *only[12];
} commands[] = {
	{ "log", { NULL } },
	{ "diff", { NULL } },
	{ "show", { NULL } },
	{ "status", { NULL } },
	{ "blame", { NULL } },
	{ "ls-files", { NULL } },
	{ "ls-tree", { NULL } },
	{ "rev-parse", { NULL } },
	{ "rev-list", { NULL } },
	{ "merge-base", { NULL } },
	{ "describe", { NULL } },
	{ "grep", { NULL } },
	{ "branch", { "-a", "-r", "-v", "-vv", "-av", "-avv", "-rv", "-l",
	    "--list", "--all", "--show-current" } },
	{ "tag", { "-l", "--list" } },
	{ "remote", { "-v" } },
	{ "stash", { "list" } },
};

static bool
is_one_of(const char *const *list, const char *arg)
{
	for (size_t i = 0; list[i] != NULL; i++)
		if (strcmp(list[i], arg) == 0)
			return true;
	return false;
}

static bool
git_reads(const struct words *w)
{
	size_t at = 1, c = 0;

	while (at < w->n && strcmp(w->v[at], "--no-pager") == 0)
		at++;
	while (at < w->n && c < sizeof commands / sizeof commands[0] &&
	    strcmp(commands[c].name, w->v[at]) != 0)
		c++;
	if (at >= w->n || c == sizeof commands / sizeof commands[0] ||
	    w->any_glob)
		return false;
	/* alone it puts things away */
	if (strcmp(w->v[at], "stash") == 0 && at + 1 == w->n)
		return false;
	while (++at < w->n) {
		const char *arg = w->v[at];

		if (commands[c].only[0] != NULL && !is_one_of(commands[c].only,
		    arg))
			return false;
		if (!may_have(&git, arg) || strstr(arg, "%G") != NULL)
			return false;
	}
	return true;
}

/* ---- all ---- */

static bool
program_reads(const struct words *w)
{
	const struct reader *r = readers;

	if (strcmp(w->v[0], "git") == 0)
		return git_reads(w);
	while (r < readers + sizeof readers / sizeof readers[0] &&
	    strcmp(r->name, w->v[0]) != 0)
		r++;
	if (r == readers + sizeof readers / sizeof readers[0] ||
	    (w->any_glob && !r->any))
		return false;
	for (size_t i = 1; i < w->n; i++)
		if (!may_have(r, w->v[i]))
			return false;
	return true;
}

bool
readers_has(const char *command)
{
	struct words w = { .n = 0 };
	bool yes = words_take(&w, command) && program_reads(&w);

	words_release(&w);
	return yes;
}
