/* sig.c - the signature of a call (chapter 3.1). */
#include <ctype.h>
#include <string.h>

#include "alias.h"
#include "rules.h"
#include "sig.h"
#include "text_hash.h"

#define NOTHING ((struct slice){ NULL, 0 })
#define TEXTS_MAX (2 * BUF_RECORD_MAX)
#define FEW 16			/* members compared each with each */

/* Say why a call is made or are different in every request; never "id". */
static const char *const dropped[] = { "description", "reason", "intent",
	"thought", "explanation", "request_id", "trace_id", "nonce",
	"timestamp", NULL };
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
		size_t n;

		if (q == NULL)
			q = end;
		n = (size_t)(q - p);
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
text_of(struct sign *s, struct slice val)
{
	struct slice plain = scan_plain(val);

	if (plain.p != NULL)
		return plain;
	buf_reset(&s->text);
	buf_adds(&s->text, "");
	scan_str(val, &s->text);
	return buf_view(&s->text);
}

static void
folded(struct sign *s, struct slice val,
    void (*fold)(struct slice, struct buf *))
{
	buf_reset(&s->neat);
	buf_adds(&s->neat, "");
	fold(text_of(s, val), &s->neat);
	scan_quote(&s->texts, s->neat.p, s->neat.len);
}

/* The members that count, printed in order. */
static void
print(struct sign *s, bool bash)
{
	struct buf *out = &s->texts;
	bool first = true;

	canon_sort(&s->members);
	buf_addc(out, '{');
	for (size_t i = 0; i < s->members.n; i++) {
		struct canon_member *m = &s->members.m[i];
		bool text = scan_kind(m->val) == SCAN_STRING;

		if (slice_in(m->key, dropped))
			continue;
		if (!first)
			buf_addc(out, ',');
		first = false;
		scan_quote(out, m->key.p, m->key.n);
		buf_addc(out, ':');
		if (text && bash && slice_is(m->key, "command"))
			folded(s, m->val, shell_fold);
		else if (text && slice_is(m->key, "path"))
			folded(s, m->val, fold_path);
		else
			canon_value(m->val, out);
	}
	buf_addc(out, '}');
}

static struct slice
member(const struct sign *s, const char *key)
{
	for (size_t i = 0; i < s->members.n; i++)
		if (slice_is(s->members.m[i].key, key))
			return s->members.m[i].val;
	return NOTHING;
}

static uint64_t
value_hash(struct slice val)
{
	return text_hash(val.p != NULL ? val.p : "", val.n, 3);
}

static uint64_t
path_text_hash(struct sign *s, struct slice path)
{
	buf_reset(&s->neat);
	buf_adds(&s->neat, "");
	fold_path(path, &s->neat);
	return text_hash(s->neat.p, s->neat.len, 1);
}

static uint64_t
path_hash(struct sign *s, struct slice path)
{
	struct slice plain = scan_plain(path);

	if (plain.p == NULL)
		return path.p != NULL ? value_hash(path) : 0;
	return path_text_hash(s, plain);
}

static void
judge_bash(struct sign *s, struct about *out)
{
	struct slice cmd = member(s, "command");
	struct shell sh;

	if (scan_kind(cmd) != SCAN_STRING)
		return;
	shell_judge(text_of(s, cmd), &sh);
	out->idle = sh.idle;
	out->poll = sh.poll;
	out->reads = sh.reads;
	out->mutates = sh.mutates;
	out->matters = sh.matters;
	if (sh.removes.p != NULL)
		out->removes = path_text_hash(s, sh.removes);
	out->runs = sh.runs;
}

static uint64_t
difference(struct slice old, struct slice new)
{
	return value_hash(new) - value_hash(old);
}

/* What an edit or a write does to its file. */
static void
judge_edit(const struct sign *s, struct about *out)
{
	struct slice content = member(s, "content"), one;
	struct slice new = member(s, "new"), edits = member(s, "edits");
	struct walk w;

	out->write = content.p != NULL && new.p == NULL;
	if (out->write) {
		out->change = value_hash(content);
	} else if (scan_kind(edits) == SCAN_ARRAY) {
		walk_in(&w, edits);
		while (walk_next(&w, NULL, &one))
			out->change += difference(scan_get(one, "old"),
			    scan_get(one, "new"));
	} else if (new.p != NULL) {
		out->change = difference(member(s, "old"), new);
	} else {
		for (size_t i = 0; i < s->members.n; i++)
			out->change += value_hash(s->members.m[i].val);
	}
}

