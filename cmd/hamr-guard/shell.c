/* shell.c - what a bash command is for, told from its words alone.
 *
 * The format is bash's: a row of simple commands between ; & | ( ) and line
 * ends, each of words and redirections.  No library on our list reads it.
 */
#include <string.h>

#include "shell.h"

#define WORDS_MAX 12		/* of one simple command; more are not looked
				 * at, but for what marks them as not constant */

struct simple {			/* one simple command */
	struct slice w[WORDS_MAX];
	size_t n;
	bool piped;		/* its input comes from another */
	bool expands;		/* $, `, *, ?, [ or a process in it */
	bool writes;		/* > to something else than /dev/null or & */
	bool elsewhere;		/* and that is below /tmp */
	bool reads;		/* < */
	bool more;		/* has words behind WORDS_MAX */
};

/* Rows end at NULL.  A row of two words is a command and its subcommand. */
static const char *const polls[] = { "sleep", "tail", "ps", "watch", "wait",
	"pgrep", "jobs", "top", "uptime", "docker ps", "docker logs",
	"docker inspect", "kubectl get", "kubectl logs", "kubectl describe",
	"systemctl status", "systemctl is-active", "service status",
	"journalctl", "squeue", "qstat", "sacct", "gh run", "gh pr checks",
	"nvidia-smi", NULL };
static const char *const readers[] = { "ls", "cat", "head", "tail", "grep",
	"egrep", "fgrep", "rg", "ag", "wc", "pwd", "echo", "printf", "true",
	":", "false", "test", "[", "stat", "file", "du", "df", "which", "type",
	"whoami", "id", "date", "uname", "env", "printenv", "basename",
	"dirname", "realpath", "readlink", "sort", "uniq", "cut", "tr", "diff",
	"cmp", "comm", "nl", "od", "xxd", "hexdump", "strings", "sleep", "ps",
	"pgrep", "jq", "tree", "less", "more", "md5sum", "sha256sum", "cd",
	"column", "fold", "rev", "tac", "seq", "expr", "hostname", "uptime",
	"git status", "git log", "git diff", "git show", "git blame",
	"git ls-files", "git grep", "git rev-parse", "git describe",
	"docker ps", "docker logs", "kubectl get", "kubectl logs",
	"systemctl status", "journalctl", NULL };
static const char *const writers[] = { "rm", "mv", "cp", "mkdir", "rmdir",
	"touch", "tee", "ln", "install", "patch", "chmod", "chown", "truncate",
	"dd", "rsync", "unzip", "tar", "gunzip", "gzip", "git apply",
	"git checkout", "git restore", "git reset", "git stash", "git commit",
	"git merge", "git rebase", "git revert", "git pull", "git clone",
	"git mv", "git rm", "git add", "git cherry-pick", "git clean", "git am",
	"git switch", "npm install", "npm ci", "npm i", "npm uninstall",
	"yarn add", "yarn install", "pnpm add", "pnpm install", "pip install",
	"pip3 install", "cargo add", "cargo fmt", "go get", "go fmt", "gofmt -w",
	"apt install", "apt-get install", "black", "prettier --write",
	"sed -i", "perl -i", "perl -pi", NULL };
/* Writers that leave the files as they are. */
static const char *const recorders[] = { "git add", "git commit", NULL };
/* Words before the command itself. */
static const char *const prefixes[] = { "sudo", "time", "nohup", "exec",
	"command", "builtin", "env", "nice", "do", "then", "else", "while",
	"until", "if", "!", "{", NULL };

static bool
is_assignment(struct slice w)
{
	const char *eq = memchr(w.p, '=', w.n);

	return eq != NULL && eq > w.p && w.p[0] != '-' && w.p[0] != '/' &&
	    w.p[0] != '\'' && w.p[0] != '"';
}

/* Where the command's name stands among its words. */
static size_t
name_at(const struct simple *s)
{
	size_t i = 0;

	while (i < s->n && (slice_in(s->w[i], prefixes) ||
	    is_assignment(s->w[i])))
		i++;
	if (i + 2 < s->n && slice_is(s->w[i], "timeout"))
		i += 2;
	return i;
}

/* Do the words from w[0] on begin with those of the row?  An option may carry
 * more: -i.bak. */
static bool
begins_with(const struct slice *w, size_t n, const char *p)
{
	for (size_t i = 0; i < n; i++) {
		bool option = *p == '-';
		size_t k = 0;

		while (k < w[i].n && *p != '\0' && *p != ' ' &&
		    w[i].p[k] == *p) {
			k++;
			p++;
		}
		if ((*p != '\0' && *p != ' ') || (k < w[i].n && !option))
			return false;
		if (*p == '\0')
			return true;
		p++;
	}
	return false;
}

/* The command, alone or with its first words, is one of the row. */
static bool
is_command(const struct simple *s, size_t at, const char *const *row)
{
	if (at >= s->n)
		return false;
	for (; *row != NULL; row++)
		if (**row == *s->w[at].p &&
		    begins_with(s->w + at, s->n - at, *row))
			return true;
	return false;
}

static bool
is_idle(const struct simple *s, size_t at)
{
	if (s->piped || s->expands || s->writes || s->reads)
		return false;
	if (at >= s->n)
		return s->n == 0;
	return slice_is(s->w[at], ":") || slice_is(s->w[at], "true") ||
	    slice_is(s->w[at], "echo") || slice_is(s->w[at], "printf");
}

/* cat of nothing */
static bool
is_null_read(const struct simple *s, size_t at)
{
	return at + 2 == s->n && !s->more && !s->writes &&
	    slice_is(s->w[at], "cat") && slice_is(s->w[at + 1], "/dev/null");
}

