/* result.h - what one call gives back: text for the model, facts in meta. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "json/scan.h"

/* The ceiling of a content before any cap: what a tool may gather. */
#define RESULT_MAX ((size_t)80 << 20)

struct result {
	struct buf content;	/* UTF-8 without NUL; what the model reads */
	struct buf images;	/* image parts after it, as JSON with commas
				 * between; empty: the content is a string */
	bool is_error;
	const char *code;	/* meta.error, one of the closed list (static
				 * string), NULL when none */
	struct buf meta;	/* further members of meta, as JSON, each with
				 * a comma after it: "'op':'file'," */
	bool truncated, lossy;	/* meta.truncated, meta.lossy */
	long long bytes;	/* meta.bytes: of the whole result before any
				 * cut; -1: the length of content */
};

void result_init(struct result *r);
void result_release(struct result *r);

/* Make it an error: code, and the words (one or two lines that say what to do
 * next); content so far is dropped. */
void result_error(struct result *r, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Cut content to cap bytes (0: no limit): head 60 %, tail 40 %, at line ends
 * where there are any, on character borders, with a line that says what was
 * cut. */
void result_cap(struct result *r, size_t cap);

/* The cut itself, of a text whose head and tail are at hand (they may
 * overlap): head, the line that says what was cut out of total bytes and
 * where it is kept ("" for nowhere), tail; head and tail together max. */
void result_join(struct buf *out, struct slice head, struct slice tail,
    unsigned long long total, size_t max, const char *where);

/* Append the tool message (2.2, 2.4); verdict may be NULL. */
void result_message(const struct result *r, const char *id, const char *name,
    long long ms, const char *verdict, struct buf *out);
