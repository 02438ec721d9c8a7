/* shell.c - what a bash command is for, judged by its words alone.
 *
 * The format is bash's: a row of simple commands between ; & | ( ) and line
 * ends, each of words and redirections; '...', "..." and $'...' with
 * backslashes, a backslash alone, here-documents, # comments.  No library on
 * our list reads it.  Misreading only folds less than bash allows, never
 * more.
 */
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "shell.h"

#define QUOTE 20		/* a program and its output do not share so
				 * many characters by chance */
#define WORDS_MAX 12		/* of one simple command; the others are only
				 * searched for expansions */

struct simple {			/* one simple command */
	struct slice w[WORDS_MAX];
	size_t n, at;		/* their number; the index of its name */
	bool piped;		/* its input comes from another */
	bool expands;		/* has $, `, *, ? or [ in it */
	bool writes;		/* > to anything but /dev/null or &1 */
	bool elsewhere;		/* > to a file below /tmp */
	bool reads;		/* < */
	struct slice until;	/* the word after <<; p NULL: no document */
	uint64_t words, files;	/* hashes of its words and of its < and > */
	bool more;		/* has more words than WORDS_MAX */
	uint64_t rows;		/* a bit for each that its name is in */
};

/* What a command may be; in `rows`, the commands that are it. */
enum { SLEEPERS, POLLS, READERS, WRITERS, RECORDERS, MOVERS, DEPLOYERS, TESTS,
	ACTORS, MEASURES, FINDERS, FETCHERS, ECHOES, LANGUAGES, SCRIPTS, PAUSES,
	CUTS, ROWS };

#define ROW(...) (const char *const[]){ __VA_ARGS__, NULL }

