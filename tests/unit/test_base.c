/* test_base.c - slices, numbers, points in time and folders. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/slice.h"
#include "base/utc.h"

static void
trims(void **state)
{
	(void)state;
	assert_true(slice_is(slice_trim(SLICE(" \t\r\n a b \n")), "a b"));
	assert_int_equal(slice_trim(SLICE(" \n")).n, 0);
	assert_int_equal(slice_trim(SLICE("\0")).n, 1);
	assert_true(slice_is(slice_trim_start(SLICE("##\n# a#"), "#"),
	    "\n# a#"));
	assert_true(slice_is(slice_trim_end(SLICE(" a \t\r"), " \t"),
	    " a \t\r"));
	assert_true(slice_is(slice_trim_end(SLICE(" a \t\r"), " \t\r"),
	    " a"));
}

static void
lines(void **state)
{
	struct slice text = SLICE("a\n\nlong enough for eight\nd"), line;

	(void)state;
	assert_int_equal(slice_newlines(text), 3);
	assert_int_equal(slice_lines(text), 4);
	assert_int_equal(slice_lines(SLICE("a\n")), 1);
	assert_int_equal(slice_lines(SLICE("")), 0);
	assert_true(slice_is(slice_last_lines(SLICE("a\nb\n"), 1), "b\n"));
	assert_true(slice_is(slice_last_lines(SLICE("a\nb"), 1), "b"));
	assert_true(slice_is(slice_last_lines(SLICE("a\n\nb"), 2), "\nb"));
	assert_true(slice_is(slice_last_lines(SLICE("a\nb\n"), 9), "a\nb\n"));
	assert_true(slice_is(slice_last_lines(SLICE("a\nb\n"), 0), ""));
	assert_int_equal(slice_newlines(SLICE("\n\n\n\n\n\n\n\n\n")), 9);
	assert_int_equal(slice_newlines(SLICE("\x8a\x0b\x09\x8a\x8a\n\xff\x0a")),
	    2);
	assert_true(slice_line(&text, &line) && slice_is(line, "a"));
	assert_true(slice_line(&text, &line) && slice_is(line, ""));
	assert_true(slice_line(&text, &line));
	assert_true(slice_line(&text, &line) && slice_is(line, "d"));
	assert_false(slice_line(&text, &line));
	text = (struct slice){ NULL, 0 };
	assert_false(slice_line(&text, &line));
}

static void
times(void **state)
{
	char at[UTC_SIZE];

	(void)state;
	utc_print(0, at);
	assert_string_equal(at, "1970-01-01T00:00:00Z");
	utc_print(1763633700050, at);
	assert_string_equal(at, "2025-11-20T10:15:00.050Z");
	utc_print(-1, at);
	assert_string_equal(at, "1969-12-31T23:59:59.999Z");
	utc_print(-1000, at);
	assert_string_equal(at, "1969-12-31T23:59:59Z");
	utc_print(-62135596800000, at);
	assert_string_equal(at, "0001-01-01T00:00:00Z");
}

static void
folder_is(const char *path, const char *folder, const char *base)
{
	char *got = file_folder(path);

	assert_string_equal(got, folder);
	assert_string_equal(file_base(path), base);
	free(got);
}

static void
files(void **state)
{
	struct stat st;
	int fd;

	(void)state;
	folder_is("a", ".", "a");
	folder_is("/a", "/", "a");
	folder_is("/a/b", "/a", "b");
	folder_is("a/b/c", "a/b", "c");
	fd = file_open_regular(AT_FDCWD, "/proc/self/status", &st);
	assert_true(fd >= 0 && S_ISREG(st.st_mode));
	close(fd);
	assert_int_equal(file_open_regular(AT_FDCWD, "/dev/null", NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(file_open_regular(AT_FDCWD, "/proc/self/exe", NULL),
	    -1);
	assert_int_equal(errno, ELOOP);
}

/* A file as large as the ceiling is read, one a byte larger is not. */
static void
ceiling(void **state)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(ftruncate(fd, 100000), 0);
	for (size_t max = 99999; max <= 100000; max++) {
		struct buf b = BUF_INIT(max);
		struct err e;

		lseek(fd, 0, SEEK_SET);
		assert_int_equal(file_read_fd(fd, "f", &b, &e),
		    max < 100000 ? -1 : 0);
		assert_int_equal(b.over, max < 100000);
		if (max < 100000)
			assert_string_equal(e.text,
			    "f: larger than 99999 bytes");
		else
			assert_int_equal(b.len, 100000);
		/* nor is anything behind what did not fit */
		lseek(fd, 0, SEEK_SET);
		assert_int_equal(file_read_fd(fd, "f", &b, &e), -1);
		buf_release(&b);
	}
	close(fd);
}

/* Bytes of this process in memory; 0 where that would count what watches it. */
static size_t
resident(void)
{
	long pages = 0;
#ifndef __SANITIZE_ADDRESS__
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*d %ld", &pages), 1);
	fclose(f);
#endif
	return (size_t)pages * 4096;
}

/* Past the first megabytes, what an arena holds is in files. */
static void
arena_spills(void **state)
{
	enum { TEXTS = 1000, LONG = 40000, WHOLE = 3 << 20 };
	struct arena a = { .spills = true };
	char *p[TEXTS], *small[TEXTS], *whole, *text = xmalloc(WHOLE);
	size_t before = resident();

	(void)state;
	for (int i = 0; i < TEXTS; i++) {
		memset(text, i % 251, LONG);
		p[i] = arena_dup(&a, text, LONG);
		small[i] = arena_dup(&a, "abc", 3);
	}
	assert_true(resident() < before + ((size_t)14 << 20));
	memset(text, 'w', WHOLE);
	whole = arena_dup(&a, text, WHOLE);
	assert_memory_equal(whole, text, WHOLE);
	for (int i = 0; i < TEXTS; i++) {
		memset(text, i % 251, LONG);
		assert_memory_equal(p[i], text, LONG);
		assert_int_equal(p[i][LONG], 0);
		assert_string_equal(small[i], "abc");
	}
	arena_release(&a);
	assert_true(resident() < before + ((size_t)8 << 20));
	free(text);
}

static void
numbers(void **state)
{
	static const struct {
		int64_t n;
		const char *text;
	} of[] = {
		{ 0, "0" }, { 999, "999" }, { 1000, "1,000" },
		{ 1000000, "1,000,000" }, { -999, "-999" }, { -1000, "-1,000" },
		{ INT64_MAX, "9,223,372,036,854,775,807" }
	};

	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		assert_string_equal(num_grouped(of[i].n).s, of[i].text);
	assert_string_equal(num_dollars(12.345).s, "$12.35");
	assert_string_equal(num_dollars(0.0303).s, "$0.030");
	assert_string_equal(num_dollars(0.00034).s, "$0.00034");
	assert_int_equal(num_be32((const unsigned char *)"\xff\1\2\3"),
	    0xff010203);
}

static void
reads_no_further(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double d;

	(void)state;
	assert_true(p != MAP_FAILED);
	assert_int_equal(mprotect(p + page, page, PROT_NONE), 0);
	memcpy(p + page - 2, "-7", 2);
	assert_true(num_double(p + page - 2, 2, &d) && d == -7);
	munmap(p, 2 * page);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trims),
		cmocka_unit_test(lines),
		cmocka_unit_test(numbers),
		cmocka_unit_test(reads_no_further),
		cmocka_unit_test(times),
		cmocka_unit_test(files),
		cmocka_unit_test(ceiling),
		cmocka_unit_test(arena_spills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
