/* markdown.c - fuzz: the rows of an answer are the same however it comes, they
 * are calm, and what is open fits below them. */
#include "fuzz.h"
#include "unit/markdown_fix.h"

static void
feed(struct slice text, int rule, size_t columns, bool colour,
    struct buf *out)
{
	struct markdown *m = markdown_new(columns, FIX_ROWS, colour, NULL);
	size_t at = 0;

	for (size_t i = 0; at < text.n; i++) {
		size_t k = rule < 0 ? text.n : fuzz_piece((uint8_t)rule, i,
		    text.n - at);
		char *piece = fuzz_copy(text.p + at, k);
		size_t before = out->len;

		markdown_add(m, (struct slice){ piece, k }, out);
		HOLDS(out->len == before || out->p[out->len - 1] == '\n');
		free(piece);
		at += k;
		if (rule >= 0 && i % 8 == 0)
			HOLDS(fix_tail_fits(m, columns));
	}
	markdown_end(m, out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf whole = BUF_INIT(1 << 26), cut = BUF_INIT(1 << 26);
	uint8_t rule = fuzz_byte(&data, &n), how = fuzz_byte(&data, &n);
	size_t columns = 1 + how / 2, w, rows;
	struct slice text = { (const char *)data, n };

	markdown_open();
	feed(text, -1, columns, how % 2 == 0, &whole);
	feed(text, rule, columns, how % 2 == 0, &cut);
	fuzz_same(&whole, &cut);
	HOLDS(fix_is_calm(buf_view(&whole), true, &w, &rows));
	buf_reset(&cut);
	for (size_t i = 0; i < 4; i++)
		markdown_code(text, i, &cut);
	buf_release(&whole);
	buf_release(&cut);
	return 0;
}
