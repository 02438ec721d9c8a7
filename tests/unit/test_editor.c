/* test_editor.c - keys in, rows out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "screen/editor.h"
#include "screen/history.h"
#include "term/term.h"

#define UP "\033[A"
#define DOWN "\033[B"
#define LEFT "\033[D"
#define PASTE(text) "\033[200~" text "\033[201~"
#define NINE "1\n2\n3\n4\n5\n6\n7\n8\n9"

static struct texts queue;

static void
list(void *arg, enum complete_kind kind, struct slice command,
    struct candidates *out)
{
	static const char *const paths[] = { "lib/base/file.c", "README.md",
		"tests/loop-chat.t", "my picture.png", "lib/base/buf.c",
		"cmd/main.c", "cmd/x/main.c", "doc/\u6f22.md",
		"steer\033[2J", "bad\xff" };

	(void)arg;
	if (kind == COMPLETE_COMMAND) {
		candidates_add(out, "/mode", "what may be touched");
		candidates_add(out, "/model", "another model");
		candidates_add(out, "/help", NULL);
	} else if (kind == COMPLETE_ARGUMENT) {
		if (slice_is(command, "mode")) {
			candidates_add(out, "patch", NULL);
			candidates_add(out, "verify", NULL);
		}
	} else {
		for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
			candidates_add(out, paths[i], NULL);
	}
}

static struct editor *
new_editor(const char *history)
{
	struct editor_options o = { .history = history, .prompt = "> ",
		.complete = { list, NULL }, .queue = &queue };

	return editor_new(&o);
}

/* What the last key was answered with; \x1c parts what is read at once.  A
 * message that is sent goes to *sent, whose old one is freed. */
static enum editor_event
feed(struct editor *e, const char *bytes, char **sent)
{
	enum editor_event event = EDITOR_NONE;
	struct key key;
	struct keys k;

	keys_init(&k, "xterm");
	for (; *bytes != '\0'; bytes += strspn(bytes, "\x1c")) {
		size_t n = strcspn(bytes, "\x1c");

		keys_add(&k, (struct slice){ bytes, n }, 0);
		bytes += n;
		while (keys_next(&k, 100, &key)) {
			event = editor_key(e, &key);
			if (event != EDITOR_SEND || sent == NULL)
				continue;
			free(*sent);
			*sent = editor_take(e);
		}
	}
	keys_release(&k);
	return event;
}

/* The rows with | where the cursor stands. */
static char *
drawn(struct editor *e, size_t columns, size_t rows)
{
	struct buf b = BUF_INIT(1 << 20), out = BUF_INIT(1 << 20);
	size_t row, column, i = 0;
	struct slice rest, line;

	editor_draw(e, columns, rows, &b, &row, &column);
	buf_add(&b, "", 0);
	rest = buf_view(&b);
	do {
		const char *lf = memchr(rest.p, '\n', rest.n);

		line = (struct slice){ rest.p, lf != NULL ?
		    (size_t)(lf - rest.p) : rest.n };
		rest.n -= line.n + (lf != NULL);
		rest.p += line.n + (lf != NULL);
		if (i > 0)
			buf_addc(&out, '\n');
		if (i++ == row) {
			size_t n = term_fits(line, column);

			buf_add(&out, line.p, n);
			buf_addc(&out, '|');
			buf_add(&out, line.p + n, line.n - n);
		} else {
			buf_slice(&out, line);
		}
		if (lf == NULL)
			break;
	} while (true);
	assert_true(row < i && i <= rows);
	buf_release(&b);
	return buf_detach(&out);
}

static void
draws(struct editor *e, const char *want)
{
	char *got = drawn(e, 40, 8);

	assert_string_equal(got, want);
	free(got);
}

/* Fed to an empty editor that has three messages in its history. */
static void
shows(const char *bytes, const char *want)
{
	struct editor *e = new_editor(NULL);
	char *sent = NULL;

	feed(e, "first", NULL);
	feed(e, "\r", &sent);
	feed(e, PASTE("second\nof two"), NULL);
	feed(e, "\r", &sent);
	feed(e, "Third", NULL);
	feed(e, "\r", &sent);
	feed(e, bytes, NULL);
	draws(e, want);
	free(sent);
	editor_free(e);
}

