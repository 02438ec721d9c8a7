/* outcome.c - reads a result: its hashes, its gain, what it changed. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/hash.h"
#include "base/num.h"
#include "internal.h"
#include "text/envelope.h"
#include "text/volatile.h"
#include "text/word_kinds.h"

#define LOOK_MAX 2048		/* bytes of an error that are searched */
#define RANGE_MAX (HASH_SET_MAX / 2)	/* lines of a read that are known */
#define PAGE_MIN 60		/* bytes of a page in a single line */
#define ANSWER_MAX 240		/* bytes of a short answer */
#define STATUS_MAX 80		/* a longer line says more than a status */
#define COMPLAINT_LINES 8	/* last lines of a text that may report one */
#define STATE_GAP 4		/* bytes between a state's name and value */
#define STATE_WORDS 3		/* so few words say little but a state */
#define STATUS_LINES 4		/* first lines that may be an exit status */
#define KEPT_MAX ((size_t)1 << 20)	/* bytes of result texts kept */

/* ---- what meta says ---- */

enum { CACHED, EXIT, SIGNAL, MUTATED, BEFORE, AFTER, PATH, STDOUT, OP, FIRST,
	LAST, LINES, SHA, ERROR, META_KEYS };
#define KEY(name) { name, sizeof name - 1 }
static const struct slice meta_keys[META_KEYS] = { KEY("cached"), KEY("exit"),
	KEY("signal"), KEY("mutated"), KEY("sha256_before"),
	KEY("sha256_after"), KEY("path"), KEY("stdout_bytes"), KEY("op"),
	KEY("first"), KEY("last"), KEY("lines"), KEY("sha256"), KEY("error") };

/* ---- texts of quick digests ---- */

void
outcome_complete(struct guard *g, struct streak *e)
{
	static const struct digest_of of = { .quick = false };
	struct buf text = { .p = g->kept.p + e->text_at, .len = e->text_n,
		.cap = e->text_n + VOLATILE_MARGIN + 1, .max = g->kept.max };

	if (e->text_n == 0)
		return;
	e->text_n = 0;
	e->d = (struct digest){ .gain = e->d.gain };
	digest_text(&text, NULL, &of, g->scratch, &e->d);
}

void
outcome_defer(struct guard *g, struct streak *e)
{
	if (g->kept.len + g->text.len > KEPT_MAX) {
		for (unsigned i = 1; i <= g->seen.n; i++)
			outcome_complete(g, &g->seen.e[i]);
		buf_reset(&g->kept);
	}
	e->text_at = g->kept.len;
	e->text_n = g->text.len;
	buf_slice(&g->kept, buf_view(&g->text));
	buf_reserve(&g->kept, VOLATILE_MARGIN);
}

/* ---- the text ---- */

/* A text in lower case, which the caller frees. */
static char *
lowered(struct slice text)
{
	char *low = xmemdup0(text.p, text.n);

	for (size_t i = 0; i < text.n; i++)
		low[i] = (char)tolower((unsigned char)low[i]);
	return low;
}

/* Is it an error that may pass by itself, as meta or the text says in words
 * that it does not quote? */
