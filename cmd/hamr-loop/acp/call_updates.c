/* call_updates.c - the model's calls as updates for an editor. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "record/alias.h"
#include "session/track.h"
#include "internal.h"

#define OUTPUT_SHOWN ((size_t)8 << 10)	/* of a command, its end */
#define OUTPUT_HELD ((size_t)64 << 10)
#define OUTPUT_MS 250		/* at most four times a second */
#define RESULT_SHOWN ((size_t)64 << 10)
#define INPUT_SHOWN ((size_t)256 << 10)
#define ASKED_SHOWN ((size_t)128 << 10)	/* shown of a question too long */
#define TITLE_SHOWN ((size_t)320)
#define TEXT_MAX ACP_MESSAGE_MAX	/* a longer text is not shown */

/* Forms of parts of an update. */
#define CALL "'tool_call_update','toolCallId':@"
#define TEXT ",'content':[{'type':'content','content':{'type':'text'," \
	"'text':@}}]"

/* ---- the whole texts of a diff's two sides ---- */

/* old NULL: the file is made; new NULL: they are not known. */
struct sides {
	char *old, *new;
};

/* The file's text; the caller frees it.  NULL: none, longer than max, or not
 * text. */
static char *
whole_read(const char *path, size_t max)
{
	struct buf b = BUF_INIT(max);
	int fd = file_open_regular(AT_FDCWD, path, NULL);
	bool good = fd >= 0 && file_read_fd(fd, path, &b, NULL) == 0 &&
	    memchr(buf_view(&b).p, '\0', b.len) == NULL &&
	    utf8_check(buf_view(&b).p, b.len) == b.len;

	file_close(fd);
	if (good)
		return buf_detach(&b);
	buf_release(&b);
	return NULL;
}

/* The next line of *rest with its LF, if it has one. */
static struct slice
take_line(struct slice *rest)
{
	size_t n = num_min(slice_find(*rest, 0, "\n") + 1, rest->n);
	struct slice line = slice_part(*rest, 0, n);

	*rest = slice_from(*rest, n);
	return line;
}

/* Apply the diff to text, or (back) reverse it; the caller frees the result.
 * NULL: it does not apply. */
static char *
whole_text(const char *text, struct slice diff, bool back)
{
	struct buf b = BUF_INIT(TEXT_MAX);
	struct slice rest = slice_of(text);
	char away = back ? '+' : '-', put = back ? '-' : '+', before = '\0';
	long at = 0;			/* lines of text taken */
	bool in = false, fits = true;

	while (diff.n > 0 && fits) {
		struct slice line = take_line(&diff);
		struct slice inside = slice_from(line, 1);

		if (slice_starts(line, "[diff cut"))
			fits = false;
		if (slice_starts(line, "@@ ")) {
			/* "@@ -12,3 +12,4 @@": from 1, but of no lines (",0")
			 * it is the line before */
			const char *p = memchr(line.p, away, line.n);
			char *end;
			long to = p != NULL ? strtol(p + 1, &end, 10) : 0;

			to -= to > 0 && strncmp(end, ",0", 2) != 0;
			in = true;
			for (; at < to && rest.n > 0; at++)
				buf_slice(&b, take_line(&rest));
			fits &= at == to;
		} else if (in && (line.p[0] == ' ' || line.p[0] == away)) {
			struct slice got = take_line(&rest);
			at++;
			fits &= slice_eq(slice_trim_end(got, "\n"),
			    slice_trim_end(inside, "\n"));
			if (line.p[0] == ' ')
				buf_slice(&b, got);
		} else if (in && line.p[0] == '\\') {
			/* the previous line has no LF; if it was added, its LF
			 * is only the diff's */
			if (before == put && b.len > 0)
				b.len--;
		} else if (in) {
			buf_slice(&b, inside);
		}
		before = line.p[0];
	}
	buf_slice(&b, rest);
	if (fits && in && !b.over)
		return buf_detach(&b);
	buf_release(&b);
	return NULL;
}

/* ---- calls ---- */

void
calls_clear(struct worker *s)
{
	for (size_t i = 0; i < s->ncalls; i++) {
		struct seen_call *c = &s->calls[i];

		FREE(c->id, c->name, c->args, c->path);
		buf_release(&c->output);
	}
	free(s->calls);
	s->calls = NULL;
	s->ncalls = s->capcalls = s->last_call = 0;
}

