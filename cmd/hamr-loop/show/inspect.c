/* inspect.c - show sessions without running one. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "export.h"
#include "inspect.h"
#include "record/rec.h"
#include "session/sessions.h"
#include "term/term.h"

#define INSPECT_MS (10 * 60 * 1000)

/* Indent a value two blanks a level; empty ones stay on their line. */
static void
expand(struct slice v, int depth, struct buf *out)
{
	enum scan_kind kind = scan_kind(v);
	struct slice key, el;
	bool first = true;

	if (kind != SCAN_OBJECT && kind != SCAN_ARRAY) {
		buf_slice(out, v);
		return;
	}
	buf_addc(out, kind == SCAN_OBJECT ? '{' : '[');
	for (struct walk w = walk_of(v); walk_next(&w, &key, &el); ) {
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

int
inspect_ask(const struct opts *o, const char *flag, const char *path,
    int ms, enum child_err err, struct buf *out, struct err *e)
{
	struct argv a = { 0 };
	struct stat st;
	int fd = path != NULL ? file_open_regular(AT_FDCWD, path, &st) : -1;
	char last = '\n';

	argv_add(&a, flag, "-q");
	argv_option(&a, "-F", path != NULL ? "hamr" : NULL);
	argv_option(&a, "--strategy", o->strategy);
	argv_ours(&a, o);
	/* the last line is being written, or a crash cut it short */
	if (fd >= 0 && st.st_size > 0 && pread(fd, &last, 1,
	    st.st_size - 1) == 1 && last != '\n')
		argv_add(&a, "--lenient");
	file_close(fd);
	argv_add(&a, path);
	int status = child_run("hamr-compact", a.v, ms, err, out, e);
	free(a.v);
	return status;
}

/* Of lines that were refused, the first is the incomplete last one, which is
 * left out; -1 with e if there is another.  --inspect context shows the request
 * among the records, or says why there is none. */
static int
inspect(const struct opts *o, const char *path, struct buf *out,
    struct err *e)
{
	struct buf got = BUF_INIT(BUF_RECORD_MAX);
	bool context = strcmp(o->inspect, "context") == 0;
	int status = inspect_ask(o, context ? "-n" : strcmp(o->inspect,
	    "budget") == 0 ? "--budget" : "--ledger", path, INSPECT_MS,
	    CHILD_ERR_OURS, &got, e);
	bool shown = status >= ST_DATA || !context;
	char *refused = NULL, *why = NULL;

	for (struct rec_text t = { .rest = buf_view(&got) };
	    rec_text_next(&t); ) {
		bool bad = t.rec.kind == R_ERROR &&
		    rec_str_is(&t.rec, "code", "bad_record");

		if (bad && refused == NULL) {
			refused = scan_text(rec_get(&t.rec, "message"));
		} else if (bad) {
			status = err_set(e, ST_DATA, "%s", refused);
		} else if (t.rec.kind == R_REQUEST && !shown) {
			buf_reset(out);
			expand(t.rec.line, 0, out);
			buf_addc(out, '\n');
		} else if (t.rec.kind == R_ERROR) {
			xset(&why, scan_text(rec_get(&t.rec, "message")));
		}
	}
	while (!context && slice_starts(buf_view(&got), "{\"type\""))
		buf_drop(&got, slice_find(buf_view(&got), 0, "\n") + 1);
	if (shown)
		buf_slice(out, buf_view(&got));
	else if (status >= 0 && out->len == 0)
		status = err_set(e, ST_NOFIT, "%s", why != NULL ? why :
		    "there is no request to show");
	else if (status >= 0)
		status = 0;
	buf_release(&got);
	FREE(refused, why);
	return status;
}

int
views_show(const struct opts *o, const char *root, struct err *e)
{
	struct buf b = BUF_INIT((size_t)1 << 40);
	char *dir = sessions_dir(root, false, e), *path = NULL, *id = NULL;
	bool json = o->sessions ? o->json : o->inspect != NULL ?
	    strcmp(o->inspect, "context") == 0 :
	    strcmp(o->export, "html") != 0;
	struct term to = term_of(STDOUT_FILENO);
	int rc = -1;

	if (dir != NULL && !o->sessions)
		id = sessions_find(dir, root, o->task, e);
	if (dir != NULL && !o->sessions && id == NULL && o->task == NULL)
		id = sessions_find(dir, NULL, NULL, e);
	if (id != NULL)
		path = xasprintf("%s/%s.ndjson", dir, id);
	if (o->sessions && dir != NULL)
		rc = sessions_list(dir, o->json ? 0 : to.tty &&
		    to.columns > 0 ? to.columns : SIZE_MAX, NULL, SIZE_MAX,
		    &b, e);
	/* without a session the budget is that of the configuration */
	else if (o->inspect != NULL && (path != NULL || (o->task == NULL &&
	    strcmp(o->inspect, "budget") == 0)))
		rc = inspect(o, path, &b, e);
	else if (o->export != NULL && path != NULL)
		rc = export_session(path, o->export, &b, e);
	if (rc >= 0 && term_write(buf_view(&b), json, e) < 0)
		rc = -1;
	buf_release(&b);
	FREE(path, id, dir);
	return rc;
}
