/* test_markdown.c - a streamed answer as rows: the same however it comes, calm,
 * and with all that the answer says. */
#include <ctype.h>
#include <dlfcn.h>
#include <md4c.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "markdown_fix.h"

#define MAX ((size_t)1 << 30)
#define WIDE ((size_t)1 << 20)	/* columns; no row is broken */

static const char *const answers[] = { "features", "options", "plan",
	"question", "review", "sample", "synthesis" };
#define ANSWERS (sizeof answers / sizeof *answers)

static void
read_answer(size_t i, struct buf *b)
{
	char path[512];
	struct err e;

	snprintf(path, sizeof path, "%s/data/markdown/%s.md", TESTS,
	    answers[i]);
	*b = BUF_INIT(MAX);
	assert_int_equal(file_read(path, b, &e), 0);
}

static unsigned
next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33);
}

/* ---- rows as they are ---- */

static void
is_rows(const char *text, size_t columns, bool colour, const char *want)
{
	struct buf out = BUF_INIT(MAX);

	size_t blocks = 0;

	markdown_rows(slice_of(text), columns, colour, &blocks, &out);
	assert_string_equal(out.p != NULL ? out.p : "", want);
	buf_release(&out);
}

/* Neither md4c nor utf8proc: blocks are blocks, the rest stays as it is. */
static void
without_libraries(void **state)
{
	(void)state;
	is_rows("# A\n- **b** `c`\n\n|d|e|\n|-|-|\n|f|g|", 20, false,
	    "# A\n• **b** `c`\n\nd │ e\n──┼──\nf │ g\n");
}