static void
edits(void **state)
{
	static const char *const row[][2] = {
		{ "", "> |" }, { "abc", "> abc|" },
		{ "abc\x01", "> |abc" }, { "abc\x02\x02x", "> ax|bc" },
		{ "abc\033[HX\033[FY", "> XabcY|" },
		{ "abc\033[1~X\033[4~Y", "> XabcY|" },
		{ "abc\x02\x04", "> ab|" }, { "abc\x01\x04", "> |bc" },
		{ "abc\x7f", "> ab|" }, { "abc\x01\x7f", "> |abc" },
		{ "a\x1c\n\x1c" "b", "> a\n  b|" }, { PASTE("a\n\nb") UP, "> a\n  |\n  b" },
		{ "a\\\x1c\r\x1c" "b", "> a\n  b|" }, { "a\033\rb", "> a\n  b|" },
		{ "a\033[13;2ub", "> a\n  b|" },
		{ PASTE("ab\ncd") "\x01" "x", "> ab\n  x|cd" },
		{ "ab\ncd" UP "x", "> abx|\n  cd" },
		{ "abcd\nx\nabcd" UP UP "y", "> abcdy|\n  x\n  abcd" },
		/* words */
		{ "foo bar.baz\033b", "> foo bar.|baz" },
		{ "foo bar\033b\033b", "> |foo bar" },
		{ "foo bar\x01\033f", "> foo| bar" },
		{ "foo bar\x01\033d", "> | bar" },
		{ "foo a/b.c\x17", "> foo |" },
		{ "un \u00e9t\u00e9 \u00e0\x17\033\177", "> un |" },
		{ "foo a/b.c\033\x7f", "> foo a/b.|" },
		{ "foo bar\033[1;5D", "> foo |bar" },
		{ "foo bar\x01\033u\033c", "> FOO Bar|" },
		/* kill and yank */
		{ "foo bar\x15\x19\x19", "> foo barfoo bar|" },
		{ "foo bar\x01\x0b\x19", "> foo bar|" },
		{ "a b c\x17\x17\x19", "> a b c|" },
		{ "one\x15two\x15\x19\033y", "> one|" },
		{ "one\x15two\x15\x19\033y\033y", "> two|" },
		{ "x\nyz\x15\x15", "> x|" },
		{ "ab\x14", "> ba|" }, { "abc\x02\x14", "> acb|" },
		{ "a\x14", "> a|" },
		{ PASTE("abc\nd") UP "\x05\x14", "> acb|\n  d" },
		{ PASTE("a\nd") UP "\x05\x14", "> a|\n  d" },
		/* undo */
		{ "foo \x1c" "bar\x1f", "> foo |" },
		{ "foo\x1c \x1c" "b\x1c" "ar\x1f\x1f", "> |" },
		{ "foo\x15\x1f", "> foo|" }, { "foo\x7f\x7f\x1f", "> fo|" },
		{ "\x1f", "> |" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		shows(row[i][0], row[i][1]);
	shows("a\nb" UP "\x01\x0b", "> |\n  b");
	shows("a\nb" UP "\x0b", "> a|b");
}

static void
wide(void **state)
{
	static const char *const row[][2] = {
		{ "\xe6\x97\xa5\xe6\x9c\xac" LEFT,
		    "> \xe6\x97\xa5|\xe6\x9c\xac" },
		{ "e\xcc\x81x\x02\x7f", "> |x" },
		{ "a\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb" "b\x02\x7f",
		    "> a|b" },
		{ "a\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa\x7f", "> a|" },
		{ "a\xe2\x80\xae" "b", "> a?b|" },
		{ "x\t", "> x|" },
		{ PASTE("x\ty"), "> x       y|" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		shows(row[i][0], row[i][1]);
}

/* Backwards the units are the same as forwards, however long their line. */
static void
backwards(void **state)
{
	static const char *const unit[] = { "a", " ", "\n", "\t", "_b", "e\u0301",
		"\u6f22", "\U0001f1e9\U0001f1ea", "\u0600" "7", "\x1a" "000",
		"\U0001f469\u200d\U0001f4bb", "\u3042\u3099", " \u0301" };
	struct message m;
	unsigned seed = 7;

	(void)state;
	message_init(&m);
	message_paste(&m, SLICE(NINE));
	for (size_t i = 0; i < 20000; i++) {
		seed = seed * 1103515245 + 12345;
		/* first of all kinds, then long runs of one */
		size_t k = i < 5000 ? seed >> 16 : i / 700;
		message_type(&m, slice_of(unit[k % (sizeof unit /
		    sizeof *unit)]));
	}
	for (size_t at = 0, next; at < m.text.len; at = next) {
		next = message_next(&m, at);
		assert_int_equal(message_prev(&m, next), at);
		assert_true(message_back(&m, next) <= at);
	}
	assert_int_equal(message_prev(&m, 0), 0);
	message_release(&m);
}

static void
history(void **state)
{
	static const char *const row[][2] = {
		{ UP, "> Third|" }, { UP UP, "> second\n  of two|" },
		{ UP UP UP UP UP, "> first|" },
		{ "draft" UP DOWN, "> draft|" },
		{ "draft" UP UP DOWN DOWN DOWN, "> draft|" },
		{ "a\nb" UP UP DOWN, "> a\n  b|" },
		{ UP "x" DOWN UP, "> Third|" },
		{ UP "x" DOWN "\x1f", "> Thirdx|" },
		{ UP UP "x" UP, "> second|\n  of twox" },
		{ "\x10\x10\x0e", "> Third|" },
		{ "\033<", "> first|" }, { "d\033<\033>", "> d|" },
		/* searched */
		{ "\x12", "> \nsearch: |" },
		{ "\x12sec", "> second\n  of two\nsearch: sec|" },
		{ "\x12ird", "> Third\nsearch: ird|" },
		{ "\x12IRD", "> \nnot found: IRD|" },
		{ "\x12two", "> second\n  of two\nsearch: two|" },
		{ "\x12i\x12", "> first\nsearch: i|" },
		{ "\x12i\x12\x13", "> Third\nsearch: i|" },
		{ "\x12irx\x7f", "> Third\nsearch: ir|" },
		{ "\x12two\r", "> second\n  of two|" },
		{ "\x12two\x01x", "> second\n  x|of two" },
		{ "mine\x12two\r" DOWN DOWN, "> mine|" },
		{ "mine\x12two\x07", "> mine|" },
		{ "mine\x12nothing\r", "> mine|" },
		{ "mine\x12two\r\x1f", "> mine|" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		shows(row[i][0], row[i][1]);
}

/* Esc puts a message aside and a queued one comes back with Up. */
static void
put_aside(void **state)
{
	struct editor *e = new_editor(NULL);
	char *sent = NULL, one[] = "one", two[] = "two";
	char *const unsent[] = { one, two };

	(void)state;
	feed(e, "draft", NULL);
	assert_int_equal(feed(e, "\033", NULL), EDITOR_NONE);
	draws(e, "> |");
	assert_int_equal(feed(e, "\033", NULL), EDITOR_ESC);
	feed(e, UP, NULL);
	draws(e, "> draft|");
	feed(e, "\033", NULL);
	feed(e, "\x1f", NULL);
	draws(e, "> draft|");
	feed(e, "\x15", NULL);
	texts_add(&queue, xstrdup("was queued"));
	feed(e, UP, NULL);
	draws(e, "> was queued|");
	assert_int_equal(queue.n, 0);
	/* ... also from an older message that was erased */
	texts_add(&queue, xstrdup("too"));
	feed(e, UP "\x15" UP, NULL);
	draws(e, "> too|");
	/* what was not sent, one by one, and the draft behind it */
	feed(e, "\x15one\r", &sent);
	feed(e, "two\r", &sent);
	feed(e, "new", NULL);
	editor_recall(e, unsent, 2);
	draws(e, "> one|");
	feed(e, DOWN, NULL);
	draws(e, "> two|");
	feed(e, DOWN, NULL);
	draws(e, "> new|");
	/* a draft is not lost by sending what is older */
	feed(e, "\x15half", NULL);
	feed(e, UP, NULL);
	feed(e, "\r", &sent);
	assert_string_equal(sent, "two");
	feed(e, UP UP, NULL);
	draws(e, "> half|");
	free(sent);
	editor_free(e);
}

static void
events(void **state)
{
	struct editor *e = new_editor(NULL);
	char *text;

	(void)state;
	assert_int_equal(feed(e, "\x04", NULL), EDITOR_QUIT);
	assert_int_equal(feed(e, "\x03", NULL), EDITOR_INTERRUPT);
	assert_int_equal(feed(e, "\x14", NULL), EDITOR_THINKING);
	assert_int_equal(feed(e, "\x0f", NULL), EDITOR_OUTPUT);
	assert_int_equal(feed(e, "\x07", NULL), EDITOR_EXTERNAL);
	assert_int_equal(feed(e, "\x1a", NULL), EDITOR_SUSPEND);
	assert_int_equal(feed(e, "\x0c", NULL), EDITOR_REDRAW);
	assert_int_equal(feed(e, "\033[Z", NULL), EDITOR_NONE);
	assert_int_equal(feed(e, "\r", NULL), EDITOR_NONE);
	assert_int_equal(feed(e, "  ", NULL), EDITOR_NONE);
	assert_int_equal(feed(e, "\r", NULL), EDITOR_NONE);
	assert_int_equal(feed(e, "x\x01\x04\x04\x04\x04", NULL), EDITOR_QUIT);
	assert_int_equal(feed(e, "\033[?62c", NULL), EDITOR_NONE);
	assert_true(editor_is_empty(e));
	feed(e, "hi", NULL);
	assert_int_equal(feed(e, "\r", NULL), EDITOR_SEND);
	text = editor_text(e);
	assert_string_equal(text, "hi");
	free(text);
	editor_free(e);
}

static void
pastes(void **state)
{
	struct editor *e = new_editor(NULL);
	char *sent = NULL;

	(void)state;
	feed(e, "see " PASTE(NINE) " there", NULL);
	draws(e, "> see [pasted 9 lines] there|");
	feed(e, "\x01\033[C\033[C\033[C\033[C\033[C", NULL);
	draws(e, "> see [pasted 9 lines]| there");
	feed(e, "\x7f", NULL);
	draws(e, "> see | there");
	feed(e, "\x1f", NULL);
	draws(e, "> see [pasted 9 lines]| there");
	/* killed and yanked it stays whole */
	feed(e, "\x15\x19", NULL);
	draws(e, "> see [pasted 9 lines]| there");
	feed(e, "\r", &sent);
	assert_string_equal(sent, "see " NINE " there");
	feed(e, "\x19", NULL);
	draws(e, "> see [pasted 9 lines]|");
	feed(e, "\x15" PASTE(NINE), NULL);
	/* $EDITOR */
	editor_set(e, slice_of("a " NINE " b"));
	draws(e, "> a [pasted 9 lines] b|");
	/* the same again */
	feed(e, PASTE(NINE), NULL);
	feed(e, "\r", &sent);
	assert_string_equal(sent, "a " NINE " b");
	feed(e, PASTE(NINE) PASTE(NINE), NULL);
	draws(e, "\xe2\x80\xa6 2\n  3\n  4\n  5\n  6\n  7\n  8\n  9|");
	feed(e, "\033", NULL);
	feed(e, PASTE("1\n2\n3\n4\n5\n6\n7\n8"), NULL);
	draws(e, "> 1\n  2\n  3\n  4\n  5\n  6\n  7\n  8|");
	/* recalled, a message is shown; one that nobody types is folded */
	feed(e, "\033", NULL);
	feed(e, "see " PASTE("a\nb\nc\nd\ne\nf\ng\nh\ni"), &sent);
	feed(e, "\r", &sent);
	feed(e, UP, NULL);
	draws(e, "\xe2\x80\xa6 b\n  c\n  d\n  e\n  f\n  g\n  h\n  i|");
	feed(e, "\r", &sent);
	assert_string_equal(sent, "see a\nb\nc\nd\ne\nf\ng\nh\ni");
	char *log = xcalloc(1, 8001);
	for (size_t i = 0; i < 4000; i++)
		memcpy(log + 2 * i, "x\n", 2);
	editor_set(e, slice_of(log));
	feed(e, "\r", &sent);
	feed(e, UP, NULL);
	draws(e, "> [pasted 4000 lines]|");
	free(log);
	free(sent);
	editor_free(e);
}

static void
rows(void **state)
{
	struct editor *e = new_editor(NULL);
	char *got;

	(void)state;
	feed(e, "aaaa bbbb cccc", NULL);
	got = drawn(e, 13, 8);
	assert_string_equal(got, "> aaaa bbbb \n  cccc|");
	free(got);
	feed(e, "\x15" "aaaabbbbccccdddd", NULL);
	got = drawn(e, 13, 8);
	assert_string_equal(got, "> aaaabbbbcc\n  ccdddd|");
	free(got);
	feed(e, UP, NULL);
	got = drawn(e, 13, 1);
	assert_string_equal(got, "\xe2\x80\xa6 aaaabb|bbcc");
	free(got);
	feed(e, "\033\x1c" PASTE("1\n2\n3\n4\n5"), NULL);
	got = drawn(e, 13, 3);
	assert_string_equal(got, "\xe2\x80\xa6 3\n  4\n  5|");
	free(got);
	feed(e, UP UP UP, NULL);
	got = drawn(e, 13, 3);
	assert_string_equal(got, "\xe2\x80\xa6 2|\n  3\n\xe2\x80\xa6 4");
	free(got);
	editor_free(e);
}

static void
completes(void **state)
{
	static const char *const row[][2] = {
		{ "/he\t", "> /help |" }, { "/nothing\t", "> /nothing|" },
		{ "/m\t", "> /mode|\n> /mode   what may be touched\n"
		    "  /model  another model" },
		{ "/m\t\t", "> /mode|\n  /mode   what may be touched\n"
		    "> /model  another model" },
		{ "/m\t\t\r", "> /model |" }, { "/m\tl", "> /model|\n"
		    "> /model  another model" },
		{ "/m\t" UP "\r", "> /model |" },
		{ "/m\t\033", "> /mode|" }, { "/m\t x", "> /mode x|" },
		{ "/mode p\t", "> /mode patch|" }, { "/mode \t\033", "> |" },
		{ "/model p\t", "> /model p|" }, { "x /he\t", "> x /he|" },
		{ "see @my\t", "> see @my\\ picture.png |" },
		{ "see @my\\ p\t", "> see @my\\ picture.png |" },
		{ "@\\r\\e\\a\\d\\m\\e\t", "> @README.md |" },
		{ "@lch\t", "> @tests/loop-chat.t |" },
		{ "@main\t", "> @main|\n> cmd/main.c\n  cmd/x/main.c" },
		{ "@read\t", "> @README.md |" },
		{ "@\u6f22\t", "> @doc/\u6f22.md |" },
		{ "@stee\t", "> @stee|" }, { "mail@my\t", "> mail@my|" },
		{ "@bu\x01" "a \x05\t", "> a @lib/base/buf.c |" },
		/* while it is typed nothing is chosen, until an arrow does */
		{ "/mo", "> /mo|\n  /mode   what may be touched\n"
		    "  /model  another model" },
		{ "/mo" DOWN, "> /mo|\n> /mode   what may be touched\n"
		    "  /model  another model" },
		{ "/mo" UP "\r", "> /model |" },
		{ "/mo\033", "> /mo|" }, { "/mo\033\x1c" "d", "> /mod|" },
		{ "/mox", "> /mox|" }, { "/mode ", "> /mode |" },
		{ "/mox\x7f" "d", "> /mod|\n  /mode   what may be touched\n"
		    "  /model  another model" },
		{ "see @READ", "> see @READ|\n  README.md" },
		{ "see @READ" DOWN "\r", "> see @README.md |" },
		{ "@no\nx/m", "> @no\n  x/m|" },
	};
	struct editor *e = new_editor(NULL);
	char *got = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		shows(row[i][0], row[i][1]);
	assert_int_equal(feed(e, "/mo\x1c\r", &got), EDITOR_SEND);
	assert_string_equal(got, "/mo");
	free(got);
	feed(e, "@", NULL);
	got = drawn(e, 40, 5);
	assert_string_equal(got, "> @|\n  README.md\n  cmd/main.c\n"
	    "  cmd/x/main.c\n  3 of 8, Tab chooses");
	free(got);
	feed(e, "\t", NULL);
	got = drawn(e, 40, 5);
	assert_string_equal(got, "> @|\n> README.md\n  cmd/main.c\n"
	    "  cmd/x/main.c\n  1 of 8");
	free(got);
	got = drawn(e, 40, 1);
	assert_string_equal(got, "> @|");
	free(got);
	editor_free(e);
}

/* The file is read; several lines are one entry; two may share it. */
static void
file(void **state)
{
	char name[] = "/tmp/hamr-history.XXXXXX";
	static const char old[] = "\"ls -l\"\n"
	    "\"a\\nb\\\\\\tc\"\n\"\xc3\\u00e9\"\n\"\\u00e9\\u001b\"\n"
	    "\nother\n[]\n\"torn";
	struct history a, b;
	struct buf text = BUF_INIT(1 << 20);
	struct err e;

	(void)state;
	close(mkstemp(name));
	assert_int_equal(file_replace(name, old, strlen(old), 0600, &e), 0);
	history_init(&a, name);
	assert_int_equal(a.n, 3);
	assert_string_equal(a.v[0], "ls -l");
	assert_string_equal(a.v[1], "a\nb\\\tc");
	assert_string_equal(a.v[2], "\xc3\xa9");
	history_add(&a, "next");
	assert_int_equal(file_read(name, &text, &e), 0);
	assert_string_equal(text.p + strlen(old), "\n\"next\"\n");
	buf_reset(&text);
	unlink(name);
	history_init(&b, name);
	history_add(&a, "one\ntwo \xc3\xa9");
	history_add(&b, "b");
	history_add(&a, "one\ntwo \xc3\xa9");
	history_add(&a, " \n");
	history_add(&a, "ls -l");
	assert_string_equal(a.v[a.n - 1], "ls -l");
	assert_int_equal(a.n, 5);
	assert_int_equal(file_read(name, &text, &e), 0);
	assert_string_equal(text.p, "\"one\\ntwo \xc3\xa9\"\n"
	    "\"b\"\n\"ls -l\"\n");
	history_release(&a);
	history_release(&b);
	for (int i = 0; i < 2500; i++)
		buf_fmt(&text, "\"%d\"\n", i);
	assert_int_equal(file_replace(name, text.p, text.len, 0600, &e), 0);
	history_init(&a, name);
	assert_int_equal(a.n, HISTORY_ENTRIES);
	assert_string_equal(a.v[a.n - 1], "2499");
	history_release(&a);
	buf_reset(&text);
	assert_int_equal(file_read(name, &text, &e), 0);
	assert_int_equal(slice_lines(buf_view(&text)), HISTORY_ENTRIES);
	unlink(name);
	buf_release(&text);
}

/* Whatever is typed at whatever size: rows fit, and nothing breaks. */
static void
anything(void **state)
{
	static const char nine[] = PASTE(NINE), tab[] = PASTE("a\tb");
	static const char *const bits[] = { "a", " ", "\n", "\\", "\r", "\t",
		"\033", "\033[A", "\033[B", "\033[C", "\033[D", "\x01", "\x05",
		"\x0b", "\x15", "\x17", "\x19", "\x14", "\x1f", "\x12", "\x07",
		"\033y", "\033b", "\033f", "\033d", "\033\x7f", "\x7f", "\x04",
		"/m", "@m", "\xe6\x97\xa5", "\xcc\x81", "\xe2\x80\x8d",
		"\xf0\x9f\x91\xa9", "\xf0\x9f\x8f\xbd", "\xf0\x9f\x87\xa9",
		"\xff", "\xef\xb8\x8f", nine, tab, "/mode p",
		"\033<", "\033>", "\x10", "\x0e", "\033u", "\033[Z" };
	struct editor *e = new_editor(NULL);
	unsigned seed = 7;
	char *sent = NULL;

	(void)state;
	for (int i = 0; i < 60000; i++) {
		struct buf b = BUF_INIT(1 << 24);
		size_t columns, row, column;
		struct slice rest, line;

		seed = seed * 1103515245 + 12345;
		feed(e, bits[(seed >> 16) % (sizeof bits / sizeof *bits)],
		    &sent);
		columns = (seed >> 8) % 50;
		editor_draw(e, columns, (seed >> 20) % 9, &b, &row, &column);
		rest = buf_view(&b);
		while (slice_line(&rest, &line))
			if (memchr(line.p, '\033', line.n) == NULL)
				assert_true(term_width(line) <=
				    (columns > 3 ? columns - 1 : 2));
		assert_true(column <= (columns > 3 ? columns - 1 : 2));
		buf_release(&b);
		if (i % 500 == 0) {
			free(sent);
			sent = editor_take(e);
		}
	}
	free(sent);
	editor_free(e);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edits), cmocka_unit_test(wide),
		cmocka_unit_test(backwards),
		cmocka_unit_test(history), cmocka_unit_test(put_aside),
		cmocka_unit_test(events), cmocka_unit_test(pastes),
		cmocka_unit_test(rows), cmocka_unit_test(completes),
		cmocka_unit_test(file), cmocka_unit_test(anything),
	};

	term_open_clusters();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
