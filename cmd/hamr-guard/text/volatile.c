/* volatile.c - a line without what changes by itself (chapter 3.1).
 *
 * The formats are those that programs print for people; no library on our list
 * reads them.  Every run of digits is looked at once, with the few bytes
 * around it; a line without such things is not copied.
 */
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "json/bits.h"
#include "volatile.h"

#define NAME_MAX_LEN 18		/* names that are looked for are shorter */
#define HEX_ID 4		/* letters and digits of a short id */
#define MIXED_ID 10		/* of one in which all letters are */
#define LONG_ID 8		/* the same of one that MASK_IDS masks */
#define ADDRESS 7		/* bytes of the shortest: 0x7f0a0 */
#define TALLY_MAX 32		/* of 100 calls used */

static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

struct line {
	const char *p, *end;	/* all of it */
	const char *done;	/* copied to out up to here */
	struct buf *out;
	bool any;
};

static inline bool
is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static inline bool
is_alpha(char c)
{
	return (unsigned char)((c | 0x20) - 'a') < 26;
}

static inline bool
is_hex(char c)
{
	return is_digit(c) || (unsigned char)((c | 0x20) - 'a') < 6;
}

static inline bool
is_alnum(char c)
{
	return is_digit(c) || is_alpha(c);
}

/* Letters, digits, and whatever is not ASCII. */
static inline bool
is_word(char c)
{
	static const char word[256] = { ['0' ... '9'] = 1, ['A' ... 'Z'] = 1,
		['_'] = 1, ['a' ... 'z'] = 1, [0x80 ... 0xff] = 1 };

	return word[(unsigned char)c] != 0;
}

static inline char
at(const struct line *l, const char *p)
{
	return p >= l->p && p < l->end ? *p : '\0';
}

static inline const char *
over_digits(const char *p, const char *end)
{
	while (p < end && is_digit(*p))
		p++;
	return p;
}

static inline const char *
over_hex(const char *p, const char *end)
{
	while (p < end && is_hex(*p))
		p++;
	return p;
}

/* Two digits of a number, or 99. */
static int
two(const struct line *l, const char *p)
{
	if (!is_digit(at(l, p)) || !is_digit(at(l, p + 1)))
		return 99;
	return (p[0] - '0') * 10 + p[1] - '0';
}

/* Leave out the bytes from p to q. */
static void
leave_out(struct line *l, const char *p, const char *q)
{
	if (!l->any)
		buf_reset(l->out);
	l->any = true;
	if (p < l->done)
		p = l->done;
	buf_add(l->out, l->done, (size_t)(p - l->done));
	buf_addc(l->out, '\1');	/* printed text does not have this byte */
	l->done = q;
}

/* ---- clock times and dates ----
 *
 * Each of these looks at the run of digits from p to q, and returns the end of
 * the time or date that it belongs to, or NULL. */

/* The place after the fraction and zone of a time. */
static const char *
over_zone(const struct line *l, const char *p)
{
	if ((at(l, p) == '.' || at(l, p) == ',') && is_digit(at(l, p + 1)))
		p = over_digits(p + 1, l->end);
	if (at(l, p) == 'Z' && !is_word(at(l, p + 1)))
		return p + 1;
	if ((at(l, p) == '+' || at(l, p) == '-') && two(l, p + 1) <= 14) {
		const char *q = p + 3 + (at(l, p + 3) == ':');

		if (two(l, q) < 60 && !is_digit(at(l, q + 2)))
			return q + 2;
	}
	return p;
}

/* hh:mm:ss, or hh:mm that stands alone. */
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

static bool
is_month(const struct line *l, const char *p)
{
	for (int i = 0; i < 36 && l->end - p >= 3; i += 3)
		if (memcmp(p, months + i, 3) == 0)
			return true;
	return false;
}

/* YYYY-MM-DD or YYYY/MM/DD, with or without a time after it; or with the year
 * last: 20/11/2026, 11/20/2026; 20/Nov/2026:18:46:07 as in server logs. */