/* ---- cutting a command into simple ones ---- */

static const char *
over_quotes(const char *p, const char *end, struct simple *s)
{
	char q = *p++;

	while (p < end && *p != q) {
		if (q == '"' && (*p == '$' || *p == '`'))
			s->expands = true;
		p += q == '"' && *p == '\\' && p + 1 < end ? 2 : 1;
	}
	return p < end ? p + 1 : end;
}

/* What a byte is in a word: its end, a quote, or expanded by the shell. */
enum { ENDS = 1, QUOTES, EXPANDS };
static const unsigned char sorts[256] = {
	['\0'] = ENDS, [' '] = ENDS, ['\t'] = ENDS, ['\n'] = ENDS,
	[';'] = ENDS, ['&'] = ENDS, ['|'] = ENDS, ['('] = ENDS, [')'] = ENDS,
	['<'] = ENDS, ['>'] = ENDS, ['\''] = QUOTES, ['"'] = QUOTES,
	['$'] = EXPANDS, ['`'] = EXPANDS, ['*'] = EXPANDS, ['?'] = EXPANDS,
	['['] = EXPANDS
};

static const char *
over_word(const char *p, const char *end, struct simple *s)
{
	while (p < end) {
		unsigned char sort = sorts[(unsigned char)*p];

		if (sort == ENDS)
			break;
		if (sort == QUOTES) {
			p = over_quotes(p, end, s);
			continue;
		}
		if (sort == EXPANDS && !(*p == '[' && s->n == 0))
			s->expands = true;
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	}
	return p;
}

static const char *
over_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* A redirection at p, with its target. */
static const char *
over_redirection(const char *p, const char *end, struct simple *s)
{
	bool writes = false;
	const char *w;

	while (p < end && (*p == '<' || *p == '>' || *p == '&' || *p == '|'))
		writes |= *p++ == '>';
	p = over_blanks(p, end);
	w = p;
	p = over_word(p, end, s);
	if (!writes)
		s->reads = true;
	else if (p == w || (!(p[-1] >= '0' && p[-1] <= '9' && p - w == 1 &&
	    w[-1] == '&') && !slice_is((struct slice){ w, (size_t)(p - w) },
	    "/dev/null")))
		s->writes = true;
	if (writes && p - w > 5 && memcmp(w, "/tmp/", 5) == 0)
		s->elsewhere = true;
	return p;
}

/* Read one simple command; where the next one begins. */
static const char *
simple_next(const char *p, const char *end, struct simple *s)
{
	*s = (struct simple){ .n = 0 };
	while (p < end && strchr("\n;&|()", *p) == NULL) {
		const char *w = p;

		if (*p == '<' || *p == '>') {
			p = over_redirection(p, end, s);
			continue;
		}
		if (*p == '#') {
			p = memchr(p, '\n', (size_t)(end - p));
			return p != NULL ? p : end;
		}
		p = over_word(p, end, s);
		if (p < end && p - w == 1 && *w >= '0' && *w <= '9' &&
		    (*p == '<' || *p == '>'))
			continue;	/* 2>file */
		if (s->n < WORDS_MAX && p > w)
			s->w[s->n++] = (struct slice){ w, (size_t)(p - w) };
		else if (p > w)
			s->more = true;
		p = over_blanks(p, end);
	}
	return p;
}

/* The one path that `rm` is given, as it stands; p NULL: another command. */
static struct slice
removed(const struct simple *s, size_t at)
{
	struct slice path = { NULL, 0 };

	if (at >= s->n || !slice_is(s->w[at], "rm") || s->expands || s->more)
		return path;
	for (size_t i = at + 1; i < s->n; i++) {
		if (*s->w[i].p == '-')
			continue;
		if (path.p != NULL || memchr(s->w[i].p, '\'', s->w[i].n) ||
		    memchr(s->w[i].p, '"', s->w[i].n) ||
		    memchr(s->w[i].p, '\\', s->w[i].n))
			return (struct slice){ NULL, 0 };
		path = s->w[i];
	}
	return path;
}

void
shell_judge(struct slice cmd, struct shell *out)
{
	const char *p = cmd.p, *end = cmd.p + cmd.n;
	bool piped = false;
	size_t changes = 0;
	struct simple s;

	*out = (struct shell){ .idle = true, .reads = true };
	while (p < end) {
		bool pipes, reads, writes;
		size_t at;

		p = simple_next(over_blanks(p, end), end, &s);
		s.piped = piped;
		at = name_at(&s);
		out->idle = out->idle &&
		    (is_idle(&s, at) || is_null_read(&s, at));
		/* a tail that reads a pipe only shortens it */
		out->poll |= !s.piped && is_command(&s, at, polls);
		reads = is_command(&s, at, readers);
		out->reads = out->reads && !s.writes && (at >= s.n || reads);
		writes = is_command(&s, at, writers);
		out->mutates |= s.writes || writes;
		if ((s.writes && !s.elsewhere) ||
		    (writes && !is_command(&s, at, recorders))) {
			out->matters = true;
			out->removes = ++changes == 1 && !s.writes ?
			    removed(&s, at) : (struct slice){ NULL, 0 };
		}
		out->runs |= at < s.n && !writes && !reads;
		pipes = p < end && *p == '|' && (p + 1 == end || p[1] != '|');
		if (p < end)
			p += p + 1 < end && p[0] == p[1] &&
			    (*p == '|' || *p == '&') ? 2 : 1;
		piped = pipes;
	}
	if (out->poll || out->mutates)
		out->idle = false;
}
