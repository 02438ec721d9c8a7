/* dialect.c - fuzz: calls and thoughts in a text are the same however it is
 * cut, and what is called is an object. */
#include "dialect/dialect.h"
#include "fuzz.h"
#include "json/scan.h"
#include "answer/reasoning.h"
#include "base/utf8.h"

static const char tools[] = "[{\"type\":\"function\",\"function\":{\"name\":"
    "\"read\",\"parameters\":{\"type\":\"object\",\"properties\":{\"path\":"
    "{\"type\":\"string\"},\"first\":{\"type\":\"integer\"},\"all\":{\"type\":"
    "\"boolean\"},\"list\":{\"type\":\"array\"}}}}},{\"name\":\"bash\"}]";

struct got {
	struct buf log;
	char last;		/* texts and thoughts may come in pieces */
};

static void
put(struct got *g, char kind, struct slice s)
{
	if (g->last != kind || kind == 'C' || kind == 'M')
		buf_fmt(&g->log, "\n%c ", kind);
	g->last = kind;
	buf_slice(&g->log, s);
}

static void
on_text(void *ctx, struct slice s)
{
	HOLDS(s.n > 0);
	put(ctx, 'T', s);
}

static void
on_call(void *ctx, struct slice name, struct slice args)
{
	struct scan s = { 0 };

	HOLDS(scan_record(&s, args.p, args.n) == 0);
	scan_release(&s);
	put(ctx, 'C', name);
	put(ctx, 'A', args);
}

static void
on_malformed(void *ctx, struct slice block)
{
	put(ctx, 'M', block);
}

static void
on_thought(void *ctx, enum reasoning_kind kind, struct slice s)
{
	struct got *g = ctx;

	if (kind != SPLIT_RECLASSIFY) {
		HOLDS(s.n > 0);
		put(g, kind == SPLIT_CONTENT ? 'T' : 'R', s);
		return;
	}
	/* what was content is reasoning */
	for (size_t i = 0; i + 1 < g->log.len; i++)
		if (g->log.p[i] == '\n' && g->log.p[i + 1] == 'T')
			g->log.p[i + 1] = 'R';
	if (g->last == 'T')
		g->last = 'R';
}

static void
feed(struct slice in, int rule, enum dialect_kind kind, bool cut,
    struct got *g)
{
	static const struct dialect_out out = { on_text, on_call,
		on_malformed };
	struct dialect *d = dialect_new(kind, slice_of(tools), &out, g);
	size_t at = 0;

	for (size_t i = 0; at < in.n; i++) {
		size_t k = rule < 0 ? in.n : fuzz_piece((uint8_t)rule, i,
		    in.n - at);
		char *piece = fuzz_copy(in.p + at, k);

		dialect_feed(d, (struct slice){ piece, k });
		free(piece);
		at += k;
	}
	buf_fmt(&g->log, "\n%u", dialect_end(d, cut));
	dialect_free(d);
}

static bool
in_call(void *ctx)
{
	const struct got *g = ctx;

	return g->log.len % 2 == 1;
}

static void
think(struct slice in, int rule, struct got *g)
{
	struct reasoning *t = reasoning_new(on_thought, in_call, g);
	size_t at = 0;

	for (size_t i = 0; at < in.n; i++) {
		size_t k = rule < 0 ? in.n : fuzz_piece((uint8_t)rule, i,
		    in.n - at);
		char *piece = fuzz_copy(in.p + at, k);

		reasoning_feed(t, (struct slice){ piece, k });
		free(piece);
		at += k;
	}
	reasoning_end(t);
	reasoning_free(t);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct got whole = { .log = BUF_INIT(1 << 24) };
	struct got cut = { .log = BUF_INIT(1 << 24) };
	uint8_t rule = fuzz_byte(&data, &n), how = fuzz_byte(&data, &n);
	struct buf clean = BUF_INIT(1 << 16);	/* it reads decoded UTF-8 */
	struct slice in;

	buf_adds(&clean, "");
	utf8_clean(&clean, (const char *)data, n);
	in = buf_view(&clean);
	if (how % 16 > DIALECT_JSON) {
		think(in, -1, &whole);
		think(in, rule, &cut);
	} else {
		feed(in, -1, how % 16, how >= 128, &whole);
		feed(in, rule, how % 16, how >= 128, &cut);
	}
	fuzz_same(&whole.log, &cut.log);
	buf_release(&clean);
	buf_release(&whole.log);
	buf_release(&cut.log);
	return 0;
}
