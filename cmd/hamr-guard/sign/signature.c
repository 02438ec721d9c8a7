/* signature.c - what a call is, and what makes two calls equal. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "import/import_convert.h"
#include "record/alias.h"
#include "shell.h"
#include "signature.h"
#include "text/volatile.h"
#include "text/word_kinds.h"
#include "user_rules.h"

#define NOTHING ((struct slice){ NULL, 0 })
#define TEXTS_MAX (2 * BUF_RECORD_MAX)
#define FEW 16			/* this many are compared with each other */

/* Arguments that say why a call is made, or differ in every request; never
 * "id". */
static const char *const dropped[] = { "description", "reason", "intent",
	"thought", "explanation", "request_id", "trace_id", "nonce",
	"timestamp", NULL };
/* Our own tools: the words of their names tell nothing more. */
static const char *const ours[] = { "bash", "read", "edit", "write", NULL };
static const char *const readers[] = { "read", "view_image", "search_memory",
	"save_memory", NULL };

/* ./a//b/ is a/b; ".." stays, as links make it more than spelling. */
static void
fold_path(struct slice path, struct buf *out)
{
	const char *p = path.p, *end = p + path.n;
	size_t start = out->len;

	if (p < end && *p == '/')
		buf_addc(out, '/');
	while (p < end) {
		const char *q = memchr(p, '/', (size_t)(end - p));

		if (q == NULL)
			q = end;
		size_t n = (size_t)(q - p);
		if (n > 0 && !(n == 1 && *p == '.')) {
			if (out->len > start && out->p[out->len - 1] != '/')
				buf_addc(out, '/');
			buf_add(out, p, n);
		}
		p = q < end ? q + 1 : end;
	}
	if (out->len == start && path.n > 0)
		buf_addc(out, '.');
}

/* A string's text, borrowed until the next. */
static struct slice
text_of(struct signer *s, struct slice val)
{
	struct slice plain = scan_plain(val);

	if (plain.p != NULL)
		return plain;
	buf_reset(&s->text);
	scan_str(val, &s->text);
	return buf_view(&s->text);
}

static struct slice
member(const struct signer *s, const char *key)
{
	for (size_t i = 0; i < s->members.n; i++)
		if (slice_is(s->members.m[i].key, key))
			return s->members.m[i].val;
	return NOTHING;
}

uint64_t
sign_value(struct slice json)
{
	struct slice plain = scan_plain(json);

	if (plain.p != NULL)
		json = plain;
	return hash_bytes(json.p, json.n);
}

static uint64_t
path_hash(struct signer *s, struct slice path)
{
	buf_reset(&s->path);
	fold_path(path, &s->path);
	return hash_bytes(s->path.p, s->path.len);
}

/* ---- which files belong to the work ---- */

/* Extensions of what mode docs may write (hamr-tool(1)); in a folder doc or
 * docs pictures, too. */
static const char *const docs[] = { "md", "rst", "txt", "adoc", "tex", "1",
	"2", "3", "4", "5", "6", "7", "8", "9", NULL };
static const char *const pictures[] = { "png", "jpg", "jpeg", "gif", "svg",
	"webp", NULL };

/* Is the path in a folder of this name?  Only the first match is looked at. */
static bool
has_folder(struct slice path, const char *folder)
{
	size_t at = slice_find(path, 0, folder);

	return at < path.n && (at == 0 || path.p[at - 1] == '/');
}

static bool
is_doc(struct slice path)
{
	const char *slash = memrchr(path.p, '/', path.n);
	struct slice base = slash == NULL ? path :
	    slice_from(path, (size_t)(slash + 1 - path.p));
	const char *dot = memrchr(base.p, '.', base.n);
	struct slice ext = dot == NULL ? SLICE("") :
	    slice_from(base, (size_t)(dot + 1 - base.p));

	return slice_starts(base, "README") ||
	    slice_starts(base, "CHANGELOG") || slice_in(ext, docs) ||
	    (slice_in(ext, pictures) &&
	    (has_folder(path, "doc/") || has_folder(path, "docs/")));
}