static bool
may_pass(const struct slice *meta, struct slice text, struct slice quoted)
{
	static const char *const codes[] = { "timeout", "rate_limited",
		"overloaded", "network", NULL };
	static const char *const signs[] = { "timed out", "timeout",
		"rate limit", "too many requests", "service unavailable",
		"temporarily", "temporary failure", "bad gateway",
		"connection refused", "connection reset", "connection error",
		"etimedout", "econnreset", "econnrefused", "eai_again",
		"overloaded", "socket hang up", "hung up unexpectedly",
		"transfer closed", NULL };
	static const char *const statuses[] = { "408", "429", "502", "503",
		"504", "529", NULL };

	for (size_t i = 0; codes[i] != NULL; i++)
		if (scan_str_is(meta[ERROR], codes[i]))
			return true;
	text.n = num_min(text.n, LOOK_MAX);
	char *start = lowered(text), *call = lowered(quoted);
	struct slice not = { call, quoted.n };
	bool yes = false;
	/* an HTTP status by itself, not as part of a longer number or of a
	 * line and column: a.c:503:12 */
	for (size_t i = 0; statuses[i] != NULL; i++)
		for (const char *p = slice_has(not, statuses[i]) ? "" : start;
		    !yes && (p = strstr(p, statuses[i])) != NULL; p += 3) {
			char before = p > start ? p[-1] : ' ';

			yes = !isalnum((unsigned char)before) &&
			    before != '.' && !isalnum((unsigned char)p[3]) &&
			    ((p[3] != ':' && p[3] != '.') ||
			    !isdigit((unsigned char)p[4]));
		}
	for (size_t i = 0; signs[i] != NULL && !yes; i++)
		yes = strstr(start, signs[i]) != NULL &&
		    !slice_has(not, signs[i]);
	FREE(start, call);
	return yes;
}

/* The text of the result, in g->text; content that is not text is digested at
 * once. */
static void
read_content(struct guard *g, const struct rec *r, struct digest *d)
{
	struct slice content = rec_get(r, "content"), part;

	buf_reset(&g->text);
	scan_str(content, &g->text);
	for (struct walk w = walk_elements(content);
	    walk_next(&w, NULL, &part); )
		if (!scan_str(part, &g->text) &&
		    !scan_str(scan_get(part, "text"), &g->text))
			digest_bytes(part, &g->lines, d);
}

/* Does a text begin with this, in upper or lower case? */
static bool
begins_like(struct slice text, const char *with)
{
	size_t n;

	/* most do not begin with its letter */
	if (text.n == 0 || (*text.p | 0x20) != (*with | 0x20))
		return false;
	n = strlen(with);
	return text.n >= n && strncasecmp(text.p, with, n) == 0;
}

/* Does an object have an error, or success as false? */
static bool
tells_error(struct slice text)
{
	if (!scan_is_json(text))
		return false;
	struct slice error = scan_get(text, "error");
	enum scan_kind kind = scan_kind(error),
	    success = scan_kind(scan_get(text, "success"));
	return success == SCAN_FALSE || (success != SCAN_TRUE &&
	    (kind == SCAN_OBJECT || kind == SCAN_TRUE ||
	    (kind == SCAN_STRING && error.n > 2)));
}

/* Does an edit's result begin with an error?  Many agents mark a failed edit
 * in no other way. */
static bool
tells_no_edit(struct slice text)
{
	static const char *const failures[] = { "error", "failed", "invalid",
		"no replacement", "no match", "no sufficiently", "no edits",
		"no changes", "no occurrence", "could not", "couldn't",
		"cannot", "unable", "old_str", "old string", "old text",
		"string not found", "string to replace", "text not found",
		"<error>", "<tool_use_error>", "no replacements", "no matches",
		"apply_patch verification failed",
		"the tool execution failed", NULL };

	text = slice_trim(text);
	if (slice_starts(text, "{"))
		return tells_error(text);
	for (size_t i = 0; failures[i] != NULL; i++) {
		size_t n = strlen(failures[i]);

		/* not a file's name: error.c, errors/ */
		if (begins_like(text, failures[i]) &&
		    (text.n == n || (!isalnum((unsigned char)text.p[n]) &&
		    strchr("_./-", text.p[n]) == NULL)))
			return true;
	}
	return false;
}

/* What words of a result tell. */
enum {
	STATUS = 1 << 0, EXITED = 1 << 1,	/* words of a bare status */
	GOING = 1 << 2, ENDED = 1 << 3, FAILED = 1 << 4,	/* of a state */
	NOT = 1 << 5, FINDS = 1 << 6,	/* there is none of what was asked */
	HOPED = 1 << 7,			/* there is no error */
	RANGE = 1 << 8, BEYOND = 1 << 9,	/* a file has fewer lines */
	EDITED = 1 << 10		/* a file was changed */
};