static void
shown(void **state)
{
	static const struct {
		const char *text, *rows;
	} row[] = {
		{ "", "" }, { "\n\n", "" }, { "a\nb", "a\nb\n" },
		{ "# A\ntext", "# A\ntext\n" },
		{ "text\n# A", "text\n\n# A\n" },
		{ "A\n===\nb", "# A\nb\n" }, { "#a", "#a\n" },
		{ "a\nb\n---\nc", "a\nb\n\n────────────────────\n\nc\n" },
		{ "one two three four five six",
		    "one two three four\nfive six\n" },
		{ "a **b *c* d** `e  f` ~~g~~",
		    "a **b *c* d** `e  f`\n~~g~~\n" },
		{ "see [the text](https://a.example/long/path/x) so",
		    "see the text\n(https://a.example/long/path/x)\nso\n" },
		{ "<https://a.b> [x@y.z](mailto:x@y.z) ![i](j.png)",
		    "https://a.b x@y.z i\n(j.png)\n" },
		{ "run `make check JOBS=1 2>&1` now",
		    "run\n`make check JOBS=1 2>&1`\nnow\n" },
		{ "- a\n- b\n  - c\n\n- [ ] d\n- [x] e",
		    "• a\n• b\n  • c\n\n[ ] d\n[x] e\n" },
		{ "1. a\n1. b\n\n   c\n1. d", "1. a\n2. b\n\n   c\n3. d\n" },
		{ "7) a\nlazy\n8) b", "7) a\n   lazy\n8) b\n" },
		{ "- item that is wrapped here", "• item that is\n  wrapped "
		    "here\n" },
		{ "-\n- a", "•\n• a\n" },
		{ "> a\nb\n> > c", "> a\n> b\n> > c\n" },
		{ "> a\n\nb", "> a\n\nb\n" },
		{ "x\n```sh\n a\tb\n\nc ```\n````\ny",
		    "x\n\nsh  /copy 1\n a\tb\n\nc ```\n\ny\n" },
		{ "1. a\n   ```\n   b\n     c\n   ```\n2. d",
		    "1. a\n\n/copy 1\nb\n  c\n\n2. d\n" },
		{ "~~~\nopen", "/copy 1\nopen\n" },
		{ "    a\n\n     b\n\nc", "/copy 1\na\n\n b\n\nc\n" },
		{ "|a|b|\n|-|-:|\n|1|2|\n|x|10|\n\nz",
		    "a │  b\n──┼───\n1 │  2\nx │ 10\n\nz\n" },
		{ "t\na | b\n--|--\n`x|y` | c\\|d",
		    "t\n\na     │ b\n──────┼────\n`x|y` │ c|d\n" },
		{ "|a|b|\n|-|\nno", "|a|b|\n|-|\nno\n" },
		/* a row has all its text, be it of more cells or of one */
		{ "|a|b|\n|-|-|\n|1|2|3|4|\n|5|||6\n|7|8||",
		    "a │ b\n──┼──────\n1 │ 2|3|4\n5 │ ||6\n7 │ 8\n" },
		/* a row is none before its first bar is there */
		{ "a | b\n--- | ---\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 "
		    "19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 | 37",
		    "a               │ b\n────────────────┼───\n"
		    "1 2 3 4 5 6 7 8 │ 37\n9 10 11 12 13   │\n"
		    "14 15 16 17 18  │\n19 20 21 22 23  │\n"
		    "24 25 26 27 28  │\n29 30 31 32 33  │\n"
		    "34 35 36        │\n" },
		{ "a|b\n-|-\n`c | d`\ne\\|f\nx|g\\",
		    "a       │ b\n────────┼───\n`c | d` │\ne|f     │\n"
		    "x       │ g\\\n" },
		{ "|name|what is said|\n|-|-|\n"
		    "|one two three four|a b c d e f|",
		    "name     │ what is\n         │ said\n"
		    "─────────┼─────────\n"
		    "one two  │ a b c d\nthree    │ e f\nfour     │\n" },
		{ "|a|b|\n|-|-|\n|https://x.example/y|z|\n|q|r|",
		    "a:\nhttps://x.example/y\nb: z\n\na: q\nb: r\n" },
		{ "&amp;&lt;b&gt; &#27;[2J &#x202e; &#65; &nope;",
		    "&<b> &#27;[2J\n&#x202e; A &nope;\n" },
		{ "<br> <u>x</u>", "<br> <u>x</u>\n" },
		{ "[a]: http://b\nc", "[a]: http://b\nc\n" },
		{ "m[i][j] = 0", "m[i][j] = 0\n" },
		{ "f(x):\n    # *c*\n    - d\n\t```\n    1. e\n    ***\ng",
		    "f(x):\n    # *c*\n    - d\n ```\n    1. e\n    ***\ng\n" },
		{ "- a\n      # b\n      c\n> d\n>     > e",
		    "• a\n      # b\n  c\n> d\n>     > e\n" },
		{ "- a\n        ```\n  *b*", "• a\n        ```\n  *b*\n" },
		{ "\"_\n+ \n[r]: c", "\"_\n+\n[r]: c\n" },
		{ "a/__init__.py __init__.py f.__name__ _a_/b x.__a__()",
		    "a/__init__.py\n__init__.py\nf.__name__ _a_/b\n"
		    "x.__a__()\n" },
		{ "__a b__ _c_. http://x/_d_/e", "__a b__ _c_.\n"
		    "http://x/_d_/e\n" },
		{ "[the *t*][m], [n] [o][]\n\n[m]: http://b",
		    "[the *t*][m], [n]\n[o][]\n\n[m]: http://b\n" },
		{ "a\033[2Jb\r\nc\rd\xe2\x80\xae\xff",
		    "a\\x1b[2Jb\nc\\x0dd\\u{202e}\\xff\n" },
		{ "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5"
		    "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97"
		    "\xa5\xe6\x97\xa5", "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5"
		    "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97"
		    "\xa5\xe6\x97\xa5\xe6\x97\xa5\n\xe6\x97\xa5\n" },
		{ "a\n_b_ **c**_d_", "a\n_b_ **c**_d_\n" },
		{ "_a **b**_ *_c_*\n**_d_** [_e_](f)", "_a **b**_ *_c_*\n"
		    "**_d_** _e_ (f)\n" },
		{ "src/\n  main.c", "src/\n  main.c\n" },
		{ "a **kwargs b", "a **kwargs b\n" },
	};
	static const char joined[] =
	    "|a|b|\n|-|-|\n|\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb|c|";

	(void)state;
	if (!markdown_open())
		skip();
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		is_rows(row[i].text, 20, false, row[i].rows);
	/* bold text of some rows is not begun before its end is there */
	is_rows("**one two three four five six seven eight nine ten eleven "
	    "twelve thirteen fourteen fifteen sixteen seventeen**", 20, true,
	    "\033[0;1mone two three four\033[0m\n"
	    "\033[0;1mfive six seven eight\033[0m\n"
	    "\033[0;1mnine ten eleven\033[0m\n"
	    "\033[0;1mtwelve thirteen\033[0m\n"
	    "\033[0;1mfourteen fifteen\033[0m\n"
	    "\033[0;1msixteen seventeen\033[0m\n");
	/* only one line becomes a heading; of more the marks are shown, too */
	is_rows("a\nb **c**\n ===\n==", 20, true,
	    "a\nb \033[0;1mc\033[0m\n ===\n==\n");
	is_rows("a\nb **c**\n-\t\nd", 20, true,
	    "a\nb \033[0;1mc\033[0m\n-\nd\n");
	/* emphasis next to punctuation, in scripts without blanks */
	is_rows("**注意：**请看。", 20, true,
	    "\033[0;1m注意：\033[0m请看。\n");
	is_rows("请**“x”**看*（y）*，", 20, true, "请\033[0;1m“x”\033[0m看"
	    "\033[0;3m（y）\033[0m，\n");
	is_rows("中**`c`**中**中**Ж", 20, true, "中\033[0;1;36mc\033[0m中"
	    "\033[0;1m中\033[0mЖ\n");
	is_rows("**重要**，**也**。**a**", 20, true, "\033[0;1m重要\033[0m，"
	    "\033[0;1m也\033[0m。\033[0;1ma\033[0m\n");
	/* the column is set where terminals do not agree */
	is_rows(joined, 20, true, "\033[0;1ma\033[0m \033[0;2m │\033[0m "
	    "\033[0;1mb\033[0m\n\033[0;2m───┼──\033[0m\n"
	    "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb\033[3G"
	    "\033[0;2m │\033[0m c\n");
	/* also in a cell that begins later, and without colors */
	is_rows("|a|b|\n|-|-:|\n|\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd|wide|\n"
	    "|c|\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd d|", 20, false,
	    "a  │    b\n───┼─────\n"
	    "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd\033[3G │ wide\n"
	    "c  │ \xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd\033[8G d\n");
	is_rows("# A *b*\n**c** `d`\n```c\nint x; // y\n```", 20, true,
	    "\033[0;1;4mA \033[0;1;3;4mb\033[0m\n"
	    "\033[0;1mc\033[0m \033[0;36md\033[0m\n\n"
	    "\033[0;2mc  /copy 1\033[0m\n"
	    "\033[35mint\033[0m x; \033[2m// y\033[0m\n");
}

