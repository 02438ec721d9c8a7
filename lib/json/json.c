/* json.c - the records we author, built with cJSON (its only use). */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "base/mem.h"

/* struct json is cJSON's node under another name, so that no other file needs
 * its header. */
static cJSON *
node(struct json *o)
{
	return (cJSON *)o;
}

static cJSON *
made(cJSON *item)
{
	if (item == NULL)
		mem_none();
	return item;
}

static void
put(struct json *o, const char *key, cJSON *item)
{
	cJSON_bool ok;

	made(item);
	if (key != NULL)
		ok = cJSON_AddItemToObject(node(o), key, item);
	else
		ok = cJSON_AddItemToArray(node(o), item);
	if (!ok)	/* no memory for the key */
		mem_none();
}

struct json *
json_object(void)
{
	return (struct json *)made(cJSON_CreateObject());
}

struct json *
json_array(void)
{
	return (struct json *)made(cJSON_CreateArray());
}

void
json_str(struct json *o, const char *key, const char *utf8)
{
	put(o, key, utf8 != NULL ? cJSON_CreateString(utf8) :
	    cJSON_CreateNull());
}

void
json_slice(struct json *o, const char *key, struct slice s)
{
	char *c = s.p != NULL ? xmemdup0(s.p, s.n) : NULL;

	json_str(o, key, c);
	free(c);
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
json_bool(struct json *o, const char *key, bool v)
{
	put(o, key, cJSON_CreateBool(v));
}

void
json_null(struct json *o, const char *key)
{
	put(o, key, cJSON_CreateNull());
}

void
json_raw(struct json *o, const char *key, struct slice s)
{
	char *c = s.p != NULL ? xmemdup0(s.p, s.n) : NULL;

	put(o, key, cJSON_CreateRaw(c));
	free(c);
}

void
json_add(struct json *o, const char *key, struct json *child)
{
	put(o, key, node(child));
}

void
json_print(const struct json *o, struct buf *out)
{
	char *s = cJSON_PrintUnformatted((const cJSON *)o);

	if (s == NULL)
		mem_none();
	buf_adds(out, s);
	cJSON_free(s);
}

void
json_free(struct json *o)
{
	cJSON_Delete(node(o));
}
