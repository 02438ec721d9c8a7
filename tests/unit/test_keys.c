/* test_keys.c - what a terminal sends, as keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "screen/keys.h"

static const char *const names[] = { "text", "enter", "newline", "esc", "tab",
	"backtab", "backspace", "delete", "up", "down", "left", "right", "home",
	"end", "ctrl", "alt", "paste", "in", "out",
	"reply" };

/* "text:abc enter C+ctrl:x"; what keys there are now. */
static void
log_keys(struct keys *k, long long now, struct buf *log)
{
	struct key key;

	while (keys_next(k, now, &key)) {
		if (log->len > 0)
			buf_addc(log, ' ');
		buf_fmt(log, "%s%s%s", key.ctrl ? "C+" : "", key.alt ? "A+" :
		    "", names[key.name]);
		if (key.text.p != NULL && key.name != KEY_REPLY) {
			buf_addc(log, ':');
			buf_slice(log, key.text);
		}
	}
}

/* Pieces, parted by |, come each a ms after the other; a ` before one lets
 * 100 ms pass.  Then 60 ms pass. */
static void
are_keys(const char *type, const char *pieces, const char *want)
{
	struct buf log = BUF_INIT(1 << 20);
	long long now = 1000;
	struct keys k;

	keys_init(&k, type);
	buf_add(&log, "", 0);
	for (const char *p = pieces; ; p += strcspn(p, "|") + 1) {
		size_t n = strcspn(p, "|");
		bool late = *p == '`' && n > 0;

		now += late ? 100 : 1;
		log_keys(&k, now, &log);
		keys_add(&k, (struct slice){ p + late, n - late }, now);
		log_keys(&k, now, &log);
		if (p[n] == '\0')
			break;
	}
	log_keys(&k, now + 60, &log);
	assert_string_equal(log.p, want);
	buf_release(&log);
	keys_release(&k);
}