/* A paragraph whose lines begin with bold text, code or links: each is shown as
 * the first one, and is final as soon. */
static void
lines_of_spans(void **state)
{
	static const struct {
		const char *line, *plain, *colour;
	} row[] = {
		{ "**key** is **b**", "**key** is **b**",
		    "\033[0;1mkey\033[0m is \033[0;1mb\033[0m" },
		{ "`code` is `c`", "`code` is `c`",
		    "\033[0;36mcode\033[0m is \033[0;36mc\033[0m" },
		{ "[a](/b) *c*", "a (/b) *c*",
		    "a (\033[0;4m/b\033[0m) \033[0;3mc\033[0m" },
		{ "  **d** `e`", "  **d** `e`",
		    "  \033[0;1md\033[0m \033[0;36me\033[0m" },
	};
	struct buf b = BUF_INIT(MAX), out = BUF_INIT(MAX);

	(void)state;
	for (size_t i = 0; i < 2 * sizeof row / sizeof *row; i++) {
		bufs_reset(BUFS(&b, &out));
		for (size_t k = 0; k < 40; k++) {
			const char *shown = i % 2 == 0 ? row[i / 2].plain :
			    row[i / 2].colour;

			buf_fmt(&b, "word\n%s\n", row[i / 2].line);
			buf_fmt(&out, "word\n%s\n", shown);
		}
		is_rows(b.p, 40, i % 2 != 0, out.p);
		struct markdown *m = markdown_new(40, FIX_ROWS, i % 2 != 0,
		    NULL);
		buf_reset(&out);
		markdown_add(m, buf_view(&b), &out);
		assert_int_equal(slice_newlines(buf_view(&out)), 76);
		markdown_end(m, &out);
	}
	bufs_release(BUFS(&b, &out));
}

