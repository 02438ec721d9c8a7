/* schema.c - fuzz: any JSON as a schema, any JSON as the arguments.
 *
 * What passes is JSON still, and passes again unchanged where the schema is
 * somebody else's; what does not says why.  A schema of which nothing is
 * understood lets everything through. */
#include "fuzz.h"
#include "json/scan.h"
#include "extras/json_schema.h"

static bool
is_json(const struct buf *b)
{
	struct scan scan = { .n = 0 };
	bool good = scan_value(&scan, b->p, b->len) == 0;

	scan_release(&scan);
	return good;
}

static void
judge(struct slice schema, struct slice args, enum json_schema_how how)
{
	struct buf once = BUF_INIT(1 << 24), twice = BUF_INIT(1 << 24);
	struct buf why = BUF_INIT(4096);

	if (json_schema_put(schema, args, how, &once, &why)) {
		HOLDS(is_json(&once));
		if (how == JSON_SCHEMA_THEIRS) {
			HOLDS(json_schema_put(schema, buf_view(&once), how,
			    &twice, &why));
			fuzz_same(&once, &twice);
		}
	} else {
		HOLDS(scan_kind(schema) == SCAN_OBJECT && why.len > 0);
	}
	buf_reset(&once);
	json_schema_template(schema, &once);
	HOLDS(once.len >= 2 && once.p[0] == '{');
	buf_release(&once);
	buf_release(&twice);
	buf_release(&why);
}

/* Without the blanks around it, as a slice of a record is. */
static struct slice
trimmed(struct slice s)
{
	while (s.n > 0 && strchr(" \t\r\n", s.p[0]) != NULL)
		s = (struct slice){ s.p + 1, s.n - 1 };
	while (s.n > 0 && strchr(" \t\r\n", s.p[s.n - 1]) != NULL)
		s.n--;
	return s;
}

/* Two values, a line each. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const uint8_t *lf = n > 0 ? memchr(data, '\n', n) : NULL;
	size_t len = lf != NULL ? (size_t)(lf - data) : n;
	char *schema = fuzz_copy(data, len);
	char *args = fuzz_copy(lf != NULL ? lf + 1 : data, lf != NULL ?
	    n - len - 1 : n);
	struct scan a = { .n = 0 }, b = { .n = 0 };
	struct slice s = { schema, len };
	struct slice v = { args, lf != NULL ? n - len - 1 : n };

	if (scan_value(&a, s.p, s.n) == 0 && scan_value(&b, v.p, v.n) == 0) {
		judge(trimmed(s), trimmed(v), JSON_SCHEMA_THEIRS);
		judge(trimmed(s), trimmed(v), JSON_SCHEMA_OURS);
		judge(trimmed(s), trimmed(v), JSON_SCHEMA_BOUNDED);
	}
	scan_release(&a);
	scan_release(&b);
	free(schema);
	free(args);
	return 0;
}