bool
sign_matters(struct signer *s, struct slice json)
{
	size_t n = s->root != NULL ? strlen(s->root) : 0;
	bool outside;

	if (scan_kind(json) != SCAN_STRING)
		return true;
	struct slice path = text_of(s, json);
	while (n > 0 && s->root[n - 1] == '/')
		n--;
	/* a path with /../ may lead anywhere: it may matter */
	if (slice_has(path, "/../"))
		outside = false;
	else if (!slice_starts(path, "/"))
		outside = slice_starts(path, "../");
	else if (s->root == NULL)
		outside = slice_starts(path, "/tmp/");
	else
		outside = path.n <= n || memcmp(path.p, s->root, n) != 0 ||
		    path.p[n] != '/';
	return !outside && !is_doc(path);
}

/* ---- what a tool's name tells ---- */

enum {
	/* a click, a key or a move; to move the pointer does nothing yet */
	ACTS = 1 << 0, MOVES = 1 << 1, POINTERS = 1 << 2,
	/* ask_user, request_user_input */
	PERSONS = 1 << 3, CONSULTS = 1 << 4,
	/* write_stdin, send_input */
	TYPES = 1 << 5, INTO = 1 << 6,
	/* edit_block, fsWrite, text_editor; move_file */
	CHANGES = 1 << 7, DOES = 1 << 8, THINGS = 1 << 9,
	/* task_status; BashOutput; get_workflow_run */
	AWAITS = 1 << 10, STATES = 1 << 11, LOOKING = 1 << 12,
	LOOKS = 1 << 13, WORKS = 1 << 14, PAUSES = 1 << 15,
	NETWORK = 1 << 16, THINKS = 1 << 17, SEEKS = 1 << 18,
	/* of a search that finds the same until a file changes */
	FILES = 1 << 19,
	ASKS = 1 << 20, SENDS = 1 << 21, ALTERS = 1 << 22, TRACKS = 1 << 23,
	GIT = 1 << 24, COMMANDS = 1 << 25,
	/* of the whole name: */
	WORDS = 1 << 26,
	WAITS = 1 << 27,	/* for something that goes on */
	TYPED = 1 << 28,
	THOUGHTS = 1 << 29,	/* clear_thought, sequentialthinking; not
				 * rethinkdb_query */
	STRANGE = 1 << 30	/* the tool is like none of ours */
};

static struct words words = { .kinds = (const struct word_kind[]){
	{ ACTS, "click press tap type scroll swipe drag key keys next step back"
	    " forward continue resume advance skip undo redo" },
	{ MOVES, "move" }, { POINTERS, "mouse pointer cursor" },
	{ PERSONS, "user human person followup" },
	{ CONSULTS, "ask question questions input prompt elicit" },
	{ TYPES, "write send" }, { INTO, "stdin input" },
	{ CHANGES, "edit editor write replace insert patch apply append" },
	{ DOES, "create update modify save push delete remove rename move" },
	{ THINGS, "file files symbol cell cells notebook code script page"
	    " document" },
	{ AWAITS, "await poll" }, { STATES, "poll status progress" },
	{ LOOKING, "output log logs state result" },
	{ LOOKS, "get read check view query describe" },
	{ WORKS, "bash shell command process task job run build workflow"
	    " pipeline deploy deployment agent terminal console operation" },
	{ PAUSES, "wait sleep pause delay" },
	{ NETWORK, "web fetch http https browser url curl internet network"
	    " download navigate puppeteer api request rest graphql webfetch"
	    " websearch" },
	{ THINKS, "think" },
	{ SEEKS, "search find grep glob lookup retrieve" },
	{ FILES, "grep glob file files filesystem code codebase source symbol"
	    " symbols definition definitions references usages callers class"
	    " function functions pattern text semantic repo dir directory"
	    " folder project workspace" },
	{ ASKS, "get search find grep glob list lookup calculate count read"
	    " recall retrieve" },
	{ SENDS, "create post send add submit publish comment book order fill"
	    " insert type" },
	{ ALTERS, "set update label annotate tag assign mark register upload"
	    " invite transition archive upsert append save" },
	{ TRACKS, "todo todos todoread todowrite tracker issue issues ticket"
	    " tickets plan story card" },
	{ GIT, "git" },
	{ COMMANDS, "bash shell terminal command cmd exec process" },
	{ 0, NULL }
} };