/* What looks like code loses no mark; the rest is emphasis all the same. */
/* Is an address with a hidden mark in it a link for this md4c? */
static bool
links_marks(void)
{
	struct buf out = BUF_INIT(MAX);
	size_t blocks = 0;

	markdown_rows(SLICE("see http://a.b/c_d"), 200, true, &blocks, &out);
	bool yes = strchr(out.p, '\033') != NULL;
	buf_release(&out);
	return yes;
}

static void
code_in_prose(void **state)
{
	static const char *const same[] = {
		"the __init__ of __FILE__:__LINE__, _get_it and set_it_",
		"src/*.c and lib/*.h, **/*.py and src/**, **/x/** **/y/**",
		"\"*.c\" '*' \"*\" '*.h' *_a.go and b_* Accept: */*, text/*",
		"2**8 and 2**16, a*b*c, (a)*b and c*(d), x *= 2 and y*=2",
		"SELECT *, a.* COUNT(*) and SUM(*), a[*].b and c[*].d",
		"^.*a.*$ (.*?) and (.*) \"[^\"]*\" /* c */ and /* d */",
		"HEAD~1..HEAD~3 and HEAD~2, ~/a and ~/b~, ~5 to 6~",
		"f[i](x) m[i][j](x) a[b, c](x) d[0]() [&](auto) [](int)",
		"\\d+\\.\\d+ \\\\server\\share C:\\_a\\*b \\(c\\) \"\\\\n\"",
	};
	struct buf out = BUF_INIT(MAX);

	(void)state;
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		buf_reset(&out);
		buf_fmt(&out, "%s\n", same[i]);
		is_rows(same[i], 200, true, out.p);
	}
	buf_release(&out);
	is_rows("**T**wo __b c__ **.a**: **/c/d** *e*/f", 200, true,
	    "\033[0;1mT\033[0mwo \033[0;1mb c\033[0m \033[0;1m.a\033[0m: "
	    "\033[0;1m/c/d\033[0m \033[0;3me\033[0m/f\n");
	is_rows("**See (a).** **Use `b`.** *“C”.* _Done (d)._ _(e)_", 200,
	    true, "\033[0;1mSee (a).\033[0m \033[0;1mUse \033[0;1;36mb"
	    "\033[0;1m.\033[0m \033[0;3m“C”.\033[0m \033[0;3mDone (d)."
	    "\033[0m \033[0;3m(e)\033[0m\n");
	is_rows("see[a_*b](http://a) \\*b \\_c\\_ 1\\. \\[d\\] ~~e~~", 200, true,
	    "seea_*b (\033[0;4mhttp://a\033[0m) *b _c_ 1. [d] "
	    "\033[0;9me\033[0m\n");
	is_rows("*see http://a.b/f, too* ~", 200, true,
	    "\033[0;3msee \033[0;3;4mhttp://a.b/f\033[0;3m, too\033[0m ~\n");
	/* md4c 0.5 makes no links of these, but they are whole */
	is_rows("*see http://a.b/*c, ~http://d.e/~f/?g_h&i* ~", 200, true,
	    links_marks() ?
	    "\033[0;3msee \033[0;3;4mhttp://a.b/*c\033[0;3m, ~"
	    "\033[0;3;4mhttp://d.e/~f/?g_h&i\033[0m ~\n" :
	    "\033[0;3msee http://a.b/*c, ~http://d.e/~f/?g_h&i\033[0m ~\n");
	is_rows("[a](http://b/c_d_e) <http://f/g_h_i>", 200, true,
	    "a (\033[0;4mhttp://b/c_d_e\033[0m) "
	    "\033[0;4mhttp://f/g_h_i\033[0m\n");
	is_rows("<http://a>,http://b/*c*d,http://e/*f*g", 200, true,
	    "\033[0;4mhttp://a\033[0m,http://b/*c*d,http://e/*f*g\n");
	is_rows("[a](http://b/c_(d)?u=http://e/_f_g)", 200, false,
	    "a (http://b/c_(d)?u=http://e/_f_g)\n");
	is_rows("[a](b \"c &amp; d\") <http://e>", 200, false,
	    "a (b) \"c & d\" http://e\n");
}