/* What is said of calls comes in their order: look where the last one was. */
static struct seen_call *
find_call(struct worker *s, struct slice id)
{
	for (size_t n = 0; n < s->ncalls; n++) {
		size_t i = (s->last_call + n) % s->ncalls;

		if (scan_str_is(id, s->calls[i].id)) {
			s->last_call = i;
			return &s->calls[i];
		}
	}
	return NULL;
}

static bool
is_edit(const struct seen_call *c)
{
	return strcmp(c->name, "edit") == 0 || strcmp(c->name, "write") == 0;
}

static void
put_location(struct buf *out, const char *path, int64_t line)
{
	scan_put(out, ",'locations':[{'path':@", slice_of(path));
	if (line > 0)
		scan_put(out, ",'line':$", SCAN_INT(line));
	buf_adds(out, "}]");
}

static bool
shows_terminal(const struct worker *s, const struct seen_call *c)
{
	return s->acp->terminal && strcmp(c->name, "bash") == 0;
}

/* The members that describe a call in an update or question; they follow the
 * update's own name.  line: of its file, or 0. */
static void
put_call(struct buf *out, const struct seen_call *c, int64_t line)
{
	static const struct { const char *name, *kind; } kinds[] = {
		{ "read", "read" }, { "view_image", "read" },
		{ "edit", "edit" }, { "write", "edit" }, { "bash", "execute" },
		{ "search_memory", "search" } };
	struct buf title = BUF_INIT(BUF_RECORD_MAX);
	const char *kind = "other";
	bool is_path;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(c->name, kinds[i].name) == 0)
			kind = kinds[i].kind;
	if (strcmp(c->name, "read") == 0 &&
	    scan_get(slice_of(c->args), "query").p != NULL)
		kind = "search";
	/* "read src/a.c", or just the command */
	if (strcmp(c->name, "bash") != 0)
		buf_fmt(&title, "%s ", c->name);
	scan_str(track_about(slice_of(c->args), &is_path), &title);
	if (title.len == 0)
		buf_adds(&title, c->name);
	title.len = utf8_cut(title.p, title.len, TITLE_SHOWN);
	scan_put(out, "'toolCallId':@,'title':@,'kind':@,'status':'pending'",
	    slice_of(c->id), slice_trim_end(buf_view(&title), " \n"),
	    slice_of(kind));
	if (c->path != NULL)
		put_location(out, c->path, line);
	if (strlen(c->args) <= INPUT_SHOWN)
		scan_put(out, ",'rawInput':$", slice_of(c->args));
	buf_release(&title);
}

void
calls_add(struct worker *s, const struct call *call)
{
	struct buf args = BUF_INIT(BUF_RECORD_MAX);
	struct buf named = BUF_INIT(BUF_RECORD_MAX);
	struct buf b;

	GROW(s->calls, s->ncalls, s->capcalls);
	struct seen_call *c = &s->calls[s->ncalls++];
	*c = (struct seen_call){ .id = scan_strdup(call->id),
		.name = scan_strdup(call->name),
		.output = BUF_INIT(2 * OUTPUT_HELD + (1 << 20)) };
	if (c->id == NULL)
		c->id = xasprintf("call %zu.%zu", s->messages, s->ncalls);
	if (c->name == NULL)
		c->name = xstrdup("call");
	/* what is not an object is not shown */
	if (!scan_str(call->args, &args) || !scan_is_json(buf_view(&args)) ||
	    !alias_args(slice_of(c->name), buf_view(&args), &named))
		buf_adds(&named, "{}");
	c->args = buf_detach(&named);
	char *path = scan_strdup(scan_get(slice_of(c->args), "path"));
	if (path != NULL) {	/* where that file is */
		const char *p = path;

		while (strncmp(p, "./", 2) == 0)
			p += 2;
		c->path = p[0] == '/' ? xstrdup(p) : p[0] == '\0' ||
		    strcmp(p, ".") == 0 ? xstrdup(s->root) :
		    xasprintf("%s%s%s", s->root, s->root[1] != '\0' ? "/" : "",
		    p);
	}
	free(path);
	buf_release(&args);
	update_begin(s, &b);
	buf_adds(&b, "\"tool_call\",");
	put_call(&b, c, scan_int_or(scan_get(slice_of(c->args), "first"), 0));
	if (shows_terminal(s, c))
		scan_put(&b, ",'_meta':{'terminal_info':{'terminal_id':@,"
		    "'cwd':@}}", slice_of(c->id), slice_of(s->root));
	update_send(s, &b);
}

