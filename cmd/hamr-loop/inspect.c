/* inspect.c - what hamr-compact says about a session, for --inspect. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inspect.h"
#include "mem.h"
#include "peer.h"
#include "rec.h"
#include "term.h"

#define INSPECT_MS (10 * 60 * 1000)

struct args {
	const char **v;
	size_t n, cap;
};

static void
add(struct args *a, const char *text)
{
	a->v = xgrow(a->v, a->n, &a->cap, sizeof *a->v);
	a->v[a->n++] = text;
}

/* Indent a value two blanks a level; empty ones stay on their line. */
static void
expand(struct slice v, int depth, struct buf *out)
{
	enum scan_kind kind = scan_kind(v);
	struct slice key, el;
	struct walk w;
	bool first = true;

	if (kind != SCAN_OBJECT && kind != SCAN_ARRAY) {
		buf_slice(out, v);
		return;
	}
	buf_addc(out, kind == SCAN_OBJECT ? '{' : '[');
	walk_in(&w, v);
	while (walk_next(&w, &key, &el)) {
		buf_fmt(out, "%s\n%*s", first ? "" : ",", 2 * depth + 2, "");
		first = false;
		if (kind == SCAN_OBJECT) {
			buf_addc(out, '"');
			buf_slice(out, key);
			buf_adds(out, "\": ");
		}
		expand(el, depth + 1, out);
	}
	if (!first)
		buf_fmt(out, "\n%*s", 2 * depth, "");
	buf_addc(out, kind == SCAN_OBJECT ? '}' : ']');
}

/* The request among the records, or why there is none. */
static int
take_request(const struct buf *records, struct buf *out, struct err *e)
{
	struct slice rest = buf_view(records);
	struct scan s = { 0 };
	struct rec r;
	int found = -1;

	err_set(e, ST_NOFIT, "there is no request to show");
	while (rest.n > 0) {
		const char *lf = memchr(rest.p, '\n', rest.n);
		size_t n = lf == NULL ? rest.n : (size_t)(lf - rest.p);
		char *why;

		if (rec_parse(&s, rest.p, n, &r) == 0 &&
		    r.kind == R_REQUEST) {
			buf_reset(out);
			expand(r.line, 0, out);
			buf_addc(out, '\n');
			found = 0;
		} else if (r.kind == R_ERROR) {
			why = rec_strdup(&r, "message");
			err_set(e, ST_NOFIT, "%s", why != NULL ? why : "");
			free(why);
		}
		n += lf != NULL;
		rest.p += n;
		rest.n -= n;
	}
	scan_release(&s);
	return found;
}

int
inspect(const struct opts *o, const char *what, const char *path,
    struct err *e)
{
	struct buf got = BUF_INIT(BUF_RECORD_MAX), text =
	    BUF_INIT(2 * BUF_RECORD_MAX);
	struct args a = { NULL, 0, 0 };
	bool context = strcmp(what, "context") == 0;
	int status;

	add(&a, context ? "-n" : strcmp(what, "budget") == 0 ? "--budget" :
	    "--ledger");
	add(&a, "-q");
	if (o->no_config)
		add(&a, "--no-config");
	if (o->strategy != NULL) {
		add(&a, "--strategy");
		add(&a, o->strategy);
	}
	for (size_t i = 0; i < o->nset; i++) {
		add(&a, "-o");
		add(&a, o->set[i]);
	}
	if (path != NULL)
		add(&a, path);
	status = peer_run("hamr-compact", a.v, a.n, INSPECT_MS,
	    PEER_ERR_OURS, &got, e);
	if (status >= 0 && context && status < ST_DATA)
		status = take_request(&got, &text, e);
	else if (status >= 0)
		buf_slice(&text, buf_view(&got));
	if (status >= 0 && term_write(STDOUT_FILENO, buf_view(&text),
	    context ? TERM_JSON : TERM_TEXT) < 0)
		status = err_sys(e, ST_SYSTEM, "stdout");
	buf_release(&got);
	buf_release(&text);
	free(a.v);
	return status;
}
