/* edit.c - fuzz: literal edits against the plainest way to make them.
 *
 * Input: a flag byte, then the text, and pairs of old and new, with the byte
 * 0xff between them.
 */
#include "files/edit.h"
#include "fuzz.h"

static struct slice
field(const uint8_t **data, size_t *n)
{
	const uint8_t *end = *n > 0 ? memchr(*data, 0xff, *n) : NULL;
	size_t k = end != NULL ? (size_t)(end - *data) : *n;
	struct slice s = { (const char *)*data, k };

	*data += k;
	*n -= k;
	if (end != NULL) {
		(*data)++;
		(*n)--;
	}
	return s;
}

static size_t
occurrences(struct slice text, struct slice old, size_t *at)
{
	size_t n = 0;

	for (size_t i = 0; i + old.n <= text.n; i++)
		if (memcmp(text.p + i, old.p, old.n) == 0) {
			if (n++ == 0)
				*at = i;
		}
	return n;
}

/* With one edit it is easy to say what must come out. */
static void
plain(const struct edits *e, struct slice text, int found, const char *code,
    const struct buf *out)
{
	struct buf want = BUF_INIT(1 << 24);
	struct slice old = buf_view(&e->v[0].old);
	size_t at = 0, n = occurrences(text, old, &at);

	if (n == 0)
		HOLDS(found < 0 && strcmp(code, "no_match") == 0);
	if (n == 1) {
		HOLDS(found == 0);
		buf_add(&want, text.p, at);
		buf_slice(&want, buf_view(&e->v[0].new));
		buf_add(&want, text.p + at + old.n, text.n - at - old.n);
		fuzz_same(&want, out);
	}
	if (n > 1 && !e->v[0].all)
		HOLDS(found < 0 && strcmp(code, "ambiguous") == 0);
	buf_release(&want);
}

static void
try(struct edits *e, struct slice text)
{
	struct buf out = BUF_INIT(1 << 24), words = BUF_INIT(1 << 24);
	struct fault f = { 0 };
	int found = edits_make(e, text, "f", &out, &f);
	size_t len = text.n, n = 0, at, end = 0;
	const struct edit *x;

	if (found == 0) {
		for (; (x = edits_next(e, text, &at)) != NULL; n++) {
			HOLDS(n == 0 ? at == e->at : end <= at);
			end = at + x->old.len;
			len += x->new.len;
			len -= x->old.len;
		}
		HOLDS(out.len == len && n == e->places && end == e->end);
	} else {
		HOLDS(f.code != NULL && f.err.text[0] != '\0');
	}
	if (e->n == 1)
		plain(e, text, found, f.code, &out);
	edit_nearest(text, buf_view(&e->v[0].old), &words);
	buf_release(&out);
	buf_release(&words);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t how = fuzz_byte(&data, &n);
	struct slice given = field(&data, &n);
	char *p = fuzz_copy(given.p, given.n);
	struct edit v[4];
	struct edits e = { .v = v, .n = 0 };

	while (e.n < 4 && n > 0) {
		struct slice old = field(&data, &n), new = field(&data, &n);
		struct edit *one = &v[e.n];

		if (old.n == 0)		/* refused with the arguments */
			continue;
		*one = (struct edit){ .old = BUF_INIT(1 << 20),
			.new = BUF_INIT(1 << 20), .all = how >> e.n & 1 };
		buf_slice(&one->old, old);
		buf_adds(&one->new, "");
		buf_slice(&one->new, new);
		e.n++;
	}
	for (size_t i = 0; how >= 128 && i < e.n; i++) {
		text_to_crlf(&v[i].old);
		text_to_crlf(&v[i].new);
	}
	if (e.n > 0)
		try(&e, (struct slice){ p, given.n });
	for (size_t i = 0; i < e.n; i++) {
		buf_release(&v[i].old);
		buf_release(&v[i].new);
	}
	free(p);
	return 0;
}