static void
put_diff(struct buf *out, const char *path, const struct sides *d)
{
	scan_put(out, ",'content':[{'type':'diff','path':@,'oldText':?,"
	    "'newText':@}]", slice_of(path), slice_of(d->old),
	    slice_of(d->new));
}

static void
send_output(struct worker *s, struct seen_call *c)
{
	struct slice all = buf_view(&c->output);

	update_put(s, !shows_terminal(s, c) ? CALL TEXT : CALL TEXT
	    ",'_meta':{'terminal_output':{'terminal_id':@,'data':@}}",
	    slice_of(c->id), utf8_last(all, OUTPUT_SHOWN), slice_of(c->id),
	    utf8_last(all, num_min(c->unsent, all.n)));
	c->unsent = 0;
	c->due = false;
	c->sent_at = file_now_ms();
}

void
calls_output(struct worker *s, const struct rec *r)
{
	struct seen_call *c = find_call(s, rec_get(r, "tool_call_id"));
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (c != NULL && scan_str(rec_get(r, "text"), &text)) {
		struct slice end = utf8_last(buf_view(&text), OUTPUT_HELD);
		c->unsent += end.n;
		if (c->output.len > OUTPUT_HELD) {
			struct slice kept = utf8_last(buf_view(&c->output),
			    OUTPUT_SHOWN);

			buf_drop(&c->output, c->output.len - kept.n);
		}
		buf_slice(&c->output, end);
		c->due = true;
	}
	buf_release(&text);
}

int
calls_send_due(struct worker *s)
{
	int least = -1;

	for (size_t i = 0; i < s->ncalls; i++) {
		if (!s->calls[i].due)
			continue;
		long long left = s->calls[i].sent_at + OUTPUT_MS -
		    file_now_ms();
		if (left <= 0)
			send_output(s, &s->calls[i]);
		else if (least < 0 || left < least)
			least = (int)left;
	}
	return least;
}

void
calls_start(struct worker *s, const struct rec *r)
{
	struct seen_call *c = find_call(s, rec_get(r, "tool_call_id"));

	if (c != NULL)
		update_put(s, CALL ",'status':'in_progress'", slice_of(c->id));
}

/* ---- a result ---- */

/* The line of the first change in a diff, from 1; 0: none. */
static int64_t
first_line(const char *diff)
{
	const char *p = strstr(diff, "@@ -");
	long line;

	p = p != NULL ? strchr(p, '+') : NULL;
	line = p != NULL ? strtol(p + 1, NULL, 10) : 0;
	/* after the lines of context */
	while (p != NULL && (p = strchr(p, '\n')) != NULL && *++p == ' ')
		line++;
	return line > 0 ? line : 0;
}

/* The end of a command's terminal; text is its result if that is all there is
 * of its output, p NULL if the output was sent. */
static void
put_terminal_end(struct buf *out, const struct seen_call *c,
    const struct rec *r, struct slice text)
{
	struct slice code = msg_meta(r, "exit"), line;
	struct slice sig = msg_meta(r, "signal");
	int64_t n;

	buf_adds(out, ",\"_meta\":{");
	if (slice_line(&text, &line))	/* "exit 0" is no output */
		scan_put(out, "'terminal_output':{'terminal_id':@,'data':@},",
		    slice_of(c->id), text);
	scan_put(out, "'terminal_exit':{'terminal_id':@,'exit_code':$,"
	    "'signal':$}}", slice_of(c->id),
	    scan_int(code, &n) ? SCAN_INT(n) : SLICE("null"),
	    scan_kind(sig) == SCAN_STRING || scan_int(sig, &n) ? sig :
	    SLICE("null"));
}

/* What an edit has made of its file. */
static struct sides
sides_after(const struct seen_call *c, const struct rec *r, const char *diff,
    bool replay)
{
	bool made = scan_kind(msg_meta(r, "sha256_before")) == SCAN_NULL;
	struct sides d = { NULL, NULL };

	if (replay && made)
		d.new = scan_strdup(scan_get(slice_of(c->args), "content"));
	else if (diff[0] != '\0')	/* a session may have many */
		d.new = whole_read(c->path, replay ? RESULT_SHOWN : TEXT_MAX);
	if (d.new != NULL && !made) {
		d.old = whole_text(d.new, slice_of(diff), true);
		if (d.old == NULL)
			xset(&d.new, NULL);
	}
	return d;
}

