/* alias.c - a tool's arguments under their canonical names (chapter 5.1). */
#include <stdint.h>
#include <string.h>

#include "alias.h"
#include "mem.h"
#include "num.h"
#include "scan.h"

enum { READ = 1, EDIT = 2, WRITE = 4, VIEW_IMAGE = 8, BASH = 16,
	FILES = READ | EDIT | WRITE | VIEW_IMAGE };

static const struct row {
	unsigned tools;
	const char *from, *to;
} rows[] = {
	{ FILES, "file", "path" },
	{ FILES, "filePath", "path" },
	{ FILES, "file_path", "path" },
	{ EDIT, "old_str", "old" },
	{ EDIT, "oldText", "old" },
	{ EDIT, "old_text", "old" },
	{ EDIT, "old_string", "old" },
	{ EDIT, "original", "old" },
	{ EDIT, "new_str", "new" },
	{ EDIT, "newText", "new" },
	{ EDIT, "new_text", "new" },
	{ EDIT, "new_string", "new" },
	{ EDIT, "replacement", "new" },
	{ EDIT, "replace_all", "all" },
	{ WRITE, "text", "content" },
	{ WRITE, "contents", "content" },
	{ WRITE, "body", "content" },
	{ BASH, "cmd", "command" },
	{ READ, "offset", "first" },
	{ READ, "start_line", "first" },
	{ READ, "end_line", "last" },
	{ READ, "pattern", "query" },
	{ READ, "search", "query" },
};

#define NROWS (sizeof rows / sizeof rows[0])

/* The bit of a tool; 0: it has no aliases. */
static unsigned
bit_of(struct slice tool)
{
	static const struct {
		const char *name;
		unsigned bit;
	} tools[] = { { "read", READ }, { "edit", EDIT }, { "write", WRITE },
		{ "view_image", VIEW_IMAGE }, { "bash", BASH } };

	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
		if (slice_is(tool, tools[i].name))
			return tools[i].bit;
	return 0;
}

const char *
alias_key(struct slice tool, struct slice key)
{
	unsigned bit = bit_of(tool);

	for (size_t i = 0; i < NROWS && bit != 0; i++)
		if ((rows[i].tools & bit) != 0 && slice_is(key, rows[i].from))
			return rows[i].to;
	return NULL;
}

/* ---- one object ---- */

/* Which member a canonical name is taken from. */
struct target {
	const char *name;
	size_t at;		/* number of the member + 1; 0: none yet */
	enum { BY_NULL, BY_ALIAS, BY_NAME } rank;
};

struct work {
	struct slice tool;
	struct target t[8];	/* more than any tool has names with aliases */
	size_t nt;
	struct buf key;		/* the decoded key in hand */
	bool any;		/* a member was printed */
};

static void
init(struct work *w, struct slice tool)
{
	unsigned bit = bit_of(tool);

	*w = (struct work){ .tool = tool, .key = BUF_INIT(BUF_RECORD_MAX) };
	for (size_t i = 0; i < NROWS; i++) {
		size_t k = 0;

		if ((rows[i].tools & bit) == 0)
			continue;
		while (k < w->nt && w->t[k].name != rows[i].to &&
		    strcmp(w->t[k].name, rows[i].to) != 0)
			k++;
		if (k == w->nt && k < sizeof w->t / sizeof w->t[0])
			w->t[w->nt++].name = rows[i].to;
	}
}

/* The target a key names, NULL if none; *exact: by its own name. */
static struct target *
target_of(struct work *w, struct slice key, bool *exact)
{
	struct slice quoted = { key.p - 1, key.n + 2 };
	const char *to;

	buf_reset(&w->key);
	scan_str(quoted, &w->key);
	to = alias_key(w->tool, buf_view(&w->key));
	*exact = to == NULL;
	for (size_t i = 0; i < w->nt; i++)
		if (to != NULL ? strcmp(w->t[i].name, to) == 0 :
		    slice_is(buf_view(&w->key), w->t[i].name))
			return &w->t[i];
	return NULL;
}