/* Two words are a command and its subcommand. */
static const char *const *const rows[ROWS] = {
	[SLEEPERS] = ROW("sleep", "wait", "inotifywait", "fswatch"),
	[POLLS] = ROW("tail", "ps", "watch", "pgrep", "jobs", "top", "uptime",
	    "docker ps", "docker logs", "docker inspect", "docker compose ps",
	    "docker compose logs", "kubectl rollout status", "kubectl wait",
	    "nc", "ping", "pg_isready", "kubectl get", "kubectl logs",
	    "kubectl describe", "systemctl status", "systemctl is-active",
	    "service status", "journalctl", "squeue", "qstat", "sacct",
	    "gh run", "gh pr checks", "nvidia-smi", "adb devices", "lsusb"),
	[READERS] = ROW("ls", "cat", "head", "tail", "grep", "egrep", "fgrep",
	    "rg", "ag", "wc", "pwd", "echo", "printf", "true", ":", "false",
	    "test", "[", "[[", "stat", "file", "du", "df", "which", "type",
	    "whoami", "id", "date", "uname", "env", "printenv", "basename",
	    "dirname", "realpath", "readlink", "sort", "uniq", "cut", "tr",
	    "diff", "cmp", "comm", "nl", "od", "xxd", "hexdump", "strings",
	    "sleep", "ps", "pgrep", "jq", "tree", "less", "more", "md5sum",
	    "sha256sum", "cd", "column", "fold", "rev", "tac", "seq", "expr",
	    "hostname", "uptime", "sed -n", "git status", "git log", "git diff",
	    "git show", "git blame", "git ls-files", "git grep",
	    "git rev-parse", "git describe", "docker ps", "docker logs",
	    "kubectl get", "kubectl logs", "systemctl status", "journalctl"),
	[WRITERS] = ROW("rm", "mv", "cp", "mkdir", "rmdir", "touch", "tee",
	    "ln", "install", "patch", "chmod", "chown", "truncate", "dd",
	    "rsync", "unzip", "tar", "gunzip", "gzip", "git apply",
	    "git checkout", "git restore", "git reset", "git stash",
	    "git commit", "git merge", "git rebase", "git revert", "git pull",
	    "git clone", "git mv", "git rm", "git add", "git cherry-pick",
	    "git clean", "git am", "git switch", "git bisect", "npm install",
	    "npm ci", "npm i", "npm uninstall", "yarn add", "yarn install",
	    "pnpm add", "pnpm install", "pip install", "pip3 install",
	    "cargo add", "cargo fmt", "go get", "go fmt", "gofmt -w",
	    "apt install", "apt-get install", "black", "prettier --write",
	    "sed -i", "perl -i", "perl -pi", "wget", "curl -O", "curl -sO",
	    "curl -LO", "convert", "magick", "ffmpeg", "psql -f"),
	/* Writers that do not change what runs. */
	[RECORDERS] = ROW("git add", "git commit", "git checkout -b",
	    "git switch -c", "mkdir", "gofmt -w", "go fmt", "cargo fmt",
	    "black", "prettier --write"),
	/* Writers that edit nothing: what they bring back existed before. */
	[MOVERS] = ROW("git checkout", "git switch", "git bisect", "git reset",
	    "git restore", "git stash"),
	/* They change what runs somewhere, but no file of the work. */
	[DEPLOYERS] = ROW("terraform apply", "terraform destroy",
	    "ansible-playbook", "kubectl apply", "kubectl create",
	    "kubectl delete", "kubectl set", "kubectl scale", "kubectl patch",
	    "kubectl rollout restart", "kubectl rollout undo", "helm install",
	    "helm upgrade", "helm uninstall", "docker start", "docker stop",
	    "docker rm", "systemctl start", "systemctl stop",
	    "systemctl restart", "systemctl enable", "systemctl disable",
	    "alembic upgrade", "alembic downgrade", "rails db:migrate",
	    "prisma migrate", "npx prisma migrate", "flyway migrate"),
	/* Polls if the command does nothing more. */
	[TESTS] = ROW("test", "[", "[["),
	/* They press keys and click in programs that others look at. */
	[ACTORS] = ROW("tmux send-keys", "tmux send", "xdotool", "ydotool",
	    "adb shell input"),
	[MEASURES] = ROW("wc", "du", "df", "free", "stat", "ls"),
	[FINDERS] = ROW("find", "fd", "locate"),
	[FETCHERS] = ROW("curl", "wget", "http"),
	/* They print words of their own call. */
	[ECHOES] = ROW("echo", "printf", "terraform plan", "tofu plan"),
	[LANGUAGES] = ROW("python", "python3", "node", "perl", "ruby"),
	[SCRIPTS] = ROW("python -c", "python3 -c", "node -e", "perl -e",
	    "ruby -e"),
	[PAUSES] = ROW("sleep"),
	[CUTS] = ROW("head", "tail"),
};

/* Arguments that make FETCHERS send something. */
static const char *const bodies[] = { "POST", "-XPOST", "-d", "--data",
	"--data-raw", "--data-binary", "--json", "-F", "--form", NULL };
/* Words before the command itself, or without one. */
static const char *const prefixes[] = { "sudo", "time", "nohup", "exec",
	"command", "builtin", "env", "nice", "do", "done", "then", "else", "fi",
	"while", "until", "if", "!", "{", NULL };

/* What is printed after them may go to a pipe or to a file. */
static const char *const groups[] = { "{", "do", "then", "else", "exec", NULL };

/* What a byte is in a word: its end, a quote, or expanded by the shell. */
enum { ENDS = 1, QUOTES, EXPANDS };
static const unsigned char sorts[256] = {
	['\0'] = ENDS, [' '] = ENDS, ['\t'] = ENDS, ['\n'] = ENDS,
	[';'] = ENDS, ['&'] = ENDS, ['|'] = ENDS, ['('] = ENDS, [')'] = ENDS,
	['<'] = ENDS, ['>'] = ENDS, ['\''] = QUOTES, ['"'] = QUOTES,
	['$'] = EXPANDS, ['`'] = EXPANDS, ['*'] = EXPANDS, ['?'] = EXPANDS,
	['['] = EXPANDS
};

