/* norm_when.c - clock times, dates and durations as programs print them. */
#include "norm_in.h"

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
		const char *q = p, *w = words;

		while (*w != '\0' && *w != ' ' && q < l->end && *q == *w) {
			q++;
			w++;
		}
		if ((*w == '\0' || *w == ' ') && !is_word(at(l, q)) &&
		    (best == NULL || q > best))
			best = q;
		while (*words != '\0' && *words++ != ' ')
			;
	}
	return best;
}

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
const char *
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
	static const char months[] =
	    "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 36 && l->end - p >= 3; i += 3)
		if (memcmp(p, months + i, 3) == 0)
			return true;
	return false;
}

/* 20/11/2026, 11/20/2026; 20/Nov/2026:18:46:07 as in the logs of servers. */
static const char *
over_day(const struct line *l, const char *p, const char *q)
{
	const char *r = q + 1, *s = over_digits(l, r);

	if (at(l, q) != '/' || at(l, p - 1) == '/')
		return NULL;
	if (s == r && is_month(l, r))
		s = r + 3;
	else if (s == r || s - r > 2)
		return NULL;
	r = over_digits(l, s + 1);
	if (at(l, s) != '/' || r - s != 5 || two(l, s + 1) < 19 ||
	    two(l, s + 1) > 20 || is_word(at(l, r)) || at(l, r) == '/')
		return NULL;
	if (at(l, r) == ':' && two(l, r + 1) < 24 && at(l, r + 3) == ':' &&
	    two(l, r + 4) < 60 && at(l, r + 6) == ':' && two(l, r + 7) <= 60)
		return over_zone(l, r + 9);
	return r;
}

/* YYYY-MM-DD or YYYY/MM/DD, with or without a time behind it; or the day
 * first. */
const char *
over_date(const struct line *l, const char *p, const char *q)
{
	char sep = at(l, q);
	const char *r;

	if (q - p <= 2)
		return over_day(l, p, q);
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

/* "Nov 20", "Nov  2 2026", "20 Nov 2026": p at the day's first digit, q
 * behind it. *from is where the date begins. */
const char *
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

/* What the name of a unit may begin with. */
static bool
is_unit(char c)
{
	return c == 's' || c == 'm' || c == 'h' || c == 'n' || c == 'u' ||
	    c == '\302' || c == '\316';
}

const char *
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
