/* import_guess.c - guesses a transcript's format from its first 64 KiB. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "import_guess.h"
#include "json/scan.h"
#include "record/rec.h"
#include "value_reader.h"

/* ---- what is typical of a format ----
 *
 * A rule is a list of alternatives separated by ;, each a list of terms
 * separated by blanks, all of which must hold for a value.  A term:
 *
 *	!TERM		TERM does not hold
 *	PATH		there is a value
 *	PATH:s		it is a string (o: an object, a: an array)
 *	PATH=a|b	it is one of these strings
 *	PATH^a|b	it is a string that begins with one of them
 *	PATH%a|b	it is a string that ends with one, and is longer
 *	PATH~a|b	it is a string that contains one of them
 *	PATH[NAME]	it is an array, and one of its first elements fits the
 *			shape NAME
 *	@NAME		the value itself fits the shape NAME
 *
 * PATH is KEY, KEY/KEY, or KEY|KEY (either will do); if it is empty, the value
 * itself is meant.
 */
#define FEW 40			/* elements of a list that are looked at */

static const struct {
	const char *name, *rule;
} shapes[] = {
	{ "message", "role:s !role^_" },
	{ "sample", "messages[message]" },
	{ "tool-part", "type=tool_use|tool_result" },
	{ "tool-message", "@message content[tool-part]" },
	{ "codex-part", "type=input_text|output_text|input_image" },
	{ "codex-item", "type:s role|call_id|summary" },
	{ "pi-part", "type=toolCall" },
	/* of messages that look like ours: goose's; the AI SDK's */
	{ "foreign-part", "type=toolRequest|toolResponse|tool-call|"
	    "tool-result" },
	{ "foreign-message", "role:s content[foreign-part]" },
	{ "opencode-message", "info:o parts:a" },
	{ "gemini-part", "!type" },
	{ "gemini-message", "type=gemini;role:s parts[gemini-part] !content" },
	{ "swe-step", "action:s observation:s" },
	{ "swe-message", "@message message_type;"
	    "@message content^OBSERVATION:;"
	    "@message role=assistant content~<function=" },
	{ "mini-message", "@message content~```mswea_bash_command;"
	    "@message content^<returncode>;@message extra/actions:a" },
	{ "openhands-source", "source=agent|user|environment|hook;"
	    "args|extras:o" },
	{ "openhands-event", "kind%Event source:s;"
	    "!kind%Event action|observation:s @openhands-source" },
	/* of the history of a resolver's output */
	{ "openhands-step", "@openhands-event;"
	    "!role action|observation:s;:a" },
	{ "sharegpt-turn", "from:s value" },
};

/* The first one applies if no other fits better. */
const struct import_format import_formats[] = {
	/* !type: our request records have messages, too */
	{ "openai",
	    "messages[message] !messages[foreign-message] !steps !type:s;"
	    "samples[sample];eval:o status:s", NULL, false },
	{ "claude-code",
	    "type=user|assistant message/content parentUuid;"
	    "type=user|assistant message/content "
	    "sessionId|uuid|session_id:s;"
	    "type=system|progress|attachment isSidechain;"
	    "type=summary leafUuid:s;"
	    "type=file-history-snapshot snapshot:o", NULL, false },
	/* flat, too: a header without a type, notes with a record_type; or both
	 * in a document */
	{ "codex",
	    "payload:o type=session_meta|response_item|event_msg|"
	    "turn_context|compacted|world_state;"
	    "!payload:o !type !role id:s timestamp:s instructions;"
	    "!payload:o !type !role id:s timestamp:s git:o;"
	    "!payload:o !type !role record_type:s;"
	    "!payload:o type=function_call|function_call_output|"
	    "local_shell_call|custom_tool_call|custom_tool_call_output "
	    "call_id:s;"
	    "!payload:o type=message content[codex-part];"
	    "role:s !type content[codex-part];"
	    "session/id:s items[codex-item]", NULL, false },
	{ "pi",
	    "type=session cwd:s timestamp:s;"
	    "type=message message/role=toolResult;"
	    "type=message message/content[pi-part]", NULL, false },
	/* including an export whose messages come late */
	{ "opencode",
	    "messages[opencode-message];"
	    "info/id:s info/directory:s;projectID:s directory:s;"
	    "messageID:s id^prt_;sessionID:s time:o role:s;"
	    "messageID:s sessionID:s type:s", NULL, true },
	{ "gemini",
	    "sessionId:s projectHash:s;$set;$rewindTo;@gemini-message;"
	    "messages|history[gemini-message]", NULL, true },
	{ "qwen",
	    "uuid:s systemPayload:o;uuid:s message/parts:a", NULL, false },
	{ "kimi",
	    "role=_system_prompt|_checkpoint|_usage;"
	    "type^context.append_;protocol_version:s type=metadata;"
	    "timestamp message/type:s message/payload:o", NULL, false },
	{ "swe-agent",
	    "trajectory[swe-step];history[swe-message];"
	    "messages[swe-message] !info", NULL, true },
	{ "mini-swe-agent",
	    "trajectory_format^mini-swe-agent;messages[mini-message]",
	    "@mini-message", true },
	{ "openhands",
	    "@openhands-event;history[openhands-step] !trajectory:a",
	    NULL, false },
	{ "sharegpt",
	    "conversations[sharegpt-turn]", NULL, false },
	{ "atif",
	    "schema_version^ATIF;steps:a agent:o", NULL, false },
	{ "cline",
	    "messages[tool-message];messages:a sessionId:s updated_at",
	    "@tool-message", true },
	{ "copilot",
	    "data:o type^session.|user.|assistant.|tool.|system.|hook.|"
	    "subagent.", NULL, false },
	{ NULL, NULL, NULL, false }
};