static const char *
over_date(const struct line *l, const char *p, const char *q)
{
	char sep = at(l, q);
	const char *r = q + 1;

	if (q - p <= 2) {
		const char *s = over_digits(r, l->end);

		if (sep != '/' || at(l, p - 1) == '/')
			return NULL;
		if (s == r && is_month(l, r))
			s = r + 3;
		else if (s == r || s - r > 2)
			return NULL;
		r = over_digits(s + 1, l->end);
		if (at(l, s) != '/' || r - s != 5 || two(l, s + 1) < 19 ||
		    two(l, s + 1) > 20 || is_word(at(l, r)) || at(l, r) == '/')
			return NULL;
		return at(l, r) == ':' && two(l, r + 1) < 24 &&
		    at(l, r + 3) == ':' && two(l, r + 4) < 60 &&
		    at(l, r + 6) == ':' && two(l, r + 7) <= 60 ?
		    over_zone(l, r + 9) : r;
	}
	if (q - p != 4 || (sep != '-' && sep != '/') || two(l, q + 1) > 12 ||
	    at(l, q + 3) != sep || two(l, q + 4) > 31 ||
	    is_digit(at(l, q + 6)))
		return NULL;
	q += 6;
	if (at(l, q) == 'T' || at(l, q) == ' ') {
		r = over_clock(l, q + 1, over_digits(q + 1, l->end));
		if (r != NULL)
			return r;
	}
	/* in the name of a file, which can have no colon: 10_07_33_123Z,
	 * 10-07-33 */
	sep = at(l, q + 3);
	if ((at(l, q) == 'T' || at(l, q) == '_' || at(l, q) == '-') &&
	    (sep == '_' || sep == '-') && at(l, q + 6) == sep &&
	    two(l, q + 1) <= 23 && two(l, q + 4) <= 59 &&
	    two(l, q + 7) <= 60) {
		r = q + 9;
		if (at(l, r) == sep && is_digit(at(l, r + 1)))
			r = over_digits(r + 1, l->end);
		r += at(l, r) == 'Z';
		if (!is_word(at(l, r)))
			return r;
	}
	return q;
}

/* "Nov 20", "Nov  2 2026", "20 Nov 2026": the digits are the day; *from is
 * where the date begins. */
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
		const char *r = over_digits(q + 1, l->end);

		if (r - q == 5 && !is_word(at(l, r)) && at(l, r) != ':')
			return r;
	}
	return q;
}

/* ---- durations ---- */

/* What the name of a unit may begin with; the last two begin a micro sign. */
static bool
is_unit(char c)
{
	return c == 's' || c == 'm' || c == 'h' || c == 'n' || c == 'u' ||
	    c == '\302' || c == '\316';
}

/* The end of the word at p, if it is in the row; else NULL. */
static const char *
over_word(const struct line *l, const char *p, const char *const *row)
{
	const char *q = p;

	while (is_word(at(l, q)))
		q++;
	return slice_in((struct slice){ p, (size_t)(q - p) }, row) ? q : NULL;
}

static const char *
over_duration(const struct line *l, const char *p, const char *q)
{
	static const char *const close[] = { "ns", "us", "\302\265s",
		"\316\274s", "ms", "s", "m", "h", "min", "mins", "sec",
		"secs", "seconds", NULL };
	static const char *const apart[] = { "ns", "us", "\302\265s", "ms",
		"msec", "s", "sec", "secs", "second", "seconds", "min", "mins",
		"minute", "minutes", "hour", "hours", "milliseconds", NULL };

	if (at(l, p - 1) == '.')
		return NULL;
	if (at(l, q) == '.' && is_digit(at(l, q + 1)))
		q = over_digits(q + 1, l->end);
	if (at(l, q) == ' ')
		return is_unit(at(l, q + 1)) ? over_word(l, q + 1, apart) :
		    NULL;
	if (!is_unit(at(l, q)))
		return NULL;
	const char *r = over_word(l, q, close);
	if (r != NULL)
		return r;
	/* 1m30s, 2h5m */
	if ((at(l, q) == 'm' || at(l, q) == 'h') && is_digit(at(l, q + 1)))
		return over_duration(l, q + 1, over_digits(q + 1, l->end));
	return NULL;
}

/* ---- process ids ---- */