/* ---- cutting a command into simple ones ---- */

/* The place after the quoted string that opens at p; the end of the text if it
 * does not close. */
static const char *
over_quotes(const char *p, const char *end, bool escapes, bool *expands)
{
	char q = *p++;

	while (p < end && *p != q) {
		*expands |= q == '"' && (*p == '$' || *p == '`');
		p += escapes && *p == '\\' && p + 1 < end ? 2 : 1;
	}
	return p < end ? p + 1 : end;
}

static const char *
over_word(const char *p, const char *end, struct simple *s)
{
	while (p < end) {
		unsigned char sort = sorts[(unsigned char)*p];

		if (sort == ENDS)
			break;
		if (sort == QUOTES) {
			p = over_quotes(p, end, *p == '"', &s->expands);
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

/* Skip the redirection at p, and its target. */
static const char *
over_redirection(const char *p, const char *end, struct simple *s)
{
	bool writes = false;
	const char *from = p;

	while (p < end && (*p == '<' || *p == '>' || *p == '&' || *p == '|'))
		writes |= *p++ == '>';
	bool document = p - from == 2 && *from == '<' && p[-1] == '<';
	if (document && p < end && *p == '-')
		p++;
	const char *w = p = over_blanks(p, end);
	p = over_word(p, end, s);
	struct slice target = { w, (size_t)(p - w) };
	/* 1 << 2 is a shift and begins no document */
	if (!writes && document && p > w && (*w < '0' || *w > '9')) {
		s->until = target;
		return p;
	}
	bool descriptor = p - w == 1 && *w >= '0' && *w <= '9' && w[-1] == '&';
	if (writes && (descriptor || slice_is(target, "/dev/null")))
		return p;
	s->reads |= !writes;
	s->writes |= writes;
	s->files = hash_both(s->files + writes, hash_bytes(w, target.n));
	s->elsewhere |= writes && slice_starts(target, "/tmp/");
	return p;
}

/* The LF at p ends a line with <<: returns the end of the document's last line.
 * *expands: the shell expands something in it. */
static const char *
over_document(const char *p, const char *end, struct slice until,
    bool *expands)
{
	bool quoted = until.p[0] == '\'' || until.p[0] == '"';
	struct slice line, all = { p + 1, (size_t)(end - p - 1) }, rest = all;

	if (quoted && until.n > 1)
		until = (struct slice){ until.p + 1, until.n - 2 };
	while (slice_line(&rest, &line)) {
		*expands |= !quoted && (memchr(line.p, '$', line.n) != NULL ||
		    memchr(line.p, '`', line.n) != NULL);
		while (line.n > 0 && *line.p == '\t')	/* <<- */
			line = slice_from(line, 1);
		if (slice_eq(line, until))
			break;
	}
	return rest.n > 0 ? rest.p - 1 : end;
}

/* Does an assignment before a command only count attempts?  It does not if rest
 * uses the variable. */
static bool
is_count(struct slice word, struct slice rest)
{
	static const char *const names[] = { "TRY", "RETRY", "ATTEMPT", "RUN",
		"ITER", "ITERATION", NULL };
	size_t eq = slice_find(word, 0, "=");
	struct slice name = slice_part(word, 0, eq);

	return slice_in(name, names) && eq + 1 < word.n &&
	    slice_trim_start(slice_from(word, eq + 1), "0123456789").n == 0 &&
	    memmem(rest.p, rest.n, name.p, name.n) == NULL;
}

/* The rows with commands that begin with this word. */
static uint64_t
rows_with(struct slice word)
{
	static struct map known;

	for (size_t i = known.n == 0 ? 0 : ROWS; i < ROWS; i++)
		for (const char *const *row = rows[i]; *row != NULL; row++)
			*map_put(&known, (struct slice){ *row,
			    strcspn(*row, " ") }, NULL) |= UINT64_C(1) << i;
	const uint64_t *is = map_get(&known, word);
	return is != NULL ? *is : 0;
}

/* Read one simple command; returns its end. */
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
			if (p == NULL)
				p = end;
			break;
		}
		p = over_word(p, end, s);
		if (p < end && p - w == 1 && *w >= '0' && *w <= '9' &&
		    (*p == '<' || *p == '>'))
			continue;	/* 2>file */
		struct slice word = { w, (size_t)(p - w) };
		if (s->n == 0 && is_count(word, (struct slice){ p,
		    (size_t)(end - p) }))
			word.n = 0;
		if (word.n > 0)
			s->words = hash_both(s->words,
			    hash_bytes(word.p, word.n));
		if (s->n < WORDS_MAX && word.n > 0)
			s->w[s->n++] = word;
		else if (word.n > 0)
			s->more = true;
		p = over_blanks(p, end);
	}
	/* the name follows assignments and prefixes */
	for (; s->at < s->n; s->at++) {
		struct slice w = s->w[s->at];
		const char *eq = memchr(w.p, '=', w.n);
		bool assignment = eq != NULL && eq > w.p &&
		    strchr("-/'\"", *w.p) == NULL;

		if (!assignment && !slice_in(w, prefixes))
			break;
	}
	if (s->at + 2 < s->n && slice_is(s->w[s->at], "timeout"))
		s->at += 2;
	s->rows = s->at < s->n ? rows_with(s->w[s->at]) : 0;
	return p;
}