struct name {
	uint64_t any;		/* what any of its words is */
	uint64_t first, last;
	size_t n;		/* words */
};

static void
take_word(struct name *all, struct slice word)
{
	static const char *const thoughts[] = { "think", "thinking", "thought",
		"thoughts", NULL };
	uint64_t is = words_is(&words, word);

	if (word.n == 0)
		return;
	if ((all->any & LOOKS) != 0 && (is & WORKS) != 0)
		is |= WAITS;
	if (all->n == 0 && slice_starts(word, "wait"))
		is |= PAUSES;
	for (size_t i = 0; thoughts[i] != NULL; i++)
		is |= slice_ends(word, thoughts[i]) ? THOUGHTS : 0;
	if (all->n++ == 0)
		all->first = is;
	all->last = is;
	all->any |= is;
}

/* What a name tells.  A word starts after a non-letter and at a capital. */
static uint64_t
name_is(struct slice name)
{
	struct name all = { .n = 0 };
	char w[32];		/* in lower case, cut */
	size_t n = 0;

	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (!isalpha(c) || (n > 0 && isupper(c) &&
		    !isupper((unsigned char)name.p[i - 1]))) {
			take_word(&all, (struct slice){ w, n });
			n = 0;
		}
		if (isalpha(c) && n < sizeof w)
			w[n++] = (char)tolower(c);
	}
	take_word(&all, (struct slice){ w, n });
	uint64_t is = all.any | (all.n > 0 ? WORDS : 0) |
	    (all.n == 1 ? FILES : 0);
	if ((is & (MOVES | POINTERS)) == MOVES)
		is |= ACTS;
	if (all.n > 1 && (is & TYPES) != 0 && (all.last & INTO) != 0)
		is |= TYPED;
	if ((is & THINGS) == 0 || (is & (CHANGES | DOES)) == 0)
		is &= ~(uint64_t)THINGS;
	if ((is & PAUSES) != 0 || (all.first & AWAITS) != 0 ||
	    (all.last & STATES) != 0 ||
	    ((all.last & LOOKING) != 0 && (is & WORKS) != 0))
		is |= WAITS;
	return is;
}

/* The same of a tool, from a cache, as names repeat. */
static uint64_t *
tool_is(struct signer *s, struct slice name)
{
	uint64_t h = hash_bytes(name.p, name.n) | 1;
	struct named *n = &s->names[h / 2 % NAMES];

	if (n->hash != h)
		*n = (struct named){ h, slice_in(name, ours) ? 0 :
		    name_is(name) };
	return &n->is;
}

/* ---- what its arguments tell ---- */

/* Does a call have only arguments that are dropped? */
static bool
is_all_dropped(const struct members *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (!slice_in(all->m[i].key, dropped))
			return false;
	return true;
}

/* src/a.c, but no address: a name with an extension in a folder. */
static bool
is_file(struct slice path)
{
	const char *slash = path.p == NULL ? NULL :
	    memrchr(path.p, '/', path.n);

	if (slash == NULL || memchr(path.p, ' ', path.n) != NULL ||
	    slice_has(path, "://"))
		return false;
	const char *end = path.p + path.n, *p = end;
	while (p > slash && isalnum((unsigned char)p[-1]))
		p--;
	return p < end && p - slash > 2 && p[-1] == '.';
}

/* Does a tool with words that we do not know change a file, by the shape of its
 * arguments: a path, and what is there and what is to be, or all the lines? */
static bool
changes_file(const struct signer *s)
{
	size_t files = 0;
	bool lines = false;

	for (size_t i = 0; i < s->members.n; i++) {
		struct slice val = s->members.m[i].val;

		if (scan_kind(val) != SCAN_STRING)
			return false;
		files += is_file(scan_plain(val));
		lines |= slice_has(val, "\\n");
	}
	return files == 1 && (s->members.n == 3 || (s->members.n == 2 &&
	    lines));
}

/* A string's text in b, followed by the margin. */
static struct slice
code_text(struct slice json, struct buf *b)
{
	buf_reset(b);
	scan_str(json, b);
	buf_reserve(b, VOLATILE_MARGIN);
	return buf_view(b);
}

static struct code
code_in(struct signer *s, struct slice json)
{
	return code_of(code_text(json, &s->path), &s->code);
}