/* ---- the same, however it comes ---- */

static void
feed(struct slice text, size_t most, uint64_t seed, size_t columns,
    bool colour, struct buf *out)
{
	struct markdown *m = markdown_new(columns, FIX_ROWS, colour, NULL);

	for (size_t at = 0, n; at < text.n; at += n) {
		n = most > 1 ? 1 + next_random(&seed) % most : 1;
		n = n < text.n - at ? n : text.n - at;
		markdown_add(m, (struct slice){ text.p + at, n }, out);
		assert_true(out->len == 0 || out->p[out->len - 1] == '\n');
		assert_true(at % 7 != 0 || fix_tail_fits(m, columns));
	}
	markdown_end(m, out);
}

static void
check_pieces(struct slice text, size_t columns, bool colour)
{
	static const size_t most[] = { 1, 5, 60, 3000 };
	struct buf whole = BUF_INIT(MAX), parts = BUF_INIT(MAX);
	size_t w, n;

	size_t blocks = 0;

	markdown_rows(text, columns, colour, &blocks, &whole);
	assert_true(fix_is_calm(buf_view(&whole), true, &w, &n));
	for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
		feed(text, most[i], i + columns, columns, colour, &parts);
		assert_string_equal(buf_view(&parts).p, buf_view(&whole).p);
		buf_reset(&parts);
	}
	buf_release(&whole);
	buf_release(&parts);
}

static void
answers_in_pieces(void **state)
{
	static const size_t columns[] = { 1, 7, 40, 80, 140 };

	(void)state;
	for (size_t i = 0; i < ANSWERS; i++) {
		struct buf b;

		read_answer(i, &b);
		for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
			check_pieces(buf_view(&b), columns[k], k % 2 == 0);
		buf_release(&b);
	}
}

/* Marks of every kind in any order. */
static void
add_random(struct buf *b, uint64_t *seed)
{
	static const char *const part[] = { "\n", "\n", "\n\n", " ", " ",
		"word",
		"longer words here", "src/*.c", "__init__", "**/", "f[i](x)",
		"~", "\\.", "**", "*", "_", "`", "``", "```\n", "~~~",
		"- ", "1. ", "2) ", "> ", "# ", "    ", "\t", "|", "|-|-|\n",
		"|a|b|\n|-|-|\n", "---\n", "===\n", "[x](y)", "[", "](", "<",
		"&amp;", "&#27;", "\\", "\\|", "~~", "- [ ] ", "\r\n", "\r",
		"https://a.b/c", "\033[2J", "\xe2\x80\xae", "\xff",
		"\xe6\x97\xa5", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb",
		"\xe2\x9d\xa4\xef\xb8\x8f", "e\xcc\x81", "\xed\xa0\x80",
		("a sentence of some words that is as long as a row or two of "
		"forty columns would be, and then some more ") };

	buf_adds(b, part[next_random(seed) % (sizeof part / sizeof *part)]);
}

static void
random_in_pieces(void **state)
{
	static const size_t columns[] = { 1, 2, 13, 40, 80 };

	(void)state;
	for (uint64_t i = 0; i < 400; i++) {
		uint64_t seed = i * 7919 + 1;
		struct buf b = BUF_INIT(MAX);

		for (size_t k = next_random(&seed) % 120 + 1; k > 0; k--)
			add_random(&b, &seed);
		check_pieces(buf_view(&b), columns[i % 5], i % 3 == 0);
		buf_release(&b);
	}
}

/* ---- against md4c itself, which reads the answer whole ---- */

