/* test_rec.c - the door: framing, limits, kinds; messages and their pairing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "record/msg.h"
#include "record/rec.h"

/* A pipe that somebody fills k bytes at a time. */
static int
source(const char *text, size_t n, size_t k)
{
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	if (fork() == 0) {
		close(fd[0]);
		for (size_t i = 0; i < n; i += k)
			if (file_write_all(fd[1], text + i,
			    n - i < k ? n - i : k) < 0)
				_exit(1);
		_exit(0);
	}
	close(fd[1]);
	return fd[0];
}

/* What is done with a last line without LF. */
enum end { REFUSED, OPEN, DROPPED };

/* What the reader says of text, as one string. */
static char *
reading(const char *text, size_t n, size_t k, size_t max, enum end end)
{
	struct buf said = BUF_INIT((size_t)8 << 20);
	struct rec_in in;
	const struct rec *r;
	struct err e;
	int got;

	rec_in_init(&in, source(text, n, k), "t", max);
	in.open_end = end == OPEN;
	in.drop_end = end == DROPPED;
	for (;;) {
		got = rec_next(&in, &r, &e);
		if (got == 0)
			break;
		if (got > 0)
			buf_fmt(&said, "%zu(%.*s)", r->no, (int)r->line.n,
			    r->line.p);
		else
			buf_fmt(&said, "<%s>", e.text);
	}
	close(in.fd);
	rec_in_release(&in);
	while (wait(NULL) > 0)
		;
	return buf_detach(&said);
}

/* J7 */
static void
framing(void **state)
{
	static const struct {
		const char *text, *said;
		size_t max;
		enum end end;
	} t[] = {
		{ "{}\n{\"a\":1}\r\n", "1({})2({\"a\":1}\r)", 100, REFUSED },
		{ "{}\n{", "1({})<t:2: line cut short (no line feed at its "
		    "end)>", 100, REFUSED },
		{ "{}\n{}", "1({})2({})", 100, OPEN },
		{ "{}\n\n{}\n", "1({})<t:2: blank line at byte 1>3({})", 100,
		    REFUSED },
		{ "{\"a\":\"12345\"}\n{}\n", "<t:1: line longer than "
		    "8 bytes (record.max_bytes)>2({})", 8, REFUSED },
		{ "{\"a\":\"12345\"}", "<t:1: line longer than 8 bytes "
		    "(record.max_bytes)>", 8, REFUSED },
		{ "", "", 8, REFUSED },
		{ "{}\n{}", "1({})", 100, DROPPED },
		/* but never a line too long that others follow */
		{ "{}\n{\"a\":\"12345\"}\n{}\n{", "1({})<t:2: line longer "
		    "than 8 bytes (record.max_bytes)>3({})", 8, DROPPED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		for (size_t k = 1; k < 20; k++) {
			char *said = reading(t[i].text, strlen(t[i].text), k,
			    t[i].max, t[i].end);

			assert_string_equal(said, t[i].said);
			free(said);
		}
}

static void
large_lines(void **state)
{
	size_t n = (size_t)3 << 20;
	char *text = malloc(n + 20), *said;

	(void)state;
	strcpy(text, "{\"a\":\"");
	memset(text + 6, 'x', n);
	strcpy(text + 6 + n, "\"}\n{}\n");
	said = reading(text, n + 12, 70000, REC_MAX, REFUSED);
	assert_int_equal(strlen(said), 3 + n + 8 + 5);
	free(said);
	said = reading(text, n + 12, 70000, 1000000, REFUSED);
	assert_string_equal(said, "<t:1: line longer than 1000000 bytes "
	    "(record.max_bytes)>2({})");
	free(said);
	free(text);
}

/* D8: v tells whether we know what it means */
static void
versions(void **state)
{
	static const struct {
		const char *text;
		int r;
	} t[] = {
		{ "{\"type\":\"hamr\",\"v\":1,\"new\":{}}", 0 },
		{ "{\"type\":\"hamr\"}", 0 },
		{ "{\"type\":\"other\",\"v\":2}", 0 },
		{ "{\"type\":\"hamr\",\"v\":2}", -1 },
		{ "{\"type\":\"hamr\",\"v\":1.0}", 0 },
		{ "{\"type\":\"hamr\",\"v\":\"1\"}", -1 },
	};
	struct scan s = { 0 };
	struct rec r;

	(void)state;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		assert_int_equal(rec_parse(&s, t[i].text, strlen(t[i].text),
		    &r), t[i].r);
	scan_release(&s);
}

static void
kinds(void **state)
{
	static const struct {
		const char *text;
		enum rec_kind kind;
	} t[] = {
		{ "{\"role\":\"user\",\"type\":\"go\"}", R_USER },
		{ "{\"role\":\"t\\u006fol\"}", R_TOOL },
		{ "{\"role\":1,\"type\":\"go\"}", R_GO },
		{ "{\"type\":\"unheard of\"}", R_OTHER },
		{ "{\"type\":null}", R_OTHER },
		{ "{\"type\":\"request\"}", R_REQUEST },
	};
	struct scan s = { 0 };
	struct rec r;

	(void)state;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		assert_int_equal(rec_parse(&s, t[i].text, strlen(t[i].text),
		    &r), 0);
		assert_int_equal(r.kind, t[i].kind);
	}
	scan_release(&s);
}

static bool
person(const char *text)
{
	struct scan s = { 0 };
	struct rec r;
	bool yes;

	assert_int_equal(rec_parse(&s, text, strlen(text), &r), 0);
	yes = msg_is_person(&r);
	scan_release(&s);
	return yes;
}

static void
persons(void **state)
{
	(void)state;
	assert_true(person("{\"role\":\"user\",\"content\":\"hi\"}"));
	assert_true(person("{\"role\":\"user\",\"content\":\"x\","
	    "\"meta\":{\"by\":\"shell\"}}"));
	assert_false(person("{\"role\":\"user\",\"content\":\"x\","
	    "\"meta\":{\"by\":\"guard\"}}"));
	assert_false(person("{\"role\":\"user\","
	    "\"content\":\"[hamr-guard] look\"}"));
	assert_false(person("{\"role\":\"user\","
	    "\"content\":\"[hamr-gu\\u0061rd]\"}"));
	assert_false(person("{\"role\":\"user\",\"content\":[{\"type\":"
	    "\"text\",\"text\":\"[hamr-guard]\"}]}"));
	assert_false(person("{\"role\":\"assistant\",\"content\":\"hi\"}"));
}

static void
pairing(void **state)
{
	struct pairing p = { .n = 0 };
	struct slice a = SLICE("\"a\""), b = SLICE("\"b\"");

	(void)state;
	pairing_call(&p, a, 1);
	pairing_call(&p, b, 2);
	pairing_call(&p, a, 3);
	pairing_call(&p, (struct slice){ NULL, 0 }, 4);
	assert_int_equal(p.open, 4);
	assert_int_equal(pairing_result(&p, a), 1);
	assert_int_equal(pairing_result(&p, SLICE("\"\\u0061\"")), 3);
	assert_int_equal(pairing_result(&p, a), (size_t)-1);
	pairing_call(&p, a, 5);
	assert_int_equal(pairing_result(&p, a), 5);
	assert_int_equal(pairing_result(&p, (struct slice){ NULL, 0 }), 4);
	assert_int_equal(pairing_result(&p, b), 2);
	assert_int_equal(p.open, 0);
	pairing_reset(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(framing),
		cmocka_unit_test(large_lines),
		cmocka_unit_test(kinds),
		cmocka_unit_test(versions),
		cmocka_unit_test(persons),
		cmocka_unit_test(pairing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
