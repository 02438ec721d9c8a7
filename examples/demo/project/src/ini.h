/* ini.h - sections, keys and values */
#pragma once

#include <stddef.h>
#include <stdio.h>

struct ini_entry {
	char *section;
	char *key;
	char *value;
};

/* Begin with all zero: struct ini ini = {0}. */
struct ini {
	struct ini_entry *entries;
	size_t len;
	size_t room;
	const char *error;	/* why ini_read failed */
	int error_line;
};

/* Add what a file holds.  Returns 0, or -1 with error and error_line set. */
int ini_read(struct ini *ini, FILE *in);

/* The value, or NULL if there is none.  It lives as long as ini does. */
const char *ini_get(const struct ini *ini, const char *section,
    const char *key);

void ini_release(struct ini *ini);