struct truth {
	struct buf words, code;		/* in order; a block of code behind
					 * another, with NUL between */
	bool in_code;
	size_t blocks;
};

static int
enter_block(MD_BLOCKTYPE type, void *detail, void *user)
{
	struct truth *t = user;

	(void)detail;
	t->in_code = type == MD_BLOCK_CODE;
	t->blocks += t->in_code;
	buf_addc(&t->words, ' ');
	return 0;
}

static int
leave_block(MD_BLOCKTYPE type, void *detail, void *user)
{
	struct truth *t = user;

	(void)detail;
	if (type == MD_BLOCK_CODE) {
		buf_addc(&t->code, '\0');
		t->in_code = false;
	}
	return 0;
}

static int
span(MD_SPANTYPE type, void *detail, void *user)
{
	(void)type;
	(void)detail;
	(void)user;
	return 0;
}

static int
text(MD_TEXTTYPE type, const MD_CHAR *p, MD_SIZE n, void *user)
{
	struct truth *t = user;

	buf_add(&t->words, p, type == MD_TEXT_ENTITY ? 0 : n);
	if (t->in_code)
		buf_add(&t->code, p, n);
	return 0;
}

/* Every word, in order. */
static void
has_words(struct slice rows, struct slice words)
{
	size_t at = 0;

	for (size_t i = 0, n; i < words.n; i += n + 1) {
		const char *found;

		for (n = 0; i + n < words.n &&
		    isalnum((unsigned char)words.p[i + n]); )
			n++;
		if (n == 0)
			continue;
		found = memmem(rows.p + at, rows.n - at, words.p + i, n);
		if (found == NULL)
			fail_msg("no %.*s", (int)n, words.p + i);
		at = (size_t)(found - rows.p) + n;
	}
}

/* A table ends before an indented line, which a paragraph does not: the block
 * is counted, so it can be copied. */
static void
copies_behind_table(void **state)
{
	struct slice answer = SLICE("a|b\n-|-\n    x = 1\n");
	struct buf rows = BUF_INIT(MAX), code = BUF_INIT(MAX);
	size_t blocks = 0;

	(void)state;
	markdown_rows(answer, 40, false, &blocks, &rows);
	assert_int_equal(blocks, 1);
	assert_int_equal(markdown_code(answer, 1, &code), 1);
	assert_string_equal(code.p, "x = 1\n");
	bufs_release(BUFS(&rows, &code));
}

/* What is a table does not depend on the width: /copy finds the blocks that the
 * screen numbers. */
static void
copies_at_a_width(void **state)
{
	struct slice answer = SLICE("one two three four five six seven eight "
	    "nine ten | b\n-|-\n    x = 1\n");
	static const size_t columns[] = { 20, 40, 45, 79, WIDE };
	struct buf rows = BUF_INIT(MAX), code = BUF_INIT(MAX);

	(void)state;
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		size_t blocks = 0;

		markdown_rows(answer, columns[i], false, &blocks, &rows);
		assert_int_equal(blocks, 1);
		assert_int_equal(markdown_code(answer, 0, &code), 1);
	}
	bufs_release(BUFS(&rows, &code));
}

/* What is copied is not cleaned: a NUL byte does not end a table's header. */
static void
copies_beside_nul(void **state)
{
	struct slice answer = SLICE("a|\0|b|c|d|e|f|g|h|i|j|k\n"
	    "-|-|-|-|-|-|-|-|-|-|-|-\n\n```\nx\n```\n");
	struct buf code = BUF_INIT(1 << 16);

	(void)state;
	assert_int_equal(markdown_code(answer, 0, &code), 1);
	assert_string_equal(code.p, "x\n");
	buf_release(&code);
}

/* The backslash before a bar is the table's, whatever the table looks like. */
static void
bars_in_cells(void **state)
{
	struct slice table = SLICE("|name|other|\n|-|-|\n|`a\\|b`|worded|\n");
	static const size_t columns[] = { 40, 10 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct buf rows = BUF_INIT(MAX);
		size_t blocks = 0;

		markdown_rows(table, columns[i], true, &blocks, &rows);
		assert_non_null(strstr(rows.p, "a|b"));
		buf_release(&rows);
	}
}

