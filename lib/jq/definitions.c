/* definitions.c - picks the jq library definitions that a program uses. */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "definitions.h"

#define MOST 256		/* of a library; more than jq has */
#define ANY SIZE_MAX		/* any number of arguments */

struct definition {
	struct slice text, name, formals;
	size_t arity;
	bool used;
};

struct definitions {
	struct definition row[MOST];
	size_t n;
};

static size_t
word_length(struct slice s)
{
	size_t n = 0;

	while (n < s.n && (isalnum((unsigned char)s.p[n]) || s.p[n] == '_'))
		n++;
	return n;
}

static bool
has_word(struct slice s, struct slice word)
{
	for (size_t i = 0, n; i < s.n; i += n + 1) {
		n = word_length(slice_from(s, i));
		if (slice_eq(slice_part(s, i, i + n), word))
			return true;
	}
	return false;
}

/* How many arguments are at the start of s, in parentheses.  ANY if only a
 * parser could tell: strings with programs in them, definitions, comments. */
static size_t
count_arguments(struct slice s)
{
	bool quoted = false;
	size_t n = 0;
	int depth = 0;

	s = slice_trim_start(s, " \t\r\n");
	if (!slice_starts(s, "("))
		return slice_starts(s, "#") ? ANY : 0;
	for (size_t i = 0; i < s.n && (depth > 0 || i == 0); i++) {
		char c = s.p[i];

		if (slice_starts(slice_from(s, i), "\\(") ||
		    slice_starts(slice_from(s, i), "def") || c == '#')
			return ANY;
		if (c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && strchr("([{", c) != NULL)
			n += ++depth == 1;
		else if (!quoted && strchr(")]}", c) != NULL)
			depth--;
		else if (!quoted && c == ';')
			n += depth == 1;
	}
	return n;
}

static void use_text(struct definitions *d, struct slice text,
    struct slice formals);

static void
use(struct definitions *d, struct slice name, size_t arity)
{
	for (size_t i = 0; i < d->n; i++) {
		struct definition *def = &d->row[i];

		if (!def->used && slice_eq(def->name, name) &&
		    (def->arity == arity || arity == ANY)) {
			def->used = true;
			use_text(d, def->text, def->formals);
		}
	}
}

/* Find the calls in a text, except of its own formals; the grammar itself makes
 * calls, too. */
static void
use_text(struct definitions *d, struct slice text, struct slice formals)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i += n > 0 ? n : 1) {
		struct slice rest = slice_from(text, i);
		char before = i > 0 ? text.p[i - 1] : '\n', c = *rest.p;

		n = word_length(rest);
		struct slice word = slice_part(rest, 0, n);
		if (c == '#' && before == '\n') {
			/* a comment, or a line of a text, which may end it */
			rest = slice_part(rest, 0, slice_find(rest, 0, "\n"));
			n = slice_has(rest, "\"") || slice_has(rest, "\\(") ?
			    1 : rest.n;
		} else if (n > 0 && strchr(".$\"", before) == NULL &&
		    !has_word(formals, word))
			use(d, word, count_arguments(slice_from(rest, n)));
		else if (c == '.' && before == '.')
			use(d, SLICE("recurse"), 0);
		else if (slice_starts(rest, "=="))
			n = 2;
		else if (c == '=' && strchr("|+-*/%", before) != NULL)
			use(d, SLICE("_modify"), 2);
		else if (c == '=' && strchr("<>!", before) == NULL)
			use(d, SLICE("_assign"), 2);
	}
}

size_t
definitions_used(struct slice library, struct slice program, char *out)
{
	struct definitions d = { .n = 0 };
	size_t length = 0;

	for (size_t at = 0, end; at < library.n; at = end) {
		struct definition *def = &d.row[d.n];

		end = slice_find(library, at, "\ndef ") + 1;
		if (end > library.n || d.n == MOST - 1)
			end = library.n;
		def->text = slice_part(library, at, end);
		if (!slice_starts(def->text, "def "))
			continue;
		struct slice rest = slice_from(def->text, 4);
		size_t n = word_length(rest);
		def->name = slice_part(rest, 0, n);
		rest = slice_from(rest, n);
		def->formals = slice_part(rest, 0, slice_find(rest, 0, ":"));
		def->arity = count_arguments(rest);
		d.n++;
	}
	use(&d, SLICE("error"), 0);
	use_text(&d, program, SLICE(""));
	for (size_t i = 0; i < d.n; i++)
		if (d.row[i].used) {
			memcpy(out + length, d.row[i].text.p, d.row[i].text.n);
			length += d.row[i].text.n;
		}
	return length;
}
