/* runlog.c - the log of a run: bounded, private, best effort. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utc.h"
#include "base/utf8.h"
#include "conf/redact.h"
#include "record/msg.h"
#include "runlog.h"
#include "sessions.h"
#include "term/term.h"

#define ENDING ".log"
#define FILE_MAX ((off_t)1 << 20)
#define KEEP_FIRST ((size_t)128 << 10)	/* kept of a full file's beginning */
#define KEEP_LAST ((size_t)512 << 10)
#define FILES_MAX 50
#define LINE_MAX_KEPT ((size_t)4096)
#define SECRET_MIN 6		/* shorter ones are not keys */

struct runlog {
	char *path;
	int fd;
	off_t size;
	size_t lost;		/* lines that could not be written */
	struct redact *redact;
	struct texts hidden;
	const char *in_key;	/* who is in a private key of many lines */
	long steps;		/* of the turn */
	int64_t in, out;	/* tokens of its next answer, as the server
				 * reports */
};

struct runlog *
runlog_open(const char *path, const char *id)
{
	/* in the folder "runs" next to the sessions' folder */
	char *name = xasprintf("%s" ENDING, id), *folder = file_folder(path);
	char *up = file_folder(folder), *runs = xasprintf("%s/runs", up);
	struct redact *redact = NULL;
	struct runlog *l = NULL;
	size_t kept = 0;
	struct by_age logs;
	int fd = -1;
	struct stat st;
	struct err e;

	file_mkdir(AT_FDCWD, runs, 0700);	/* or it exists */
	int dir = open(runs, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir >= 0) {
		/* remove the oldest ones, to make room for one more */
		by_age_read(&logs, file_opendir(dir, "."), ENDING);
		for (size_t i = 0; i < logs.n; i++) {
			char *log = xasprintf("%s" ENDING, logs.v[i].id);

			if (strcmp(log, name) != 0 && ++kept >= FILES_MAX)
				unlinkat(dir, log, 0);
			free(log);
		}
		by_age_release(&logs);
		fd = file_create(dir, name, O_RDWR | O_NONBLOCK, 0600);
		close(dir);
	}
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		redact = redact_load(&e);	/* without it there is no log */
	if (redact != NULL) {
		l = xcalloc(1, sizeof *l);
		l->fd = fd;
		l->redact = redact;
		l->path = xasprintf("%s/%s", runs, name);
		l->size = st.st_size;
	} else {
		file_close(fd);
	}
	FREE(name, folder, up, runs);
	return l;
}

const char *
runlog_path(const struct runlog *l)
{
	return l != NULL ? l->path : NULL;
}

void
runlog_close(struct runlog *l)
{
	if (l == NULL)
		return;
	if (l->lost > 0)
		err_say("%s: %zu of its lines could not be written", l->path,
		    l->lost);
	file_close(l->fd);
	redact_free(l->redact);
	texts_release(&l->hidden);
	FREE(l->path, l);
}

/* ---- a line ---- */

static bool
put(struct runlog *l, off_t at, const char *p, size_t n)
{
	if (pwrite(l->fd, p, n, at) == (ssize_t)n)
		return true;
	(void)!ftruncate(l->fd, l->size);	/* no part of a line stays */
	return false;
}

/* Shrink a full log: keep its beginning and its end, drop the middle. */
static void
shrink(struct runlog *l)
{
	size_t n = (size_t)l->size;
	char *all = xmalloc(n + 1), mark[80];

	if (pread(l->fd, all, n, 0) != (ssize_t)n) {
		free(all);
		return;
	}
	char *lf = memrchr(all, '\n', KEEP_FIRST);
	size_t head = lf == NULL ? 0 : (size_t)(lf - all) + 1;
	lf = memchr(all + n - KEEP_LAST, '\n', KEEP_LAST);
	size_t tail = lf == NULL ? n : (size_t)(lf - all) + 1;
	int k = snprintf(mark, sizeof mark, "[%zu bytes are left out here]\n",
	    tail - head);
	if (put(l, (off_t)head, mark, (size_t)k) && put(l, (off_t)head + k,
	    all + tail, n - tail)) {
		l->size = (off_t)(head + (size_t)k + n - tail);
		if (ftruncate(l->fd, l->size) < 0)
			l->size = (off_t)n;
	}
	free(all);
}

void
runlog_redact(struct runlog *l, const char *secret)
{
	if (l != NULL && secret != NULL && strlen(secret) >= SECRET_MIN)
		texts_add(&l->hidden, xstrdup(secret));
}

