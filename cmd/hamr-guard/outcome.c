/* outcome.c - what a result says: its hashes, its gain, what it changed. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "mem.h"
#include "text_hash.h"

#define LOOK_MAX 2048		/* bytes of an error that are searched */
#define LINES_END INT32_MAX	/* no file has more */
#define STATUS_MAX 80		/* a longer line says more than a status */

/* ---- what meta tells ---- */

enum { CACHED, EXIT, SIGNAL, MUTATED, BEFORE, AFTER, PATH, NAME, OP, FIRST,
	LAST, LINES, SHA, ERROR, TOLD };
static const char *const told[TOLD] = { "cached", "exit", "signal", "mutated",
	"sha256_before", "sha256_after", "path", "name", "op", "first", "last",
	"lines", "sha256", "error" };

struct meta {
	bool any;
	struct slice v[TOLD];
};

static void
meta_read(const struct rec *r, struct meta *m)
{
	struct slice meta = rec_get(r, "meta"), key, val;
	struct walk w;

	*m = (struct meta){ .any = scan_kind(meta) == SCAN_OBJECT };
	if (!m->any)
		return;
	walk_in(&w, meta);
	while (walk_next(&w, &key, &val))
		for (int i = 0; i < TOLD; i++)
			if (scan_key_is(key, told[i])) {
				m->v[i] = val;
				break;
			}
}

/* ---- outcomes by id ---- */

static uint64_t
id_hash(struct slice id)
{
	uint64_t h = text_hash(id.p != NULL ? id.p : "", id.n, 5);

	return h + (h == 0);
}

void
memory_put(struct memory *m, struct slice id, const struct outcome *o)
{
	uint64_t h = id_hash(id);

	if (m->e == NULL)
		m->e = xcalloc(MEMORY, sizeof *m->e);
	m->e[h % MEMORY].id = h;
	m->e[h % MEMORY].of = m->of;
	m->e[h % MEMORY].hash = o->d.hash;
	m->e[h % MEMORY].norm = o->d.norm;
	m->e[h % MEMORY].mask = o->d.mask;
	m->e[h % MEMORY].sketch = o->d.sketch;
	m->e[h % MEMORY].failed = o->failed;
}

void
memory_get(const struct memory *m, struct slice id, struct outcome *o)
{
	uint64_t h = id_hash(id);

	if (m->e == NULL || m->e[h % MEMORY].id != h ||
	    m->e[h % MEMORY].of != m->of)
		return;
	o->known_hash = true;
	o->d.hash = m->e[h % MEMORY].hash;
	o->d.norm = m->e[h % MEMORY].norm;
	o->d.mask = m->e[h % MEMORY].mask;
	o->d.sketch = m->e[h % MEMORY].sketch;
	o->failed = m->e[h % MEMORY].failed;
}

void
memory_clear(struct memory *m)
{
	m->of++;
}

void
memory_release(struct memory *m)
{
	free(m->e);
	m->e = NULL;
}

/* ---- the text ---- */

/* Is a status that may pass among the numbers of a text?  Not as a part of a
 * longer one, nor of a line and column: a.c:503:12. */
static bool
has_status(const char *text)
{
	static const char *const statuses[] = { "408", "429", "502", "503",
		"504", "529" };

	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
		for (const char *p = text; (p = strstr(p, statuses[i])) !=
		    NULL; p += 3) {
			char before = p > text ? p[-1] : ' ';

			if (isalnum((unsigned char)before) || before == '.' ||
			    isalnum((unsigned char)p[3]) ||
			    (p[3] == ':' && isdigit((unsigned char)p[4])) ||
			    (p[3] == '.' && isdigit((unsigned char)p[4])))
				continue;
			return true;
		}
	return false;
}

static bool
may_pass(const struct meta *meta, struct slice text)
{
	static const char *const codes[] = { "timeout", "rate_limited",
		"overloaded", "network", NULL };
	static const char *const signs[] = { "timed out", "timeout",
		"rate limit", "too many requests", "service unavailable",
		"temporarily", "temporary failure", "bad gateway",
		"connection refused", "connection reset", "connection error",
		"etimedout", "econnreset", "econnrefused", "eai_again",
		"overloaded", NULL };
	size_t n = text.n < LOOK_MAX ? text.n : LOOK_MAX;
	bool yes = false;
	char *start;

	for (size_t i = 0; codes[i] != NULL; i++)
		if (scan_str_is(meta->v[ERROR], codes[i]))
			return true;
	start = xmemdup0(text.p, n);
	for (size_t i = 0; i < n; i++)
		if (start[i] >= 'A' && start[i] <= 'Z')
			start[i] = (char)(start[i] + 32);
	for (size_t i = 0; signs[i] != NULL && !yes; i++)
		yes = strstr(start, signs[i]) != NULL;
	yes = yes || has_status(start);
	free(start);
	return yes;
}

/* The texts of an array of parts as one, spelled as JSON; what is no text is
 * digested at once. */