/* ---- what a simple command is ---- */

/* Is the command, alone or with its first words, in the row?  An option may
 * have something attached: -i.bak. */
static bool
is_command(const struct simple *s, unsigned in)
{
	const char *const *row = rows[in];

	if ((s->rows >> in & 1) == 0)
		return false;
	for (; *row != NULL; row++) {
		const char *p = *row;

		if (*p != *s->w[s->at].p)
			continue;
		for (size_t i = s->at; i < s->n; i++, p++) {
			struct slice w = s->w[i];
			bool option = *p == '-';
			size_t k = 0;

			for (; k < w.n && *p != '\0' && *p != ' ' &&
			    w.p[k] == *p; k++)
				p++;
			if ((*p != '\0' && *p != ' ') ||
			    (k < w.n && !option))
				break;
			if (*p == '\0')
				return true;
		}
	}
	return false;
}

static bool
is_idle(const struct simple *s)
{
	static const char *const words[] = { ":", "true", "echo", "printf",
		NULL };

	if (s->at + 2 == s->n && !s->more && !s->writes &&
	    slice_is(s->w[s->at], "cat") &&
	    slice_is(s->w[s->at + 1], "/dev/null"))
		return true;
	if (s->piped || s->expands || s->writes || s->reads)
		return false;
	if (s->until.p != NULL)
		return s->at + 1 == s->n && slice_is(s->w[s->at], "cat");
	if (s->at + 1 < s->n && slice_is(s->w[s->at + 1], "-v"))
		return false;	/* printf -v name */
	return s->at < s->n ? slice_in(s->w[s->at], words) : s->n == 0;
}

/* Does the program in the command write a file? */
static bool
writes_file(struct slice cmd)
{
	static const char *const marks[] = { "write_text(", "writeFile",
		"File.write", ", 'w'", ", \"w\"", ",'w'", ",\"w\"", NULL };
	size_t i = 0;

	while (marks[i] != NULL && !slice_has(cmd, marks[i]))
		i++;
	return marks[i] != NULL;
}

