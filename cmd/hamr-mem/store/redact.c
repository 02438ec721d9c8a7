/* redact.c - secrets in texts become [redacted:KIND]. */
#include <ctype.h>
#include <regex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "base/file.h"
#include "base/mem.h"
#include "record/msg.h"
#include "redact.h"

/* A secret is looked at this far: keys are short, a PEM block is not. */
#define SECRET_MAX 65536

/* Two bytes as a number. */
#define PAIR(a, b) ((unsigned)(unsigned char)(a) << 8 | (unsigned char)(b))

struct pattern {
	char *kind, *start;
	size_t n;		/* of start */
	unsigned pair;		/* that it begins with */
	regex_t re;
};

struct redact {
	struct pattern *p;
	size_t n, cap;
	bool begins[1 << 16];	/* a START begins with this PAIR */
};

/* One line of the list, without its LF; false: it is wrong. */
static bool
read_line(struct redact *r, char *line)
{
	char *kind = line, *start = strpbrk(line, " \t");
	regex_t re;

	if (*line == '#' || *line == '\0')
		return true;
	if (start == NULL)
		return false;
	*start++ = '\0';
	char *text = strpbrk(start, " \t");
	if (text == NULL || text - start < 2)
		return false;
	*text++ = '\0';
	char *anchored = xasprintf("^(%s)", text);
	bool good = regcomp(&re, anchored, REG_EXTENDED) == 0;
	free(anchored);
	if (good) {
		GROW(r->p, r->n, r->cap);
		unsigned pair = PAIR(start[0], start[1]);
		r->p[r->n++] = (struct pattern){ xstrdup(kind),
			xstrdup(start), strlen(start), pair, re };
		r->begins[pair] = true;
	}
	return good;
}

struct redact *
redact_load(struct err *e)
{
	char *path = conf_share("secrets.txt");
	struct buf b = BUF_INIT(1 << 20);
	struct redact *r = NULL;
	size_t no = 1;

	if (file_read(path, &b, e) == 0) {
		buf_addc(&b, '\n');
		r = xcalloc(1, sizeof *r);
	} else if (e->status == ST_NOINPUT) {
		err_set(e, ST_NOINPUT, "%s is missing, so secrets would be "
		    "stored; install it or set HAMR_SHARE", path);
	}
	for (char *p = b.p, *end; r != NULL &&
	    (end = strchr(p, '\n')) != NULL; no++) {
		*end = '\0';
		if (!read_line(r, p)) {
			err_set(e, ST_DATA, "%s:%zu: not KIND START REGEX",
			    path, no);
			redact_free(r);
			r = NULL;
		}
		p = end + 1;
	}
	buf_release(&b);
	free(path);
	return r;
}

void
redact_free(struct redact *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n; i++) {
		free(r->p[i].kind);
		free(r->p[i].start);
		regfree(&r->p[i].re);
	}
	free(r->p);
	free(r);
}

static bool
is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Where the first secret at or behind `at` begins, its length and kind; t.n:
 * there is none. */
static size_t
find(const struct redact *r, struct slice t, size_t at, size_t *len,
    const char **kind)
{
	for (; at + 1 < t.n; at++) {
		unsigned pair = PAIR(t.p[at], t.p[at + 1]);

		if (!r->begins[pair])
			continue;
		for (size_t i = 0; i < r->n; i++) {
			const struct pattern *p = &r->p[i];
			size_t left = t.n - at;
			regmatch_t m = { 0, (regoff_t)(left < SECRET_MAX ?
			    left : SECRET_MAX) };

			/* a word does not begin within another */
			if (p->pair != pair || left < p->n ||
			    memcmp(t.p + at, p->start, p->n) != 0 ||
			    (at > 0 && is_word_byte(p->start[0]) &&
			    is_word_byte(t.p[at - 1])) ||
			    regexec(&p->re, t.p + at, 1, &m,
			    REG_STARTEND) != 0 || m.rm_eo == 0)
				continue;
			*len = (size_t)m.rm_eo;
			*kind = p->kind;
			return at;
		}
	}
	return t.n;
}

void
redact_add(const struct redact *r, struct slice t, struct buf *out)
{
	const char *kind;
	size_t len, at;

	for (size_t from = 0; from < t.n; from = at + len) {
		at = find(r, t, from, &len, &kind);
		buf_add(out, t.p + from, at - from);
		if (at == t.n)
			break;
		buf_fmt(out, "[redacted:%s]", kind);
	}
}

char *
redact_value(const struct redact *r, struct slice val)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX);
	struct buf out = BUF_INIT(BUF_RECORD_MAX);
	const char *kind;
	size_t len;

	if (msg_text(val, &raw) && raw.len > 0) {
		if (find(r, buf_view(&raw), 0, &len, &kind) == raw.len)
			return buf_detach(&raw);
		redact_add(r, buf_view(&raw), &out);
	}
	buf_release(&raw);
	return out.len > 0 ? buf_detach(&out) : NULL;
}
