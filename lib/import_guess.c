/* import_guess.c - whose transcript is this?  Told by its first 64 KiB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import_guess.h"
#include "import_mark.h"
#include "mem.h"
#include "rec.h"
#include "scan.h"
#include "units.h"

const struct import_format import_formats[NMARKS + 1] = {
	[MARK_OPENAI] = { "openai",
	    "messages with roles, in an array or under \"messages\"" },
	[MARK_CLAUDE_CODE] = { "claude-code",
	    "line of type user or assistant with message and sessionId" },
	[MARK_CODEX] = { "codex",
	    "line of type session_meta or response_item with payload" },
	[MARK_PI] = { "pi",
	    "line of type session with cwd, or a toolResult message" },
	[MARK_OPENCODE] = { "opencode",
	    "messages with info and parts" },
	[MARK_GEMINI] = { "gemini",
	    "sessionId with projectHash, or a message of type gemini" },
	[MARK_QWEN] = { "qwen",
	    "line with uuid and message.parts" },
	[MARK_KIMI] = { "kimi",
	    "role _checkpoint, _usage or _system_prompt, or wire messages" },
	[MARK_SWE_AGENT] = { "swe-agent",
	    "trajectory and history, or messages with observations" },
	[MARK_MINI_SWE_AGENT] = { "mini-swe-agent",
	    "trajectory_format, or <returncode> observations" },
	[MARK_OPENHANDS] = { "openhands",
	    "events with action or observation, or a kind ...Event" },
	[MARK_SHAREGPT] = { "sharegpt",
	    "conversations with from and value" },
	[MARK_ATIF] = { "atif",
	    "schema_version ATIF, or steps and agent" },
	[MARK_CLINE] = { "cline",
	    "messages with tool_use or tool_result parts" },
	[MARK_COPILOT] = { "copilot",
	    "line of type session., user., assistant. or tool. with data" },
};

const struct import_format *
import_format_named(const char *name)
{
	for (const struct import_format *f = import_formats; f->name != NULL;
	    f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

/* False when there is nothing but blanks. */
static bool
skip_blanks(struct slice *s)
{
	while (s->n > 0 && memchr(" \t\r\n", *s->p, 4) != NULL)
		*s = (struct slice){ s->p + 1, s->n - 1 };
	return s->n > 0;
}

/* ---- what was cut off ---- */

/* Append the beginning of a value, made whole: cut at the last place where
 * that can be done by closing what is open, be it a string. */
static void
repair(struct slice s, struct buf *out)
{
	char *open = xmalloc(s.n + 1), last = '\0';
	size_t depth = 0, cut = 0, cut_depth = 0, escape = 0;
	bool quoted = false, value = false;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (quoted) {
			if (c == '\\')
				escape = i++;
			else
				quoted = c != '"';
			continue;
		}
		if (c == '"') {
			quoted = true;
			escape = i;
			value = last == ':' ||
			    (depth > 0 && open[depth - 1] == ']');
		} else if (c == '{' || c == '[') {
			open[depth++] = c == '{' ? '}' : ']';
			cut = i + 1;
			cut_depth = depth;
		} else if (c == '}' || c == ']') {
			depth -= depth > 0;
			cut = i + 1;
			cut_depth = depth;
			if (depth == 0)
				break;
		} else if (c == ',') {
			cut = i;
			cut_depth = depth;
		}
		if (strchr(" \t\r\n", c) == NULL)
			last = c;
	}
	if (quoted && value) {
		bool half = s.p[escape] == '\\' && s.n - escape <
		    (size_t)(s.n - escape > 1 && s.p[escape + 1] == 'u' ?
		    6 : 2);

		cut = half ? escape : s.n;
		cut_depth = depth;
	}
	buf_add(out, s.p, cut);
	if (quoted && value)
		buf_addc(out, '"');
	while (cut_depth > 0)
		buf_addc(out, open[--cut_depth]);
	free(open);
}

/* ---- one value ---- */

struct look {
	struct guess *g;
	unsigned marks;
	struct scan scan;
	struct rec rec;
	struct buf text;
	bool hamr, odd, any;
	bool roles;		/* an array of what has roles */
	bool lenient;		/* lines that are refused do not count */
};

