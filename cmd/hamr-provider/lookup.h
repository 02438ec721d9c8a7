/* lookup.h - the keys of [provider], and of a profile before it. */
#ifndef PROVIDER_LOOKUP_H
#define PROVIDER_LOOKUP_H

#include <stdbool.h>

#include "conf.h"

/* Keys are looked up in [provider.NAME] first, but for what the command line
 * says of [provider]. */
struct lookup {
	const struct conf *conf;
	const char *name;	/* --provider, or NULL */
	char full[256];
};

/* The whole name under which key is set; valid until the next call. */
const char *lookup_key(struct lookup *l, const char *key);

const char *lookup_str(struct lookup *l, const char *key);
long lookup_ms(struct lookup *l, const char *key);	/* it is seconds */
long long lookup_int(struct lookup *l, const char *key);

/* Is the value in [provider.NAME]?  key as lookup_key gives it. */
bool lookup_is_profile(const struct lookup *l, const char *key);

/* Is this origin (conf_origin) the command line? */
bool lookup_is_command_line(const char *origin);

#endif