static struct words known = { .kinds = (const struct word_kind[]){
	{ STATUS, "exit exited code status command process with failed"
	    " returned error nonzero zero non no output the completed"
	    " finished" },
	{ EXITED, "exit exited" },
	{ GOING, "pending queued running waiting starting restarting stopping"
	    " building compiling installing deploying provisioning creating"
	    " initializing booting loading uploading downloading processing"
	    " importing exporting copying syncing rolling progress still yet"
	    " busy unfinished incomplete inprogress executing scheduled"
	    " enqueued preparing training staging updating migrating draining"
	    " scaling" },
	{ ENDED, "complete completed finished succeeded success done ended" },
	{ FAILED, "cancelled canceled failed failure killed exited terminated"
	    " stopped aborted dead error" },
	{ NOT, "no not none nothing zero keine nicht nichts aucun sin nessun"
	    " nenhum" },
	{ FINDS, "find found match matches matched matching result results"
	    " hits such exist exists there treffer gefunden ergebnisse sultat"
	    " encontr resultados risultato resultado" },
	{ HOPED, "output error errors warning warnings problem problems issue"
	    " issues failed failures conflicts" },
	{ RANGE, "offset line lines range" },
	{ BEYOND, "beyond past exceeds shorter" },
	{ EDITED, "edited updated changed modified applied replaced"
	    " inserted removed deleted written wrote saved created success"
	    " successful successfully succeeded done ok" },
	{ 0, NULL }
} };

/* How many words a text has; what any of them tells, and all of them. */
struct telling {
	size_t n;
	uint64_t any, all;
};

static struct telling
words_of(struct slice text)
{
	const char *end = text.p + text.n;
	struct telling t = { .all = STATUS };

	for (const char *p = text.p; p < end; p++) {
		char word[16];
		size_t n = 0;

		for (; p < end && isalpha((unsigned char)*p); p++)
			if (n < sizeof word)
				word[n++] = *p | 0x20;
		if (n == 0)
			continue;
		uint64_t is = words_is(&known, (struct slice){ word, n });
		t.n++;
		t.any |= is;
		t.all &= is;
	}
	return t;
}

static bool
tells(struct slice text, uint64_t what)
{
	return (words_of(text).any & what) != 0;
}

/* Is a line nothing but an exit status?  "exit 1", "Command exited with code
 * 1", "Exit code: 2". */
static bool
is_status(struct slice text)
{
	bool digit = false;

	for (size_t i = 0; i < text.n && text.n <= STATUS_MAX; i++)
		digit |= isdigit((unsigned char)text.p[i]) != 0;
	return digit && words_of(text).all != 0;
}

/* Is it a nonzero exit status? */
static bool
is_failure(struct slice line)
{
	if (line.n > STATUS_MAX || memchr(line.p, 'x', line.n) == NULL ||
	    !is_status(line) || !tells(line, EXITED))
		return false;
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] >= '1' && line.p[i] <= '9')
			return true;
	return false;
}

/* Is one of the first lines of a text, or its last, a nonzero exit status? */
static bool
tells_failure(struct slice text)
{
	struct slice line = { NULL, 0 }, rest = text;

	for (int n = 0; n < STATUS_LINES && slice_line(&rest, &line); n++)
		if (is_failure(line))
			return true;
	for (rest = envelope_foot(text); slice_line(&rest, &line); )
		if (is_failure(line))
			return true;
	return is_failure(envelope_last_line(slice_trim(text)));
}

