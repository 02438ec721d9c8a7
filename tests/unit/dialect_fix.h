/* dialect_fix.h - a text through a dialect, as a whole and cut anywhere. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dialect/dialect.h"
#include "base/mem.h"

static const char tools[] = "[{\"type\":\"function\",\"function\":{\"name\":"
    "\"read\",\"description\":\"d\",\"parameters\":{\"type\":\"object\","
    "\"properties\":{\"path\":{\"type\":\"string\"},\"first\":{\"type\":"
    "\"integer\"},\"ratio\":{\"type\":[\"number\",\"null\"]},\"all\":{\"type\""
    ":\"boolean\"},\"list\":{\"anyOf\":[{\"type\":\"array\"},{\"type\":"
    "\"null\"}]},\"o\":{\"type\":\"object\"},\"s\":{\"type\":[\"string\","
    "\"null\"]}}}}},{\"name\":\"write\"}]";

/* What came, as one text: T[text] C[name args] M[block]. */
struct got {
	struct buf log;
	bool in_text;
};

static void
close_text(struct got *g)
{
	if (g->in_text)
		buf_addc(&g->log, ']');
	g->in_text = false;
}

static void
on_got_text(void *ctx, struct slice s)
{
	struct got *g = ctx;

	assert_true(s.n > 0);
	if (!g->in_text)
		buf_adds(&g->log, "T[");
	g->in_text = true;
	buf_slice(&g->log, s);
}

static void
on_got_call(void *ctx, struct slice name, struct slice args)
{
	struct got *g = ctx;

	close_text(g);
	buf_adds(&g->log, "C[");
	buf_slice(&g->log, name);
	buf_addc(&g->log, ' ');
	buf_slice(&g->log, args);
	buf_addc(&g->log, ']');
}

static void
on_got_malformed(void *ctx, struct slice block)
{
	struct got *g = ctx;

	close_text(g);
	buf_adds(&g->log, "M[");
	buf_slice(&g->log, block);
	buf_addc(&g->log, ']');
}

/* first bytes, then steps of the size given. */
static void
run(enum dialect_kind kind, bool cut, const char *in, size_t first,
    size_t step, const char *want)
{
	static const struct dialect_out out = { on_got_text, on_got_call,
		on_got_malformed };
	struct got g = { BUF_INIT(1 << 20), false };
	struct dialect *d = dialect_new(kind, slice_of(tools), &out, &g);
	size_t n = strlen(in);
	unsigned dropped;

	dialect_feed(d, (struct slice){ in, first });
	for (size_t at = first; at < n; at += step)
		dialect_feed(d, (struct slice){ in + at,
		    step < n - at ? step : n - at });
	dropped = dialect_end(d, cut);
	close_text(&g);
	if (dropped > 0)
		buf_fmt(&g.log, "D%u", dropped);
	if (g.log.len != strlen(want) ||
	    (g.log.len > 0 && memcmp(g.log.p, want, g.log.len) != 0)) {
		print_error("of:\n%s\n%zu bytes, then steps of %zu:\n%.*s\n"
		    "wanted:\n%s\n", in, first, step, (int)g.log.len,
		    g.log.len > 0 ? g.log.p : "", want);
		fail();
	}
	dialect_free(d);
	buf_release(&g.log);
}

static void
check_as(enum dialect_kind kind, bool cut, const char *in, const char *want)
{
	size_t n = strlen(in);

	for (size_t i = 0; i <= n; i++)
		run(kind, cut, in, i, n + 1, want);
	for (size_t step = 1; step < 14; step++)
		run(kind, cut, in, 0, step, want);
}
