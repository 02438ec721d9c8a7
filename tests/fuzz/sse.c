/* sse.c - fuzz: server-sent events are the same however they are cut. */
#include "fuzz.h"
#include "net/sse.h"

struct log {
	struct buf *out;
	const struct sse *sse;
};

static int
on_event(void *ctx, struct slice data)
{
	struct buf *log = ((struct log *)ctx)->out;
	const struct sse *s = ((struct log *)ctx)->sse;

	buf_fmt(log, "[%d%d %zu ", s->is_error, s->is_cut, data.n);
	buf_slice(log, data);
	buf_adds(log, "]\n");
	return slice_is(data, "[DONE]");
}

static void
feed(const char *p, size_t n, int rule, bool lines, struct buf *log)
{
	struct sse s;
	struct log l = { log, &s };
	size_t at = 0;
	int r = 0;

	sse_init(&s, 64, 200);
	s.lines = lines;
	for (size_t i = 0; at < n && r == 0; i++) {
		size_t k = rule < 0 ? n : fuzz_piece((uint8_t)rule, i, n - at);
		char *piece = fuzz_copy(p + at, k);

		r = sse_feed(&s, piece, k, on_event, &l);
		free(piece);
		at += k;
	}
	if (r == 0)
		r = sse_end(&s, on_event, &l);
	buf_fmt(log, "%d\n", r);
	sse_release(&s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf whole = BUF_INIT(1 << 24), cut = BUF_INIT(1 << 24);
	uint8_t rule = fuzz_byte(&data, &n), how = fuzz_byte(&data, &n);

	feed((const char *)data, n, -1, how % 8 == 0, &whole);
	feed((const char *)data, n, rule, how % 8 == 0, &cut);
	fuzz_same(&whole, &cut);
	buf_release(&whole);
	buf_release(&cut);
	return 0;
}