/* Take the next part off a row, up to a separator or the end. */
static bool
next_part(struct slice *row, char separator, struct slice *part)
{
	char end[] = { separator, '\0' };
	size_t n = slice_find(*row, 0, end);

	if (row->p == NULL)
		return false;
	*part = slice_part(*row, 0, n);
	*row = n < row->n ? slice_from(*row, n + 1) :
	    (struct slice){ NULL, 0 };
	return true;
}

static bool fits(struct slice u, struct slice rule);

static bool
has_shape(struct slice u, struct slice name)
{
	size_t i = 0;

	while (!slice_is(name, shapes[i].name))
		i++;
	return fits(u, slice_of(shapes[i].rule));
}

static bool
holds(struct slice val, char how, struct slice what)
{
	enum scan_kind kind = scan_kind(val);
	bool string = kind == SCAN_STRING;
	struct slice el, word;
	struct walk w;

	switch (how) {
	case '\0':
		return val.p != NULL;
	case ':':
		return kind == (*what.p == 's' ? SCAN_STRING :
		    *what.p == 'o' ? SCAN_OBJECT : SCAN_ARRAY);
	case '@':
		return has_shape(val, what);
	case '[':
		what.n--;
		w = walk_elements(val);
		for (int i = 0; i < FEW && walk_next(&w, NULL, &el); i++)
			if (has_shape(el, what))
				return true;
		return false;
	default:
		break;
	}
	/* does it say one of the words?  Parts of it are looked for as they
	 * are written, unescaped or not */
	while (next_part(&what, '|', &word)) {
		char text[32] = "";

		memcpy(text, word.p, word.n);
		if ((how == '=' && scan_str_is(val, text)) ||
		    (how == '~' && slice_has(val, text)) ||
		    (how == '^' && string &&
		    slice_starts(slice_from(val, 1), text)) ||
		    (how == '%' && string && val.n > word.n + 2 &&
		    slice_ends(slice_part(val, 1, val.n - 1), text)))
			return true;
	}
	return false;
}

static bool
term_holds(struct slice u, struct slice term)
{
	static const char *const hows = ":=^%~[@";
	bool not = *term.p == '!';
	struct slice paths = { term.p + not, 0 }, path, what = { "", 0 };
	size_t left = term.n - not;
	char how = '\0';

	while (paths.n < left && strchr(hows, paths.p[paths.n]) == NULL)
		paths.n++;
	if (paths.n < left) {
		how = paths.p[paths.n];
		what = (struct slice){ paths.p + paths.n + 1,
		    left - paths.n - 1 };
	}
	while (next_part(&paths, '|', &path)) {
		struct slice val = u, part;

		while (path.n > 0 && next_part(&path, '/', &part)) {
			char key[32] = "";

			memcpy(key, part.p, part.n);
			val = scan_get(val, key);
		}
		if (holds(val, how, what))
			return !not;
	}
	return not;
}

static bool
fits(struct slice u, struct slice rule)
{
	struct slice all, term;

	while (next_part(&rule, ';', &all)) {
		bool good = true;

		while (good && next_part(&all, ' ', &term))
			good = term_holds(u, term);
		if (good)
			return true;
	}
	return false;
}

/* ---- one value ---- */

struct look {
	struct guess *g;
	unsigned found;		/* formats, as bits */
	struct scan scan;
	struct rec rec;
	struct buf text;
	bool hamr, any;
	bool message;		/* the last line has a role */
	bool foreign;		/* a message has another program's parts */
	bool roles;		/* an array of objects with roles */
	bool lenient;		/* lines that are refused do not count */
};

/* Does it have a key that only other programs' transcripts have?  They all have
 * one of these; the last six may also be in an event of a user's stage, if its
 * type is not a role. */