static struct slice
text_of_parts(struct guard *g, struct slice content, struct digest *d)
{
	struct slice part, only = { "", 0 };
	size_t texts = 0;
	struct walk w;

	buf_reset(&g->text);
	walk_in(&w, content);
	while (walk_next(&w, NULL, &part)) {
		struct slice text = scan_kind(part) == SCAN_STRING ? part :
		    scan_get(part, "text");

		if (scan_kind(text) != SCAN_STRING) {
			text_other(part, &g->lines, d);
			continue;
		}
		only = (struct slice){ text.p + 1, text.n - 2 };
		if (++texts > 1 || w.p < w.end)
			scan_str(text, &g->text);
	}
	if (texts < 2)
		return only;
	buf_reset(&g->joined);
	scan_quote(&g->joined, g->text.p, g->text.len);
	return (struct slice){ g->joined.p + 1, g->joined.len - 2 };
}

/* The text of the result as its JSON string spells it, without the quotes. */
static struct slice
text_of(struct guard *g, const struct rec *r, struct digest *d)
{
	struct slice content = rec_get(r, "content");

	if (scan_kind(content) == SCAN_STRING)
		return (struct slice){ content.p + 1, content.n - 2 };
	if (scan_kind(content) == SCAN_ARRAY)
		return text_of_parts(g, content, d);
	return (struct slice){ "", 0 };
}

static struct slice
decoded(struct guard *g, struct slice text)
{
	buf_reset(&g->text);
	buf_adds(&g->text, "");
	scan_inside(text, &g->text);
	return buf_view(&g->text);
}

/* Is a line nothing but an exit status?  "exit 1", "Command exited with code
 * 1", "Exit code: 2". */
static bool
is_status(struct guard *g, struct slice text)
{
	static const char *const words[] = { "exit", "exited", "code",
		"status", "command", "process", "with", "failed", "returned",
		"error", "nonzero", "zero", "non", "no", "output", NULL };
	bool any = false;
	char word[10];

	if (text.n > STATUS_MAX)
		return false;
	text = decoded(g, text);
	for (size_t i = 0, n = 0; i < text.n; i++) {
		char c = text.p[i];

		any |= isdigit((unsigned char)c) != 0;
		if (isalpha((unsigned char)c) && n < sizeof word - 1)
			word[n++] = (char)tolower((unsigned char)c);
		if (i + 1 < text.n && isalpha((unsigned char)text.p[i + 1]))
			continue;
		if (n > 0 && !slice_in((struct slice){ word, n }, words))
			return false;
		n = 0;
	}
	return any;
}

static bool
has_failed(const struct rec *r, const struct meta *meta)
{
	int64_t n;

	if (scan_true(rec_get(r, "is_error")))
		return true;
	if (scan_kind(meta->v[SIGNAL]) == SCAN_STRING)
		return true;
	return scan_int(meta->v[EXIT], &n) && n != 0;
}

/* ---- files ---- */

uint64_t
outcome_hash(struct slice s)
{
	struct slice plain = scan_plain(s);

	if (plain.p != NULL)
		s = plain;
	return text_hash(s.p != NULL ? s.p : "", s.n, 1);
}

/* Could a change of this file make a check stale? */
static bool
path_matters(const struct guard *g, struct slice path)
{
	char *text = scan_strdup(path);
	bool yes = text == NULL || root_matters(&g->sign.root,
	    slice_of(text));

	free(text);
	return yes;
}

/* An element of meta.mutated: what this turn made may go again. */
static bool
told_matters(const struct guard *g, struct slice one)
{
	struct slice path = scan_get(one, "path");

	if (scan_kind(scan_get(one, "sha256")) != SCAN_STRING &&
	    files_is_created(&g->files, outcome_hash(path)))
		return false;
	return path_matters(g, path);
}

/* What meta tells of changed files. */
static void
files_told(struct guard *g, const struct open_call *c,
    const struct meta *meta, struct outcome *o)
{
	struct slice path = meta->v[PATH], sha = meta->v[BEFORE], one;
	bool any = false, fresh = false, back = false;
	struct walk w;

	if (path.p != NULL && scan_kind(sha) == SCAN_STRING)
		files_base(&g->files, outcome_hash(path), outcome_hash(sha));
	else if (path.p != NULL && c->about.write)
		files_created(&g->files, outcome_hash(path));
	if (scan_kind(meta->v[MUTATED]) == SCAN_ARRAY) {
		walk_in(&w, meta->v[MUTATED]);
		while (walk_next(&w, NULL, &one)) {
			any = true;
			o->matters |= told_matters(g, one);
			fresh |= files_reach(&g->files,
			    outcome_hash(scan_get(one, "path")),
			    outcome_hash(scan_get(one, "sha256")), &back);
		}
	}
	sha = meta->v[AFTER];
	if (!any && path.p != NULL && scan_kind(sha) == SCAN_STRING) {
		any = true;
		o->matters = path_matters(g, path);
		fresh = files_reach(&g->files, outcome_hash(path), outcome_hash(sha),
		    &back);
	}
	if (!any)
		return;
	o->reached = true;
	o->files = fresh ? NEW_STATE : OLD_STATE;
	o->back = !fresh && back;
	o->novel_edit = fresh;
}