static void
as_md4c(void **state)
{
	static const MD_PARSER all = { .flags = MD_FLAG_TABLES |
		MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_NOHTML,
		.enter_block = enter_block, .leave_block = leave_block,
		.enter_span = span, .leave_span = span, .text = text };
	void *so = dlopen("libmd4c.so.0", RTLD_NOW);
	int (*parse)(const MD_CHAR *, MD_SIZE, const MD_PARSER *, void *);

	(void)state;
	if (so == NULL)
		skip();
	*(void **)&parse = dlsym(so, "md_parse");
	for (size_t i = 0; i < ANSWERS; i++) {
		struct truth t = { BUF_INIT(MAX), BUF_INIT(MAX), false, 0 };
		struct buf b, rows = BUF_INIT(MAX), code = BUF_INIT(MAX);
		const char *want;

		read_answer(i, &b);
		assert_int_equal(parse(b.p, (MD_SIZE)b.len, &all, &t), 0);
		size_t blocks = 0;

		markdown_rows(buf_view(&b), WIDE, false, &blocks, &rows);
		has_words(buf_view(&rows), buf_view(&t.words));
		want = buf_view(&t.code).p;
		for (size_t k = 1; k <= t.blocks; k++) {
			assert_int_equal(markdown_code(buf_view(&b), k, &code),
			    k);
			assert_string_equal(code.p, want);
			want += strlen(want) + 1;
			buf_reset(&code);
		}
		assert_int_equal(markdown_code(buf_view(&b), t.blocks + 1,
		    &code), 0);
		assert_int_equal(code.len, 0);
		assert_int_equal(markdown_code(buf_view(&b), 0, &code),
		    t.blocks);
		buf_release(&b);
		buf_release(&rows);
		buf_release(&code);
		buf_release(&t.words);
		buf_release(&t.code);
	}
}

/* ---- what is final at once ---- */

static void
final_after(const char *text, size_t rows, size_t tail_rows)
{
	struct markdown *m = markdown_new(20, FIX_ROWS, false, NULL);
	struct buf out = BUF_INIT(MAX), tail = BUF_INIT(MAX);

	markdown_add(m, slice_of(text), &out);
	markdown_tail(m, &tail);
	assert_int_equal(slice_newlines(buf_view(&out)), rows);
	assert_int_equal(slice_lines(buf_view(&tail)), tail_rows);
	markdown_end(m, &out);
	buf_release(&out);
	buf_release(&tail);
}

static void
final_at_once(void **state)
{
	struct buf b = BUF_INIT(MAX);

	(void)state;
	final_after("```\na\nb\nc", 3, 1);
	final_after("- a\n- b\n- c\n", 2, 1);
	final_after("1. a\n   ```\n   x\n   y\n   z", 5, 1);
	final_after("a\nb\nc\nd\ne\nf\n", 2, 4);
	final_after("|a|\n|-|\n|1|\n|2|\n|3|\n|4|\n|5|\n", 0, FIX_ROWS);
	final_after("text\n|a|b|\n|-|-", 0, 2);
	for (size_t i = 0; i < 100; i++)
		buf_adds(&b, "four letter words so ");
	markdown_open();

	/* a paragraph in one line keeps its last rows, and what comes next */
	struct markdown *m = markdown_new(20, FIX_ROWS, false, NULL);
	struct buf out = BUF_INIT(MAX);

	markdown_add(m, buf_view(&b), &out);
	assert_in_range(slice_newlines(buf_view(&out)), 100 - 4 - 3, 100 - 4);
	markdown_end(m, &out);
	buf_release(&out);
	buf_release(&b);
}

/* ---- hostile ---- */