/* Does it sleep for as long as we would advise at most: 60, 5m? */
static bool
is_long(const struct simple *s)
{
	struct slice w = s->at + 1 < s->n ? s->w[s->at + 1] : SLICE("");
	unsigned long n = 0;
	size_t i = 0;

	for (; i < w.n && i < 6 && w.p[i] >= '0' && w.p[i] <= '9'; i++)
		n = n * 10 + (unsigned long)(w.p[i] - '0');
	return n >= 60 || (n > 0 && i < w.n && strchr("mh", w.p[i]) != NULL);
}

/* Are all of a writer's arguments below /tmp? */
static bool
is_elsewhere(const struct simple *s)
{
	bool any = false;

	for (size_t i = s->at + 1; i < s->n; i++) {
		if (*s->w[i].p == '-')
			continue;
		if (s->w[i].n < 6 || memcmp(s->w[i].p, "/tmp/", 5) != 0)
			return false;
		any = true;
	}
	return any && !s->more;
}

/* The only path argument of `rm`, as written; p NULL: another command. */
static struct slice
removed(const struct simple *s)
{
	struct slice path = { NULL, 0 };

	if (s->at >= s->n || !slice_is(s->w[s->at], "rm") || s->expands ||
	    s->more)
		return path;
	for (size_t i = s->at + 1; i < s->n; i++) {
		struct slice w = s->w[i];

		if (*w.p == '-')
			continue;
		if (path.p != NULL || memchr(w.p, '\'', w.n) ||
		    memchr(w.p, '"', w.n) || memchr(w.p, '\\', w.n))
			return (struct slice){ NULL, 0 };
		path = w;
	}
	return path;
}

/* Does it only shorten what comes through a pipe? */
static bool
shortens(const struct simple *s)
{
	if (!s->piped || s->more || s->writes || !is_command(s, CUTS))
		return false;
	for (size_t i = s->at + 1; i < s->n; i++)
		if (strchr("-0123456789", *s->w[i].p) == NULL)
			return false;
	return true;
}

/* What a command's simple ones do together, beside its traits. */
struct works {
	bool edits, tested, script;
	size_t changes;
	struct slice removes;	/* as of shell_judge */
};

/* Take one of them in. */
static void
take_simple(const struct simple *s, struct traits *t, struct works *w)
{
	bool waits = is_command(s, SLEEPERS), script = is_command(s, SCRIPTS);

	t->waits |= waits;
	t->patient |= waits && is_long(s);
	t->pauses &= waits || s->at >= s->n;
	/* a tail that reads a pipe only shortens it */
	t->poll |= !s->piped && (waits || is_command(s, POLLS));
	t->measures |= is_command(s, MEASURES);
	t->acts |= is_command(s, ACTORS);
	w->tested |= is_command(s, TESTS);
	if (is_command(s, ECHOES))
		t->echoes = 1;
	else if (t->echoes == 0 && (s->until.p != NULL || script))
		t->echoes = QUOTE;
	/* a program given in the command itself */
	w->script |= script || (s->until.p != NULL &&
	    is_command(s, LANGUAGES));
	bool reads = is_command(s, READERS);
	t->reads = t->reads && !s->writes && (s->at >= s->n || reads);
	bool writes = is_command(s, WRITERS);
	w->edits |= s->writes || (writes && !is_command(s, MOVERS));
	t->mutates |= s->writes || writes || is_command(s, DEPLOYERS);
	if ((s->writes && !s->elsewhere) ||
	    (writes && !is_command(s, RECORDERS) &&
	    !is_elsewhere(s))) {
		t->matters = true;
		w->removes = ++w->changes == 1 && !s->writes ?
		    removed(s) : (struct slice){ NULL, 0 };
	}
	if (s->at < s->n && !writes && !reads) {
		t->runs = true;
		t->seeks |= is_command(s, FINDERS);
		bool fetches = is_command(s, FETCHERS);
		t->fetches |= fetches;
		for (size_t i = s->at; fetches && i < s->n; i++)
			t->sends |= slice_in(s->w[i], bodies);
	}
}

