/* norm.c - a line without what changes by itself (chapter 3.1).
 *
 * The formats are those that programs print for people; nothing on our list
 * of libraries reads them.  Every run of digits is looked at once, with the
 * few bytes around it; a line without such things is not copied.
 */
#include <stdint.h>
#include <string.h>

#include "norm.h"

struct line {
	const char *p, *end;	/* all of it */
	const char *done;	/* copied to out up to here */
	struct buf *out;
	bool any;
};

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_word(char c)
{
	return is_digit(c) || is_alpha(c) || c == '_' || (c & 0x80) != 0;
}

static char
at(const struct line *l, const char *p)
{
	return p >= l->p && p < l->end ? *p : '\0';
}

/* Leave out what stands from p to q. */
static void
leave_out(struct line *l, const char *p, const char *q)
{
	if (!l->any)
		buf_reset(l->out);
	l->any = true;
	if (p < l->done)
		p = l->done;
	buf_add(l->out, l->done, (size_t)(p - l->done));
	buf_addc(l->out, '\1');	/* no such byte in what people print */
	l->done = q;
}

static const char *
over_digits(const struct line *l, const char *p)
{
	while (p < l->end && is_digit(*p))
		p++;
	return p;
}

/* Two digits of a number below `most`; else 60 or more. */
static int
two(const struct line *l, const char *p)
{
	if (!is_digit(at(l, p)) || !is_digit(at(l, p + 1)))
		return 99;
	return (p[0] - '0') * 10 + p[1] - '0';
}

/* Behind the longest of the words (blanks between) that stands at p and ends
 * there; NULL if none does. */
static const char *
over_word(const struct line *l, const char *p, const char *words)
{
	const char *best = NULL;

	while (*words != '\0') {
		size_t n = strcspn(words, " ");

		if (*p == *words && (size_t)(l->end - p) >= n && memcmp(p, words, n) == 0 &&
		    !is_word(at(l, p + n)) && (best == NULL || p + n > best))
			best = p + n;
		words += n + (words[n] == ' ');
	}
	return best;
}

/* ---- clock times and dates ---- */

/* Behind fraction and zone of a time. */
static const char *
over_zone(const struct line *l, const char *p)
{
	if ((at(l, p) == '.' || at(l, p) == ',') && is_digit(at(l, p + 1)))
		p = over_digits(l, p + 1);
	if (at(l, p) == 'Z' && !is_word(at(l, p + 1)))
		return p + 1;
	if ((at(l, p) == '+' || at(l, p) == '-') && two(l, p + 1) <= 14) {
		const char *q = p + 3 + (at(l, p + 3) == ':');

		if (two(l, q) < 60 && !is_digit(at(l, q + 2)))
			return q + 2;
	}
	return p;
}

/* hh:mm:ss, or hh:mm that stands alone; p at its first digit, q behind the
 * hours. */
static const char *
over_clock(const struct line *l, const char *p, const char *q)
{
	char before = at(l, p - 1);

	if (q - p > 2 || q - p < 1 || at(l, q) != ':' || two(l, q + 1) > 59 ||
	    (q - p == 2 && two(l, p) > 24))
		return NULL;
	if (before == ':' || before == '.')
		return NULL;	/* FILE:LINE:COLUMN */
	if (at(l, q + 3) == ':' && two(l, q + 4) <= 60 &&
	    !is_digit(at(l, q + 6)))
		return over_zone(l, q + 6);
	if (q - p != 2 || (before != '\0' && strchr(" \t[(", before) == NULL) ||
	    (at(l, q + 3) != '\0' && strchr(" \t])", at(l, q + 3)) == NULL))
		return NULL;
	return q + 3;
}

/* YYYY-MM-DD or YYYY/MM/DD, with or without a time behind it. */
static const char *
over_date(const struct line *l, const char *p, const char *q)
{
	char sep = at(l, q);
	const char *r;

	if (q - p != 4 || (sep != '-' && sep != '/') || two(l, q + 1) > 12 ||
	    at(l, q + 3) != sep || two(l, q + 4) > 31 ||
	    is_digit(at(l, q + 6)))
		return NULL;
	q += 6;
	if (at(l, q) == 'T' || at(l, q) == ' ') {
		r = over_clock(l, q + 1, over_digits(l, q + 1));
		if (r != NULL)
			return r;
	}
	return q;
}

static bool
is_month(const struct line *l, const char *p)
{
	static const char months[] =
	    "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 36 && l->end - p >= 3; i += 3)
		if (memcmp(p, months + i, 3) == 0)
			return true;
	return false;
}

/* "Nov 20", "Nov  2 2026", "20 Nov 2026": p at the day's first digit, q
 * behind it. *from is where the date begins. */