static bool
is_odd(struct slice object)
{
	static const char *const keys[] = { "timestamp", "created_at",
		"sessionId", "session_id", "thread_id", "message",
		"messages", "payload", "parentId", "steps", "events", "cwd",
		"uuid", "content", "text", "parts", "createdAt", "updatedAt",
		"sessionID" };
	size_t n = sizeof keys / sizeof *keys;
	struct slice type = scan_get(object, "type");

	if (scan_kind(type) == SCAN_STRING && !scan_str_is(type, "system") &&
	    !scan_str_is(type, "user") && !scan_str_is(type, "assistant"))
		n -= 6;
	for (size_t i = 0; i < n; i++)
		if (scan_get(object, keys[i]).p != NULL)
			return true;
	return false;
}

/* Is it a hamr record: a message, or an event?  (Hamr passes on unknown types,
 * too.)  odd: a line before it is another program's, or an event of a user's
 * stage. */
static bool
is_hamr(const struct rec *r, bool odd)
{
	bool own = !is_odd(r->line);

	if (scan_kind(rec_get(r, "message")) == SCAN_OBJECT)
		return false;
	if (scan_kind(rec_get(r, "role")) == SCAN_STRING)
		return own || (rec_get(r, "type").p == NULL &&
		    (rec_get(r, "content").p != NULL ||
		    rec_get(r, "tool_calls").p != NULL));
	if (r->kind != R_OTHER)
		return own || !odd;
	return own && !odd && scan_kind(rec_get(r, "type")) == SCAN_STRING;
}

/* Which formats does this checked object fit?  in_list: the file is an array,
 * and this one of its elements. */
static void
look_at(struct look *k, struct slice object, bool in_list)
{
	const struct import_format *f = import_formats;

	k->any = true;
	for (unsigned bit = 1; f->name != NULL; f++, bit <<= 1)
		if (fits(object, slice_of(f->rule)) || (in_list &&
		    f->element != NULL && fits(object, slice_of(f->element))))
			k->found |= bit;
	k->roles |= in_list && fits(object, SLICE("role:s content|tool_calls"));
	k->foreign |= in_list && fits(object, SLICE("@foreign-message"));
}

/* A line: true when it is an object. */
static bool
look_at_line(struct look *k, struct slice line)
{
	struct rec r;
	unsigned before = k->found;
	bool good = rec_parse(&k->scan, line.p, line.n, &r) == 0;
	size_t n = good ? 0 : value_end(line);

	if (n > 0 && n < line.n)
		good = rec_parse(&k->scan, line.p, n, &r) == 0;
	if (!good) {
		buf_reset(&k->text);
		scan_repair(line, &k->text);
		line = buf_view(&k->text);
		if (rec_parse(&k->scan, line.p, line.n, &r) < 0)
			return false;
	}
	k->message = scan_kind(rec_get(&r, "role")) == SCAN_STRING;
	k->foreign |= fits(r.line, SLICE("@foreign-message"));
	/* after a message only messages tell, as kimi's own roles do: an
	 * event may be any stage's */
	if (!k->hamr || k->message)
		look_at(k, r.line, false);
	if (k->found == before) {
		k->hamr |= is_hamr(&r, k->g->odd);
		k->g->odd |= is_odd(r.line);
	}
	return true;
}