/* Does the text end like a Python traceback: "ValueError: no such thing"? */
static bool
is_traceback(struct slice text)
{
	struct slice line = envelope_last_line(slice_trim(text));
	size_t name = 0;

	while (name < line.n && (isalnum((unsigned char)line.p[name]) ||
	    line.p[name] == '.' || line.p[name] == '_'))
		name++;
	if (name < line.n && line.p[name] != ':')
		return false;
	line.n = name;
	return (slice_ends(line, "Error") || slice_ends(line, "Exception")) &&
	    slice_has(text, "Traceback (most recent call");
}

/* Are none counted: "0", ": 0", "0 tests"? */
static bool
is_zero(struct slice text)
{
	text = slice_trim_start(text, " \t:");
	return slice_is(text, "0") || slice_starts(text, "0 ");
}

/* Does one of the last lines report a failed test or an error: "1 failed, 2
 * passed", "FAIL: x", "a.c:3:5: error: x", "error[E0433]: x"? */
bool
outcome_reports_failure(const struct guard *g)
{
	static const char *const begins[] = { "FAIL: ", "FAIL ", "FAIL\t",
		"FAILED ", "--- FAIL", "not ok ", "error: ", "error[",
		"fatal: ", NULL };
	struct slice last = slice_last_lines(buf_view(&g->text),
	    COMPLAINT_LINES), line;

	while (slice_line(&last, &line)) {
		line = slice_trim(line);
		for (size_t i = 0; begins[i] != NULL; i++)
			if (slice_starts(line, begins[i]) &&
			    !is_zero(slice_from(line, strlen(begins[i]))))
				return true;
		if (slice_has(line, ": error: ") ||
		    slice_has(line, ": error TS") ||
		    slice_has(line, ": undefined: "))
			return true;
		const char *end = line.p + line.n;
		for (const char *p = line.p; p < end; p++) {
			if (*p < '1' || *p > '9')
				continue;
			while (p < end && isdigit((unsigned char)*p))
				p++;
			line = (struct slice){ p, (size_t)(end - p) };
			if (slice_starts(line, " failed") ||
			    slice_starts(line, " failing") ||
			    slice_starts(line, " failure") ||
			    slice_starts(line, " error"))
				return true;
		}
	}
	return false;
}

/* Does a text say that what c asks for is under way, over, or over in vain?
 * *patient: it says so explicitly, not as one state among many. */
static enum going
state_of(const struct open_call *c, const struct slice *meta,
    struct slice text, bool brief, bool *patient)
{
	static const char *const names[] = { "status", "state", "phase" };
	const char *end = text.p + text.n, *p = text.p, *q;
	enum going state = NO_STATE;
	bool others = false;

	*patient = false;
	if (text.n > LOOK_MAX)
		return NO_STATE;
	/* a pod that cannot run: it is tried again, in vain */
	if (slice_has(text, "BackOff"))
		return LOST;
	/* the values of members and lines that tell a state: "status":
	 * "running", <status>exited</status>, JobStatus: Failed */
	while (p < end) {
		bool names_one = false;

		for (q = p; q < end && isalpha((unsigned char)*q); q++)
			;
		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			size_t n = strlen(names[i]);

			names_one |= (size_t)(q - p) >= n &&
			    strncasecmp(q - n, names[i], n) == 0;
		}
		p = q + (q == p);
		while (names_one && q < end && q - p < STATE_GAP &&
		    strchr("\"'>:= ", *q) != NULL)
			q++;
		if (!names_one || q == p)
			continue;
		struct slice value = { q, 0 };
		for (; q < end && (isalpha((unsigned char)*q) || *q == '_' ||
		    *q == '-' || *q == ' '); q++)
			value.n++;
		p = q;
		uint64_t told = words_of(value).any;
		others |= (told & FAILED) == 0;
		if ((told & GOING) != 0)
			*patient = true;
		else if ((told & (FAILED | ENDED)) != 0)
			state = OVER;
	}
	brief |= c->is.poll && text.n <= ANSWER_MAX;
	/* a service that is not there yet is waited for, too */
	if (state == NO_STATE && !*patient && brief && (tells(text, GOING) ||
	    (c->is.waits && c->is.fetches &&
	    may_pass(meta, text, SLICE(""))))) {
		*patient = c->is.waits || (!c->is.bash && (c->is.poll ||
		    words_of(text).n <= STATE_WORDS));
		return UNDER_WAY;
	}
	return *patient ? UNDER_WAY : state == OVER && !others ? LOST : state;
}