/* Is it a record of ours: a role, or a type that we know?  (Another one, that
 * smells of nobody else, is ours to pass on, too.) */
static bool
is_hamr(const struct rec *r)
{
	if (scan_kind(rec_get(r, "message")) == SCAN_OBJECT)
		return false;
	return scan_kind(rec_get(r, "role")) == SCAN_STRING ||
	    r->kind != R_OTHER;
}

/* Keys that every other program's transcript has one of; the last six are
 * no news in an event of somebody's stage. */
static bool
is_odd(struct slice object)
{
	static const char *const keys[] = { "timestamp", "created_at",
		"sessionId", "session_id", "message", "messages", "payload",
		"parentId", "steps", "events", "cwd", "uuid",
		"content", "text", "parts", "createdAt", "updatedAt",
		"sessionID" };
	size_t n = sizeof keys / sizeof *keys;

	if (scan_kind(scan_get(object, "type")) == SCAN_STRING)
		n -= 6;
	for (size_t i = 0; i < n; i++)
		if (scan_get(object, keys[i]).p != NULL)
			return true;
	return false;
}

static void
look_at(struct look *k, struct slice object, bool in_list)
{
	unsigned marks = import_marks(object, in_list);

	k->any = true;
	k->marks |= marks;
	k->roles |= in_list && scan_kind(scan_get(object, "role")) ==
	    SCAN_STRING;
}

/* A line: true when it is an object. */
static bool
look_at_line(struct look *k, struct slice line)
{
	struct rec r;
	unsigned before = k->marks;

	if (rec_parse(&k->scan, line.p, line.n, &r) < 0) {
		size_t n = units_value_end(line);

		if (n == 0 || n >= line.n ||
		    rec_parse(&k->scan, line.p, n, &r) < 0) {
			buf_reset(&k->text);
			units_mend(line, &k->text);
			if (rec_parse(&k->scan, k->text.p, k->text.len,
			    &r) < 0)
				return false;
		}
	}
	look_at(k, r.line, false);
	if (k->marks == before) {
		k->hamr |= is_hamr(&r) || !is_odd(r.line);
		k->odd |= is_odd(r.line);
	}
	return true;
}

/* What there is in a value of nobody's, for people. */
static void
note_keys(struct guess *g, struct slice object)
{
	struct slice key, val;
	struct walk w;
	size_t at = 0;

	if (g->keys[0] != '\0' || scan_kind(object) != SCAN_OBJECT)
		return;
	walk_in(&w, object);
	while (walk_next(&w, &key, &val)) {
		const char *before = at > 0 ? ", " : "";

		if (at + key.n + 8 > sizeof g->keys) {
			snprintf(g->keys + at, sizeof g->keys - at, "%s...",
			    before);
			break;
		}
		at += (size_t)snprintf(g->keys + at, sizeof g->keys - at,
		    "%s%.*s", before, (int)key.n, key.p);
	}
}

static void
look_at_document(struct look *k, struct slice doc)
{
	struct slice el;
	struct walk w;

	note_keys(k->g, doc);
	if (scan_kind(doc) == SCAN_OBJECT) {
		look_at(k, doc, false);
		k->odd |= is_odd(doc);
		k->hamr |= rec_parse(&k->scan, doc.p, doc.n, &k->rec) == 0 &&
		    is_hamr(&k->rec);
	} else if (scan_kind(doc) == SCAN_ARRAY) {
		walk_in(&w, doc);
		while (walk_next(&w, NULL, &el)) {
			note_keys(k->g, el);
			look_at(k, el, true);
			k->odd |= is_odd(el);
		}
	}
}

/* ---- the whole ---- */

static void
conclude(struct look *k)
{
	struct guess *g = k->g;

	k->marks = import_marks_together(k->marks);
	if (k->marks == 0 && k->roles)
		k->marks = 1u << MARK_OPENAI;
	g->kind = GUESS_NOBODY;
	g->odd = k->odd;
	for (unsigned i = 0; i < NMARKS; i++) {
		if ((k->marks >> i & 1) == 0)
			continue;
		if (g->one == NULL) {
			g->kind = GUESS_FORMAT;
			g->one = &import_formats[i];
		} else if (g->other == NULL) {
			g->kind = GUESS_TWO;
			g->other = &import_formats[i];
		}
	}
}

