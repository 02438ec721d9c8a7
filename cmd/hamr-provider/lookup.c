/* lookup.c - the keys of [provider], and of a profile before it. */
#include <string.h>

#include "buf.h"
#include "lookup.h"

bool
lookup_is_command_line(const char *origin)
{
	return strcmp(origin, "-o") == 0 || strcmp(origin, "flag") == 0;
}

const char *
lookup_key(struct lookup *l, const char *key)
{
	struct buf plain = BUF_INIT(sizeof l->full - 1);
	struct buf own = BUF_INIT(sizeof l->full - 1);
	const struct buf *use = &plain;

	buf_fmt(&plain, "provider.%s", key);
	if (l->name != NULL) {
		buf_fmt(&own, "provider.%s.%s", l->name, key);
		if (!own.over && conf_is_set(l->conf, own.p) &&
		    !(conf_is_set(l->conf, plain.p) &&
		    lookup_is_command_line(conf_origin(l->conf, plain.p))))
			use = &own;
	}
	memcpy(l->full, use->p, use->len + 1);
	buf_release(&plain);
	buf_release(&own);
	return l->full;
}

bool
lookup_is_profile(const struct lookup *l, const char *key)
{
	size_t n = l->name != NULL ? strlen(l->name) : 0;

	key += strlen("provider.");
	return n > 0 && strncmp(key, l->name, n) == 0 && key[n] == '.';
}

const char *
lookup_str(struct lookup *l, const char *key)
{
	return conf_str(l->conf, lookup_key(l, key));
}

long
lookup_ms(struct lookup *l, const char *key)
{
	return (long)(conf_num(l->conf, lookup_key(l, key)) * 1000);
}

long long
lookup_int(struct lookup *l, const char *key)
{
	return conf_int(l->conf, lookup_key(l, key));
}