static bool
is_before_pid(char c)
{
	return c == ' ' || c == '=' || c == ':' || c == '#' || c == '"' ||
	    c == '\'' || c == '(' || c == '[';
}

/* pid 123, pid=123, "pid": 123, process 123, process [123]; name[123]: ==123==;
 * [1] 123, which a shell prints of a command in the background */
static bool
is_pid(const struct line *l, const char *p, const char *q)
{
	static const char *const words[] = { "pid", "PID", "Pid", "ppid",
		"PPID", "PGID", "tid", "TID", "process", "Process", "thread",
		"Thread", NULL };
	const char *w = p;

	if (at(l, p - 1) == '[' && at(l, q) == ']' && at(l, q + 1) == ':' &&
	    is_alpha(at(l, p - 2)))
		return true;
	if (at(l, p - 1) == '=' && at(l, p - 2) == '=' && at(l, q) == '=' &&
	    at(l, q + 1) == '=')
		return true;
	if (q == l->end && p - l->p == 4 && *l->p == '[' &&
	    is_digit(l->p[1]) && l->p[2] == ']')
		return true;
	while (w > l->p && p - w < 4 && is_before_pid(w[-1]))
		w--;
	const char *end = w;
	if (w == p || w == l->p || strchr("dDs", w[-1]) == NULL)
		return false;
	while (w > l->p && is_alpha(w[-1]) && end - w < 8)
		w--;
	return slice_in((struct slice){ w, (size_t)(end - w) }, words) &&
	    !is_word(at(l, w - 1));
}

/* ---- temporary paths, volatile members ---- */

/* At "/tmp/": leave out the generated names after it. */
static const char *
over_tmp(struct line *l, const char *p)
{
	while (p < l->end && *p == '/') {
		const char *name = ++p;
		bool odd = false;

		while (p < l->end && *p != '/' &&
		    strchr(" \t\"'`:,;()[]{}<>|&", *p) == NULL)
			odd |= is_digit(*p++);
		if (odd || (p - name > 3 && memcmp(name, "tmp", 3) == 0))
			leave_out(l, name, p);
	}
	return p;
}

/* Is it the name of a time or of a request's id, however it is spelled
 * (requestId, request_id)?  Names that end with At or _at are times. */
static bool
is_volatile_name(struct slice name)
{
	static const char *const names[32][6] = {
		['c' & 31] = { "created", "correlationid" },
		['d' & 31] = { "date", "duration", "durationms",
		    "durationseconds" },
		['e' & 31] = { "elapsed", "elapsedms" },
		['n' & 31] = { "nonce" }, ['p' & 31] = { "pid" },
		['r' & 31] = { "requestid" }, ['s' & 31] = { "spanid" },
		['t' & 31] = { "time", "took", "tookms", "timestamp",
		    "traceid" } };
	const char *p = name.p, *end = p + name.n;

	if (name.n > 1 && end[-1] == 't' && (end[-2] == 'A' ||
	    (end[-2] == 'a' && name.n > 2 && end[-3] == '_')))
		return true;
	while (p < end && (*p == '_' || *p == '-'))
		p++;
	if (p == end)
		return false;
	for (const char *const *n = names[*p & 31]; *n != NULL; n++) {
		const char *want = *n, *q = p;

		for (; q < end; q++)
			if (*want != '\0' && (*q | 0x20) == *want)
				want++;
			else if (*q != '_' && *q != '-')
				break;
		if (q == end && *want == '\0')
			return true;
	}
	return false;
}

/* A colon at p: leave out the member around it if its name is that of a time or
 * a request; returns where to continue. */
static const char *
drop_member(struct line *l, const char *colon)
{
	const char *p = colon;

	while (at(l, p - 1) == ' ')
		p--;
	if (at(l, --p) != '"')
		return colon + 1;
	size_t n = (size_t)(p - l->p) < NAME_MAX_LEN ? (size_t)(p - l->p) :
	    NAME_MAX_LEN;
	const char *q = memrchr(p - n, '"', n);
	if (q == NULL || !is_volatile_name((struct slice){ q + 1,
	    (size_t)(p - q) - 1 }))
		return colon + 1;
	/* skip its value, a string or a number */
	for (p = colon + 1; at(l, p) == ' '; p++)
		;
	if (at(l, p) != '"') {
		while (p < l->end && strchr(",}] \t", *p) == NULL)
			p++;
	} else {
		for (p++; p < l->end && *p != '"'; p++)
			p += *p == '\\';
		p = p < l->end ? p + 1 : l->end;
	}
	leave_out(l, q, p);
	return p;
}

