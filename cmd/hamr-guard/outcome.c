/* outcome.c - what a result says: its hashes, its gain, what it changed. */
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "mem.h"
#include "text_hash.h"

#define LOOK_MAX 2048		/* bytes of an error that are searched */
#define LOOK_FIRST 30		/* five letters, however they are spelled */

/* ---- what meta tells ---- */

enum { CACHED, EXIT, SIGNAL, MUTATED, BEFORE, AFTER, PATH, NAME, FIRST, LINES,
	ERROR, TOLD };
static const char *const told[TOLD] = { "cached", "exit", "signal", "mutated",
	"sha256_before", "sha256_after", "path", "name", "first", "lines",
	"error" };

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

static bool
may_pass(const struct meta *meta, struct slice text)
{
	static const char *const codes[] = { "timeout", "rate_limited",
		"overloaded", "network", NULL };
	static const char *const signs[] = { "timed out", "timeout", "429",
		"rate limit", "too many requests", "connection refused",
		"connection reset", "connection error",
		"temporarily unavailable", NULL };
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

/* hamr-tool's first line of a command is the exit status. */
static bool
is_status(struct guard *g, struct slice text)
{
	size_t look = text.n < LOOK_FIRST ? text.n : LOOK_FIRST;

	if (memchr(text.p, '\\', look) != NULL)
		text = decoded(g, text);
	return slice_starts(text, "exit ");
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

static uint64_t
hash_of(struct slice s)
{
	struct slice plain = scan_plain(s);

	if (plain.p != NULL)
		s = plain;
	return text_hash(s.p != NULL ? s.p : "", s.n, 1);
}

/* What meta tells of changed files. */
static void
files_told(struct guard *g, const struct open_call *c,
    const struct meta *meta, struct outcome *o)
{
	struct slice path = meta->v[PATH], sha = meta->v[BEFORE], one;
	bool any = false, fresh = false, back = false;
	struct walk w;

	if (path.p != NULL && sha.p != NULL)
		files_base(&g->files, hash_of(path), hash_of(sha));
	if (scan_kind(meta->v[MUTATED]) == SCAN_ARRAY) {
		walk_in(&w, meta->v[MUTATED]);
		while (walk_next(&w, NULL, &one)) {
			any = true;
			fresh |= files_reach(&g->files,
			    hash_of(scan_get(one, "path")),
			    hash_of(scan_get(one, "sha256")), &back);
		}
	}
	sha = meta->v[AFTER];
	if (!any && path.p != NULL && scan_kind(sha) == SCAN_STRING) {
		any = true;
		fresh = files_reach(&g->files, hash_of(path), hash_of(sha),
		    &back);
	}
	if (!any)
		return;
	o->reached = true;
	o->files = fresh ? NEW_STATE : OLD_STATE;
	o->back = !fresh && (back || c->about.edits);
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
	if (!a->edits)
		return;
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
	o->back = !fresh;
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
		o->failed = e->failed;
	}
}

static void
read_text(struct guard *g, const struct open_call *c, const struct rec *r,
    const struct meta *meta, struct outcome *o)
{
	struct slice text = text_of(g, r, &o->d);
	int64_t first, lines;

	text_digest(text, &g->lines, g->scratch, &o->d);
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
	o->silent = c->about.bash && (o->d.lines == 0 ||
	    (o->d.lines == 1 && is_status(g, text)));
	o->past_end = c->about.looks && (o->d.lines == 0 ||
	    (scan_int(meta->v[FIRST], &first) &&
	    scan_int(meta->v[LINES], &lines) && first > lines));
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
