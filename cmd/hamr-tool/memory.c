/* memory.c - search_memory and save_memory: hamr-mem asked as a child. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "scan.h"
#include "utf8.h"

#include "memory.h"
#include "prog.h"
#include "which.h"

#define SEARCH_MS 15000
#define SAVE_MS 60000		/* it may wait for another's lock */
#define GRACE_MS 500
#define TEXT_MAX ((size_t)64 << 20)
#define COUNT_DEFAULT 8

extern char **environ;

/* ---- hamr-mem ---- */

/* The one installed with us, else one on PATH; NULL when there is none. */
static char *
find_mem(const struct tool *t)
{
	char exe[PATH_MAX], *slash, *path;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (n > 0) {
		exe[n] = '\0';
		slash = strrchr(exe, '/');
		*slash = '\0';
		path = xasprintf("%s/hamr-mem", exe);
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return which_program("hamr-mem", t->root);
}

struct ask {
	const char *argv[16];
	size_t n;
	struct slice input;
	int ms;
	struct buf text;	/* what it printed */
	struct output err;
	int status;
};

static void
add(struct ask *a, const char *word)
{
	a->argv[a->n++] = word;
}

/* Its last words, without "hamr-mem: ". */
static void
say_failed(struct ask *a, const struct prog *p, struct result *r)
{
	struct buf how = BUF_INIT(65536), words = BUF_INIT(OUTPUT_SPOOL_MAX);

	prog_how(p, &how);
	output_add(&a->err, NULL, 0, &words);
	struct slice said = output_head(&a->err);
	while (said.n > 0 && said.p[said.n - 1] == '\n')
		said.n--;
	if (said.n > 0)
		result_error(r, "spawn_failed", "%.*s; go on without memory",
		    (int)(said.n > 1000 ? 1000 : said.n), said.p);
	else
		result_error(r, "spawn_failed", "hamr-mem failed (%s); go on "
		    "without memory", how.p);
	buf_release(&how);
	buf_release(&words);
}

/* Run it; true when it ended with status 0 or 1, which is in a->status. */
static bool
run(struct tool *t, struct ask *a, struct result *r)
{
	struct prog p = { .boxes = t->boxes, .want = { .kind =
		BOX_WRITE, .network = true, .unix_sockets = true,
		.bare = true },
		.argv = (char *const *)(void *)a->argv, .env = environ,
		.input = a->input, .ms = a->ms, .grace = GRACE_MS,
		.text = &a->text, .err = &a->err };
	char *mem = find_mem(t);
	bool good = false;

	if (mem == NULL) {
		result_error(r, "spawn_failed", "there is no memory here: "
		    "hamr-mem is not installed; go on without it");
		return false;
	}
	a->argv[0] = mem;
	output_init(&a->err, 4096);
	prog_run(&p, t->stage);
	if (p.end == PROG_ENDED && !p.signalled && p.number <= 1) {
		a->status = p.number;
		good = true;
	} else if (p.end == PROG_CANCEL) {
		result_error(r, "interrupted", "interrupted");
	} else if (p.end == PROG_TIMEOUT) {
		result_error(r, "timeout", "the memory did not answer within "
		    "%d s; go on without it", a->ms / 1000);
	} else {
		say_failed(a, &p, r);
	}
	prog_release(&p);
	output_release(&a->err);
	free(mem);
	return good;
}

static void
ask_release(struct ask *a)
{
	buf_release(&a->text);
}

static char *
arg(struct slice args, const char *key)
{
	return scan_strdup(scan_get(args, key));
}

/* ---- searching ---- */

/* "m:" and at least 4 hex digits. */
static bool
is_id(const char *query)
{
	size_t n = strlen(query);

	return strncmp(query, "m:", 2) == 0 && n >= 6 &&
	    strspn(query + 2, "0123456789abcdef") == n - 2;
}

/* One hit: "m:ID fact: text", "m:ID tool bash, line 12: text". */
static void
put_hit(struct slice hit, struct buf *out)
{
	char *id = arg(hit, "id"), *kind = arg(hit, "kind");
	char *role = arg(hit, "role"), *name = arg(hit, "name");
	char *text = arg(hit, "snippet");
	int64_t line;

	if (id == NULL || text == NULL)
		goto out;
	buf_fmt(out, "%s %s", id, role != NULL ? role :
	    kind != NULL ? kind : "item");
	if (name != NULL)
		buf_fmt(out, " %s", name);
	if (scan_int(scan_get(hit, "line"), &line))
		buf_fmt(out, ", line %lld", (long long)line);
	for (char *p = text; *p != '\0'; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	buf_fmt(out, ": %s\n", text);
out:
	free(id);
	free(kind);
	free(role);
	free(name);
	free(text);
}

static long
put_hits(const struct buf *text, struct buf *out)
{
	struct scan scan = { .n = 0 };
	long n = 0;

	for (size_t at = 0; at < text->len; ) {
		const char *line = text->p + at;
		const char *lf = memchr(line, '\n', text->len - at);
		size_t len = lf != NULL ? (size_t)(lf - line) : text->len - at;

		at += len + 1;
		if (scan_record(&scan, line, len) < 0)
			continue;
		put_hit((struct slice){ line, len }, out);
		n++;
	}
	scan_release(&scan);
	return n;
}

static void
put_found(const struct ask *a, bool whole, const char *query,
    struct result *r)
{
	long n = 0;

	if (a->status == 0 && whole) {
		r->lossy = utf8_clean(&r->content, a->text.p, a->text.len);
		if (r->content.len == 0 ||
		    r->content.p[r->content.len - 1] != '\n')
			buf_addc(&r->content, '\n');
		n = 1;
	} else if (a->status == 0) {
		n = put_hits(&a->text, &r->content);
		if (n > 0)
			buf_adds(&r->content, "[an id as query shows the "
			    "whole item]\n");
	}
	if (n == 0) {
		buf_adds(&r->content, "nothing in memory for ");
		scan_quote(&r->content, query, strlen(query));
		buf_addc(&r->content, '\n');
	}
	json_int(r->meta, "matches", n);
}

void
memory_search(struct tool *t, struct slice args, struct result *r)
{
	struct ask a = { .n = 1, .ms = SEARCH_MS, .input = SLICE(""),
		.text = BUF_INIT(TEXT_MAX) };
	char *query = arg(args, "query"), count[24];
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);
	bool whole = is_id(query);
	int64_t n = COUNT_DEFAULT;

	utf8_clean(&clean, query, strlen(query));
	json_str(r->meta, "query", clean.len > 0 ? clean.p : "");
	scan_int(scan_get(args, "n"), &n);
	snprintf(count, sizeof count, "%lld", (long long)n);
	if (whole) {
		add(&a, "show");
	} else {
		add(&a, "search");
		add(&a, "-n");
		add(&a, count);
		add(&a, "--");
	}
	add(&a, query);
	/* one argument has a limit; nobody asks with so many words */
	if (strlen(query) > 100000)
		result_error(r, "bad_arguments", "the query is too long; ask "
		    "with a few words");
	else if (run(t, &a, r))
		put_found(&a, whole, query, r);
	if (t->result_cap != 0)
		result_cap(r, t->result_cap);
	ask_release(&a);
	buf_release(&clean);
	free(query);
}

/* ---- saving ---- */

void
memory_save(struct tool *t, struct slice args, struct result *r)
{
	struct ask a = { .n = 1, .ms = SAVE_MS, .text = BUF_INIT(TEXT_MAX) };
	char *fact = arg(args, "fact"), *key = arg(args, "key");

	a.input = slice_of(fact);
	add(&a, "save");
	if (key != NULL && *key != '\0') {
		add(&a, "--key");
		add(&a, key);
	}
	if (fact[strspn(fact, " \t\r\n")] == '\0')
		result_error(r, "bad_arguments", "the fact is empty; say what "
		    "is worth remembering");
	else if (strlen(fact) > 65536)
		result_error(r, "too_large", "the fact is longer than 65536 "
		    "bytes; save what is worth remembering of it");
	else if (key != NULL && strlen(key) > 1000)
		result_error(r, "bad_arguments", "the key is longer than "
		    "1000 bytes; a word or two will do");
	else if (run(t, &a, r) && a.status != 0)
		result_error(r, "spawn_failed", "it could not be saved; go on "
		    "without memory");
	else if (!r->is_error) {
		buf_adds(&r->content, "saved as ");
		utf8_clean(&r->content, a.text.p != NULL ? a.text.p : "",
		    a.text.len);
	}
	ask_release(&a);
	free(fact);
	free(key);
}