/* The next word of a tool's name, in lower case; false at the end.  A word
 * begins behind _ and at a capital. */
static bool
next_word(struct slice *name, char word[16])
{
	size_t n = 0, i = 0;
	const char *p = name->p;

	while (i < name->n && !isalpha((unsigned char)p[i]))
		i++;
	while (i < name->n && isalpha((unsigned char)p[i]) &&
	    (n == 0 || !isupper((unsigned char)p[i]) ||
	    isupper((unsigned char)p[i - 1]))) {
		if (n < 15)
			word[n++] = (char)tolower((unsigned char)p[i]);
		i++;
	}
	word[n] = '\0';
	*name = (struct slice){ p + i, name->n - i };
	return n > 0;
}

/* Has the name one of these among its words? */
static bool
has_word(struct slice name, const char *const *words)
{
	char word[16];

	while (name.p != NULL && next_word(&name, word))
		if (slice_in(slice_of(word), words))
			return true;
	return false;
}

static bool
is_network(struct slice name)
{
	static const char *const words[] = { "web", "fetch", "http", "https",
		"browser", "url", "curl", "internet", "network", "download",
		NULL };

	return has_word(name, words);
}

/* Does a tool of this name, or called with this action, wait for something or
 * look whether it has happened?  BashOutput, task_status, job_wait, waitFor,
 * {"action":"poll"}; what git says is no polling. */
static bool
waits(struct slice name, struct slice action)
{
	static const char *const git[] = { "git", NULL };
	static const char *const waiting[] = { "wait", "poll", NULL };
	static const char *const looking[] = { "status", "output", "log",
		"logs", NULL };
	static const char *const works[] = { "bash", "shell", "command",
		"process", "task", "job", "run", "build", "workflow",
		"pipeline", "deploy", "deployment", "agent", NULL };
	static const char *const actions[] = { "poll", "wait", "log",
		"status", NULL };
	struct slice rest = name;
	char first[16] = "", last[16] = "", word[16];

	if (has_word(name, git))
		return false;
	while (rest.p != NULL && next_word(&rest, word)) {
		if (*first == '\0')
			memcpy(first, word, sizeof first);
		memcpy(last, word, sizeof last);
	}
	if (slice_in(scan_plain(action), actions) ||
	    strncmp(first, "wait", 4) == 0 ||
	    slice_in(slice_of(first), waiting) ||
	    slice_in(slice_of(last), waiting))
		return true;
	return slice_in(slice_of(last), looking) && has_word(name, works);
}

static void
judge(struct sign *s, struct slice name, struct about *out)
{
	struct slice path = member(s, "path");

	out->tool = text_hash(name.p != NULL ? name.p : "", name.n, 4);
	out->bash = slice_is(name, "bash");
	out->edits = slice_is(name, "edit") || slice_is(name, "write");
	out->looks = slice_is(name, "read");
	out->mutates = out->edits;
	out->matters = out->edits && (scan_kind(path) != SCAN_STRING ||
	    root_matters(&s->root, text_of(s, path)));
	out->network = is_network(name);
	out->reads = slice_in(name, readers);
	out->runs = !out->reads && !out->edits;
	out->path = path_hash(s, path);
	if (out->bash)
		judge_bash(s, out);
	else if (out->edits)
		judge_edit(s, out);
	else
		out->poll = waits(name, member(s, "action"));
	if (out->looks)
		out->idle = scan_str_is(path, "/dev/null") ||
		    (scan_str_is(path, "") &&
		    member(s, "query").p == NULL);
}

/* The arguments' text, kept in s->args: decoded, or the value itself. */
static struct slice
unwrap(struct sign *s, struct slice args)
{
	buf_reset(&s->args);
	if (!scan_str(args, &s->args) && scan_kind(args) != SCAN_NONE)
		buf_slice(&s->args, args);
	buf_adds(&s->args, "");
	return buf_view(&s->args);
}