void
calls_result(struct worker *s, const struct rec *r, bool replay)
{
	struct seen_call *c = find_call(s, rec_get(r, "tool_call_id"));
	bool failed = scan_true(rec_get(r, "is_error"));
	struct buf content = BUF_INIT(BUF_RECORD_MAX), b;
	struct sides d = { NULL, NULL };

	if (c == NULL)
		return;
	char *diff = scan_text(msg_meta(r, "diff"));
	if (c->due && !replay)
		send_output(s, c);
	bool edited = is_edit(c) && !failed && c->path != NULL;
	if (edited)
		d = sides_after(c, r, diff, replay);
	msg_text(rec_get(r, "content"), &content);
	struct slice text = buf_view(&content);
	if (strcmp(c->name, "bash") == 0)
		text = utf8_last(text, OUTPUT_SHOWN);
	else if (text.n > RESULT_SHOWN)
		text.n = utf8_cut(text.p, text.n, RESULT_SHOWN);
	/* the text, if whole files are not known, or too long */
	for (int whole = d.new != NULL; whole >= 0; whole--) {
		update_begin(s, &b);
		scan_put(&b, CALL ",'status':@", slice_of(c->id),
		    failed ? SLICE("failed") : SLICE("completed"));
		if (edited)
			put_location(&b, c->path, first_line(diff));
		if (whole)
			put_diff(&b, c->path, &d);
		else
			scan_put(&b, TEXT, text);
		if (shows_terminal(s, c))
			put_terminal_end(&b, c, r, replay ? text :
			    (struct slice){ NULL, 0 });
		if (update_send(s, &b))
			break;
	}
	buf_release(&content);
	FREE(diff, d.old, d.new);
}

/* ---- permission ---- */

/* What the call would do.  how: 0: all of it, 1: no whole texts, 2: only the
 * beginning. */
static void
put_asked(struct buf *out, const struct seen_call *c, const struct rec *r,
    const struct sides *d, int how)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	bool diff = scan_str(rec_get(r, "diff"), &b);

	put_call(out, c, first_line(buf_view(&b).p));
	if (!diff)
		scan_str(rec_get(r, "command"), &b);
	if (how == 2) {
		b.len = utf8_cut(buf_view(&b).p, b.len, ASKED_SHOWN);
		buf_adds(&b, "\n[cut here: too long to show]\n");
	}
	if (how == 0 && d->new != NULL)
		put_diff(out, c->path, d);
	else if (b.len > 0)
		scan_put(out, TEXT, buf_view(&b));
	buf_release(&b);
}

void
calls_ask(struct worker *s, const struct rec *r)
{
	struct seen_call *c = find_call(s, rec_get(r, "tool_call_id"));
	struct buf diff = BUF_INIT(BUF_RECORD_MAX);
	bool made = scan_true(rec_get(r, "new")), asked = false;
	struct sides d = { NULL, NULL };

	if (c == NULL)
		return;
	if (is_edit(c) && c->path != NULL &&
	    scan_str(rec_get(r, "diff"), &diff)) {
		d.old = made ? NULL : whole_read(c->path, TEXT_MAX);
		if (made || d.old != NULL)
			d.new = whole_text(made ? "" : d.old, buf_view(&diff),
			    false);
	}
	for (int how = 0; how < 3 && !asked; how++) {
		struct buf params = BUF_INIT(BUF_RECORD_MAX);

		scan_put(&params, "{'sessionId':@,'toolCall':{",
		    slice_of(s->id));
		put_asked(&params, c, r, &d, how);
		scan_put(&params, "},'options':["
		    "{'optionId':'allow_once','name':'Allow once',"
		    "'kind':'allow_once'},"
		    "{'optionId':'allow_always','name':'Always allow',"
		    "'kind':'allow_always'},"
		    "{'optionId':'reject_once','name':'Reject',"
		    "'kind':'reject_once'},"
		    "{'optionId':'reject_always','name':'Always reject',"
		    "'kind':'reject_always'}]}");
		asked = acp_ask(s, "session/request_permission", &params, r);
	}
	FREE(d.old, d.new);
	buf_release(&diff);
}