static const char *
over_month(const struct line *l, const char *p, const char *q,
    const char **from)
{
	const char *m = p - 1;

	if (q - p > 2)
		return NULL;
	while (at(l, m) == ' ' && p - m < 3)
		m--;
	m -= 2;
	if (at(l, p - 1) == ' ' && m >= l->p && is_month(l, m) &&
	    !is_word(at(l, m - 1))) {
		*from = m;
	} else if (at(l, q) == ' ' && is_month(l, q + 1) &&
	    !is_word(at(l, q + 4))) {
		*from = p;
		q += 4;
	} else {
		return NULL;
	}
	if (at(l, q) == ' ' || (at(l, q) == ',' && at(l, ++q) == ' ')) {
		const char *r = over_digits(l, q + 1);

		if (r - q == 5 && !is_word(at(l, r)) && at(l, r) != ':')
			return r;
	}
	return q;
}

/* ---- durations, numbers of processes, addresses ---- */

/* What the name of a unit may begin with. */
static bool
is_unit(char c)
{
	return c == 's' || c == 'm' || c == 'h' || c == 'n' || c == 'u' ||
	    c == '\302' || c == '\316';
}

static const char *
over_duration(const struct line *l, const char *p, const char *q)
{
	static const char close[] = "ns us \302\265s \316\274s ms s m h min "
	    "mins sec secs seconds";
	static const char apart[] = "ns us \302\265s ms s sec secs second "
	    "seconds min mins minute minutes hour hours milliseconds";
	const char *r;

	if (at(l, p - 1) == '.')
		return NULL;
	if (at(l, q) == '.' && is_digit(at(l, q + 1)))
		q = over_digits(l, q + 1);
	if (at(l, q) == ' ')
		return is_unit(at(l, q + 1)) ? over_word(l, q + 1, apart) :
		    NULL;
	if (!is_unit(at(l, q)))
		return NULL;
	r = over_word(l, q, close);
	if (r != NULL)
		return r;
	/* 1m30s, 2h5m */
	if ((at(l, q) == 'm' || at(l, q) == 'h') && is_digit(at(l, q + 1)))
		return over_duration(l, q + 1, over_digits(l, q + 1));
	return NULL;
}

static bool
is_pid_word(const char *p, size_t n)
{
	static const char *const words[] = { "pid", "PID", "Pid", "ppid",
		"PPID", "tid", "TID", "process", "Process", "thread",
		"Thread", NULL };

	for (size_t i = 0; words[i] != NULL; i++)
		if (strlen(words[i]) == n && memcmp(p, words[i], n) == 0)
			return true;
	return false;
}

static bool
is_before_pid(char c)
{
	return c == ' ' || c == '=' || c == ':' || c == '#' || c == '"' ||
	    c == '\'' || c == '(' || c == '[';
}

/* pid 123, pid=123, "pid": 123, process 123; name[123]: */
static bool
is_pid(const struct line *l, const char *p, const char *q)
{
	const char *w = p, *end;

	if (at(l, p - 1) == '[' && at(l, q) == ']' && at(l, q + 1) == ':' &&
	    is_alpha(at(l, p - 2)))
		return true;
	while (w > l->p && p - w < 4 && w[-1] != '[' && is_before_pid(w[-1]))
		w--;
	end = w;
	if (w == p || w == l->p || strchr("dDs", w[-1]) == NULL)
		return false;
	while (w > l->p && is_alpha(w[-1]) && end - w < 8)
		w--;
	return is_pid_word(w, (size_t)(end - w)) && !is_word(at(l, w - 1));
}

static const char *
over_address(const struct line *l, const char *p)
{
	const char *q = p + 2;

	if (p[0] != '0' || at(l, p + 1) != 'x')
		return NULL;
	while (q < l->end && (is_digit(*q) || (*q >= 'a' && *q <= 'f') ||
	    (*q >= 'A' && *q <= 'F')))
		q++;
	return q - p >= 2 + 5 && !is_word(at(l, q)) ? q : NULL;
}

/* ---- temporary paths, volatile members ---- */

static bool
is_path_end(char c)
{
	return strchr(" \t\"'`:,;()[]{}<>|&", c) != NULL;
}

/* At "/tmp/": leave out the names behind it that were made up. */
static const char *
over_tmp(struct line *l, const char *p)
{
	while (p < l->end && *p == '/') {
		const char *name = ++p;
		bool odd = false;

		while (p < l->end && *p != '/' && !is_path_end(*p))
			odd |= is_digit(*p++);
		if (odd || (p - name > 3 && memcmp(name, "tmp", 3) == 0))
			leave_out(l, name, p);
	}
	return p;
}

/* May a name that over_member knows begin at this quote?  By the second
 * letter for each first one. */
static bool
is_volatile(const struct line *l, const char *p)
{
	static const char second[26][4] = { ['c' - 'a'] = "r",
		['d' - 'a'] = "au", ['e' - 'a'] = "l", ['f' - 'a'] = "i",
		['n' - 'a'] = "o", ['p' - 'a'] = "i", ['r' - 'a'] = "e",
		['s' - 'a'] = "tp", ['t' - 'a'] = "iro", ['u' - 'a'] = "p" };
	const char *s;

	if (l->end - p < 6 || p[1] < 'a' || p[1] > 'z')
		return false;
	for (s = second[p[1] - 'a']; *s != '\0'; s++)
		if (*s == p[2])
			return true;
	return false;
}