/* Is it program text, in which some lines do not run? */
static bool
is_code(struct signer *s)
{
	struct slice path = member(s, "path");

	return scan_kind(path) != SCAN_STRING || !is_doc(text_of(s, path));
}

/* What an edit or a write does to its file. */
static void
judge_edit(struct signer *s, struct traits *out)
{
	struct slice content = member(s, "content"), one;
	struct slice new = member(s, "new"), edits = member(s, "edits");
	bool list = false;

	out->write = content.p != NULL && new.p == NULL;
	if (out->write) {
		out->change = sign_value(content);
		if (is_code(s))
			out->code = code_in(s, content);
	} else if (scan_kind(edits) == SCAN_ARRAY) {
		for (struct walk w = walk_of(edits);
		    walk_next(&w, NULL, &one); )
			out->change += sign_value(scan_get(one, "new")) -
			    sign_value(scan_get(one, "old"));
	} else if (new.p != NULL) {
		out->change = sign_value(new) - sign_value(member(s, "old"));
		if (!is_code(s))
			return;
		/* does it change no code, or only numbers in it? */
		enum code_change change = code_compare(code_text(member(s,
		    "old"), &s->path), code_text(new, &s->text), &s->code);
		out->comments = change == CODE_SAME;
		if (out->comments)
			out->code.exact = code_in(s, new).exact;
		else if (change == CODE_NUMBERS)
			out->code.shape = code_in(s, new).shape;
	} else {
		/* a patch in its own format */
		out->code = (struct code){ 1, 1 };
		for (size_t i = 0; i < s->members.n; i++) {
			one = s->members.m[i].val;
			list |= scan_kind(one) == SCAN_ARRAY;
			out->change += sign_value(one);
			struct code code = code_in(s, one);
			out->code.exact = hash_both(out->code.exact,
			    code.exact);
			out->code.shape = hash_both(out->code.shape,
			    code.shape);
		}
		if (list)	/* of files, or of edits: not looked into */
			out->code = (struct code){ 0, 0 };
	}
}

/* What counts in the arguments, without the comments in them; the shape only of
 * what makes things, as it takes time. */
static struct code
uncommented(struct signer *s, bool bash, bool makes)
{
	struct buf *scratch = makes ? &s->code : NULL;
	struct code all = { 1, 1 };

	for (size_t i = 0; i < s->members.n; i++) {
		const struct named_value *m = &s->members.m[i];
		enum scan_kind kind = scan_kind(m->val);
		struct code one;

		/* how long a command may run, or how much it may print */
		if (slice_in(m->key, dropped) || (bash && kind == SCAN_NUMBER))
			continue;
		if (kind == SCAN_STRING) {
			one = code_of(code_text(m->val, &s->path), scratch);
		} else {
			one.exact = sign_value(m->val);
			one.shape = kind == SCAN_NUMBER ? 1 : one.exact;
		}
		uint64_t key = hash_bytes(m->key.p, m->key.n);
		all.exact = hash_both(all.exact, key ^ one.exact);
		all.shape = hash_both(all.shape, key ^ one.shape);
	}
	return all;
}

/* A hash of the texts of a tool that only notes the model's thoughts, without
 * their numbers; 0: it has none. */
static uint64_t
thought_of(struct signer *s)
{
	uint64_t thought = 0;

	for (size_t i = 0; i < s->members.n; i++) {
		struct slice text = s->members.m[i].val;

		if (scan_kind(text) != SCAN_STRING)
			continue;
		uint64_t shape = code_in(s, text).shape;
		/* 1: it has nothing but comments */
		if (shape != 1)
			thought = hash_both(thought, shape);
	}
	return thought;
}

/* The command, which may be given as its words or as a list of several. */
static struct slice
command_of(struct signer *s)
{
	struct slice cmd = member(s, "command"), word, script = NOTHING;
	bool several = cmd.p == NULL;

	if (several)
		cmd = member(s, "commands");
	if (scan_kind(cmd) == SCAN_STRING)
		return text_of(s, cmd);
	if (scan_kind(cmd) != SCAN_ARRAY)
		return NOTHING;
	buf_reset(&s->text);
	for (struct walk w = walk_of(cmd); walk_next(&w, NULL, &word); ) {
		/* after -c or -lc the command is one word */
		if (script.p != NULL)
			buf_reset(&s->text);
		else if (s->text.len > 0)
			buf_addc(&s->text, several ? '\n' : ' ');
		script = scan_str_is(word, "-c") || scan_str_is(word, "-lc") ?
		    word : NOTHING;
		scan_str(word, &s->text);
	}
	return buf_view(&s->text);
}

