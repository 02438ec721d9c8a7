/* json.c - the records we author, built with cJSON (its only use). */
#include <cjson/cJSON.h>
#include <stdio.h>

#include "json.h"
#include "base/mem.h"

/* struct json is cJSON's node under another name, so that no other file needs
 * its header. */
static void
put(struct json *o, const char *key, cJSON *item)
{
	if (item == NULL ||
	    !cJSON_AddItemToObject((cJSON *)o, key, item))
		mem_exhausted();
}

struct json *
json_object(void)
{
	cJSON *o = cJSON_CreateObject();

	if (o == NULL)
		mem_exhausted();
	return (struct json *)o;
}

void
json_int(struct json *o, const char *key, long long v)
{
	char s[32];

	/* cJSON's numbers are doubles */
	snprintf(s, sizeof s, "%lld", v);
	put(o, key, cJSON_CreateRaw(s));
}

void
json_double(struct json *o, const char *key, double v)
{
	put(o, key, cJSON_CreateNumber(v));
}

void
json_print(const struct json *o, struct buf *out)
{
	char *s = cJSON_PrintUnformatted((const cJSON *)o);

	if (s == NULL)
		mem_exhausted();
	buf_adds(out, s);
	cJSON_free(s);
}

void
json_free(struct json *o)
{
	cJSON_Delete((cJSON *)o);
}
