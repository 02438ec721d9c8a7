/* log.c - writes the log. */
#include <err.h>
#include <string.h>
#include <time.h>

#include "log.h"
#include "req.h"

int64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
log_text(FILE *f, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", f);
		else if (c < 0x20 || c == 0x7f)
			fprintf(f, "\\u%04x", c);
		else
			putc(c, f);
	}
}

static void
log_key(FILE *f, const char *key, const char *s, size_t n)
{
	fprintf(f, ",\"%s\":\"", key);
	log_text(f, s, n);
	putc('"', f);
}

static void
log_fields(FILE *f, const char *fields)
{
	const char *sep = "", *line, *more;

	fputs(",\"headers\":{", f);
	for (line = fields; *line; line += strlen(line) + 1) {
		size_t n = strcspn(line, ":");

		if (req_field(fields, line, n) != line)
			continue;	/* was joined to the first */
		fprintf(f, "%s\"", sep);
		log_text(f, line, n);
		fputs("\":\"", f);
		for (more = line; more;) {
			const char *v = req_value(more, n);

			log_text(f, v, strlen(v));
			more = req_field(more + strlen(more) + 1, line, n);
			if (more)
				fputs(", ", f);
		}
		putc('"', f);
		sep = ",";
	}
	putc('}', f);
}

static void
log_end(const struct log *l)
{
	if (l->times)
		fprintf(l->f, ",\"ms\":%ld", (long)(now() - l->born));
	fputs("}\n", l->f);
	if (fflush(l->f))
		err(1, "log");
}

void
log_request(const struct log *l, long conn, long n, const struct req *r,
	    int script)
{
	FILE *f = l->f;

	if (!f)
		return;
	fprintf(f, "{\"conn\":%ld,\"n\":%ld", conn, n);
	log_key(f, "method", r->method, strlen(r->method));
	log_key(f, "path", r->path, strlen(r->path));
	log_fields(f, r->fields);
	log_key(f, "body", r->body.p, r->body.n);
	fprintf(f, ",\"script\":%d", script);
	log_end(l);
}

void
log_close(const struct log *l, long conn, const char *who)
{
	if (!l->f || !l->times)
		return;
	fprintf(l->f, "{\"conn\":%ld,\"closed\":\"%s\"", conn, who);
	log_end(l);
}