/* What a command and the other arguments do; b 0: nothing. */
static struct sig
does_what(struct signer *s, uint64_t tool, uint64_t cmd)
{
	uint64_t others = 0;	/* in any order */

	for (size_t i = 0; i < s->members.n; i++) {
		const struct named_value *m = &s->members.m[i];

		if (slice_is(m->key, "command") ||
		    slice_is(m->key, "commands") || slice_in(m->key, dropped))
			continue;
		buf_reset(&s->path);
		canonical_value(m->val, false, &s->path);
		others += hash_both(hash_bytes(m->key.p, m->key.n),
		    hash_bytes(s->path.p, s->path.len));
	}
	return (struct sig){ tool, cmd == 0 ? 0 : hash_both(cmd, others) };
}

/* kind: our tool that does the same, or else its own name. */
static void
judge(struct signer *s, struct slice name, struct slice kind,
    struct traits *out)
{
	static const char *const polls[] = { "poll", "wait", "log", "status",
		NULL };
	const uint64_t is = *tool_is(s, name);
	struct slice path = member(s, "path"), plain = scan_plain(path);
	struct slice cmd = NOTHING, removed, one;
	struct slice action = scan_plain(member(s, "action"));
	bool edits = slice_is(kind, "edit") || slice_is(kind, "write");

	*out = (struct traits){ .tool = hash_bytes(name.p, name.n),
		.bash = slice_is(kind, "bash"),
		.edits = edits, .mutates = edits,
		.matters = edits && sign_matters(s, path),
		.looks = slice_is(kind, "read"),
		.acts = (is & (ACTS | TYPED)) != 0,
		.consults = (is & PERSONS) != 0 && (is & CONSULTS) != 0,
		.network = (is & NETWORK) != 0, .fetches = (is & NETWORK) != 0,
		.tracks = (is & TRACKS) != 0, .seeks = (is & SEEKS) != 0,
		.files = (is & FILES) != 0, .asks = (is & ASKS) != 0,
		.sends = (is & (SENDS | ASKS)) == SENDS && !edits,
		.alters = (is & (ALTERS | ASKS)) == ALTERS && !edits };
	out->mutates |= (is & WORDS) != 0 && slice_eq(kind, name) &&
	    !out->asks && !out->seeks && !out->sends && changes_file(s);
	if (action.p == NULL && !out->bash)
		action = scan_plain(member(s, "command"));
	if ((is & WORDS) != 0 && action.p != NULL)
		out->acts |= (name_is(action) & ACTS) != 0;
	out->reads = slice_in(kind, readers);
	out->runs = !out->reads && !out->edits;
	if (plain.p != NULL)
		out->path = path_hash(s, plain);
	else if (path.p != NULL)
		out->path = sign_value(path);
	if (out->bash)
		cmd = command_of(s);
	/* OpenHands: typed into the program that runs */
	one = member(s, "is_input");
	out->acts |= out->bash && (scan_true(one) || scan_str_is(one, "true"));
	if (cmd.p != NULL) {
		out->does = does_what(s, out->tool,
		    shell_judge(cmd, out, &removed));
		if (removed.p != NULL)
			out->removes = path_hash(s, removed);
	} else if (out->edits) {
		judge_edit(s, out);
	} else if (!out->bash) {
		/* git's status is not a poll; empty input to a running program
		 * is one, as it shows the output */
		out->poll = (is & GIT) == 0 &&
		    ((is & WAITS) != 0 || slice_in(action, polls));
		out->poll |= (is & TYPED) != 0 &&
		    scan_str_is(member(s, "chars"), "");
		out->waits = out->pauses = (is & PAUSES) != 0;
	}
	if ((is & THINKS) != 0)
		out->idle = is_all_dropped(&s->members);
	/* its tasks are objects; strings may be the labels of one */
	for (size_t i = 0; out->tracks && !out->sends &&
	    i < s->members.n; i++) {
		struct walk w = walk_elements(s->members.m[i].val);

		out->plans |= walk_next(&w, NULL, &one) &&
		    scan_kind(one) == SCAN_OBJECT;
	}
	out->thought = (is & THOUGHTS) != 0 ? thought_of(s) : 0;
	if (out->looks)
		out->idle = scan_str_is(path, "/dev/null") ||
		    (scan_str_is(path, "") && member(s, "query").p == NULL);
	else if (!out->edits)
		out->code = uncommented(s, out->bash,
		    out->sends || out->alters);
}

