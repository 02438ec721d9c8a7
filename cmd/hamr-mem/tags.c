/* tags.c - the tags of a fact: a JSON array of strings, sorted, none twice. */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "mem.h"
#include "scan.h"

#include "tags.h"

struct tags {
	char **v;
	size_t n, cap;
};

static void
take(struct tags *t, struct slice list)
{
	struct slice v;
	struct walk w;
	char *s;

	if (list.p == NULL || scan_kind(list) != SCAN_ARRAY)
		return;
	walk_in(&w, list);
	while (walk_next(&w, NULL, &v)) {
		s = scan_strdup(v);
		if (s == NULL)
			continue;
		t->v = xgrow(t->v, t->n, &t->cap, sizeof *t->v);
		t->v[t->n++] = s;
	}
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *
tags_join(struct slice a, struct slice b)
{
	struct buf out = BUF_INIT(BUF_RECORD_MAX);
	struct json *list = json_array();
	struct tags t = { .n = 0 };

	take(&t, a);
	take(&t, b);
	if (t.n > 0)
		qsort(t.v, t.n, sizeof *t.v, by_bytes);
	for (size_t i = 0; i < t.n; i++)
		if (i == 0 || strcmp(t.v[i], t.v[i - 1]) != 0)
			json_str(list, NULL, t.v[i]);
	json_print(list, &out);
	json_free(list);
	for (size_t i = 0; i < t.n; i++)
		free(t.v[i]);
	free(t.v);
	return buf_detach(&out);
}
