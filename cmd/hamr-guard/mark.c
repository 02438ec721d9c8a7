/* mark.c - may a place in a text change by itself? */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mark.h"

#define NAME_MAX_LEN 18		/* of a member that is looked for */

/* What a byte may be to the digits beside it. */
enum {
	WORD = 1,		/* part of a word */
	DIGIT = 2,
	PID = 4,		/* between "pid" and its number */
	PID_END = 8,		/* the end of "pid", or an escape there */
	UNIT = 16,		/* a unit of time begins with it */
	MONTH = 32,		/* a month */
	LOOK = 64		/* what is_timely looks for */
};
static const unsigned char sorts[256] = {
	[' '] = PID | LOOK, ['"'] = PID, ['#'] = PID, ['\''] = PID,
	['('] = PID, ['-'] = LOOK, ['.'] = LOOK, ['/'] = LOOK, ['0'] = DIGIT,
	['1'] = DIGIT, ['2'] = DIGIT, ['3'] = DIGIT, ['4'] = DIGIT,
	['5'] = DIGIT, ['6'] = DIGIT, ['7'] = DIGIT, ['8'] = DIGIT,
	['9'] = DIGIT, [':'] = PID | LOOK, ['='] = PID, ['A'] = WORD | MONTH,
	['B'] = WORD, ['C'] = WORD, ['D'] = WORD | PID_END | MONTH,
	['E'] = WORD, ['F'] = WORD | MONTH, ['G'] = WORD, ['H'] = WORD,
	['I'] = WORD, ['J'] = WORD | MONTH, ['K'] = WORD, ['L'] = WORD,
	['M'] = WORD | MONTH, ['N'] = WORD | MONTH, ['O'] = WORD | MONTH,
	['P'] = WORD, ['Q'] = WORD, ['R'] = WORD, ['S'] = WORD | MONTH,
	['T'] = WORD, ['U'] = WORD, ['V'] = WORD, ['W'] = WORD, ['X'] = WORD,
	['Y'] = WORD, ['Z'] = WORD, ['['] = PID, ['\\'] = PID_END,
	[']'] = LOOK, ['_'] = WORD, ['a'] = WORD, ['b'] = WORD, ['c'] = WORD,
	['d'] = WORD | PID_END, ['e'] = WORD, ['f'] = WORD, ['g'] = WORD,
	['h'] = WORD | UNIT | LOOK, ['i'] = WORD, ['j'] = WORD, ['k'] = WORD,
	['l'] = WORD, ['m'] = WORD | UNIT | LOOK, ['n'] = WORD | UNIT | LOOK,
	['o'] = WORD, ['p'] = WORD, ['q'] = WORD, ['r'] = WORD,
	['s'] = WORD | PID_END | UNIT | LOOK, ['t'] = WORD,
	['u'] = WORD | UNIT | LOOK, ['v'] = WORD, ['w'] = WORD,
	['x'] = WORD | LOOK, ['y'] = WORD, ['z'] = WORD, [0xc2] = UNIT | LOOK,
	[0xce] = UNIT | LOOK
};

static inline unsigned
sort(char c)
{
	return sorts[(unsigned char)c];
}

static inline bool
is_digit(const char *p, const char *end)
{
	return p < end && (unsigned char)(*p - '0') < 10;
}

/* Letters, digits, and whatever is not ASCII. */
static inline bool
is_word(const char *p, const char *end)
{
	return p < end && ((sort(*p) & (WORD | DIGIT)) != 0 ||
	    (unsigned char)*p >= 0x80);
}

/* May the name of a unit begin at p?  Its second letter tells most words
 * apart. */
static bool
is_unit(const char *p, const char *end)
{
	char c;

	if (p >= end || (sort(*p) & UNIT) == 0)
		return false;
	if (!is_word(p + 1, end))
		return *p != 'n' && *p != 'u';
	c = p[1];
	switch (*p) {
	case 's': return c == 'e';
	case 'm': return c == 's' || c == 'i' || is_digit(p + 1, end);
	case 'h': return c == 'o' || is_digit(p + 1, end);
	case 'n':
	case 'u': return c == 's';
	default: return true;	/* the micro sign */
	}
}

/* What stands behind the digits from p to q. */
static bool
is_timely(const char *base, const char *p, const char *q, const char *end)
{
	size_t n = (size_t)(q - p);

	switch (*q) {
	case ':':
		return n <= 2 && is_digit(q + 1, end);
	case '-':
	case '/':
		if (n <= 2 && *q == '/')
			return q + 1 < end && (is_digit(q + 1, end) ||
			    (sort(q[1]) & MONTH) != 0);
		return n == 4 && is_digit(q + 1, end);
	case 'x':
		return n == 1 && *p == '0';
	case '.':
		if (!is_digit(++q, end))
			return false;
		while (is_digit(q, end))
			q++;
		return is_unit(q + (q < end && *q == ' '), end);
	case ' ':
		return is_unit(q + 1, end) || (n <= 2 && q + 1 < end &&
		    (sort(q[1]) & MONTH) != 0);
	case ']':
		return p > base && p[-1] == '[' && q + 1 < end && q[1] == ':';
	default:
		return is_unit(q, end);
	}
}