/* ---- signing ---- */

/* Take the members of the scanned arguments under hamr-tool's names: the
 * canonical name wins over an alias, the first alias over the others (alias.h);
 * nulls are left out.  alias_args does the same, but copies all of the text: we
 * use it only where it does more than rename. */
static void
take_members(struct signer *s, struct slice name, struct slice text)
{
	struct members *all = &s->members;
	bool simple = s->scan.n <= FEW;

	for (size_t i = 0; i < s->scan.n && simple; i++) {
		struct slice key = s->scan.m[i].key;

		simple = memchr(key.p, '\\', key.n) == NULL &&
		    !slice_is(key, "edits") && !slice_is(key, "limit");
	}
	for (size_t i = 0; i < s->scan.n && simple; i++) {
		const struct member *m = &s->scan.m[i];
		const char *alias = alias_key(name, m->key);
		struct slice key = alias != NULL ? slice_of(alias) : m->key;
		size_t k = 0;

		if (scan_kind(m->val) == SCAN_NULL)
			continue;
		while (k < all->n && !slice_eq(all->m[k].key, key))
			k++;
		if (k == all->n)
			members_add(all, key, m->val);
		else if (alias == NULL)
			all->m[k].val = m->val;
	}
	buf_reset(&s->named);
	if (!simple && alias_args(name, text, &s->named))
		members_add_all(all, buf_view(&s->named), false);
}

/* Is a tool given more than one text: a path, and what is to be there? */
static bool
has_texts(struct slice args)
{
	struct slice one;
	size_t n = 0;

	for (struct walk w = walk_of(args); walk_next(&w, NULL, &one); )
		n += scan_kind(one) == SCAN_STRING ||
		    scan_kind(one) == SCAN_ARRAY;
	return n > 1;
}

/* Which of our tools does what this foreign tool does, by its name and
 * arguments?  If one does, *args are then under our names; else the name
 * itself. */
static struct slice
kind_of(struct signer *s, struct slice name, struct slice *args)
{
	struct slice tool = name, kind;

	if (slice_in(name, ours))
		return name;
	if ((*tool_is(s, name) & STRANGE) != 0)
		return name;
	for (size_t i = name.n; i-- > 2; )
		if (name.p[i - 1] == '_' && name.p[i - 2] == '_') {
			tool = (struct slice){ name.p + i, name.n - i };
			break;		/* SERVER__TOOL */
		}
	kind = import_name(&(struct import_names){ .n = 0 }, tool, *args);
	const uint64_t is = *tool_is(s, tool);
	if (slice_eq(kind, tool) && (is & (CHANGES | THINGS)) != 0 &&
	    ((is & THINGS) != 0 || has_texts(*args)))
		/* by its command, as for any tool that edits */
		kind = import_name(&(struct import_names){ .n = 0 },
		    SLICE("edit_file"), *args);
	else if (slice_eq(kind, tool) && (is & COMMANDS) != 0)
		kind = SLICE("bash");
	if (slice_eq(kind, tool)) {
		*tool_is(s, name) |= STRANGE;
		return name;
	}
	buf_reset(&s->path);
	if (!import_path(kind, *args, &s->path))
		buf_slice(&s->path, *args);
	buf_reset(&s->theirs);
	alias_args(kind, buf_view(&s->path), &s->theirs);
	*args = buf_view(&s->theirs);
	/* a cell that is given a value is one of a sheet */
	if (scan_get(*args, slice_is(kind, "bash") ? "command" : "path").p !=
	    NULL || slice_is(tool, "apply_patch") || slice_is(tool, "patch") ||
	    ((is & THINGS) != 0 && scan_get(*args, "value").p == NULL &&
	    scan_get(*args, "values").p == NULL))
		return kind;
	return name;
}