/* Does a line say that there is none of what was asked for? */
static bool
finds_nothing(struct slice text)
{
	static const char *const others[] = { "не найден", "未找到",
		"没有找到", "ありません", "見つかりません", NULL };

	text = slice_trim(text);
	if (text.n == 0 || text.n > ANSWER_MAX ||
	    memchr(text.p, '\n', text.n) != NULL)
		return false;
	for (size_t i = 0; (*text.p & 0x80) != 0 && others[i] != NULL; i++)
		if (slice_has(text, others[i]))
			return true;
	return (~words_of(text).any & (NOT | FINDS)) == 0;
}

/* Does one line say that what was to be changed is not there?  "a.c updated:
 * no errors found" does not. */
static bool
tells_absent(struct slice text)
{
	static const char *const phrases[] = { "not found", "not exist",
		"not match", "no match", "no such", NULL };
	bool absent = false;

	if (slice_starts(text, "{") || !finds_nothing(text) ||
	    tells(text, EDITED))
		return false;
	char *low = lowered(text);
	for (size_t i = 0; phrases[i] != NULL; i++)
		absent |= strstr(low, phrases[i]) != NULL;
	free(low);
	return absent;
}

/* Is it a short answer that there is none of something, or an error in its
 * place?  That there are no errors or the like does not count, nor does an
 * empty list, unless one was asked for: it may mean that all went well. */
static bool
is_none(struct slice text, bool asked)
{
	static const char *const nones[] = { "[]", "{}", "()", "0", NULL };
	static const char *const nots[] = { "no ", "not ", "nothing ", "0 ",
		"found 0 ", "found no ", NULL };

	text = slice_trim(text);
	if (slice_in(text, nones))
		return asked;
	if (text.n == 0 || text.n > ANSWER_MAX)
		return false;
	if (begins_like(text, "{\"error\""))
		return true;
	if (*text.p == '{') {	/* an object whose lists are all empty */
		size_t list = slice_find(text, 0, "[");

		return slice_starts(slice_from(text, list), "[]") &&
		    slice_find(text, list + 1, "[") == text.n;
	}
	for (size_t i = 0; nots[i] != NULL; i++)
		if (begins_like(text, nots[i]))
			return !tells(text, HOPED);
	return false;
}

bool
outcome_is_useless(const struct guard *g)
{
	struct slice text = slice_trim(buf_view(&g->text));

	return outcome_reports_failure(g) || begins_like(text, "error") ||
	    begins_like(text, "fail") || is_none(text, true);
}

/* ---- files ---- */

/* meta says that a file is in another state: true if the state is new.  It
 * does not matter if a file that this turn created is deleted again. */
static bool
reach(struct guard *g, struct slice path, struct slice sha, struct outcome *o)
{
	uint64_t file = sign_value(path);

	if (scan_kind(sha) == SCAN_STRING ||
	    !files_of(&g->files, file)->created)
		o->matters |= sign_matters(&g->signer, path);
	o->reached = true;
	return files_enter_state(&g->files, file, sign_value(sha), &o->back);
}