uint64_t
shell_judge(struct slice cmd, struct traits *t, struct slice *removes)
{
	const char *p = cmd.p, *end = cmd.p + cmd.n;
	bool piped = false, expands = false, grouped = false;
	unsigned joint = 0;	/* what stands between it and the next */
	struct slice until = { NULL, 0 };
	uint64_t does = 0;
	struct works all = { .edits = false };
	struct simple s;

	t->idle = t->reads = t->pauses = true;
	t->seeks = t->fetches = t->sends = t->runs = t->cuts = false;
	while (p < end) {
		p = simple_next(over_blanks(p, end), end, &s);
		s.piped = piped;
		struct slice rest = { p, (size_t)(end - p) };
		piped = slice_starts(rest, "&>") ||
		    (slice_starts(rest, "|") && !slice_starts(rest, "||"));
		bool idle = is_idle(&s);
		t->idle = t->idle && idle;
		grouped |= s.n > 0 && slice_in(s.w[0], groups);
		/* another pause, or more of the same output, is the same */
		bool extra = !piped && (idle || is_command(&s, PAUSES));
		if (!piped && shortens(&s)) {
			s.words = hash_bytes(s.w[s.at].p, s.w[s.at].n);
			t->cuts = true;
		}
		if ((s.words | s.files) != 0 && (!extra || grouped))
			does = hash_both(does == 0 ? 1 : does + joint,
			    hash_both(s.words, s.files));
		take_simple(&s, t, &all);
		if (s.until.p != NULL)
			until = s.until;
		if (until.p != NULL && p < end && *p == '\n') {
			const char *from = p + 1;

			p = over_document(p, end, until, &expands);
			does = hash_both(does, hash_bytes(from,
			    (size_t)(p - from)));
			until.p = NULL;
		}
		if (p == end)
			break;
		bool twice = p + 1 < end && p[0] == p[1] &&
		    (*p == '|' || *p == '&');
		grouped |= *p == '(' || *p == ')';
		joint = *p == '\n' ? ';' : (unsigned char)*p + 256u * twice;
		p += 1 + twice;
	}
	/* it may run the tests, too, and note what they said */
	if (all.script && writes_file(cmd))
		all.edits = t->mutates = true;
	*removes = all.removes;
	t->poll |= all.tested && t->reads;
	t->pauses &= t->waits;
	t->moves = t->mutates && !all.edits;
	if (t->poll || t->mutates || expands)
		t->idle = false;
	return t->idle ? 0 : does;
}

/* ---- blanks folded ---- */

void
shell_fold(struct slice cmd, struct buf *out)
{
	static const bool apart[256] = { [' '] = true, ['\t'] = true,
		['\''] = true, ['"'] = true, ['\\'] = true, ['#'] = true };
	const char *start = cmd.p, *p = cmd.p, *end = cmd.p + cmd.n;
	bool any = false;

	if (memmem(cmd.p, cmd.n, "<<", 2) != NULL) {
		buf_slice(out, cmd);	/* blanks of a here-document count */
		return;
	}
	while (p < end) {
		const char *q = over_blanks(p, end);

		if (q > p) {
			if (p > start && q < end)
				buf_addc(out, ' ');
			p = q;
			continue;
		}
		/* q: the end of a piece that is copied verbatim */
		switch (*p) {
		case '\'':
			q = over_quotes(p, end, p > start && p[-1] == '$',
			    &any);
			break;
		case '"':
			q = over_quotes(p, end, true, &any);
			break;
		case '\\':
			q = p + 1 < end ? p + 2 : end;
			break;
		case '#':
			q = p == start || strchr(" \t\n;&|(", p[-1]) != NULL ?
			    memchr(p, '\n', (size_t)(end - p)) : p + 1;
			if (q == NULL)
				q = end;
			break;
		default:
			do
				q++;
			while (q < end && !apart[(unsigned char)*q]);
		}
		buf_add(out, p, (size_t)(q - p));
		p = q;
	}
}