/* Print the members that count, sorted.  If all would be dropped, they are what
 * the call is about, and all count. */
static void
print_members(struct signer *s, bool bash)
{
	struct buf *out = &s->texts;
	bool first = true, all = is_all_dropped(&s->members);

	members_sort(&s->members);
	buf_addc(out, '{');
	for (size_t i = 0; i < s->members.n; i++) {
		struct named_value *m = &s->members.m[i];
		bool text = scan_kind(m->val) == SCAN_STRING;
		bool command = text && bash && slice_is(m->key, "command");

		if (!all && slice_in(m->key, dropped))
			continue;
		if (!first)
			buf_addc(out, ',');
		first = false;
		scan_quote(out, m->key.p, m->key.n);
		buf_addc(out, ':');
		if (!command && !(text && slice_is(m->key, "path"))) {
			canonical_value(m->val, false, out);
			continue;
		}
		buf_reset(&s->path);
		if (command)
			shell_fold(text_of(s, m->val), &s->path);
		else
			fold_path(text_of(s, m->val), &s->path);
		struct slice folded = buf_view(&s->path);
		scan_quote(out, folded.p, folded.n);
	}
	buf_addc(out, '}');
}

struct slice
sign_call(struct signer *s, struct slice name, struct slice args,
    struct traits *out)
{
	struct slice text, theirs;
	uint64_t hash[2];

	s->args.max = s->named.max = s->text.max = s->path.max =
	    s->theirs.max = s->code.max = BUF_RECORD_MAX;
	s->texts.max = TEXTS_MAX;
	size_t at = s->texts.len;
	buf_slice(&s->texts, name);
	buf_addc(&s->texts, '\0');
	members_empty(&s->members);
	buf_reset(&s->args);
	if (!scan_str(args, &s->args) && scan_kind(args) != SCAN_NONE)
		buf_slice(&s->args, args);
	struct slice given = text = slice_trim(buf_view(&s->args));
	if (scan_value(&s->scan, text.p, text.n) < 0) {
		given = NOTHING;
		judge(s, name, name, out);
		buf_slice(&s->texts, buf_view(&s->args));
	} else if (scan_kind(text) != SCAN_OBJECT) {
		judge(s, name, name, out);
		canonical_value(text, false, &s->texts);
	} else {
		if (s->rules != NULL) {
			text = user_rules_apply(s->rules, name, text,
			    s->line);
			scan_value(&s->scan, text.p, text.n);
		}
		theirs = text;
		struct slice kind = kind_of(s, name, &theirs);
		if (!slice_eq(kind, name)) {
			members_add_all(&s->members, theirs, false);
			judge(s, name, kind, out);
			members_empty(&s->members);
		}
		take_members(s, name, text);
		if (slice_eq(kind, name))
			judge(s, name, name, out);
		print_members(s, slice_is(name, "bash"));
	}
	out->at = at;
	out->n = s->texts.len - at;
	hash_128(s->texts.p + at, out->n, hash);
	out->sig = (struct sig){ hash[0], hash[1] };
	if (out->does.b == 0)
		out->does = out->sig;
	return given;
}

struct slice
sign_text_of(const struct signer *s, const struct traits *t)
{
	return (struct slice){ s->texts.p + t->at, t->n };
}

void
sign_hex(struct signer *s, struct slice text, char sig[SHA_HEX])
{
	if (s->sha == NULL)
		s->sha = sha_new();
	sha_add(s->sha, text.p, text.n);
	sha_hex(s->sha, sig);
}

void
signer_root(struct signer *s, struct slice cwd)
{
	free(s->root);
	s->root = scan_strdup(cwd);
}

void
signer_release(struct signer *s)
{
	if (s->sha != NULL)
		sha_free(s->sha);
	scan_release(&s->scan);
	bufs_release(BUFS(&s->args, &s->named, &s->text, &s->path, &s->theirs,
	    &s->code, &s->texts));
	members_release(&s->members);
	signer_root(s, NOTHING);
}