/* Read what meta says about changed files. */
static void
files_reported(struct guard *g, const struct open_call *c,
    const struct slice *meta, struct outcome *o)
{
	struct slice path = meta[PATH], sha = meta[BEFORE], one;
	bool is_new = false;

	if (path.p != NULL && scan_kind(sha) == SCAN_STRING)
		files_set_state(&g->files, sign_value(path), sign_value(sha));
	else if (path.p != NULL && c->is.write)
		files_of(&g->files, sign_value(path))->created = true;
	for (struct walk w = walk_elements(meta[MUTATED]);
	    walk_next(&w, NULL, &one); )
		is_new |= reach(g, scan_get(one, "path"),
		    scan_get(one, "sha256"), o);
	sha = meta[AFTER];
	if (!o->reached && path.p != NULL && scan_kind(sha) == SCAN_STRING)
		is_new = reach(g, path, sha, o);
	o->back &= !is_new;
	o->novel_edit = is_new && !c->is.moves;
	if (o->reached)
		o->files = is_new ? NEW_STATE : OLD_STATE;
}

/* Without hashes: an edit's arguments tell the content, and the list of
 * commands that change files tells what a command did. */
static void
files_inferred(struct guard *g, const struct open_call *c, bool first,
    struct outcome *o)
{
	const struct traits *a = &c->is;
	uint64_t state = a->change;

	if (o->failed || !a->mutates)
		return;
	o->files = NEW_STATE;
	/* the same command once more is no other edit */
	o->novel_edit = !a->moves && (a->edits || first);
	o->matters = a->matters && !(a->removes != 0 &&
	    files_of(&g->files, a->removes)->created);
	if (!a->edits)
		return;
	struct file_state *f = files_of(&g->files, a->path);
	f->created |= a->write && f->state == 0;
	if (!a->write) {
		state += f->state;
		files_set_state(&g->files, a->path, f->state);
	}
	bool is_new = hash_set_add(&g->files.edits, a->sig.b);
	is_new &= files_enter_state(&g->files, a->path, state, &o->back);
	o->reached = true;
	o->novel_edit = is_new;
	if (!is_new)
		o->files = OLD_STATE;
}

/* ---- all of it ---- */

/* A new error is news whatever its lines; a known one is not.  kind: the call's
 * own words are known, and an error that differs only in them, too. */
static void
read_error(struct guard *g, const struct open_call *c,
    const struct slice *meta, struct slice text, bool kind, struct outcome *o)
{
	bool edits = c->is.edits && !c->is.write, quotes = edits &&
	    (!kind || o->d.lines > 1);	/* the file, perhaps */

	o->d.hash = ~o->d.hash;
	o->d.norm = ~o->d.norm;
	o->transient = may_pass(meta, quotes ? SLICE("") : text,
	    edits && !quotes ? sign_text_of(&g->signer, &c->is) : SLICE(""));
	o->new_error = hash_set_add(&g->errors, o->d.norm);
	if (kind) {
		o->new_error &= hash_set_add(&g->errors, o->d.kind);
		o->new_error &= o->d.fault == o->d.kind ||
		    hash_set_add(&g->errors, o->d.fault);
	}
	if (!o->new_error)
		o->d.gain = 0;
	else if (o->d.gain < text.n)
		o->d.gain = text.n;
}

/* Does a text say that a file has fewer lines than were asked for? */
static bool
tells_end(struct slice text)
{
	return text.n <= ANSWER_MAX && tells(text, RANGE) &&
	    (tells(text, BEYOND) || slice_has(text, "out of range"));
}

/* Did a read show only known lines?  If meta has the range, that decides, as
 * the lines that hamr-tool adds to a text vary. */
static void
read_range(struct guard *g, const struct slice *meta, struct outcome *o)
{
	int64_t first, last, lines;
	bool any = scan_int(meta[FIRST], &first);

	o->past_end = o->d.lines == 0 ||
	    (o->d.lines == 1 && tells_end(buf_view(&g->text)));
	if (scan_int(meta[LINES], &lines))
		o->past_end |= any ? first > lines :
		    lines > 0 && scan_str_is(meta[OP], "file");
	if (any && scan_int(meta[LAST], &last) && first > 0 &&
	    first <= last && last - first < RANGE_MAX && meta[SHA].p != NULL) {
		uint64_t file = hash_both(sign_value(meta[PATH]),
		    sign_value(meta[SHA]));

		o->shown = true;
		for (uint64_t line = (uint64_t)first; line <= (uint64_t)last;
		    line++)
			o->shown &= !hash_set_add(&g->lines, hash_both(file,
			    line));
	}
	if (o->past_end || o->shown)
		o->d.gain = 0;
}