/* A quote at p: is it the name of a member that is volatile?  Then behind its
 * value, which is a string or a number. */
static const char *
over_member(const struct line *l, const char *p)
{
	static const char words[] = "\"timestamp\" \"time\" \"date\" "
	    "\"created\" \"created_at\" \"updated_at\" \"started_at\" "
	    "\"finished_at\" \"duration\" \"duration_ms\" "
	    "\"duration_seconds\" \"elapsed\" \"elapsed_ms\" \"took\" "
	    "\"took_ms\" \"request_id\" \"trace_id\" \"span_id\" \"nonce\" "
	    "\"pid\"";
	const char *q = over_word(l, p, words);

	if (q == NULL)
		return NULL;
	while (at(l, q) == ' ')
		q++;
	if (at(l, q) != ':')
		return NULL;
	while (at(l, ++q) == ' ')
		;
	if (at(l, q) != '"') {
		while (q < l->end && strchr(",}] \t", *q) == NULL)
			q++;
		return q;
	}
	for (q++; q < l->end && *q != '"'; q++)
		q += *q == '\\';
	return q < l->end ? q + 1 : l->end;
}

/* ---- a line ---- */

/* What stands behind a run of digits tells which of these it may begin. */
static const char *
over_timely(const struct line *l, const char *p, const char *q)
{
	switch (at(l, q)) {
	case ':': return over_clock(l, p, q);
	case '-':
	case '/': return over_date(l, p, q);
	case 'x': return over_address(l, p);
	case '.':
	case ' ': case 's': case 'm': case 'h': case 'n': case 'u':
	case '\302': case '\316':
		return over_duration(l, p, q);
	default: return NULL;
	}
}

/* A run of digits from p to q. */
static const char *
digits(struct line *l, const char *p, const char *q)
{
	const char *from = p, *to;
	char before = at(l, p - 1);

	if (is_word(before) && before != 'T')
		return q;
	to = over_timely(l, p, q);
	if (to == NULL && q - p <= 2 && (before == ' ' || at(l, q) == ' '))
		to = over_month(l, p, q, &from);
	if (to == NULL && is_before_pid(before) && is_pid(l, p, q))
		to = q;
	if (to == NULL)
		return q;
	leave_out(l, from, to);
	return to;
}

static inline unsigned
first_byte(uint64_t marks)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return (unsigned)__builtin_ctzll(marks) / 8;
#else
	return (unsigned)__builtin_clzll(marks) / 8;
#endif
}

/* Where of 8 bytes a digit, a slash or (in JSON) a quote stands: the high bit
 * of each such byte. */
static inline uint64_t
marks_of(uint64_t x, uint64_t quotes)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t y = x & low, q = x ^ quotes;

	return ((((y + UINT64_C(0x5151515151515151)) &
	    ~(y + UINT64_C(0x4646464646464646))) |
	    ~((q & low) + low)) & ~x) & ~low;
}

static inline const char *
next_mark(const char *p, const char *end, enum norm_text text)
{
	/* \1 is rare, and one more mark does no harm */
	const uint64_t quotes = text == NORM_JSON ?
	    UINT64_C(0x2222222222222222) : UINT64_C(0x0101010101010101);

	for (; end - p >= 8; p += 8) {
		uint64_t x, found;

		memcpy(&x, p, 8);
		found = marks_of(x, quotes);
		if (found != 0)
			return p + first_byte(found);
	}
	while (p < end && (*p < '/' || *p > '9') &&
	    !(text == NORM_JSON && *p == '"'))
		p++;
	return p;
}

enum norm_text
norm_kind(struct slice text)
{
	const char *p = text.p, *end = text.p + text.n;

	while (p < end && (*p == ' ' || *p == '\n'))
		p++;
	return p < end && (*p == '{' || *p == '[') ? NORM_JSON : NORM_PLAIN;
}

bool
norm_line(struct slice line, enum norm_text text, struct buf *out)
{
	struct line l = { line.p, line.p + line.n, line.p, out, false };
	const char *p = l.p, *q;

	while ((p = next_mark(p, l.end, text)) < l.end) {
		if (is_digit(*p)) {
			p = digits(&l, p, over_digits(&l, p));
		} else if (*p == '/' && l.end - p > 5 &&
		    memcmp(p, "/tmp/", 5) == 0) {
			p = over_tmp(&l, p + 4);
		} else if (*p == '"' && is_volatile(&l, p) &&
		    (q = over_member(&l, p)) != NULL) {
			leave_out(&l, p, q);
			p = q;
		} else {
			p++;
		}
	}
	if (l.any)
		buf_add(out, l.done, (size_t)(l.end - l.done));
	return l.any;
}
