/* when.c - times: ISO 8601 on the wire, milliseconds since 1970 inside.
 *
 * strptime knows neither fractions nor "+02:00" with a colon everywhere, so
 * the few digits are read here.
 */
#include <string.h>
#include <time.h>

#include "base/utc.h"
#include "when.h"

/* In ms; what is earlier or later has no year of four digits. */
#define YEAR_0 (-62167219200000)
#define YEAR_10000 253402300800000

/* Exactly n digits with a value from lo to hi. */
static bool
digits(const char **s, int n, int lo, int hi, int *out)
{
	int v = 0;

	for (int i = 0; i < n; i++) {
		char c = (*s)[i];

		if (c < '0' || c > '9')
			return false;
		v = v * 10 + (c - '0');
	}
	*s += n;
	*out = v;
	return v >= lo && v <= hi;
}

static bool
skip(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

/* .fff: the first three digits count. */
static bool
fraction(const char **s, int *ms)
{
	int n = 0;

	for (; **s >= '0' && **s <= '9'; (*s)++, n++)
		if (n < 3)
			*ms = *ms * 10 + (**s - '0');
	for (int i = n; i < 3; i++)
		*ms *= 10;
	return n > 0;
}

/* Z, +HH:MM, +HHMM or nothing, up to the end; *min minutes east. */
static bool
zone(const char *s, int *min)
{
	int h, m, sign = *s == '-' ? -1 : 1;

	*min = 0;
	if (*s == '\0' || strcmp(s, "Z") == 0 || strcmp(s, "z") == 0)
		return true;
	if (*s != '+' && *s != '-')
		return false;
	s++;
	if (!digits(&s, 2, 0, 23, &h))
		return false;
	skip(&s, ':');
	if (!digits(&s, 2, 0, 59, &m) || *s != '\0')
		return false;
	*min = sign * (h * 60 + m);
	return true;
}

bool
when_parse(const char *s, int64_t *out)
{
	struct tm t = { 0 }, day;
	int ms = 0, east = 0;
	int64_t at;

	if (!digits(&s, 4, 0, 9999, &t.tm_year) || !skip(&s, '-') ||
	    !digits(&s, 2, 1, 12, &t.tm_mon) || !skip(&s, '-') ||
	    !digits(&s, 2, 1, 31, &t.tm_mday))
		return false;
	if (*s != '\0') {
		if (!skip(&s, 'T') && !skip(&s, 't') && !skip(&s, ' '))
			return false;
		if (!digits(&s, 2, 0, 23, &t.tm_hour) || !skip(&s, ':') ||
		    !digits(&s, 2, 0, 59, &t.tm_min))
			return false;
		if (skip(&s, ':') && !digits(&s, 2, 0, 60, &t.tm_sec))
			return false;
		if (skip(&s, '.') && !fraction(&s, &ms))
			return false;
	}
	if (!zone(s, &east))
		return false;
	t.tm_year -= 1900;
	t.tm_mon--;
	day = (struct tm){ .tm_year = t.tm_year, .tm_mon = t.tm_mon,
		.tm_mday = t.tm_mday };
	timegm(&day);
	if (day.tm_mday != t.tm_mday)	/* February 30 */
		return false;
	at = ((int64_t)timegm(&t) - east * 60) * 1000 + ms;
	if (at < YEAR_0 || at >= YEAR_10000)
		return false;
	*out = at;
	return true;
}

struct slice
when_text(int64_t ms, char out[UTC_SIZE])
{
	if (ms < YEAR_0 || ms >= YEAR_10000)
		return (struct slice){ NULL, 0 };
	utc_print(ms, out);
	return slice_of(out);
}