/* Lines: true when that was told. */
static bool
guess_lines(struct look *k, struct slice s, bool all)
{
	while (s.n > 0) {
		const char *lf = memchr(s.p, '\n', s.n);
		size_t n = lf != NULL ? (size_t)(lf - s.p) : s.n;
		struct slice line = { s.p, n };
		struct buf whole = BUF_INIT(BUF_RECORD_MAX);
		bool good;

		s = (struct slice){ s.p + n + (lf != NULL),
			s.n - n - (lf != NULL) };
		if (lf == NULL && !all)
			break;
		if (!skip_blanks(&line))
			continue;
		good = look_at_line(k, line);
		if (!good && lf == NULL && k->any) {
			repair(line, &whole);
			look_at_line(k, buf_view(&whole));
			buf_release(&whole);
		} else if (!good && !k->any && !k->lenient) {
			return false;
		}
		if (k->hamr && k->marks == 0) {
			k->g->kind = GUESS_HAMR;
			return true;
		}
	}
	if (!k->any)
		return false;
	k->g->lines = true;
	if (all)
		conclude(k);
	return true;
}

/* Does a value that begins here go on behind its line?  (A string does not:
 * then the line is broken.) */
static bool
is_over_lines(struct slice s)
{
	const char *lf = memchr(s.p, '\n', s.n);
	bool quoted = false;

	if (*s.p == '[')
		return true;
	if (lf == NULL)
		return false;
	for (const char *p = s.p; p < lf; p++)
		if (quoted && *p == '\\')
			p++;
		else
			quoted ^= *p == '"';
	return !quoted && units_value_end((struct slice){ s.p,
	    (size_t)(lf - s.p) }) == 0;
}

/* The values at the start of s; false when one is not JSON. */
static bool
look_at_values(struct look *k, struct slice s)
{
	bool good = true;

	while (good && skip_blanks(&s)) {
		size_t n = units_value_end(s);
		struct buf whole = BUF_INIT(BUF_RECORD_MAX);
		struct buf clean = BUF_INIT(BUF_RECORD_MAX);

		if (n == 0)
			n = s.n;
		repair((struct slice){ s.p, n }, &whole);
		units_mend(buf_view(&whole), &clean);
		good = scan_value(&k->scan, clean.p, clean.len) == 0;
		if (good)
			look_at_document(k, buf_view(&clean));
		good &= n > 0;
		s = (struct slice){ s.p + n, s.n - n };
		buf_release(&whole);
		buf_release(&clean);
	}
	return good;
}

static void
guess_document(struct look *k, struct slice s)
{
	struct guess *g = k->g;
	bool good = look_at_values(k, s);

	g->kind = GUESS_BROKEN;
	if (!good && k->marks == 0)
		return;
	g->document = good && is_over_lines(s);
	conclude(k);
	/* broken, or a record of ours: the door says what is wrong */
	if (g->kind == GUESS_NOBODY && (k->hamr || !good ||
	    (!g->document && !k->odd) ||
	    (s.n < GUESS_HEAD / 2 && units_value_end(s) == 0)))
		g->kind = GUESS_BROKEN;
}

void
import_guess(struct slice s, bool all, bool lenient, struct guess *g)
{
	struct look k = { .g = g, .text = BUF_INIT(BUF_RECORD_MAX) };

	*g = (struct guess){ .kind = GUESS_MORE };
	if (slice_starts(s, "\xef\xbb\xbf"))
		s = (struct slice){ s.p + 3, s.n - 3 };
	if (!skip_blanks(&s))
		g->kind = all ? GUESS_HAMR : GUESS_MORE;
	else if (*s.p != '{' && *s.p != '[')
		g->kind = GUESS_BROKEN;
	else if (*s.p == '[' || !guess_lines(&k, s, all)) {
		if (all)
			guess_document(&k, s);
	}
	if (g->kind == GUESS_BROKEN && lenient && !k.hamr) {
		*g = (struct guess){ .kind = GUESS_MORE };
		k.marks = 0;
		k.any = k.odd = k.roles = false;
		k.lenient = true;
		if (!guess_lines(&k, s, all) && all)
			g->kind = GUESS_BROKEN;
	}
	scan_release(&k.scan);
	buf_release(&k.text);
}