static void
read_text(struct guard *g, const struct open_call *c, const struct streak *e,
    const struct rec *r, const struct slice *meta, struct outcome *o)
{
	struct digest_of of = { .sum = e != NULL };

	read_content(g, r, &o->d);
	struct slice text = buf_view(&g->text);
	bool told = meta[AFTER].p != NULL || meta[MUTATED].p != NULL;
	if (c->is.runs && !is_question(&c->is) && !o->failed &&
	    meta[EXIT].p == NULL)
		o->failed = is_traceback(text) ||
		    (c->is.bash && tells_failure(text));
	else if (c->is.edits && !o->failed && !told)
		o->failed = tells_no_edit(text);
	struct slice open = c->is.poll ? text : envelope_open(text);
	if (open.n < text.n) {
		g->text.len = (size_t)(open.p + open.n - text.p);
		buf_drop(&g->text, (size_t)(open.p - text.p));
		text = buf_view(&g->text);
	}
	of.pages = c->is.acts || c->is.fetches ? text.n >= PAGE_MIN ||
	    slice_has(text, "\n") || slice_starts(slice_trim(text), "<") :
	    c->is.sends && !c->is.bash && slice_starts(text, "{");
	o->none = is_none(text, is_question(&c->is) || c->is.fetches);
	if (c->is.edits && !c->is.write && !o->failed && !told)
		o->failed = tells_absent(text);
	of.failed = o->failed;
	o->nothing = !o->failed && (finds_nothing(text) ||
	    (o->none && is_question(&c->is)));
	if (e != NULL && !o->failed && c->is.bash && c->is.runs)
		o->complains = outcome_reports_failure(g);
	/* the call's own words are known until the next step */
	if (c->turn == g->turn && c->step == g->steps) {
		text = sign_text_of(&g->signer, &c->is);
		if (c->is.echoes != 0 && !c->is.idle) {
			of.given = text;
			of.given_min = c->is.echoes;
		}
		if (o->failed || o->nothing || o->complains)
			of.call = (struct slice){ text.p,
				text.n < LOOK_MAX ? text.n : LOOK_MAX };
		if (c->is.seeks && !c->is.bash)
			of.asked = text;
	}
	/* no outcome of this epoch that it will be compared with */
	o->quick = (e == NULL || e->epoch != g->epoch) && !o->failed &&
	    !o->complains && !o->nothing && !o->cached &&
	    of.given.p == NULL && o->d.lines == 0 && g->text.len <= KEPT_MAX;
	of.quick = o->quick;
	digest_text(&g->text, &g->lines, &of, g->scratch, &o->d);
	text = buf_view(&g->text);
	if (o->failed)
		read_error(g, c, meta, text, of.call.p != NULL, o);
	if (c->is.idle)
		o->d.gain = 0;
	o->mute = o->d.lines == 0 ||
	    (c->is.bash && o->d.lines == 1 && is_status(text));
	o->none |= o->nothing || (o->d.lines == 0 &&
	    (!c->is.runs || c->is.seeks || o->failed));
	o->nothing &= o->d.lines == 1;
	if (o->nothing && !hash_set_add(&g->errors, o->d.kind))
		o->d.gain = 0;
	o->brief = o->d.chars - (o->nothing || o->failed ? o->d.own : 0) <
	    g->policy->min_gain;
	/* needed only when a call is repeated; what is made again each time is
	 * not waited for */
	if (e != NULL && !o->failed && !c->is.tracks && !c->is.looks &&
	    !c->is.edits && !c->is.seeks &&
	    (c->is.poll || c->is.runs || e->state != NO_STATE) &&
	    (!c->is.sends || e->d.hash == o->d.hash))
		o->state = state_of(c, meta, text, o->brief,
		    &o->patient);
	if (c->is.looks)
		read_range(g, meta, o);
}

