/* duration.c - spans of time, as people write them */
#include <ctype.h>
#include <limits.h>

#include "duration.h"

static long
unit_seconds(char unit)
{
	switch (unit) {
	case 'w': return 7 * 24 * 60 * 60L;
	case 'd': return 24 * 60 * 60L;
	case 'h': return 60 * 60L;
	case 'm': return 60L;
	case 's': return 1L;
	default:  return 0L;
	}
}

static int
is_digit(char c)
{
	return isdigit((unsigned char)c);
}

int
duration_parse(const char *text, long *seconds)
{
	const char *s = text;
	long total = 0;
	long n = 0;

	do {
		if (!is_digit(*s))
			return -1;
		while (is_digit(*s)) {
			if (n > (LONG_MAX - 9) / 10)
				return -1;
			n = n * 10 + (*s++ - '0');
		}

		long unit = unit_seconds(*s++);
		if (unit == 0 || n > (LONG_MAX - total) / unit)
			return -1;
		total += n * unit;
	} while (*s != '\0');

	*seconds = total;
	return 0;
}