/* "Nov 20", "Nov  2": a capital of a month before the blanks before p? */
static bool
is_month(const char *base, const char *p)
{
	const char *m = p - 2;

	if (m > base && *m == ' ')
		m--;
	return m - base >= 2 && (sort(m[-2]) & MONTH) != 0;
}

/* Is one of 8 bytes a d, D or s?  (Or an S, which is looked at then.) */
static inline bool
has_pid_end(const char *p)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t x, d, s;

	memcpy(&x, p, 8);
	x |= ones * 0x20;
	d = x ^ ones * 'd';
	s = x ^ ones * 's';
	return ((((d - ones) & ~d) | ((s - ones) & ~s)) & ones << 7) != 0;
}

/* "pid 12", "process=12", spelled with or without quotes that are escaped;
 * "==12==". */
static bool
is_pid(const char *base, const char *p)
{
	const char *w = p;

	if (p[-1] == '=' && p[-2] == '=')
		return true;
	if (p - base > 9 && !has_pid_end(p - 9))
		return false;
	for (int i = 0; i < 4 && w > base && w[-1] != '[' &&
	    (sort(w[-1]) & PID) != 0; i++) {
		w--;
		w -= w > base && w[-1] == '\\';
	}
	if (w - base < 2)
		return false;
	switch (w[-1]) {
	case 'd': return w[-2] == 'i' || w[-2] == 'a';
	case 'D': return w[-2] == 'I';
	case 's': return w[-2] == 's';
	default: return false;
	}
}

bool
mark_digits(const char *base, const char *p, const char *end)
{
	char before = p > base ? p[-1] : '"';
	const char *q = p;

	/* a letter behind a backslash is a blank */
	if (((sort(before) & (WORD | DIGIT)) != 0 ||
	    (unsigned char)before >= 0x80) && before != 'T' &&
	    (p - base < 2 || p[-2] != '\\'))
		return false;
	do
		q++;
	while (is_digit(q, end));
	if (q < end && (sort(*q) & LOOK) != 0 && is_timely(base, p, q, end))
		return true;
	if ((sort(before) & PID) == 0)
		return false;
	if (before == ' ' && q - p <= 2 && is_month(base, p))
		return true;
	return p - base >= 2 && (sort(p[-2]) & (PID | PID_END)) != 0 &&
	    is_pid(base, p);
}

bool
mark_slash(const char *p, const char *end)
{
	return end - p > 5 && memcmp(p, "/tmp/", 5) == 0;
}

static bool
is_any(const char *p, size_t n, const char *names)
{
	for (; *names != '\0'; names += n)
		if (memcmp(p, names, n) == 0)
			return true;
	return false;
}

/* The names by their lengths, which tell most members apart. */
bool
mark_is_volatile(struct slice name)
{
	switch (name.n) {
	case 3: return is_any(name.p, 3, "pid");
	case 4: return is_any(name.p, 4, "time" "date" "took");
	case 5: return is_any(name.p, 5, "nonce");
	case 7: return is_any(name.p, 7, "created" "elapsed" "took_ms"
	    "span_id");
	case 8: return is_any(name.p, 8, "duration" "trace_id");
	case 9: return is_any(name.p, 9, "timestamp");
	case 10: return is_any(name.p, 10, "created_at" "updated_at"
	    "started_at" "elapsed_ms" "request_id");
	case 11: return is_any(name.p, 11, "finished_at" "duration_ms");
	case 16: return is_any(name.p, 16, "duration_seconds");
	default: return false;
	}
}

/* Their last two letters. */
bool
mark_may_be_volatile(const char *end)
{
	char c = end[-2];

	switch (end[-1]) {
	case 'd': return c == 'i' || c == 'e';
	case 'e': return c == 'm' || c == 't' || c == 'c';
	case 'k':
	case 'n': return c == 'o';
	case 'p': return c == 'm';
	case 's': return c == 'm' || c == 'd';
	case 't': return c == 'a';
	default: return false;
	}
}

bool
mark_colon(const char *base, const char *p)
{
	const char *end, *q;

	while (p > base && p[-1] == ' ')
		p--;
	if (p - base < 5 || p[-1] != '"')
		return false;
	end = p - 1;
	end -= end[-1] == '\\';
	if (!mark_may_be_volatile(end))
		return false;
	for (q = end; q > base && q[-1] != '"' && end - q < NAME_MAX_LEN; q--)
		;
	return mark_is_volatile((struct slice){ q, (size_t)(end - q) });
}
