/* highlight.c - color code line by line. */
#include <ctype.h>
#include <string.h>

#include "highlight.h"

#define LINE_COLOURED 2000	/* bytes; a longer line was not typed */

#define COMMENT "\033[2m"
#define STRING "\033[32m"
#define KEYWORD "\033[35m"
#define ADDED "\033[32m"
#define TAKEN "\033[31m"
#define PLACE "\033[36m"
#define OFF "\033[0m"

struct language {
	enum { PLAIN, TRIPLE, DIFF, ANY_CASE } kind;	/* quotes of Python, a
							 * diff, keywords */
	const char *names;	/* a blank on both sides of each */
	const char *line_comment, *open, *close;	/* LF: none */
	const char *quotes;
	const char *keywords;	/* with blanks around each */
};

static const struct language languages[] = {
	{ PLAIN, " c h cpp c++ cc hpp cxx objc cuda glsl ", "//", "/*", "*/",
	    "\"'",
	    " auto bool break case catch char class const constexpr continue "
	    "default delete do double else enum explicit extern false float "
	    "for friend goto if inline int long namespace new NULL nullptr "
	    "operator override private protected public return short signed "
	    "sizeof static struct switch template this throw true try typedef "
	    "typename union unsigned using virtual void volatile while " },
	{ PLAIN, " js javascript jsx ts typescript tsx mjs java kotlin kt "
	    "scala swift dart cs csharp c# php groovy ", "//", "/*", "*/",
	    "\"'`",
	    " abstract any as async await boolean break case catch class const "
	    "continue default delete do else enum export extends false final "
	    "finally for from fun func function get if implements import in "
	    "instanceof int interface let long namespace new null number of "
	    "override package private protected public readonly return set "
	    "static string super switch this throw throws true try type typeof "
	    "undefined val var void while yield " },
	{ PLAIN, " go golang ", "//", "/*", "*/", "\"'`",
	    " break case chan const continue default defer else false for func "
	    "go if import interface map nil package range return select struct "
	    "switch true type var " },
	{ PLAIN, " rust rs zig ", "//", "/*", "*/", "\"",
	    " as async await break const continue crate dyn else enum extern "
	    "false fn for if impl in let loop match mod move mut pub ref "
	    "return self Self static struct super trait true type unsafe use "
	    "where while " },
	{ TRIPLE, " py python python3 ", "#", "\n", "\n", "\"'",
	    " and as assert async await break class continue def del elif else "
	    "except False finally for from global if import in is lambda None "
	    "nonlocal not or pass raise return self True try while with "
	    "yield " },
	{ PLAIN, " sh bash zsh shell console fish ", "#", "\n", "\n", "\"'",
	    " case do done elif else esac exit export fi for function if in "
	    "local return set then unset until while " },
	{ PLAIN, " rb ruby perl pl r elixir ex make makefile cmake dockerfile "
	    "yaml yml toml ini conf nix jq ", "#", "\n", "\n", "\"'",
	    " and begin class def do else elsif end ensure false for foreach "
	    "FROM RUN COPY CMD if in module my next nil not null or rescue "
	    "return self sub then true unless until use when while yield " },
	{ ANY_CASE, " sql sqlite postgresql mysql ", "--", "/*", "*/", "'\"",
	    " add all alter and as asc begin between by case commit create "
	    "default delete desc distinct drop else end exists foreign from "
	    "group having if in index inner insert into is join key left like "
	    "limit not null on or order outer primary references right select "
	    "set table then union unique update values view when where with " },
	{ PLAIN, " lua haskell hs ", "--", "\n", "\n", "\"",
	    " and break case class data do else elseif end false for function "
	    "if import in instance let local module nil not of or repeat "
	    "return then true type until where while " },
	{ PLAIN, " json jsonc json5 ", "//", "\n", "\n", "\"",
	    " true false null " },
	{ PLAIN, " css scss less ", "\n", "/*", "*/", "\"'", " " },
	{ PLAIN, " html xml svg vue svelte ", "\n", "<!--", "-->", "\"", " " },
	{ DIFF, " diff patch udiff ", "\n", "\n", "\n", "", " " },
};

