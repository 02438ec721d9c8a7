/* utc.c - points in time as records write them. */
#include <stdio.h>
#include <time.h>

#include "utc.h"

int64_t
utc_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
utc_print(int64_t ms, char out[UTC_SIZE])
{
	int64_t fraction = ((ms % 1000) + 1000) % 1000;
	time_t seconds = (time_t)((ms - fraction) / 1000);
	struct tm t;

	gmtime_r(&seconds, &t);
	/* %Y alone has no zeros before the year 1000 */
	size_t n = (size_t)snprintf(out, UTC_SIZE, "%04d", t.tm_year + 1900);
	n += strftime(out + n, UTC_SIZE - n, "-%m-%dT%H:%M:%S", &t);
	if (fraction != 0)
		n += (size_t)snprintf(out + n, UTC_SIZE - n, ".%03d",
		    (int)fraction);
	snprintf(out + n, UTC_SIZE - n, "Z");
}

void
utc_print_now(char out[UTC_SIZE])
{
	utc_print((int64_t)time(NULL) * 1000, out);
}