/* Without hashes: an edit's content is told by its arguments, a command's work
 * by the list of commands that change files. */
static void
files_guessed(struct guard *g, const struct open_call *c, struct outcome *o)
{
	const struct about *a = &c->about;
	uint64_t state = a->change, path = a->path;
	bool back = false, novel, fresh;

	if (o->failed || !a->mutates)
		return;
	o->files = NEW_STATE;
	o->novel_edit = true;
	o->matters = a->matters && !(a->removes != 0 &&
	    files_is_created(&g->files, a->removes));
	if (!a->edits)
		return;
	if (a->write && files_state(&g->files, path) == 0)
		files_created(&g->files, path);
	if (!a->write) {
		state += files_state(&g->files, path);
		files_base(&g->files, path, files_state(&g->files, path));
	}
	g->files.edits.max = STATES_MAX;
	novel = hset_add(&g->files.edits, a->sig.b);
	fresh = files_reach(&g->files, path, state, &back);
	o->reached = true;
	o->novel_edit = novel && fresh;
	if (!novel || !fresh)
		o->files = OLD_STATE;
	o->back = back;
}

/* Does meta know what was changed?  Of a command that hamr-tool ran, always;
 * an importer (which notes the tool's own name) may not. */
static bool
tells_files(const struct open_call *c, const struct meta *meta)
{
	if (meta->v[MUTATED].p != NULL || meta->v[AFTER].p != NULL)
		return true;
	return c->about.bash && meta->any && meta->v[NAME].p == NULL;
}

/* ---- all of it ---- */

/* A cached result is one line, or the same text: it shows nothing new, and
 * its outcome is that of the call it repeats. */
static void
read_cached(struct guard *g, const struct open_call *c, struct slice cached,
    struct outcome *o)
{
	const struct seen *e = seen_get(&g->seen, c->about.sig);

	o->cached = true;
	o->d.gain = 0;
	memory_get(&g->memory, cached, o);
	if (!o->known_hash && e != NULL) {
		o->known_hash = true;
		o->d.hash = e->raw;
		o->d.norm = e->norm;
		o->d.mask = e->mask;
		o->d.sketch = e->sketch;
		o->failed = e->failed;
	}
}

/* Was it a read of lines that are known?  Where meta tells the range that
 * decides, as the lines that hamr-tool adds to a text vary. */
static void
read_range(struct guard *g, const struct open_call *c,
    const struct meta *meta, struct outcome *o)
{
	int64_t first, last, lines;
	bool any = scan_int(meta->v[FIRST], &first);

	if (!c->about.looks)
		return;
	o->past_end = o->d.lines == 0;
	if (scan_int(meta->v[LINES], &lines))
		o->past_end |= any ? first > lines :
		    lines > 0 && scan_str_is(meta->v[OP], "file");
	if (any && scan_int(meta->v[LAST], &last) && first > 0 &&
	    first <= last && last < LINES_END && meta->v[SHA].p != NULL)
		o->shown = shown_add(&g->shown, outcome_hash(meta->v[PATH]),
		    outcome_hash(meta->v[SHA]), first, last);
	if (o->past_end || o->shown)
		o->d.gain = 0;
}

static void
read_text(struct guard *g, const struct open_call *c, const struct rec *r,
    const struct meta *meta, struct outcome *o)
{
	const struct seen *e = seen_get(&g->seen, c->about.sig);
	struct slice text = text_of(g, r, &o->d);

	/* of a call's first result the beginning is enough */
	text_digest(text, &g->lines, e != NULL && e->epoch == g->epoch,
	    g->scratch, &o->d);
	if (o->failed) {
		struct slice plain = decoded(g, text);

		o->d.hash = ~o->d.hash;
		o->d.norm = ~o->d.norm;
		o->transient = may_pass(meta, plain);
		/* an error not seen before says something, whatever its
		 * lines; one that was says nothing */
		g->errors.max = ERRORS_MAX;
		o->new_error = hset_add(&g->errors, o->d.norm);
		if (!o->new_error)
			o->d.gain = 0;
		else if (o->d.gain < plain.n)
			o->d.gain = plain.n;
	}
	if (c->about.idle)
		o->d.gain = 0;
	o->mute = o->d.lines == 0 ||
	    (c->about.bash && o->d.lines == 1 && is_status(g, text));
	o->brief = o->d.chars < g->policy->min_gain;
	read_range(g, c, meta, o);
}

void
outcome_read(struct guard *g, const struct open_call *c, const struct rec *r,
    struct outcome *o)
{
	struct slice cached;
	struct meta meta;

	meta_read(r, &meta);
	cached = meta.v[CACHED];
	*o = (struct outcome){ .failed = has_failed(r, &meta) };
	if (scan_kind(cached) == SCAN_STRING || scan_true(cached)) {
		text_of(g, r, &o->d);
		read_cached(g, c, cached, o);
		if (o->known_hash)
			return;
	}
	read_text(g, c, r, &meta, o);
	if (o->cached)
		o->d.gain = 0;
	if (tells_files(c, &meta))
		files_told(g, c, &meta, o);
	else
		files_guessed(g, c, o);
}
