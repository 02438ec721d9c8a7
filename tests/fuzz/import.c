/* import.c - fuzz: tools and paths are renamed, and pairs made, of anything. */
#include "fuzz.h"
#include "import/import_convert.h"
#include "record/rec.h"
#include "import/value_reader.h"
#include "base/utf8.h"

static void
canonical(struct slice args)
{
	static const char *const tools[] = { "Read", "str_replace_editor",
		"bash", "apply_patch", "write" };
	struct import_names none = { NULL, 0 };
	struct scan s = { 0 };

	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
		struct buf out = BUF_INIT(1 << 24);
		struct slice name = import_name(&none, slice_of(tools[i]),
		    args);

		if (import_path(name, args, &out))
			HOLDS(scan_value(&s, out.p, out.len) == 0);
		buf_release(&out);
	}
	scan_release(&s);
}

/* Each line that is a record, as an importer's product. */
static void
pairs(const char *p, size_t n)
{
	struct import_convert pair = { .format = "fuzz" };
	struct scan s = { 0 }, check = { 0 };
	struct buf out = BUF_INIT(1 << 24);
	struct rec r, made;
	struct slice call;
	struct walk w;
	size_t calls = 0;

	for (size_t at = 0; at < n;) {
		const char *lf = memchr(p + at, '\n', n - at);
		size_t k = lf != NULL ? (size_t)(lf - p) - at : n - at;

		if (rec_parse(&s, p + at, k, &r) == 0) {
			canonical(r.line);
			buf_reset(&out);
			import_convert(&pair, &r, false, &out);
			HOLDS(out.len == 0 || memchr(out.p, '\n', out.len) ==
			    NULL);
			HOLDS(out.len == 0 || rec_parse(&check, out.p,
			    out.len, &made) == 0);
			if (out.len > 0 && scan_kind(rec_get(&made,
			    "tool_calls")) == SCAN_ARRAY) {
				w = walk_of(rec_get(&made, "tool_calls"));
				while (walk_next(&w, NULL, &call))
					calls++;
			}
		}
		at += k + 1;
	}
	import_convert_end(&pair);
	HOLDS(pair.unanswered <= calls);
	import_convert_release(&pair);
	scan_release(&s);
	scan_release(&check);
	buf_release(&out);
}

/* Foreign bytes are mended where they enter: then they are UTF-8. */
static void
mend(const char *p, size_t n)
{
	struct buf out = BUF_INIT(1 << 24);
	bool lost = scan_repair((struct slice){ p, n }, &out);

	HOLDS(utf8_check(out.p, out.len) == out.len);
	HOLDS(lost || utf8_check(p, n) == n);
	HOLDS(value_end((struct slice){ p, n }) <= n);
	buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *p;

	fuzz_byte(&data, &n);
	p = fuzz_copy(data, n);
	pairs(p, n);
	mend(p, n);
	free(p);
	return 0;
}