/* ---- a line ---- */

/* A run of digits from p to q: returns where to continue. */
static const char *
drop_digits(struct line *l, const char *p, const char *q)
{
	const char *from = p, *to = NULL, *r = p;
	char before = at(l, p - 1), behind = at(l, q);

	if (is_word(before) && before != 'T')
		return q;
	if (behind == ':')
		to = over_clock(l, p, q);
	else if (behind == '-' || behind == '/')
		to = over_date(l, p, q);
	else if (behind == 'x' && q - p == 1 && *p == '0')
		r = over_hex(q + 1, l->end);
	else if (behind == '.' || behind == ' ' || is_unit(behind))
		to = over_duration(l, p, q);
	if (r - p >= ADDRESS && !is_word(at(l, r)))
		to = r;
	/* "#5 12.07 text": the seconds into a step of docker build */
	if (to == NULL && before == ' ' && behind == '.' && p - l->p >= 3 &&
	    *l->p == '#' && over_digits(l->p + 1, l->end) == p - 1) {
		r = over_digits(q + 1, l->end);
		if (at(l, r) == ' ')
			to = r;
	}
	if (to == NULL && q - p <= 2 && (before == ' ' || behind == ' '))
		to = over_month(l, p, q, &from);
	if (to == NULL && is_before_pid(before) && is_pid(l, p, q))
		to = q;
	if (to == NULL)
		return q;
	leave_out(l, from, to);
	return to;
}

/* The bits of a block from byte `at` on; the bytes before were looked at. */
static inline uint64_t
bits_from(uint64_t bits, ptrdiff_t at)
{
	return at <= 0 ? bits : at >= 64 ? 0 : bits >> at << at;
}

bool
volatile_drop(struct slice line, bool json, struct buf *out)
{
	struct line l = { line.p, line.p + line.n, line.p, out, false };
	const char *next = l.p;
	/* '/', the digits and ':' are neighbors in ASCII */
	const char n = json ? ':' - '/' : '9' - '/';

	for (const char *block = l.p; block < l.end; block += 64)
		for (uint64_t bits = bytes_within(block, '/', n) &
		    bits_before(block, l.end); ; ) {
			bits = bits_from(bits, next - block);
			if (bits == 0)
				break;
			const char *p = block + __builtin_ctzll(bits);
			next = p + 1;
			if (is_digit(*p)) {
				next = drop_digits(&l, p, over_digits(p,
				    l.end));
			} else if (*p == '/') {
				if (l.end - p > 5 &&
				    memcmp(p, "/tmp/", 5) == 0)
					next = over_tmp(&l, p + 4);
			} else {
				next = drop_member(&l, p);
			}
		}
	if (l.any) {
		buf_add(out, l.done, (size_t)(l.end - l.done));
		buf_reserve(out, VOLATILE_MARGIN);
	}
	return l.any;
}

/* ---- numbers and ids masked ---- */

/* Is what follows p called the id of a request: request id: x, RequestId=x? */
static bool
is_request_id(const char *line, const char *p)
{
	while (p > line && strchr(" \"':=", p[-1]) != NULL)
		p--;
	if (p - line < 9 || (p[-1] | 0x20) != 'd' || (p[-2] | 0x20) != 'i')
		return false;
	p -= 2;
	if (strchr(" _-", p[-1]) != NULL)
		p--;
	return p - line > 6 && strncasecmp(p - 7, "request", 7) == 0;
}

/* Is the word from p to end an id in letters of all sorts, with digits here and
 * there: FI6VFGVGP2IEFY5J? */
static bool
is_mixed(const char *line, const char *p, const char *end)
{
	unsigned runs = 0;
	bool letter = false;

	if (end - p < MIXED_ID)
		return false;
	bool named = is_request_id(line, p);
	for (; p < end; p++) {
		letter |= !is_digit(*p);
		runs += is_digit(*p) && (p + 1 == end || !is_digit(p[1]));
	}
	return letter && runs + named > 1;
}

