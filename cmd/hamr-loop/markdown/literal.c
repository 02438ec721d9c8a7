/* literal.c - marks of emphasis and links that are code. */
#include <ctype.h>
#include <string.h>

#include "base/slice.h"
#include "literal.h"

static const char marks[] = "_*[~\\", hidden[] = "\x1f\x1e\x1d\x1c\x17";

/* What emphasis is closed before. */
#define CLOSES ".,;:!?)"

static bool
is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static bool
is_blank(char c)
{
	return c == '\0' || is_whitespace(c);
}

static bool
is_alnum(char c)
{
	return isalnum((unsigned char)c) != 0;
}

static void
hide(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_one_of(p[i], marks))
			p[i] = hidden[strchr(marks, p[i]) - marks];
}

/* A name like __init__, __FILE__ or _get_it: its bytes, or 0. */
static size_t
name_at(const char *p)
{
	size_t marks_n = strspn(p, "_"), n = 0;
	bool lower = false, upper = false, inner = false, behind;

	for (; p[n] == '_' || is_alnum(p[n]); n++) {
		lower |= islower((unsigned char)p[n]) != 0;
		upper |= isupper((unsigned char)p[n]) != 0;
		inner |= p[n] == '_' && n > marks_n;
	}
	behind = p[n - 1] == '_';
	if (marks_n == 1)
		return inner && !behind ? n : 0;
	return n > 4 && behind && p[n - 2] == '_' && lower != upper ? n : 0;
}

/* In a path or a call: pkg/__init__.py, f.__name__, __a__(). */
static bool
is_path(const char *w, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (w[i] == '_' ? is_one_of(w[i - 1], "/.") :
		    w[i - 1] == '_' && (is_one_of(w[i], "/(") ||
		    (w[i] == '.' && is_alnum(w[i + 1]))))
			return true;
	return false;
}

/* Two stars and a slash: a glob, or a path in bold?  The next stars tell. */
static bool
is_bold_path(const char *p)
{
	size_t n = strcspn(p, "* \t\n");

	return p[n] == '*' && p[n + 1] == '*' && p[n - 1] != '/';
}

/* Are these n stars no emphasis?  In the word before them there is some. */
static bool
is_operator(const char *p, size_t n, bool marked)
{
	char before = p[-1], after = p[n];
	bool begins = is_blank(before) || is_one_of(before, "([{");

	if (is_blank(before) && is_blank(after))
		return true;
	if ((begins && is_one_of(after, ",;:=)]}")) ||	/* (*) */
	    (before == after && is_one_of(before, "\"'")))
		return true;
	if (before == '.' && !is_alnum(p[-2]))		/* ^.*$ */
		return true;
	if (n == 1 && (before == '_' || after == '_'))	/* *_test */
		return true;
	if (n == 1 && !is_alnum(before) && (after == '/' ||
	    (after == '.' && is_alnum(p[2]))))		/* *.c */
		return true;
	if (before == '/' && (n == 1 ? p[-2] != '*' : after == '/'))
		return true;
	if (n == 2 && begins && after == '/' && !is_bold_path(p + n))
		return true;
	if (marked)
		return false;
	return is_alnum(after) ? is_alnum(before) || is_one_of(before, ".=)]") :
	    is_one_of(before, ")]") && !is_blank(after) &&
	    !is_one_of(after, CLOSES) && (after & 0x80) == 0;
}

/* Is this bracket that of an index or of a lambda, whatever follows? */
static bool
is_index(const char *p)
{
	const char *to = strstr(p, "](");
	size_t n;

	if (is_one_of(p[1], "]&="))
		return true;
	if (to == NULL || (!is_alnum(p[-1]) && !is_one_of(p[-1], "_])")))
		return false;
	to += 2;
	n = strcspn(to, ")");
	return !is_one_of(*to, "#/.") && memmem(to, n, "://", 3) == NULL;
}

/* Does this backslash stand for itself?  An escape is of a mark, or of what
 * could begin a block: 1\. */
static bool
is_backslash(const char *p, bool number)
{
	return p[1] == '\\' || is_one_of(p[1], is_blank(p[-1]) ? ".()/^" :
	    number ? "/^" : ".()/^?+-,;:'\"=@%&");
}

/* `bold`: a word before has begun it. */
static bool
hide_in_word(char *w, size_t n, bool *bold)
{
	bool path = is_path(w, n), link = memmem(w, n, "](", 2) != NULL;
	bool windows = n > 3 && (w[1] == ':' ? is_alnum(*w) && w[2] == '\\' :
	    *w == '\\' && w[1] == '\\' && is_alnum(w[2]));
	bool marked = false, any = false;

	for (size_t i = 0, run; i < n; i += run) {
		char *p = w + i, c = *p;
		bool literal = false;

		run = c == '_' || c == '*' || c == '~' ?
		    strspn(p, (char[]){ c, '\0' }) : 1;
		if (c == '[')
			literal = is_index(p);
		else if (c == '\\') {
			literal = windows || is_backslash(p, strspn(w,
			    "0123456789") == i);
			run = windows || (literal && p[1] != '\\') ? 1 : 2;
		} else if (c == '_' && !link) {
			size_t name = is_alnum(p[-1]) ? 0 : name_at(p);

			literal = path || name > 0;
			run = name > 0 ? name : run;
		} else if (c == '*' && !link) {
			literal = is_operator(p, run, marked) ||
			    (p[-1] == '/' && run == 2 && !*bold &&
			    !is_alnum(p[2]));		/* src/ */
			marked |= !literal;
			*bold ^= !literal && run > 1;
		} else if (c == '~' && !link)
			literal = run == 1;
		if (literal)
			hide(p, run);
		link &= c != '[' || !literal;
		any |= literal;
	}
	return any;
}

bool
literal_hide(char *p)
{
	bool any = false, bold = false;
	size_t n;

	while ((p = strpbrk(p, marks)) != NULL) {
		while (!is_blank(p[-1]))
			p--;
		n = strcspn(p, " \t\n");
		if (memmem(p, n, "://", 3) == NULL)	/* a URL is read whole */
			any |= hide_in_word(p, n, &bold);
		p += n;
	}
	return any;
}

void
literal_show(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_one_of(p[i], hidden))
			p[i] = marks[strchr(hidden, p[i]) - hidden];
}
