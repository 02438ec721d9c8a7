/* recognise.c - fuzz: whose transcript it is depends neither on how much was
 * shown before, nor on how a value lies over lines; and what is read of it is
 * JSON, to the end of the input. */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "import/import_guess.h"
#include "record/rec.h"
#include "json/scan.h"
#include "import/value_reader.h"

static void
say(const struct guess *g, struct buf *log)
{
	buf_fmt(log, "%d %s %s %d %d %d %s", (int)g->kind, g->one != NULL ?
	    g->one->name : "-", g->other != NULL ? g->other->name : "-",
	    (int)g->lines, (int)g->odd, (int)g->document, g->keys);
}

/* The door asks with what it has, until it is told. */
static void
in_pieces(const char *p, size_t n, uint8_t rule)
{
	struct buf whole = BUF_INIT(4096), cut = BUF_INIT(4096);
	bool lenient = rule & 1;
	struct guess g;
	size_t at = 0;

	import_guess((struct slice){ p, n }, true, lenient, &g);
	HOLDS(g.kind != GUESS_MORE);
	HOLDS((g.kind == GUESS_FORMAT || g.kind == GUESS_TWO) ==
	    (g.one != NULL));
	HOLDS((g.kind == GUESS_TWO) == (g.other != NULL));
	HOLDS(!g.lines || !g.document);
	say(&g, &whole);
	g.kind = GUESS_MORE;
	for (size_t i = 0; at < n && i < 24 && g.kind == GUESS_MORE; i++) {
		char *part;

		at += fuzz_piece(rule, i, n - at);
		part = fuzz_copy(p, at);
		import_guess((struct slice){ part, at }, false, lenient, &g);
		free(part);
	}
	/* what was told early is what would have been told */
	if (g.kind == GUESS_MORE)
		import_guess((struct slice){ p, n }, true, lenient, &g);
	if (g.kind != GUESS_HAMR && g.kind != GUESS_BROKEN) {
		say(&g, &cut);
		fuzz_same(&whole, &cut);
	}
	buf_release(&whole);
	buf_release(&cut);
}

/* A value over lines is what it is on one. */
static void
over_lines(const char *p, size_t n)
{
	struct buf wide = BUF_INIT(1 << 24);
	struct guess one, many;
	struct scan s = { .p = NULL };
	bool quoted = false, good = scan_record(&s, p, n) == 0;

	scan_release(&s);
	if (!good || memchr(p, '\n', n) != NULL)
		return;
	for (size_t i = 0; i < n; i++) {
		buf_addc(&wide, p[i]);
		if (quoted && p[i] == '\\')
			buf_addc(&wide, p[++i]);
		else
			quoted ^= p[i] == '"';
		if (!quoted && (p[i] == ',' || p[i] == '{' || p[i] == '['))
			buf_addc(&wide, '\n');
	}
	import_guess((struct slice){ p, n }, true, false, &one);
	import_guess(buf_view(&wide), true, false, &many);
	if (one.kind == GUESS_FORMAT) {
		HOLDS(many.kind == GUESS_FORMAT && many.one == one.one);
		HOLDS(many.document);
	}
	buf_release(&wide);
}

static void
values(const char *p, size_t n, bool lines, bool elements)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), got;
	struct value_reader u = { .lines = lines, .elements = elements };
	struct scan s = { .p = NULL };
	struct rec_in in;
	struct err e;
	size_t most = 2 * n + 2;

	HOLDS(fd >= 0 && write(fd, p, n) == (ssize_t)n &&
	    lseek(fd, 0, SEEK_SET) == 0);
	rec_in_init(&in, fd, "fuzz", REC_MAX);
	u.in = &in;
	while ((got = value_reader_next(&u, true, &e)) != 0) {
		HOLDS(most-- > 0);
		if (got == 1)
			HOLDS(scan_value(&s, u.json.p, u.json.n) == 0);
	}
	value_reader_release(&u);
	rec_in_release(&in);
	scan_release(&s);
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t rule = fuzz_byte(&data, &n);
	char *p = fuzz_copy(data, n);

	in_pieces(p, n, rule);
	over_lines(p, n);
	values(p, n, rule & 2, rule & 4);
	free(p);
	return 0;
}
