/* when.c - times: ISO 8601 on the wire, milliseconds since 1970 inside.
 *
 * strptime knows neither fractions nor "+02:00" with a colon everywhere, so
 * the few digits are read here.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utc.h"
#include "json/scan.h"
#include "when.h"

/* The range, in ms, of times whose year has four digits. */
#define YEAR_0 (-62167219200000)
#define YEAR_10000 253402300800000
#define YEAR_9999 253370764800000

/* Does s begin with this form, in which 0 is any digit? */
static bool
looks(const char *s, const char *form)
{
	for (; *form != '\0'; form++, s++)
		if (*form == '0' ? *s < '0' || *s > '9' : *s != *form)
			return false;
	return true;
}

static int
two_digits(const char *s)
{
	return (s[0] - '0') * 10 + s[1] - '0';
}

bool
when_parse(const char *s, int64_t *out)
{
	struct tm t = { 0 }, day;
	int ms = 0, east = 0;

	if (!looks(s, "0000-00-00"))
		return false;
	t.tm_year = two_digits(s) * 100 + two_digits(s + 2) - 1900;
	t.tm_mon = two_digits(s + 5) - 1;
	t.tm_mday = two_digits(s + 8);
	day = t;
	timegm(&day);
	if (day.tm_mon != t.tm_mon || day.tm_mday != t.tm_mday)
		return false;		/* February 30 */
	s += 10;
	if (*s != '\0') {
		if (strchr("Tt ", *s) == NULL || !looks(s + 1, "00:00"))
			return false;
		t.tm_hour = two_digits(s + 1);
		t.tm_min = two_digits(s + 4);
		s += 6;
		if (looks(s, ":00")) {
			t.tm_sec = two_digits(s + 1);
			s += 3;
		}
		if (looks(s, ".0")) {	/* three digits count */
			s++;
			for (int unit = 100; looks(s, "0"); unit /= 10)
				ms += unit * (*s++ - '0');
		}
	}
	if (t.tm_hour > 23 || t.tm_min > 59 || t.tm_sec > 60)
		return false;
	/* Z, +HH:MM, +HHMM or nothing */
	if (*s != '\0' && strcmp(s, "Z") != 0 && strcmp(s, "z") != 0) {
		const char *end = s + (looks(s + 1, "00:00") ? 4 : 3);

		if ((*s != '+' && *s != '-') || !looks(s + 1, "00") ||
		    !looks(end, "00") || end[2] != '\0' ||
		    two_digits(s + 1) > 23 || two_digits(end) > 59)
			return false;
		east = two_digits(s + 1) * 60 + two_digits(end);
		if (*s == '-')
			east = -east;
	}
	int64_t at = ((int64_t)timegm(&t) - east * 60) * 1000 + ms;
	if (at < YEAR_0 || at >= YEAR_10000)
		return false;
	*out = at;
	return true;
}

bool
when_read(struct slice val, int64_t *out)
{
	char *text = scan_strdup(val);

	*out = WHEN_NONE;
	bool good = val.p == NULL || scan_kind(val) == SCAN_NULL ||
	    (text != NULL && when_parse(text, out));
	free(text);
	if (*out < YEAR_9999)
		return good;
	*out = WHEN_NONE;	/* what replaces it must be later */
	return false;
}

struct slice
when_text(int64_t ms, char out[UTC_SIZE])
{
	if (ms < YEAR_0 || ms >= YEAR_10000)
		return (struct slice){ NULL, 0 };
	utc_print(ms, out);
	return slice_of(out);
}
