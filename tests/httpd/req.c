/* req.c - reads HTTP requests. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "req.h"

const char *
req_value(const char *line, size_t n)
{
	return line + n + strspn(line + n, ": \t");
}

const char *
req_field(const char *line, const char *name, size_t n)
{
	for (; *line; line += strlen(line) + 1)
		if (strcspn(line, ":") == n && !strncmp(line, name, n))
			return line;
	return NULL;
}

bool
req_says(const struct req *r, const char *name, const char *what)
{
	const char *line = req_field(r->fields, name, strlen(name));

	return line && strcasestr(req_value(line, strlen(name)), what);
}

/* Copies the head with its lines ended by NUL.  False: no request. */
static bool
parse_head(struct req *r, const char *p, size_t n)
{
	char *q = xresize(NULL, n + 1), *line;

	r->head = q;
	for (size_t i = 0; i < n; i++)
		if (p[i] != '\r')
			*q++ = (char)(p[i] == '\n' ? '\0' : p[i]);
	*q = '\0';
	r->fields = r->head + strlen(r->head) + 1;
	r->method = strtok_r(r->head, " ", &line);
	r->path = strtok_r(NULL, " ", &line);
	if (!r->method || !r->path || strncmp(line, "HTTP/1.", 7))
		return false;
	for (line = r->fields; *line; line += strlen(line) + 1)
		for (q = line; *q && *q != ':'; q++)
			*q = (char)tolower((unsigned char)*q);
	return true;
}

/* Reads a chunked body.  1: whole, *used bytes of it; 0: not yet; -1: no. */
static int
dechunk(const char *p, size_t n, struct buf *body, size_t *used)
{
	size_t at = 0, size;
	const char *eol;
	char *end;

	for (;;) {
		eol = memmem(p + at, n - at, "\r\n", 2);
		if (!eol)
			return 0;
		size = strtoul(p + at, &end, 16);
		if (end == p + at || size > SIZE_MAX / 2)
			return -1;
		at = (size_t)(eol + 2 - p);
		if (n - at < size + 2)
			return 0;
		bytes_put(body, p + at, size);
		at += size + 2;
		if (!size)
			break;
	}
	*used = at;
	return 1;
}

int
req_take(struct req *r, const struct buf *in)
{
	const char *end = in->n ? memmem(in->p, in->n, "\r\n\r\n", 4) : NULL;
	const char *len;
	size_t head, more;
	int got;

	if (!end)
		return 0;
	head = (size_t)(end + 4 - in->p);
	if (!parse_head(r, in->p, head))
		return -1;
	len = req_field(r->fields, "content-length", 14);
	more = len ? strtoul(req_value(len, 14), NULL, 10) : 0;
	bytes_put(&r->body, "", 0);
	if (req_says(r, "transfer-encoding", "chunked")) {
		got = dechunk(end + 4, in->n - head, &r->body, &more);
	} else {
		got = in->n - head >= more;
		if (got)
			bytes_put(&r->body, end + 4, more);
	}
	r->used = head + more;
	return got;
}

void
req_release(struct req *r)
{
	free(r->head);
	free(r->body.p);
}