void
runlog_line(struct runlog *l, const char *who, const char *fmt, ...)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX), line =
	    BUF_INIT(8 * LINE_MAX_KEPT), said = raw;
	va_list ap;

	if (l == NULL)
		return;
	va_start(ap, fmt);
	buf_vfmt(&said, fmt, ap);
	va_end(ap);
	/* Overwrite keys that we know, before a pattern takes part of one. */
	for (size_t i = 0; i < l->hidden.n && said.len > 0; i++)
		for (char *p = said.p; (p = strstr(p,
		    l->hidden.v[i])) != NULL; )
			memset(p, '*', strlen(l->hidden.v[i]));
	const char *text = buf_view(&said).p;
	bool begins = strstr(text, "-----BEGIN ") != NULL;
	if (l->in_key == who && !begins && strpbrk(text, " \t") == NULL)
		buf_adds(&raw, "[redacted:private-key]");
	else
		redact_add(l->redact, buf_view(&said), &raw);
	if (strstr(text, "-----END ") != NULL)
		l->in_key = NULL;
	else if (begins && strstr(buf_view(&raw).p, ":private-key]") != NULL)
		l->in_key = who;
	size_t n = utf8_cut(buf_view(&raw).p, raw.len, LINE_MAX_KEPT);
	for (size_t i = 0; i < n; i++)
		if (raw.p[i] == '\n')
			raw.p[i] = ' ';

	int64_t now = utc_now();
	char at[UTC_SIZE];

	utc_print(now, at);
	buf_fmt(&line, "%.19s.%03dZ %-9s ", at, (int)(now % 1000), who);
	term_escape(&line, (struct slice){ buf_view(&raw).p, n });
	buf_adds(&line, n < raw.len ? " ...\n" : "\n");
	if (l->size + (off_t)line.len > FILE_MAX)
		shrink(l);
	if (l->size + (off_t)line.len <= FILE_MAX &&
	    put(l, l->size, line.p, line.len))
		l->size += (off_t)line.len;
	else
		l->lost++;
	bufs_release(BUFS(&said, &raw, &line));
}

/* ---- records ---- */

/* Which records are logged, under which name, and which keys of them. */
static const struct logged {
	enum rec_kind kind;
	const char *who, *keys[6];
} logged[] = {
	{ R_VERDICT, "verdict", { "action", "rule", "count", "message" } },
	{ R_COMPACTION, "compact", { "stage", "epoch", "tokens_before",
	    "tokens_after" } },
	{ R_ERROR, "error", { "stage", "code", "retryable", "message" } },
	{ R_RECOVERY, "recovery", { "scenario", "stage", "attempt" } },
	{ R_VERIFICATION, "verify", { "status", "exit", "ms", "command" } },
	{ R_PROGRESS, "progress", { "message", "text" } },
	{ R_LIMIT, "limit", { "context_tokens", "source" } },
	{ R_END, "end", { "status", "reason", "steps", "tool_calls",
	    "sandbox", "ms" } },
};

void
runlog_record(struct runlog *l, const struct rec *r)
{
	if (l == NULL)
		return;
	int64_t ms = 0, code;
	if (r->kind == R_ASSISTANT) {
		scan_int(msg_meta(r, "ms"), &ms);
		runlog_line(l, "step", "%ld: %lld ms, %zu calls, %lld+%lld "
		    "tokens", ++l->steps, (long long)ms,
		    msg_count_calls(rec_get(r, "tool_calls")), (long long)l->in,
		    (long long)l->out);
		l->in = l->out = 0;
	} else if (r->kind == R_USAGE) {
		rec_int(r, "prompt_tokens", &l->in);
		rec_int(r, "completion_tokens", &l->out);
	} else if (r->kind == R_TOOL) {
		char *name = scan_text(rec_get(r, "name"));
		char *how = scan_int(msg_meta(r, "exit"), &code) ?
		    xasprintf("exit %lld", (long long)code) :
		    scan_text(msg_meta(r, "error"));

		scan_int(msg_meta(r, "ms"), &ms);
		runlog_line(l, "call", "%s, %lld ms%s%s", name[0] != '\0' ?
		    name : "?", (long long)ms, how[0] != '\0' ? ", " : "",
		    how);
		FREE(name, how);
	} else if (r->kind == R_END) {
		l->steps = 0;
	}
	for (size_t i = 0; i < sizeof logged / sizeof *logged; i++)
		if (logged[i].kind == r->kind && !rec_str_is(r, "action",
		    "allow")) {
			const struct logged *t = &logged[i];
			struct buf b = BUF_INIT(BUF_RECORD_MAX);

			for (size_t j = 0; j < 6 && t->keys[j] != NULL; j++) {
				struct slice v = rec_get(r, t->keys[j]);

				if (v.p == NULL)
					continue;
				buf_adds(&b, b.len > 0 ? ", " : "");
				if (!scan_str(v, &b))
					buf_fmt(&b, "%s %.*s", t->keys[j],
					    (int)v.n, v.p);
			}
			runlog_line(l, t->who, "%s", buf_view(&b).p);
			buf_release(&b);
		}
}