/* The place of the call with this id, and the id as it is there. */
static struct called *
called_at(struct guard *g, struct slice call, uint64_t *id)
{
	*id = hash_both(hash_bytes(call.p, call.n), g->turns);
	return &g->called[*id % CALLED_MAX];
}

/* The streak of the call that a cached result repeats; if that is not known, of
 * the call itself, e. */
static struct streak *
repeated(struct guard *g, struct slice cached, struct streak *e)
{
	uint64_t id;
	const struct called *c = called_at(g, cached, &id);
	struct streak *of = c->id == id ? streaks_get(&g->seen, c->sig) : NULL;

	return of != NULL ? of : e;
}

void
outcome_read(struct guard *g, const struct open_call *c, struct streak *e,
    const struct rec *r, struct outcome *o)
{
	struct slice all = scan_only(SCAN_OBJECT, rec_get(r, "meta"));
	struct slice meta[META_KEYS] = { { NULL, 0 } }, key, val;
	int64_t n;

	for (struct walk w = walk_of(all); walk_next(&w, &key, &val); )
		for (int i = 0; i < META_KEYS; i++)
			if (scan_key_eq(key, meta_keys[i])) {
				meta[i] = val;
				break;
			}
	*o = (struct outcome){ .failed = scan_true(rec_get(r, "is_error")) ||
	    scan_kind(meta[SIGNAL]) == SCAN_STRING ||
	    (scan_int(meta[EXIT], &n) && n != 0),
	    .cached = scan_kind(meta[CACHED]) == SCAN_STRING ||
	    scan_true(meta[CACHED]) };
	struct streak *of = o->cached ? repeated(g, meta[CACHED], e) : NULL;
	if (of != NULL) {
		/* one line, or the same text: it shows nothing new */
		outcome_complete(g, of);
		o->d = of->d;
		o->d.gain = 0;
		o->failed = of->failed;
		o->transient = of->transient;
		return;
	}
	uint64_t id;
	struct called *here = called_at(g, slice_of(c->id), &id);
	*here = (struct called){ id, c->is.does };
	read_text(g, c, e, r, meta, o);
	if (o->cached)
		o->d.gain = 0;
	/* hamr-tool's meta says what a command changed, or null: it is not
	 * known; an importer's may not */
	if (scan_kind(meta[MUTATED]) != SCAN_NULL &&
	    (meta[MUTATED].p != NULL || meta[AFTER].p != NULL ||
	    (c->is.bash && meta[STDOUT].p != NULL)))
		files_reported(g, c, meta, o);
	else
		files_inferred(g, c, e == NULL, o);
	if (o->cached)
		return;
	g->files.shown += !c->is.edits && o->d.gain > 0;
	if (c->is.edits && o->files == NEW_STATE && !o->failed) {
		enum minor_edit minor = files_minor_edit(&g->files,
		    c->is.path, c->is.write, &c->is.code);

		/* A changed comment makes no check stale, and rewording it
		 * once more is no progress.  Trying one number after another,
		 * or drafting with nothing read in between, is, but it is
		 * nothing new. */
		o->matters &= !c->is.comments && minor != ONLY_COMMENTS;
		o->novel_edit &= minor != ONLY_COMMENTS;
		if (minor == ONLY_COMMENTS)
			o->files = OLD_STATE;
		else if (minor == ONE_MORE_TRY)
			o->files = TWEAKED;
	} else if (o->files == SAME_FILES) {
		g->files.learned += c->is.runs && o->d.gain > 0;
		g->files.ran |= c->is.runs;
	}
}