/* p is the first digit after *from: move *from to the start of what is masked
 * with it; returns the end of that. */
static const char *
over_number(const char *line, const char **from, const char *p,
    const char *end)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	static const unsigned char group[] = { 0, 9, 14, 19, 24 };
	const char *start = p, *q = p;

	while (start > *from && is_hex(start[-1]))
		start--;
	q = over_hex(q, end);
	if (start == line || !is_word(start[-1])) {
		bool dash = (q < end && *q == '-') ||
		    (start > line && start[-1] == '-');
		/* the UUID (8-4-4-4-12 digits) that they belong to */
		for (size_t i = 0; dash && i < sizeof group; i++) {
			const char *uuid = start - group[i];
			size_t n = 0;

			if (start - *from < group[i] || end - uuid < 36)
				continue;
			while (n < 36 && (form[n] == '-' ? uuid[n] == '-' :
			    is_hex(uuid[n])))
				n++;
			if (n == 36) {
				*from = uuid;
				return uuid + 36;
			}
		}
		if (q - start >= HEX_ID && (q == end || !is_word(*q))) {
			*from = start;
			return q;
		}
	}
	/* in a name: 3f9a1c2b4d5e_add_index.py */
	if (q - start >= LONG_ID && over_digits(start, q) < q &&
	    (start == line || !is_word(start[-1]) || start[-1] == '_') &&
	    (q == end || !is_word(*q) || *q == '_')) {
		*from = start;
		return q;
	}
	for (start = p; start > *from && is_alnum(start[-1]); )
		start--;
	while (q < end && is_alnum(*q))
		q++;
	if (is_mixed(line, start, q)) {
		*from = start;
		return q;
	}
	*from = p;
	return over_digits(p, end);
}

/* Is the number at p a position in a file, or does it count attempts? */
static bool
is_place(struct slice line, const char *p)
{
	static const char *const words[] = { "ine ", "olumn ", "osition ",
		"char ", "In[", "In [", "ttempt ", "etry " };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (slice_ends((struct slice){ line.p, (size_t)(p - line.p) },
		    words[i]))
			return true;
	if (p == line.p || strchr(":(,", p[-1]) == NULL)
		return false;
	/* after the name of a file, or after another number that follows it */
	while (p-- > line.p && strchr(" \t\"'", *p) == NULL)
		if (*p == '.' || *p == '/')
			return true;
	return false;
}

/* Is the number at p what follows "0."? */
static bool
is_fraction(struct slice line, const char *p)
{
	return p - line.p >= 2 && p[-1] == '.' && p[-2] == '0' &&
	    (p - line.p == 2 || !is_word(p[-3]));
}

/* Is the number from *from to *to in the handle of a page's element, which each
 * snapshot renumbers: [ref=e12], uid=3_14?  If so, widen it to the whole
 * handle. */
static bool
is_handle(struct slice line, const char **from, const char **to)
{
	const char *p = *from;

	while (p > line.p && is_word(p[-1]))
		p--;
	if (p - line.p < 4 || (memcmp(p - 4, "ref=", 4) != 0 &&
	    memcmp(p - 4, "uid=", 4) != 0))
		return false;
	*from = p;
	while (*to < line.p + line.n && is_word(**to))
		(*to)++;
	return true;
}

bool
volatile_mask(struct slice line, enum mask what, struct buf *out)
{
	const char *end = line.p + line.n, *done = line.p, *next = done, *from;

	buf_reset(out);
	for (const char *block = line.p; block < end; block += 64)
		for (uint64_t bits = bytes_within(block, '0', 9) &
		    bits_before(block, end); ; ) {
			bits = bits_from(bits, next - block);
			if (bits == 0)
				break;
			const char *p = block + __builtin_ctzll(bits);
			from = next;
			next = over_number(line.p, &from, p, end);
			if (what == MASK_IDS ? !is_handle(line, &from, &next) &&
			    (next - from < LONG_ID ||
			    over_digits(from, next) == next) :
			    (what == MASK_PLACES && !is_place(line, from)) ||
			    (what == MASK_SCORES && !is_fraction(line, from)))
				continue;
			buf_add(out, done, (size_t)(from - done));
			buf_addc(out, '\2');
			done = next;
		}
	if (done == line.p)
		return false;
	buf_add(out, done, (size_t)(end - done));
	buf_reserve(out, VOLATILE_MARGIN);
	return true;
}