/* Null counts as absent, so it wins over nothing. */
static void
elect(struct work *w, struct slice args)
{
	struct slice key, val;
	struct walk walk;
	bool exact;

	walk_in(&walk, args);
	for (size_t i = 1; walk_next(&walk, &key, &val); i++) {
		struct target *t = target_of(w, key, &exact);
		int rank = exact ? BY_NAME : BY_ALIAS;

		if (t == NULL)
			continue;
		if (scan_kind(val) == SCAN_NULL)
			rank = BY_NULL;
		if (t->at == 0 || rank > (int)t->rank) {
			t->at = i;
			t->rank = rank;
		}
	}
}

static void
put_edits(struct slice edits, struct buf *out)
{
	struct slice key, val;
	bool first = true;
	struct walk w;

	buf_addc(out, '[');
	walk_in(&w, edits);
	while (walk_next(&w, &key, &val)) {
		if (!first)
			buf_addc(out, ',');
		first = false;
		if (!alias_args(SLICE("edit"), val, out))
			buf_slice(out, val);
	}
	buf_addc(out, ']');
}

static void
put_member(struct work *w, struct slice key, struct slice val,
    const struct target *t, struct buf *out)
{
	buf_adds(out, w->any ? ",\"" : "\"");
	w->any = true;
	if (t != NULL)
		buf_adds(out, t->name);
	else
		buf_slice(out, key);
	buf_adds(out, "\":");
	if (slice_is(w->tool, "edit") && scan_key_is(key, "edits") &&
	    scan_kind(val) == SCAN_ARRAY)
		put_edits(val, out);
	else
		buf_slice(out, val);
}

/* ---- read's limit ---- */

/* An integer, or a string that holds one. */
static bool
whole(struct slice val, int64_t *out)
{
	struct slice s = scan_plain(val);

	return scan_int(val, out) || (s.p != NULL && num_i64(s.p, s.n, out));
}

static struct slice
winner(struct work *w, struct slice args, const char *name)
{
	struct slice key, val;
	struct walk walk;

	for (size_t i = 0; i < w->nt; i++) {
		if (strcmp(w->t[i].name, name) != 0 ||
		    w->t[i].at == 0 || w->t[i].rank == BY_NULL)
			continue;
		walk_in(&walk, args);
		for (size_t k = 0; k < w->t[i].at; k++)
			walk_next(&walk, &key, &val);
		return val;
	}
	return (struct slice){ NULL, 0 };
}

enum limit { LIMIT_KEEP, LIMIT_DROP, LIMIT_LAST };

static enum limit
judge_limit(struct work *w, struct slice args, int64_t *last)
{
	struct slice first;
	int64_t limit, from = 1;

	if (!slice_is(w->tool, "read"))
		return LIMIT_KEEP;
	if (!whole(scan_get(args, "limit"), &limit))
		return LIMIT_KEEP;
	if (winner(w, args, "last").p != NULL)
		return LIMIT_DROP;
	first = winner(w, args, "first");
	if (first.p != NULL && !whole(first, &from))
		return LIMIT_KEEP;
	if (__builtin_add_overflow(from, limit, last) ||
	    __builtin_sub_overflow(*last, 1, last))
		return LIMIT_KEEP;
	return LIMIT_LAST;
}

static void
put_last(struct work *w, int64_t last, struct buf *out)
{
	buf_fmt(out, "%s\"last\":%lld", w->any ? "," : "", (long long)last);
	w->any = true;
}

bool
alias_args(struct slice tool, struct slice args, struct buf *out)
{
	struct slice key, val;
	enum limit limit;
	struct walk walk;
	struct work w;
	int64_t last = 0;
	bool exact;

	while (args.n > 0 && strchr(" \t\r\n", args.p[0]) != NULL)
		args.p++, args.n--;
	if (scan_kind(args) != SCAN_OBJECT)
		return false;
	init(&w, tool);
	elect(&w, args);
	limit = judge_limit(&w, args, &last);
	buf_addc(out, '{');
	walk_in(&walk, args);
	for (size_t i = 1; walk_next(&walk, &key, &val); i++) {
		struct target *t = target_of(&w, key, &exact);

		if (t != NULL && (t->at != i || (limit == LIMIT_LAST &&
		    strcmp(t->name, "last") == 0)))
			continue;
		if (limit == LIMIT_KEEP || !scan_key_is(key, "limit"))
			put_member(&w, key, val, t, out);
		else if (limit == LIMIT_LAST)
			put_last(&w, last, out);
	}
	buf_addc(out, '}');
	buf_release(&w.key);
	return true;
}
