/* scan.h - the JSON scanner: checks bytes against RFC 8259, hands out slices.
 *
 * scan_record and scan_value check a whole text once.  Everything below
 * "checked bytes only" walks text that has passed and trusts it; the slices it
 * returns point into that text and are valid as long as it is.  Stricter than
 * the RFC, by chapter 2.1 of the specification: no duplicate keys in an
 * object (compared decoded), no \u0000, valid UTF-8, at most SCAN_DEPTH
 * levels.  An unpaired escaped surrogate passes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

#define SCAN_DEPTH 512		/* the record itself is level 1 */

enum scan_kind {
	SCAN_NONE,		/* slice.p == NULL */
	SCAN_OBJECT,
	SCAN_ARRAY,
	SCAN_STRING,
	SCAN_NUMBER,
	SCAN_TRUE,
	SCAN_FALSE,
	SCAN_NULL
};

struct member {
	struct slice key;	/* the bytes between the quotes, not decoded */
	struct slice val;	/* the value, a string with its quotes */
};

struct scan_key;		/* private */
struct scan_prefix {		/* private: the start that texts share */
	struct buf bytes;
	size_t open;		/* where the array begins */
	size_t *ends;		/* just past the comma of each element */
	size_t n, cap;
	bool on;		/* this text's array has begun */
};

/* One scanner; zero it, use it for any number of texts, release it.  The
 * leading bytes that a text's first long array shares with the previous
 * text's are not checked again. */
struct scan {
	struct member *m;	/* members of the outermost object, in order */
	size_t n;
	const char *why;	/* after a refusal: what is wrong, and where */
	size_t at;		/* byte offset in the text */
	/* private */
	size_t cap;
	const char *p, *end, *start;
	unsigned depth;
	struct scan_key *keys;
	size_t nkeys, capkeys;
	struct arena decoded;	/* keys with escapes */
	struct scan_prefix prefix;
};

/* Check that p is exactly one JSON object (white space around it allowed) and
 * list its members in s->m, valid until the next call on s.  0, or -1 with
 * s->why and s->at. */
int scan_record(struct scan *s, const char *p, size_t n);

/* The same for any JSON value; members are listed if it is an object. */
int scan_value(struct scan *s, const char *p, size_t n);

void scan_release(struct scan *s);

/* Find the end of an unchecked value that arrives in pieces.  Zero the struct
 * and set at to the offset where the value begins; s is all that has arrived.
 * Returns the offset just past the value, or 0 if its end is not there yet. */
struct scan_end {
	size_t at, depth;
	bool quoted, escaped;
};
size_t scan_end(struct scan_end *e, struct slice s);

/* Append text with what other programs' JSON gets wrong repaired: bytes that
 * are not UTF-8, NULs, raw or escaped, and unpaired escaped surrogates become
 * U+FFFD (true: there was one), control bytes in strings are escaped, and
 * Python's NaN and Infinity become null.  Text that is not JSON for another
 * reason stays invalid. */
bool scan_repair(struct slice text, struct buf *out);

/* Is text one JSON value?  If so it counts as checked. */
bool scan_is_json(struct slice text);

/* ---- checked bytes only ---- */

/* Inline, as most callers compare the result with one constant. */
static inline enum scan_kind
scan_kind(struct slice val)
{
	if (val.p == NULL || val.n == 0)
		return SCAN_NONE;
	switch (val.p[0]) {
	case '{': return SCAN_OBJECT;
	case '[': return SCAN_ARRAY;
	case '"': return SCAN_STRING;
	case 't': return SCAN_TRUE;
	case 'f': return SCAN_FALSE;
	case 'n': return SCAN_NULL;
	default: return SCAN_NUMBER;
	}
}

/* val if it is of this kind, else {NULL, 0}. */
static inline struct slice
scan_only(enum scan_kind kind, struct slice val)
{
	return scan_kind(val) == kind ? val : (struct slice){ NULL, 0 };
}

/* Does the key (without its quotes), decoded, equal text? */
bool scan_same_key(struct slice key, const char *text);