static void
keys(void **state)
{
	static const char *const row[][2] = {
		{ "abc", "text:abc" }, { "a|b", "text:a text:b" },
		{ "\r", "enter" }, { "\n", "newline" }, { "\r\n", "enter" },
		{ "\r\r", "enter enter" }, { "\t", "tab" },
		{ "\x7f\b", "backspace backspace" },
		{ "\x01\x1f", "ctrl:a ctrl:_" }, { "\x03", "ctrl:c" },
		{ "\xc3\xa9", "text:\xc3\xa9" },
		{ "\xc3|\xa9x", "text:\xc3\xa9x" },
		{ "a\xe6|\x97|\xa5", "text:a text:\xe6\x97\xa5" },
		{ "\xff", "text:\xef\xbf\xbd" },
		{ "\xc3|`a", "text:\xef\xbf\xbd text:a" },
		{ "\xc2\x9b[A", "text:[A" },
		/* sequences */
		{ "\033[A\033OB", "up down" }, { "\033|[|D", "left" },
		{ "\033[1;5C", "C+right" }, { "\033[1;69C", "C+right" },
		{ "\033[1;133C", "C+right" }, { "\033[1;193C", "right" },
		{ "\033[H\033[4~\033[3~", "home end delete" },
		{ "\033[Z", "backtab" }, { "\033OM", "enter" },
		{ "\033[[A\033[5~", "" }, { "\033[15~", "" },
		{ "\033[1;2:3A", "" },
		{ "\033\033[A", "A+up" }, { "\033bx", "alt:b text:x" },
		{ "\033\r", "newline" }, { "\033\x7f", "A+backspace" },
		{ "\033[I\033[O", "in out" },
		/* a lone ESC, and what is none */
		{ "\033", "esc" }, { "\033|`a", "esc text:a" },
		{ "\033|a", "alt:a" }, { "\033\033", "esc esc" },
		{ "\033\x03", "A+ctrl:c" }, { "\033\x0b", "A+ctrl:k" },
		{ "\033|`\x03", "esc ctrl:c" }, { "\033[", "alt:[" },
		{ "\033\t", "tab" }, { "\033\x1f", "A+ctrl:_" },
		{ "\033|`[A", "esc text:[A" },
		{ "\033|\xc3|\xa9", "alt:\xc3\xa9" },
		{ "\033\xc3|`a", "esc text:\xef\xbf\xbd text:a" },
		/* kitty's and xterm's */
		{ "\033[13;2u", "newline" }, { "\033[27;2;13~", "newline" },
		{ "\033[13u", "enter" }, { "\033[13;129u", "enter" },
		{ "\033[13;3u", "newline" }, { "\033[13;65u", "enter" },
		{ "\033[27u", "esc" }, { "\033[97;5u", "ctrl:a" },
		{ "\033[97;69u", "ctrl:a" }, { "\033[27;5;67~", "ctrl:c" },
		{ "\033[1089::99;5u", "ctrl:c" },
		{ "\033[1092:1060:97;133u", "ctrl:a" },
		{ "\033[1089;5u", "" }, { "\033[106::99;5u", "newline" },
		{ "\033[1080::98;3u", "alt:b" }, { "\033[44:60;4u", "alt:<" },
		{ "\033[45:95;6u", "ctrl:_" }, { "\033[47;5u", "ctrl:_" },
		{ "\033[97;1:3u", "" }, { "\033[9;2u", "backtab" },
		{ "\033[127;3u", "A+backspace" }, { "\033[57414u", "enter" },
		{ "\033[57400u", "text:1" }, { "\033[57419;5u", "C+up" },
		{ "\033[57441;2u", "" }, { "\033[97;9u", "" },
		{ "\033[97:65;2u", "text:A" }, { "\033[97;65u", "text:A" },
		{ "\033[127;1u", "backspace" },
		{ "\033[99999999999;5u\033[;;;;;;;;u", "" },
		/* answers are no keys */
		{ "\033[?62;22c", "reply" }, { "\033[?2026;2$y", "reply" },
		{ "\033[?5u", "reply" }, { "\033[12;40R", "reply" },
		{ "\033]11;rgb:0/0/0\033\\x", "reply text:x" },
		{ "\033]11;rgb:0/0/0\ax", "reply text:x" },
		{ "\033P1+r544e\033\\\033[A", "reply up" },
		{ "\033[?6|`2;22|`c", "reply" },
		{ "\033]11;rgb:|`0/0/0\033|`\\a", "reply text:a" },
		{ "\033[<0;1;9M\033[32;1;9Mx", "reply text:x" },
		{ "\033[M !!x", "text:x" }, { "\033[|M\xff|`!|!x", "text:x" },
		{ "\033_x\033[A", "up" }, { "\033[3\x03", "ctrl:c" },
		/* pastes */
		{ "\033[200~a\r\nb\n\033[201~", "paste:a\nb" },
		{ "\033[200~a|`b\033[20|1~c", "paste:ab text:c" },
		{ "\033[200~\033[A\x03\tx\033[201~", "paste:[A\tx" },
		{ "\033[200~\xff\033[201~", "paste:\xef\xbf\xbd" },
		{ "\033[201~", "" }, { "\033[200~\033[201~", "paste:" },
		/* a line end among text */
		{ "abc\r", "text:abc enter" }, { "\rabc", "enter text:abc" },
		{ "ab\tc\r", "text:ab tab text:c enter" },
		{ "abc\r\n", "text:abc enter" }, { "a\rb", "paste:a\nb" },
		{ "a\rb\r", "paste:a\nb" }, { "a\r\rb|c\r", "paste:a\n\nbc" },
		{ "a\rb|`\r", "paste:a\nb enter" },
		{ "a\rb\033[A", "paste:a\nb up" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		are_keys("xterm", row[i][0], row[i][1]);
}

static void
without_marks(void **state)
{
	(void)state;
	are_keys("linux", "abc\r", "paste:abc");
	are_keys("linux", "abc|\r", "text:abc paste:");
	are_keys("linux", "abc|`\r", "text:abc enter");
	are_keys("linux", "\r|\r", "enter enter");
	are_keys(NULL, "abc\r", "paste:abc");
	/* a paste that stalls, between lines and within one */
	are_keys("linux", "a\rb\r|`c\rd\r", "paste:a\nb newline paste:c\nd");
	are_keys("linux", "a\rb\r|`c|\r", "paste:a\nb newline text:c paste:");
	are_keys("linux", "a\rb|`c\rd", "paste:a\nb paste:c\nd");
	are_keys("linux", "a\rb\r|`\rc", "paste:a\nb newline paste:\nc");
	are_keys("linux", "a\rb\r|`\r", "paste:a\nb enter");
	are_keys("linux", "a\rb\r|`\033[A|c", "paste:a\nb up text:c");
	are_keys("xterm", "a\rb\r|`c\rd\r", "paste:a\nb newline paste:c\nd");
	are_keys("linux", "\033[?2004;2$yabc\r", "reply text:abc enter");
	are_keys("xterm", "\033[?2004;0$yabc\r", "reply paste:abc");
	are_keys("linux", "\033[200~x\033[201~abc\r",
	    "paste:x text:abc enter");
}

/* However it is cut, a stream is the same keys. */
static void
cut_anywhere(void **state)
{
	static const char stream[] = "\033[200~l1\rl2\033[201~\033[1;5C\033"
	    "]11;rgb:1/2/3\033\\\xe6\x97\xa5\033[97;5u\033OA";

	(void)state;
	for (size_t i = 1; i < sizeof stream - 1; i++) {
		struct buf b = BUF_INIT(1 << 10);

		buf_add(&b, stream, i);
		buf_addc(&b, '|');
		buf_adds(&b, stream + i);
		are_keys("xterm", b.p, "paste:l1\nl2 C+right reply "
		    "text:\xe6\x97\xa5 ctrl:a up");
		buf_release(&b);
	}
}

static void
waits(void **state)
{
	struct key key;
	struct keys k;

	(void)state;
	keys_init(&k, "xterm");
	assert_int_equal(keys_wait(&k, 0), -1);
	keys_add(&k, SLICE("\033"), 0);
	assert_false(keys_next(&k, 49, &key));
	assert_int_equal(keys_wait(&k, 20), 30);
	assert_true(keys_next(&k, 50, &key));
	assert_int_equal(keys_wait(&k, 50), -1);
	/* a paste that stalls: nothing of it is a key, whenever it comes */
	keys_add(&k, SLICE("\033[200~ls\r\xc3"), 100);
	assert_false(keys_next(&k, 9000, &key));
	assert_int_equal(keys_wait(&k, 9000), -1);
	keys_add(&k, SLICE("\xa4\rb\033[20"), 9000);
	assert_false(keys_next(&k, 14000, &key));
	keys_add(&k, SLICE("1~z"), 14000);
	assert_true(keys_next(&k, 14000, &key) && key.name == KEY_PASTE);
	assert_true(slice_is(key.text, "ls\n\u00e4\nb"));
	assert_true(keys_next(&k, 14000, &key) && slice_is(key.text, "z"));
	/* Ctrl-C ends it */
	keys_add(&k, SLICE("\033[200~a"), 15000);
	assert_false(keys_next(&k, 17000, &key));
	keys_add(&k, SLICE("\003"), 19000);
	assert_true(keys_next(&k, 19000, &key) && slice_is(key.text, "a"));
	assert_false(keys_next(&k, 19000, &key));
	k.at = 0;
	/* one that only began */
	keys_add(&k, SLICE("\033[200~"), 2200);
	assert_false(keys_next(&k, 2200, &key));
	assert_false(keys_next(&k, 9000, &key));
	assert_int_equal(keys_wait(&k, 9000), -1);
	keys_add(&k, SLICE("y\033[201~"), 9000);
	assert_true(keys_next(&k, 9000, &key) && key.name == KEY_PASTE);
	/* an answer that stops */
	keys_add(&k, SLICE("\033]11;r"), 13000);
	assert_false(keys_next(&k, 13999, &key));
	assert_false(keys_next(&k, 14000, &key));
	keys_add(&k, SLICE("a"), 14001);
	assert_true(keys_next(&k, 14001, &key) && slice_is(key.text, "a"));
	keys_release(&k);
}

/* Of 10 MB whole, of 17 only that it was too long; in pieces of a read. */
static void
large_paste(void **state)
{
	char part[4096];
	struct key key;
	struct keys k;

	(void)state;
	memset(part, 'x', sizeof part);
	part[100] = '\r';
	keys_init(&k, "xterm");
	for (int round = 0; round < 3; round++) {
		size_t n = round == 1 ? 4400 : 2560;

		if (round < 2)
			keys_add(&k, SLICE("\033[200~"), 0);
		for (size_t i = 0; i < n; i++) {
			keys_add(&k, (struct slice){ part, sizeof part }, 0);
			assert_false(keys_next(&k, 0, &key));
		}
		if (round < 2)
			keys_add(&k, SLICE("\033[201~"), 0);
		assert_true(keys_next(&k, round < 2 ? 0 : 20, &key));
		assert_int_equal(key.name, KEY_PASTE);
		if (round == 1)
			assert_null(key.text.p);
		else
			assert_int_equal(key.text.n, n * sizeof part);
		keys_add(&k, SLICE("y"), 30);
		assert_true(keys_next(&k, 30, &key));
		assert_true(slice_is(key.text, "y"));
	}
	keys_release(&k);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys), cmocka_unit_test(without_marks),
		cmocka_unit_test(cut_anywhere), cmocka_unit_test(waits),
		cmocka_unit_test(large_paste),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