/* The number at p, in thousandths: 30, 1.05; *q: its end. */
static uint64_t
decimal(const char *p, const char *end, const char **q)
{
	uint64_t n = 0, unit = 1000;

	for (; p < end && is_digit(*p); p++)
		n = n * 10 + (uint64_t)(*p - '0') * unit;
	if (end - p > 1 && *p == '.' && is_digit(p[1]))
		for (p++; p < end && is_digit(*p); p++)
			n += (uint64_t)(*p - '0') * (unit /= 10);
	*q = p;
	return n;
}

/* Is n, which ends at q, part of another number: 3/30?  Not in a port and a
 * path: 6379/0. */
static bool
is_share(uint64_t n, const char *q, const char *end)
{
	return end - q > 1 && *q == '/' && is_digit(q[1]) &&
	    decimal(q + 1, end, &q) >= n;
}

/* Does the number behind name, before rest, count what the model itself uses
 * up: attempt 3/50, tokens: 40 %, 3 of 100 calls used? */
static bool
is_tally(struct slice name, struct slice rest)
{
	static const char *const words[] = { "call", "turn", "attempt",
		"token", "usage", "context", "budget", "quota" };

	name = slice_trim_end(name, "s");
	rest.n = num_min(rest.n, TALLY_MAX);
	rest = slice_trim_start(rest, " %/.0123456789of");
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]), at = name.n - n;

		if (name.n >= n && (at == 0 || !is_word(name.p[at - 1])) &&
		    strncasecmp(name.p + at, words[i], n) == 0)
			return true;
		if (slice_starts(rest, words[i])) {
			rest = slice_trim_start(slice_from(rest, n), "s");
			return slice_starts(rest, " used") ||
			    slice_starts(rest, " left");
		}
	}
	return false;
}

uint64_t
volatile_progress(struct slice text)
{
	const char *end = text.p + text.n, *q;

	for (const char *p = text.p; p < end; p = q + 1) {
		uint64_t n = decimal(p, end, &q);

		if (q == p)
			continue;
		/* or by its name: "percent": 40, progress=40 */
		struct slice name = { text.p, (size_t)(p - text.p) };
		while (name.n > 0 && !is_word(name.p[name.n - 1]) &&
		    name.p[name.n - 1] != '\n')
			name.n--;
		if (((q < end && *q == '%') ||
		    is_share(n, q, end) ||
		    (end - q > 4 && memcmp(q, " of ", 4) == 0 &&
		    is_digit(q[4])) ||
		    (end - q > 1 && q[0] == ' ' && q[1] == '%') ||
		    slice_ends(name, "percent") ||
		    slice_ends(name, "progress")) &&
		    !is_tally(name, (struct slice){ q, (size_t)(end - q) }))
			/* "remaining": "40%" counts down */
			return n <= 100 * 1000 &&
			    slice_ends(name, "remaining") ?
			    100 * 1000 + 1 - n : n + 1;
	}
	return 0;
}

uint64_t
volatile_sum(struct slice text)
{
	uint64_t sum = 0, word = 0, number = 0;
	bool letters = false, id = false;
	size_t start = 0;

	for (size_t i = 0; i <= text.n; i++) {
		char c = i < text.n ? text.p[i] : ' ';

		if (is_digit(c)) {
			number = number * 10 + (uint64_t)(c - '0');
			continue;
		}
		word += number;
		number = 0;
		letters |= is_word(c);
		if (is_word(c) || c == '-')
			continue;
		if (i > start) {
			sum += letters || id ? 0 : word;
			id = i - start == 2 &&
			    (text.p[start] | 0x20) == 'i' &&
			    (text.p[start + 1] | 0x20) == 'd';
		}
		start = i + 1;
		word = 0;
		letters = false;
	}
	return sum;
}
