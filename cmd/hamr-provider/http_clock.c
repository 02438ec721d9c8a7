/* http_clock.c - how long a request may still take. */
#include "http_clock.h"

#define GRACE_MS 250		/* for the clean end behind [DONE] */
#define SOON_MS 5000		/* for usage and [DONE] behind the finish */

long long
http_nearer(long long a, long long b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

long long
http_deadline(const struct http_clock *c, enum http_next next,
    const char **why)
{
	long idle = c->nbody > 0 ? c->idle_ms : c->first_ms;
	long long at = c->total_ms > 0 ? c->started + c->total_ms : -1;
	long long quiet = -1;

	*why = "the whole answer took too long";
	if (next == HTTP_LAST)
		idle = GRACE_MS;
	else if (next == HTTP_SOON && (idle <= 0 || idle > SOON_MS))
		idle = SOON_MS;
	if (idle > 0)
		quiet = (c->nbody > 0 ? c->heard : c->started) + idle;
	if (quiet >= 0 && (at < 0 || quiet < at))
		*why = c->nbody > 0 ? "nothing came for too long" :
		    "no first byte came in time";
	return http_nearer(at, quiet);
}
