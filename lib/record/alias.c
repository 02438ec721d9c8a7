/* alias.c - a tool's arguments under their canonical names (chapter 5.1). */
#include <stdint.h>

#include "alias.h"
#include "base/num.h"
#include "json/scan.h"

enum { READ = 1, EDIT = 2, WRITE = 4, VIEW_IMAGE = 8, BASH = 16,
	FILES = READ | EDIT | WRITE | VIEW_IMAGE };

enum name { PATH, OLD, NEW, ALL, CONTENT, COMMAND, FIRST, LAST, QUERY,
	NAMES };

static const char *const names[NAMES] = { "path", "old", "new", "all",
	"content", "command", "first", "last", "query" };

/* Which keys of which tools stand for a name: itself, and its aliases. */
static const struct {
	unsigned tools;
	const char *from;
	enum name to;
} keys[] = {
	{ FILES, "path", PATH }, { FILES, "file", PATH },
	{ FILES, "filePath", PATH }, { FILES, "file_path", PATH },
	{ EDIT, "old", OLD }, { EDIT, "old_str", OLD },
	{ EDIT, "oldText", OLD }, { EDIT, "old_text", OLD },
	{ EDIT, "old_string", OLD }, { EDIT, "original", OLD },
	{ EDIT, "new", NEW }, { EDIT, "new_str", NEW },
	{ EDIT, "newText", NEW }, { EDIT, "new_text", NEW },
	{ EDIT, "new_string", NEW }, { EDIT, "replacement", NEW },
	{ EDIT, "all", ALL }, { EDIT, "replace_all", ALL },
	{ WRITE, "content", CONTENT }, { WRITE, "text", CONTENT },
	{ WRITE, "contents", CONTENT }, { WRITE, "body", CONTENT },
	{ BASH, "command", COMMAND }, { BASH, "cmd", COMMAND },
	{ READ, "first", FIRST }, { READ, "offset", FIRST },
	{ READ, "start_line", FIRST },
	{ READ, "last", LAST }, { READ, "end_line", LAST },
	{ READ, "query", QUERY }, { READ, "pattern", QUERY },
	{ READ, "search", QUERY },
};

/* The bit of a tool; 0: it has no aliases. */
static unsigned
bit_of(struct slice tool)
{
	static const char *const tools[] = { "read", "edit", "write",
		"view_image", "bash" };

	for (unsigned i = 0; i < sizeof tools / sizeof *tools; i++)
		if (slice_is(tool, tools[i]))
			return 1u << i;
	return 0;
}

/* The name that key stands for, or NAMES; *exact: it is the name itself. */
static enum name
name_of(unsigned tool, struct slice key, bool *exact)
{
	size_t i = 0, n = tool != 0 ? sizeof keys / sizeof *keys : 0;

	while (i < n && ((keys[i].tools & tool) == 0 ||
	    !slice_is(key, keys[i].from)))
		i++;
	*exact = i < n && slice_is(key, names[keys[i].to]);
	return i < n ? keys[i].to : NAMES;
}

const char *
alias_key(struct slice tool, struct slice key)
{
	bool exact;
	enum name to = name_of(bit_of(tool), key, &exact);

	return to < NAMES && !exact ? names[to] : NULL;
}

/* ---- one object ---- */

/* The member that a canonical name's value is taken from: its number from 1,
 * and how it is spelled.  Null counts as absent, so any other member wins. */
struct choice {
	size_t at;		/* 0: none */
	enum { BY_NULL, BY_ALIAS, BY_NAME } rank;
	struct slice val;
};

struct work {
	unsigned tool;
	struct choice by[NAMES];
	struct buf key;		/* the current key, decoded */
	bool any;		/* a member was printed */
};

/* The same for a key as it is written. */
static enum name
name_in(struct work *w, struct slice key, bool *exact)
{
	buf_reset(&w->key);
	scan_inside(key, &w->key);
	return name_of(w->tool, buf_view(&w->key), exact);
}

static void
put_edits(struct slice edits, struct buf *out)
{
	struct slice val;
	const char *before = "[";

	for (struct walk w = walk_of(edits); walk_next(&w, NULL, &val); ) {
		buf_adds(out, before);
		before = ",";
		if (!alias_args(SLICE("edit"), val, out))
			buf_slice(out, val);
	}
	buf_adds(out, *before == '[' ? "[]" : "]");
}

/* An integer, or a string that holds one. */
static bool
whole(struct slice val, int64_t *out)
{
	struct slice s = scan_plain(val);

	return scan_int(val, out) || (s.p != NULL && num_i64(s.p, s.n, out));
}

enum limit { LIMIT_KEEP, LIMIT_DROP, LIMIT_LAST };

/* What becomes of read's limit: *last is first + limit - 1. */
static enum limit
judge_limit(const struct work *w, struct slice args, int64_t *last)
{
	const struct choice *first = &w->by[FIRST], *end = &w->by[LAST];
	int64_t limit, from = 1;

	if (w->tool != READ || !whole(scan_get(args, "limit"), &limit) ||
	    limit < 1)
		return LIMIT_KEEP;
	if (end->at > 0 && end->rank != BY_NULL)
		return LIMIT_DROP;
	if (first->at > 0 && first->rank != BY_NULL &&
	    !whole(first->val, &from))
		return LIMIT_KEEP;
	if (__builtin_add_overflow(from, limit, last) ||
	    __builtin_sub_overflow(*last, 1, last))
		return LIMIT_KEEP;
	return LIMIT_LAST;
}

bool
alias_args(struct slice tool, struct slice args, struct buf *out)
{
	struct work w = { .tool = bit_of(tool),
		.key = BUF_INIT(BUF_RECORD_MAX) };
	struct slice key, val;
	int64_t last = 0;
	bool exact;

	args = slice_trim_start(args, " \t\r\n");
	if (scan_kind(args) != SCAN_OBJECT)
		return false;
	struct walk walk = walk_of(args);
	for (size_t i = 1; walk_next(&walk, &key, &val); i++) {
		enum name name = name_in(&w, key, &exact);
		struct choice *c = &w.by[name];
		int rank = scan_kind(val) == SCAN_NULL ? BY_NULL :
		    exact ? BY_NAME : BY_ALIAS;

		if (name < NAMES && (c->at == 0 || rank > (int)c->rank))
			*c = (struct choice){ i, rank, val };
	}
	enum limit limit = judge_limit(&w, args, &last);
	buf_addc(out, '{');
	walk = walk_of(args);
	for (size_t i = 1; walk_next(&walk, &key, &val); i++) {
		enum name name = name_in(&w, key, &exact);

		if (name < NAMES && (w.by[name].at != i ||
		    (limit == LIMIT_LAST && name == LAST)))
			continue;
		if (limit == LIMIT_KEEP || !scan_key_is(key, "limit")) {
			buf_adds(out, w.any ? ",\"" : "\"");
			w.any = true;
			if (name < NAMES)
				buf_adds(out, names[name]);
			else
				buf_slice(out, key);
			buf_adds(out, "\":");
			if (w.tool == EDIT && scan_key_is(key, "edits") &&
			    scan_kind(val) == SCAN_ARRAY)
				put_edits(val, out);
			else
				buf_slice(out, val);
		} else if (limit == LIMIT_LAST) {
			buf_fmt(out, "%s\"last\":%lld", w.any ? "," : "",
			    (long long)last);
			w.any = true;
		}
	}
	buf_addc(out, '}');
	buf_release(&w.key);
	return true;
}