static void
check_hostile(const char *part, size_t times, const char *end)
{
	struct buf b = BUF_INIT(MAX), out = BUF_INIT(MAX);
	struct markdown *m = markdown_new(40, FIX_ROWS, true, NULL);
	size_t n;

	if (getenv("CHECK_FULL") == NULL)
		times /= 8;
	for (size_t i = 0; i < times; i++)
		buf_adds(&b, part);
	buf_adds(&b, end);
	n = b.len / 64 + 1;
	for (size_t at = 0; at < b.len; at += n) {
		markdown_add(m, (struct slice){ b.p + at, n < b.len - at ? n :
		    b.len - at }, &out);
		assert_true(fix_tail_fits(m, 40));
	}
	markdown_end(m, &out);
	assert_true(out.len > 0 && out.len < 16 * b.len + 1000);
	buf_release(&b);
	buf_release(&out);
}

static void
hostile(void **state)
{
	(void)state;
	check_hostile("a", 10 << 20, "");
	check_hostile("ab c", 2 << 20, "");
	check_hostile("\xcc\x81", 1 << 20, "");
	check_hostile("> ", 10000, "x\n");
	check_hostile("> > > > x\n", 3000, "");
	check_hostile("- ", 10000, "x\n");
	check_hostile("**a `b [c](d ~~", 50000, "");
	check_hostile("**a `b [c](d ~~\n", 50000, "");
	check_hostile("[", 1 << 20, "");
	check_hostile("`a``b", 100000, "");
	check_hostile("![[", 100000, "](");
	check_hostile("<a href=\"", 100000, "");
	check_hostile("&#x41;", 100000, "");
	check_hostile("#", 1 << 20, "");
	check_hostile("-", 1 << 20, "");
	check_hostile("`", 1 << 20, "\nx");
	check_hostile("|", 1 << 20, "\n");
	check_hostile("|a|b|\n|-|-|\n|c|d|\n", 30000, "");
	check_hostile("\t", 1 << 20, "x");
	check_hostile("\n", 1 << 20, "x");
	check_hostile("\xf0\x9f\x91\xa9\xe2\x80\x8d", 100000, "");
	check_hostile("```\n", 100000, "");
	check_hostile("\xe6\x97\xa5", 1 << 20, "");
}

/* A word of many URLs is looked through once with each piece: it took 5 s. */
static void
word_of_urls(void **state)
{
	struct buf final = BUF_INIT(MAX);
	struct markdown *m = markdown_new(80, 20, true, NULL);
	clock_t begun = clock();

	(void)state;
	markdown_add(m, SLICE("_"), &final);
	for (int i = 0; i < 1000; i++)
		markdown_add(m, SLICE("://,://,://,://,"), &final);
	markdown_end(m, &final);
	assert_true(clock() - begun < 2 * CLOCKS_PER_SEC);
	buf_release(&final);
}

/* A frame costs the same behind a word of megabytes: it took seconds. */
static void
tail_of_long_word(void **state)
{
	struct buf final = BUF_INIT((size_t)1 << 30), rows = final;
	struct markdown *m = markdown_new(80, 20, true, NULL);
	char part[1 << 16];

	(void)state;
	memset(part, 'x', sizeof part);
	for (int i = 0; i < 160; i++)
		markdown_add(m, (struct slice){ part, sizeof part }, &final);
	for (int i = 0; i < 200; i++) {
		buf_reset(&rows);
		markdown_tail(m, &rows);
		if (i == 100)
			markdown_add(m, SLICE(" and more"), &final);
	}
	assert_true(rows.len > 0 && rows.len < 81 * 20 + 1);
	markdown_end(m, &final);
	assert_true(final.len > 160 * sizeof part);
	buf_release(&final);
	buf_release(&rows);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_libraries),
		cmocka_unit_test(shown), cmocka_unit_test(lines_of_spans),
		cmocka_unit_test(code_in_prose),
		cmocka_unit_test(answers_in_pieces),
		cmocka_unit_test(random_in_pieces), cmocka_unit_test(as_md4c),
		cmocka_unit_test(copies_behind_table),
		cmocka_unit_test(copies_at_a_width),
		cmocka_unit_test(copies_beside_nul),
		cmocka_unit_test(bars_in_cells),
		cmocka_unit_test(final_at_once), cmocka_unit_test(hostile),
		cmocka_unit_test(word_of_urls),
		cmocka_unit_test(tail_of_long_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
