/* norm.c - a line without what changes by itself (chapter 3.1).
 *
 * The formats are those that programs print for people; nothing on our list
 * of libraries reads them.  Every run of digits is looked at once, with the
 * few bytes around it; a line without such things is not copied.
 */
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "mark.h"
#include "norm.h"
#include "norm_in.h"

#define NAME_MAX_LEN 18		/* of a member that is looked for */

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

/* ---- numbers of processes, addresses ---- */

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

/* pid 123, pid=123, "pid": 123, process 123; name[123]: ==123== */
static bool
is_pid(const struct line *l, const char *p, const char *q)
{
	const char *w = p, *end;

	if (at(l, p - 1) == '[' && at(l, q) == ']' && at(l, q + 1) == ':' &&
	    is_alpha(at(l, p - 2)))
		return true;
	if (at(l, p - 1) == '=' && at(l, p - 2) == '=' && at(l, q) == '=' &&
	    at(l, q + 1) == '=')
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

/* Behind the value at q, a string or a number. */
static const char *
over_value(const struct line *l, const char *q)
{
	while (at(l, q) == ' ')
		q++;
	if (at(l, q) != '"') {
		while (q < l->end && strchr(",}] \t", *q) == NULL)
			q++;
		return q;
	}
	for (q++; q < l->end && *q != '"'; q++)
		q += *q == '\\';
	return q < l->end ? q + 1 : l->end;
}

/* A colon at p: does it end the name of a member that is volatile?  Then
 * where the name begins. */
static const char *
volatile_name(const struct line *l, const char *p)
{
	const char *end, *q;

	while (p > l->p && p[-1] == ' ')
		p--;
	if (p - l->p < 5 || p[-1] != '"' || !mark_may_be_volatile(p - 1))
		return NULL;
	end = p - 1;
	for (q = end; q > l->p && q[-1] != '"' && end - q < NAME_MAX_LEN; q--)
		;
	if (q == l->p || q[-1] != '"')
		return NULL;
	return mark_is_volatile((struct slice){ q, (size_t)(end - q) }) ? q - 1 :
	    NULL;
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

/* Where of 8 bytes one from '/' to '9' stands, in JSON to ':', which is the
 * next one in ASCII: the high bit of each such byte. */
static inline uint64_t
marks_of(uint64_t x, uint64_t past)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	const uint64_t from = UINT64_C(0x5151515151515151);	/* 0x80-'/' */

	return ((x & low) + from) & ~((x & low) + past) & ~x & ~low;
}

/* A slash is one only before a t, as in /tmp/. */
static inline const char *
next_mark(const char *p, const char *end, enum norm_text text)
{
	const uint64_t past = text == NORM_JSON ?
	    UINT64_C(0x4545454545454545) : UINT64_C(0x4646464646464646);
	const char last = text == NORM_JSON ? ':' : '9';

#ifdef __SSE2__
	for (; end - p > 16; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		unsigned found = (unsigned)_mm_movemask_epi8(_mm_and_si128(
		    _mm_cmpgt_epi8(x, _mm_set1_epi8('/' - 1)),
		    _mm_cmplt_epi8(x, _mm_set1_epi8((char)(last + 1)))));

		for (; found != 0; found &= found - 1) {
			const char *q = p + __builtin_ctz(found);

			if (*q != '/' || q[1] == 't')
				return q;
		}
	}
#endif
	for (; end - p >= 8; p += 8) {
		uint64_t x, found;

		memcpy(&x, p, 8);
		found = marks_of(x, past);
		if (found != 0)
			return p + first_byte(found);
	}
	while (p < end && (*p < '/' || *p > last))
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
			q = over_digits(&l, p);
			p = mark_digits(l.p, p, l.end) ? digits(&l, p, q) : q;
		} else if (*p == '/' && l.end - p > 5 &&
		    memcmp(p, "/tmp/", 5) == 0) {
			p = over_tmp(&l, p + 4);
		} else if (*p == ':' && (q = volatile_name(&l, p)) != NULL) {
			p = over_value(&l, p + 1);
			leave_out(&l, q, p);
		} else {
			p++;
		}
	}
	if (l.any)
		buf_add(out, l.done, (size_t)(l.end - l.done));
	return l.any;
}

/* ---- numbers and ids masked ---- */

#define HEX_ID 7		/* letters and digits of a short commit id */

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* 8-4-4-4-12 hexadecimal digits from p on? */
static bool
is_uuid(const char *p, const char *end)
{
	static const unsigned char dash[] = { 8, 13, 18, 23 };
	size_t d = 0;

	if (end - p < 36)
		return false;
	for (size_t i = 0; i < 36; i++) {
		if (d < sizeof dash && i == dash[d]) {
			if (p[i] != '-')
				return false;
			d++;
		} else if (!is_hex(p[i])) {
			return false;
		}
	}
	return true;
}

/* The UUID that the hexadecimal digits from p on belong to: where it begins,
 * not before from; NULL: none. */
static const char *
uuid_of(const char *from, const char *p, const char *end)
{
	static const unsigned char group[] = { 0, 9, 14, 19, 24 };

	for (size_t i = 0; i < sizeof group; i++)
		if (p - from >= group[i] && is_uuid(p - group[i], end))
			return p - group[i];
	return NULL;
}

/* The first digit after *from is at p: what is to be masked with it begins at
 * *from then; where it ends. */
static const char *
over_number(const char *line, const char **from, const char *p,
    const char *end)
{
	const char *start = p, *q = p, *uuid;

	while (start > *from && is_hex(start[-1]))
		start--;
	while (q < end && is_hex(*q))
		q++;
	if (start == line || !is_word(start[-1])) {
		uuid = (q < end && *q == '-') || (start > line && start[-1] == '-') ?
		    uuid_of(*from, start, end) : NULL;
		if (uuid != NULL) {
			*from = uuid;
			return uuid + 36;
		}
		if (q - start >= HEX_ID && (q == end || !is_word(*q))) {
			*from = start;
			return q;
		}
	}
	for (q = p; q < end && is_digit(*q); q++)
		;
	*from = p;
	return q;
}

bool
norm_mask(struct slice line, struct buf *out)
{
	const char *p = line.p, *end = line.p + line.n, *done = p;

	buf_reset(out);
	while (p < end) {
		const char *from = done;

		if (!is_digit(*p)) {
			p++;
			continue;
		}
		p = over_number(line.p, &from, p, end);
		buf_add(out, done, (size_t)(from - done));
		buf_addc(out, '\2');
		done = p;
	}
	if (done == line.p)
		return false;
	buf_add(out, done, (size_t)(end - done));
	return true;
}
