/* memory.c - search_memory and save_memory: run hamr-mem as a child. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "json/scan.h"
#include "base/utf8.h"

#include "run/prog.h"
#include "tool.h"

#define SEARCH_MS 15000
#define SAVE_MS 60000		/* it may wait for another's lock */
#define GRACE_MS 500
#define TEXT_MAX ((size_t)64 << 20)
#define COUNT_DEFAULT 8

/* Run hamr-mem; argv[0] is set here.  Its exit status if that is 0 or 1, else
 * -1, and r is the error. */
static int
run(struct tool *t, const char **argv, struct slice input, int ms,
    struct buf *text, struct result *r)
{
	struct prog p = prog_trusted(t->sandboxes, argv, ms, text);
	struct buf how = BUF_INIT(65536);
	struct output err;
	char *mem = which_beside("hamr-mem", t->root);
	int status = -1;

	if (mem == NULL) {
		result_error(r, "spawn_failed", "there is no memory here: "
		    "hamr-mem is not installed; go on without it");
		return -1;
	}
	argv[0] = mem;
	output_init(&err, 4096);
	p.input = input;
	p.grace = GRACE_MS;
	p.err = &err;
	prog_run(&p, t->stage);
	struct slice said = slice_trim_end(output_head(&err), "\n");
	if (p.end == PROG_ENDED && !p.signalled && p.number <= 1) {
		status = p.number;
	} else if (p.end == PROG_CANCEL) {
		result_error(r, "interrupted", "interrupted");
	} else if (p.end == PROG_TIMEOUT) {
		result_error(r, "timeout", "the memory did not answer within "
		    "%d s; go on without it", ms / 1000);
	} else if (said.n > 0) {
		result_error(r, "spawn_failed", "%.*s; go on without memory",
		    (int)(said.n > 1000 ? 1000 : said.n), said.p);
	} else {
		prog_outcome(&p, &how);
		result_error(r, "spawn_failed", "hamr-mem failed (%s); go on "
		    "without memory", how.p);
	}
	prog_release(&p);
	output_release(&err);
	buf_release(&how);
	free(mem);
	return status;
}

/* Show what it printed: the whole item, or a record per hit, as
 * "m:ID fact: text" or "m:ID tool bash, line 12: text". */
static void
put_found(struct slice text, bool whole, const char *query, struct result *r)
{
	struct scan scan = { .n = 0 };
	struct buf *out = &r->content;
	struct slice hit;
	int64_t line;
	long n = 0;

	if (whole && text.p != NULL) {
		r->lossy = utf8_clean(out, text.p, text.n);
		buf_end_line(out);
		n = 1;
	}
	while (!whole && slice_line(&text, &hit)) {
		if (scan_record(&scan, hit.p, hit.n) < 0)
			continue;
		n++;
		struct slice words = scan_get(hit, "snippet");
		if (scan_kind(words) != SCAN_STRING ||
		    !scan_str(scan_get(hit, "id"), out))
			continue;
		buf_addc(out, ' ');
		if (!scan_str(scan_get(hit, "role"), out) &&
		    !scan_str(scan_get(hit, "kind"), out))
			buf_adds(out, "item");
		if (scan_kind(scan_get(hit, "name")) == SCAN_STRING) {
			buf_addc(out, ' ');
			scan_str(scan_get(hit, "name"), out);
		}
		if (scan_int(scan_get(hit, "line"), &line))
			buf_fmt(out, ", line %lld", (long long)line);
		buf_adds(out, ": ");
		size_t at = out->len;
		scan_str(words, out);
		for (; at < out->len; at++)
			if (out->p[at] == '\n' || out->p[at] == '\t')
				out->p[at] = ' ';
		buf_addc(out, '\n');
	}
	scan_release(&scan);
	if (n == 0) {
		buf_adds(out, "nothing in memory for ");
		scan_quote(out, query, strlen(query));
		buf_addc(out, '\n');
	} else if (!whole) {
		buf_adds(out, "[an id as query shows the whole item]\n");
	}
	scan_put(&r->meta, "'matches':$,", SCAN_INT(n));
}

void
memory_search(struct tool *t, struct slice args, struct result *r)
{
	char *query = scan_strdup(scan_get(args, "query"));
	char *id = NULL, count[24];
	const char *find[] = { NULL, "search", "-n", count, "--", query,
		NULL };
	struct buf text = BUF_INIT(TEXT_MAX);

	/* Does the query name an id: one of 12 digits anywhere, copied from a
	 * stub or a hit, or a shorter one alone?  NULL: search for words. */
	for (const char *p = query; id == NULL &&
	    (p = strstr(p, "m:")) != NULL; p++) {
		size_t k = strspn(p + 2, "0123456789abcdef");

		if ((p == query || !isalnum((unsigned char)p[-1])) &&
		    !isalnum((unsigned char)p[2 + k]) && (k == 12 ||
		    (k >= 4 && p == query && p[2 + k] == '\0')))
			id = xmemdup0(p, k + 2);
	}
	const char *show[] = { NULL, "show", id, NULL };
	scan_put(&r->meta, "'query':@,", slice_of(query));
	snprintf(count, sizeof count, "%lld", (long long)scan_int_or(scan_get(
	    args, "n"), COUNT_DEFAULT));
	/* the kernel limits one argument; a real query is far shorter */
	if (strlen(query) > 100000) {
		result_error(r, "bad_arguments", "the query is too long; ask "
		    "with a few words");
	} else {
		int status = run(t, id != NULL ? show : find, SLICE(""),
		    SEARCH_MS, &text, r);
		if (status >= 0)
			put_found(status == 0 ? buf_view(&text) :
			    (struct slice){ NULL, 0 }, id != NULL, query, r);
	}
	result_cap(r, t->files->result_cap);
	buf_release(&text);
	FREE(id, query);
}

void
memory_save(struct tool *t, struct slice args, struct result *r)
{
	char *fact = scan_strdup(scan_get(args, "fact"));
	char *key = scan_strdup(scan_get(args, "key"));
	bool keyed = key != NULL && *key != '\0';
	const char *argv[] = { NULL, "save", keyed ? "--key" : NULL, key,
		NULL };
	struct buf text = BUF_INIT(TEXT_MAX);

	if (fact[strspn(fact, " \t\r\n")] == '\0') {
		result_error(r, "bad_arguments", "the fact is empty; say what "
		    "is worth remembering");
	} else if (strlen(fact) > 65536) {
		result_error(r, "too_large", "the fact is longer than 65536 "
		    "bytes; save what is worth remembering of it");
	} else if (key != NULL && strlen(key) > 1000) {
		result_error(r, "bad_arguments", "the key is longer than "
		    "1000 bytes; a word or two will do");
	} else {
		int status = run(t, argv, slice_of(fact), SAVE_MS, &text, r);
		if (status > 0)
			result_error(r, "spawn_failed", "it could not be "
			    "saved; go on without memory");
		if (status == 0) {
			buf_adds(&r->content, "saved as ");
			utf8_clean(&r->content, text.p != NULL ? text.p : "",
			    text.len);
		}
	}
	buf_release(&text);
	FREE(fact, key);
}