static struct slice
trimmed(struct slice s)
{
	static const char blanks[] = " \t\r\n";

	while (s.n > 0 && memchr(blanks, s.p[s.n - 1], 4) != NULL)
		s.n--;
	while (s.n > 0 && memchr(blanks, *s.p, 4) != NULL)
		s = (struct slice){ s.p + 1, s.n - 1 };
	return s;
}

/* Members that alias_args does more with than giving them a name. */
static bool
is_special(struct slice key)
{
	return memchr(key.p, '\\', key.n) != NULL || slice_is(key, "edits") ||
	    slice_is(key, "limit");
}

/* Take a member under its canonical name: that itself wins over an alias, the
 * first alias over the others (alias.h); null is not there at all. */
static void
take_member(struct sign *s, struct slice name, const struct member *m)
{
	const char *canonical = alias_key(name, m->key);
	struct slice key = canonical != NULL ? slice_of(canonical) : m->key;

	if (scan_kind(m->val) == SCAN_NULL)
		return;
	for (size_t i = 0; i < s->members.n; i++)
		if (slice_eq(s->members.m[i].key, key)) {
			if (canonical == NULL)
				s->members.m[i].val = m->val;
			return;
		}
	canon_add(&s->members, key, m->val);
}

/* The members of the arguments, whose text was scanned, under the names that
 * hamr-tool gives them.  alias_args copies all of the text, so what is simple
 * and of few members is done without. */
static void
take_members(struct sign *s, struct slice name, struct slice text)
{
	bool simple = s->scan.n <= FEW;

	for (size_t i = 0; i < s->scan.n && simple; i++)
		simple = !is_special(s->scan.m[i].key);
	if (simple) {
		for (size_t i = 0; i < s->scan.n; i++)
			take_member(s, name, &s->scan.m[i]);
		return;
	}
	buf_reset(&s->named);
	if (alias_args(name, text, &s->named))
		canon_object(&s->members, buf_view(&s->named));
}

void
sign_call(struct sign *s, struct slice name, struct slice args,
    struct about *out)
{
	struct slice text;
	uint64_t hash[2];
	bool valid;

	s->args.max = s->named.max = BUF_RECORD_MAX;
	s->text.max = s->neat.max = BUF_RECORD_MAX;
	s->texts.max = TEXTS_MAX;
	*out = (struct about){ .at = s->texts.len };
	buf_slice(&s->texts, name);
	buf_addc(&s->texts, '\0');
	canon_empty(&s->members);
	text = trimmed(unwrap(s, args));
	valid = scan_value(&s->scan, text.p, text.n) == 0;
	if (valid && s->rules != NULL && scan_kind(text) == SCAN_OBJECT) {
		text = rules_apply(s->rules, name, text);
		scan_value(&s->scan, text.p, text.n);
	}
	if (valid && scan_kind(text) == SCAN_OBJECT) {
		take_members(s, name, text);
		judge(s, name, out);
		print(s, out->bash);
	} else {
		judge(s, name, out);
		if (valid)
			canon_value(text, &s->texts);
		else
			buf_slice(&s->texts, buf_view(&s->args));
	}
	out->n = s->texts.len - out->at;
	text_hash2(s->texts.p + out->at, out->n, hash);
	out->sig = (struct sig){ hash[0], hash[1] };
}

void
sign_step(struct sign *s)
{
	buf_reset(&s->texts);
}

void
sign_hex(struct sign *s, const struct about *a, char sig[SHA_HEX])
{
	if (s->sha == NULL)
		s->sha = sha_new();
	sha_add(s->sha, s->texts.p + a->at, a->n);
	sha_hex(s->sha, sig);
}

void
sign_text(struct sign *s, struct slice text, char sig[SHA_HEX])
{
	if (s->sha == NULL)
		s->sha = sha_new();
	sha_add(s->sha, "", 1);
	sha_add(s->sha, text.p, text.n);
	sha_hex(s->sha, sig);
}

void
sign_release(struct sign *s)
{
	if (s->sha != NULL)
		sha_free(s->sha);
	scan_release(&s->scan);
	buf_release(&s->args);
	buf_release(&s->named);
	buf_release(&s->text);
	buf_release(&s->neat);
	buf_release(&s->texts);
	canon_release(&s->members);
	root_set(&s->root, NOTHING);
}