static bool
lists(const char *words, const char *p, size_t n, bool any_case)
{
	char word[24];

	if (n == 0 || n > sizeof word - 3)
		return false;
	word[0] = ' ';
	memcpy(word + 1, p, n);
	word[n + 1] = ' ';
	word[n + 2] = '\0';
	return (any_case ? strcasestr : strstr)(words, word) != NULL;
}

struct highlight
highlight_begin(struct slice info)
{
	char name[16] = "";
	size_t n = 0;

	while (n < info.n && n < sizeof name && strchr(" \t,{:", info.p[n]) ==
	    NULL) {
		name[n] = (char)tolower((unsigned char)info.p[n]);
		n++;
	}
	for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
		if (lists(languages[i].names, name, n, false))
			return (struct highlight){ &languages[i], NULL };
	return (struct highlight){ NULL, NULL };
}

static void
coloured(struct buf *out, const char *colour, const char *p, size_t n)
{
	if (n == 0)
		return;
	buf_adds(out, colour);
	buf_add(out, p, n);
	buf_adds(out, OFF);
}

/* A string or comment that begins at `at` and may continue on the next line. */
static size_t
put_until(struct highlight *h, struct slice t, size_t at, size_t from,
    const char *end, const char *colour, struct buf *out)
{
	bool found = false;
	size_t to = from;

	while (to < t.n && !found) {
		found = slice_starts(slice_from(t, to), end);
		if (t.p[to] == '\\' && end[0] != '*' && end[0] != '-')
			to += 2;
		else
			to += found ? strlen(end) : 1;
	}
	to = to < t.n ? to : t.n;
	coloured(out, colour, t.p + at, to - at);
	h->until = found ? NULL : end;
	return to;
}

static size_t
put_token(struct highlight *h, struct slice t, size_t at, struct buf *out)
{
	const struct language *l = h->language;
	struct slice rest = slice_from(t, at);
	size_t to = at;

	if (slice_starts(rest, l->line_comment) && (*rest.p != '#' ||
	    at == 0 || is_whitespace(t.p[at - 1]))) {
		coloured(out, COMMENT, t.p + at, t.n - at);
		return t.n;
	}
	if (slice_starts(rest, l->open))
		return put_until(h, t, at, at + strlen(l->open), l->close,
		    COMMENT, out);
	if (t.p[at] != '\0' && strchr(l->quotes, t.p[at]) != NULL) {
		if (l->kind == TRIPLE && (slice_starts(rest, "\"\"\"") ||
		    slice_starts(rest, "'''")))
			return put_until(h, t, at, at + 3, t.p[at] == '"' ?
			    "\"\"\"" : "'''", STRING, out);
		to = put_until(h, t, at, at + 1, t.p[at] == '"' ? "\"" :
		    t.p[at] == '\'' ? "'" : "`", STRING, out);
		if (t.p[at] != '`')
			h->until = NULL;	/* only within this line */
		return to;
	}
	while (to < t.n && (isalnum((unsigned char)t.p[to]) || t.p[to] == '_'))
		to++;
	if (to == at)
		to++;
	if (lists(l->keywords, t.p + at, to - at, l->kind == ANY_CASE))
		coloured(out, KEYWORD, t.p + at, to - at);
	else
		buf_add(out, t.p + at, to - at);
	return to;
}

void
highlight_line(struct highlight *h, struct slice t, struct buf *out)
{
	size_t at = 0;

	if (h->language == NULL || t.n > LINE_COLOURED) {
		buf_slice(out, t);
		return;
	}
	if (h->language->kind == DIFF) {
		const char *colour = slice_starts(t, "@@") ? PLACE :
		    slice_starts(t, "+++") || slice_starts(t, "---") ?
		    COMMENT : slice_starts(t, "+") ? ADDED :
		    slice_starts(t, "-") ? TAKEN : "";

		if (colour[0] != '\0')
			coloured(out, colour, t.p, t.n);
		else
			buf_slice(out, t);
		return;
	}
	if (h->until != NULL)
		at = put_until(h, t, 0, 0, h->until, h->until[0] == '*' ||
		    h->until[0] == '-' ? COMMENT : STRING, out);
	while (at < t.n)
		at = put_token(h, t, at, out);
}