/* Inline, as the compiler usually knows text, and few keys have escapes. */
static inline bool
scan_key_is(struct slice key, const char *text)
{
	if (key.n > 0 && key.p[0] != text[0] && key.p[0] != '\\')
		return false;
	size_t n = strlen(text);
	return key.n <= n ? key.n == n && memcmp(key.p, text, n) == 0 :
	    scan_same_key(key, text);
}

/* The same for a text from a table: its length, known there but not to the
 * compiler, is compared first.  It is not empty and ends with a NUL. */
static inline bool
scan_key_eq(struct slice key, struct slice text)
{
	/* an empty key is followed by a quote */
	if (key.n < text.n || (*key.p != *text.p && *key.p != '\\'))
		return false;
	return key.n == text.n ? memcmp(key.p, text.p, text.n) == 0 :
	    scan_same_key(key, text.p);
}

static inline bool
scan_str_is(struct slice val, const char *text)
{
	return scan_kind(val) == SCAN_STRING &&
	    scan_key_is((struct slice){ val.p + 1, val.n - 2 }, text);
}

/* The value of key among n members; {NULL, 0} when there is none. */
struct slice scan_find(const struct member *m, size_t n, struct slice key);
static inline struct slice
scan_member(const struct member *m, size_t n, const char *key)
{
	return scan_find(m, n, (struct slice){ key, strlen(key) });
}

/* The value of key in obj; {NULL, 0} when obj is not an object or has
 * none. */
struct slice scan_get(struct slice obj, const char *key);

/* Does a backslash stand before c or d?  It may itself be escaped. */
bool scan_has_escape(struct slice checked, char c, char d);

/* The first unpaired escaped surrogate, or NULL. */
const char *scan_lone_surrogate(struct slice checked);

/* Append the decoded string; false (nothing added) when val is not a string.
 * Unpaired surrogates become U+FFFD. */
bool scan_str(struct slice val, struct buf *out);
/* The same for the bytes between the quotes, or a part of them that does not
 * split an escape. */
void scan_inside(struct slice inside, struct buf *out);
/* The decoded string, which the caller frees.  If val is not a string:
 * scan_strdup returns NULL, scan_text "". */
char *scan_strdup(struct slice val);
char *scan_text(struct slice val);

/* The inside of a string that has no backslash; otherwise {NULL, 0}. */
struct slice scan_plain(struct slice val);

bool scan_int(struct slice val, int64_t *out);	/* an integer of 64 bits */
int64_t scan_int_or(struct slice val, int64_t def);
bool scan_true(struct slice val);

/* Walk over the members of an object or the elements of an array
 * (walk_elements: of an array only).  Any other value has none.
 *
 *	for (struct walk w = walk_of(object); walk_next(&w, &key, &val); )
 */
struct walk {
	const char *p, *end;
	enum scan_kind kind;	/* of the container */
};
struct walk walk_of(struct slice container);
struct walk walk_elements(struct slice list);
bool walk_next(struct walk *w, struct slice *key, struct slice *val);

/* walk_next in two steps: walk_key goes to the next value and leaves w->p at
 * it (false at the end), walk_value goes past it and returns it. */
bool walk_key(struct walk *w, struct slice *key);
struct slice walk_value(struct walk *w);

/* Append p as a JSON string with quotes, with the fewest escapes.  p must be
 * UTF-8 without NUL (utf8_clean). */
void scan_quote(struct buf *out, const char *p, size_t n);

/* Append a form with slices in it: $ is the next slice as it is, @ the next
 * one as a JSON string, ? the same but null if its p is NULL, ' a double
 * quote.
 *
 *	scan_put(&out, "{'name':@,'arguments':$}", name, args);
 */
#define scan_put(out, form, ...) \
	scan_put_slices(out, form, \
	    (const struct slice[]){ { NULL, 0 }, ##__VA_ARGS__ })
void scan_put_slices(struct buf *out, const char *form,
    const struct slice *from1);

/* Slices for a $: an integer; true or false; the comma before another element
 * or member (empty if out ends with an opening bracket or brace). */
#define SCAN_INT(n) scan_number((char[24]){ "" }, n)
struct slice scan_number(char room[24], long long n);
struct slice scan_truth(bool yes);
struct slice scan_comma(const struct buf *out);