/* Describe a value in no known format, for people. */
static void
note_keys(struct guess *g, struct slice object)
{
	struct slice key, val;
	size_t at = 0;

	if (g->keys[0] != '\0' || scan_kind(object) != SCAN_OBJECT)
		return;
	for (struct walk w = walk_of(object); walk_next(&w, &key, &val); ) {
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

	note_keys(k->g, doc);
	if (scan_kind(doc) == SCAN_OBJECT) {
		look_at(k, doc, false);
		k->hamr |= rec_parse(&k->scan, doc.p, doc.n, &k->rec) == 0 &&
		    is_hamr(&k->rec, k->g->odd);
		k->g->odd |= is_odd(doc);
	}
	for (struct walk w = walk_elements(doc); walk_next(&w, NULL, &el); ) {
		note_keys(k->g, el);
		look_at(k, el, true);
		k->g->odd |= is_odd(el);
	}
}

/* ---- the whole ---- */

static void
conclude(struct look *k)
{
	const struct import_format *f = import_formats;
	struct guess *g = k->g;

	if (k->found == 0 && k->roles && !k->foreign)
		k->found = 1;
	for (unsigned i = 1; f[i].name != NULL; i++)
		if (f[i].has_messages && (k->found >> i & 1) != 0)
			k->found &= ~1u;
	g->kind = GUESS_NOBODY;
	for (; f->name != NULL; f++, k->found >>= 1) {
		if ((k->found & 1) == 0)
			continue;
		if (g->one == NULL) {
			g->kind = GUESS_FORMAT;
			g->one = f;
		} else if (g->other == NULL) {
			g->kind = GUESS_TWO;
			g->other = f;
		}
	}
}

/* Guess from lines.  True: that decided it. */
static bool
guess_lines(struct look *k, struct slice s, bool all)
{
	const char *end = s.p + s.n;
	struct slice line;

	while (slice_line(&s, &line)) {
		bool cut = line.p + line.n == end;	/* it has no LF */
		struct buf whole = BUF_INIT(BUF_RECORD_MAX);

		if (cut && !all)
			break;
		line = slice_trim_start(line, " \t\r\n");
		if (line.n == 0)
			continue;
		bool good = look_at_line(k, line);
		if (!good && cut && k->any) {
			value_complete(line, false, &whole);
			look_at_line(k, buf_view(&whole));
			buf_release(&whole);
		} else if (!good && !k->any && !k->lenient) {
			return false;
		}
		if (k->hamr && k->found == 0) {
			k->g->kind = GUESS_HAMR;
			if (!all || !k->message)
				return true;
		}
	}
	if (k->g->kind == GUESS_HAMR && k->found == 0) {
		k->g->odd |= k->foreign;
		if (k->foreign)
			k->g->kind = GUESS_NOBODY;
		return true;
	}
	if (!k->any)
		return false;
	k->g->lines = true;
	if (all)
		conclude(k);
	return true;
}

static void
guess_document(struct look *k, struct slice s)
{
	const char *lf = memchr(s.p, '\n', s.n), *p = s.p;
	struct slice rest = s;
	struct guess *g = k->g;
	bool good = true, quoted = false;

	while (good && (rest = slice_trim_start(rest, " \t\r\n")).n > 0) {
		size_t n = value_end(rest);
		struct buf whole = BUF_INIT(BUF_RECORD_MAX);
		struct buf clean = BUF_INIT(BUF_RECORD_MAX);

		if (n == 0)
			n = rest.n;
		value_complete((struct slice){ rest.p, n }, false, &whole);
		scan_repair(buf_view(&whole), &clean);
		struct slice doc = buf_view(&clean);
		good = scan_value(&k->scan, doc.p, doc.n) == 0;
		if (good)
			look_at_document(k, doc);
		/* a long message with its keys in order: the role follows */
		k->hamr |= lf == NULL && s.n >= GUESS_HEAD &&
		    strcmp(g->keys, "content") == 0;
		rest = slice_from(rest, n);
		bufs_release(BUFS(&whole, &clean));
	}
	g->kind = GUESS_BROKEN;
	g->bad_array = !good && *s.p == '[';
	if (!good && k->found == 0)
		return;
	/* does its first value continue in the next line?  (Not a string: then
	 * the line is broken.) */
	for (; lf != NULL && p < lf; p++)
		if (quoted && *p == '\\')
			p++;
		else
			quoted ^= *p == '"';
	g->document = good && (*s.p == '[' || (lf != NULL && !quoted &&
	    value_end(slice_part(s, 0, (size_t)(lf - s.p))) == 0));
	conclude(k);
	/* a line that is longer than what we look at, and tells nothing */
	g->document |= g->kind == GUESS_NOBODY && good && !k->hamr &&
	    lf == NULL && s.n > GUESS_HEAD / 2;
	/* broken, or a hamr record: its reader says what is wrong */
	if (g->kind == GUESS_NOBODY && (k->hamr || !good ||
	    (!g->document && !g->odd) ||
	    (s.n < GUESS_HEAD / 2 && value_end(s) == 0))) {
		g->kind = GUESS_BROKEN;
		g->bad_array |= *s.p == '[' && value_end(s) == 0;
	}
}

void
import_guess(struct slice s, bool all, bool lenient, struct guess *g)
{
	struct look k = { .g = g, .text = BUF_INIT(BUF_RECORD_MAX) };

	*g = (struct guess){ .kind = GUESS_MORE };
	if (slice_starts(s, "\xef\xbb\xbf"))
		s = slice_from(s, 3);
	s = slice_trim_start(s, " \t\r\n");
	if (s.n == 0)
		g->kind = all ? GUESS_HAMR : GUESS_MORE;
	else if (*s.p != '{' && *s.p != '[')
		g->kind = GUESS_BROKEN;
	else if (*s.p == '[' || !guess_lines(&k, s, all)) {
		if (all)
			guess_document(&k, s);
	}
	if (g->kind == GUESS_BROKEN && lenient && !k.hamr) {
		*g = (struct guess){ .kind = GUESS_MORE };
		k.found = 0;
		k.any = k.roles = false;
		k.lenient = true;
		if (!guess_lines(&k, s, all) && all)
			g->kind = GUESS_BROKEN;
	}
	scan_release(&k.scan);
	buf_release(&k.text);
}
