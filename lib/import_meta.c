/* import_meta.c - the meta of an imported record. */
#include "import_meta.h"
#include "scan.h"
#include "sha.h"

void
import_member(struct buf *out, const char *key, struct slice val)
{
	if (out->len > 0 && out->p[out->len - 1] != '{')
		buf_addc(out, ',');
	buf_fmt(out, "\"%s\":", key);
	buf_slice(out, val);
}

struct slice
import_quoted(struct buf *b, struct slice text)
{
	buf_reset(b);
	scan_quote(b, text.p, text.n);
	return buf_view(b);
}

/* A changed file whose new content is known, or that is gone. */
static bool
is_mutation(struct slice el)
{
	struct slice sha = scan_get(el, "sha256");

	return scan_kind(scan_get(el, "path")) == SCAN_STRING &&
	    (scan_kind(scan_get(el, "text")) == SCAN_STRING ||
	    scan_kind(sha) == SCAN_STRING || scan_kind(sha) == SCAN_NULL);
}

/* The content is told by its hash. */
static void
put_mutated(struct buf *text, struct slice list, struct buf *out)
{
	struct slice el, sha;
	struct walk w;
	char hex[SHA_HEX];
	bool first = true;

	buf_adds(out, "\"mutated\":[");
	walk_in(&w, list);
	while (walk_next(&w, NULL, &el)) {
		if (!is_mutation(el))
			continue;
		buf_adds(out, first ? "{" : ",{");
		first = false;
		import_member(out, "path", scan_get(el, "path"));
		sha = scan_get(el, "sha256");
		buf_reset(text);
		if (scan_str(scan_get(el, "text"), text)) {
			sha256_hex(text->p != NULL ? text->p : "", text->len,
			    hex);
			sha = import_quoted(text, slice_of(hex));
		}
		import_member(out, "sha256", sha);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

/* One of ours, with "mutated" only where it says something. */
static void
put_meta_member(struct buf *text, struct slice key, struct slice val,
    bool first, struct buf *out)
{
	bool mutated = scan_key_is(key, "mutated");
	struct slice el;
	struct walk w;

	if (mutated) {
		walk_in(&w, scan_kind(val) == SCAN_ARRAY ? val : SLICE("[]"));
		while (walk_next(&w, NULL, &el) && !is_mutation(el))
			el = (struct slice){ NULL, 0 };
		if (el.p == NULL)
			return;
	}
	if (!first)
		buf_addc(out, ',');
	if (mutated) {
		put_mutated(text, val, out);
		return;
	}
	buf_add(out, key.p - 1, key.n + 2);
	buf_addc(out, ':');
	buf_slice(out, val);
}

void
import_meta(struct buf *text, struct slice meta, struct slice was,
    bool lossy, struct buf *out)
{
	struct slice key, val;
	struct walk w;
	size_t start = out->len, empty;

	buf_adds(out, out->p[out->len - 1] == '{' ? "\"meta\":{" :
	    ",\"meta\":{");
	empty = out->len;
	if (scan_kind(meta) == SCAN_OBJECT)
		walk_in(&w, meta);
	else
		walk_in(&w, SLICE("{}"));
	while (walk_next(&w, &key, &val)) {
		if (scan_kind(val) == SCAN_NULL || (was.p != NULL &&
		    scan_key_is(key, "name")))
			continue;
		put_meta_member(text, key, val, out->len == empty, out);
	}
	if (was.p != NULL)
		import_member(out, "name", was);
	if (lossy)
		import_member(out, "lossy", SLICE("true"));
	if (out->len == empty)
		out->p[out->len = start] = '\0';
	else
		buf_addc(out, '}');
}
