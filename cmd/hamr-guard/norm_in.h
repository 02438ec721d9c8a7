/* norm_in.h - a line being normalised; of norm*.c only. */
#ifndef HAMR_GUARD_NORM_IN_H
#define HAMR_GUARD_NORM_IN_H

#include <stdbool.h>
#include <string.h>

#include "buf.h"

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

static inline bool
is_word(char c)
{
	return is_digit(c) || is_alpha(c) || c == '_' || (c & 0x80) != 0;
}

static inline char
at(const struct line *l, const char *p)
{
	return p >= l->p && p < l->end ? *p : '\0';
}

static inline const char *
over_digits(const struct line *l, const char *p)
{
	while (p < l->end && is_digit(*p))
		p++;
	return p;
}

/* What begins with the run of digits from p to q, and changes by itself: the
 * place behind it; NULL if nothing does. */
const char *over_clock(const struct line *l, const char *p, const char *q);
const char *over_date(const struct line *l, const char *p, const char *q);
const char *over_duration(const struct line *l, const char *p, const char *q);
/* The same for "Nov 20" and "20 Nov 2026"; *from is where it begins. */
const char *over_month(const struct line *l, const char *p, const char *q,
    const char **from);

#endif
