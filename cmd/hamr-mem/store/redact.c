/* redact.c - secrets in texts become [redacted:KIND]. */
#include <ctype.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "base/file.h"
#include "base/mem.h"
#include "record/msg.h"
#include "redact.h"

/* A secret is looked at this far: keys are short, a PEM block is not. */
#define SECRET_MAX 16384

struct pattern {
	char *kind, *start;
	regex_t re;
};

struct redact {
	struct pattern *p;
	size_t n, cap;
};

static void
pattern_add(struct redact *r, const char *kind, const char *start,
    const regex_t *re)
{
	r->p = xgrow(r->p, r->n, &r->cap, sizeof *r->p);
	r->p[r->n++] = (struct pattern){ xstrdup(kind), xstrdup(start), *re };
}

/* One line of the list, without its LF; false: it is wrong. */
static bool
read_line(struct redact *r, char *line)
{
	char *kind = line, *start = strpbrk(line, " \t"), *text, *anchored;
	regex_t re;
	bool good;

	if (*line == '#' || *line == '\0')
		return true;
	if (start == NULL)
		return false;
	*start++ = '\0';
	text = strpbrk(start, " \t");
	if (text == NULL || text == start)
		return false;
	*text++ = '\0';
	anchored = xasprintf("^(%s)", text);
	good = regcomp(&re, anchored, REG_EXTENDED) == 0;
	free(anchored);
	if (good)
		pattern_add(r, kind, start, &re);
	return good;
}

struct redact *
redact_new(const char *path, struct err *e)
{
	struct buf b = BUF_INIT(1 << 20);
	struct redact *r = NULL;
	size_t no = 1;

	if (file_read(path, &b, e) < 0)
		goto out;
	buf_addc(&b, '\n');
	r = xcalloc(1, sizeof *r);
	for (char *p = b.p, *end; (end = strchr(p, '\n')) != NULL; no++) {
		*end = '\0';
		if (!read_line(r, p)) {
			err_set(e, ST_DATA, "%s:%zu: not KIND START REGEX",
			    path, no);
			redact_free(r);
			r = NULL;
			break;
		}
		p = end + 1;
	}
out:
	buf_release(&b);
	return r;
}

struct redact *
redact_load(struct err *e)
{
	char *path = conf_share("secrets.txt");
	struct redact *r = redact_new(path, e);

	if (r == NULL && e->status == ST_NOINPUT)
		err_set(e, ST_NOINPUT, "%s is missing, so secrets would be "
		    "stored; install it or set HAMR_SHARE", path);
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

/* The first secret of this kind at or behind from: where, and how long. */
static bool
find(const struct pattern *p, struct slice t, size_t from, size_t *at,
    size_t *len)
{
	size_t n = strlen(p->start);
	regmatch_t m;

	while (from < t.n) {
		const char *s = memmem(t.p + from, t.n - from, p->start, n);

		if (s == NULL)
			return false;
		*at = (size_t)(s - t.p);
		from = *at + n;
		if (*at > 0 && is_word_byte(p->start[0]) &&
		    is_word_byte(s[-1]))
			continue;
		m.rm_so = 0;
		m.rm_eo = (regoff_t)(t.n - *at < SECRET_MAX ? t.n - *at :
		    SECRET_MAX);
		if (regexec(&p->re, s, 1, &m, REG_STARTEND) == 0 &&
		    m.rm_eo > 0) {
			*len = (size_t)m.rm_eo;
			return true;
		}
	}
	return false;
}

/* Where each pattern's next secret is; SIZE_MAX: nowhere. */
struct next {
	size_t at, len;
};

static void
look(const struct pattern *p, struct slice t, size_t from, struct next *n)
{
	if (n->at != SIZE_MAX && n->at < from &&
	    !find(p, t, from, &n->at, &n->len))
		n->at = SIZE_MAX;
}

void
redact_add(const struct redact *r, struct slice t, struct buf *out)
{
	struct next *next = xcalloc(r->n + 1, sizeof *next);
	size_t from = 0;

	for (size_t i = 0; i < r->n; i++)
		if (!find(&r->p[i], t, 0, &next[i].at, &next[i].len))
			next[i].at = SIZE_MAX;
	for (;;) {
		size_t best = r->n;

		for (size_t i = 0; i < r->n; i++) {
			look(&r->p[i], t, from, &next[i]);
			if (next[i].at != SIZE_MAX && (best == r->n ||
			    next[i].at < next[best].at))
				best = i;
		}
		if (best == r->n)
			break;
		buf_add(out, t.p + from, next[best].at - from);
		buf_fmt(out, "[redacted:%s]", r->p[best].kind);
		from = next[best].at + next[best].len;
	}
	if (t.n > from)
		buf_add(out, t.p + from, t.n - from);
	free(next);
}

char *
redact_value(const struct redact *r, struct slice val)
{
	struct buf raw = BUF_INIT(BUF_RECORD_MAX);
	struct buf out = BUF_INIT(BUF_RECORD_MAX);

	if (msg_text(val, &raw) && raw.len > 0)
		redact_add(r, buf_view(&raw), &out);
	buf_release(&raw);
	return out.len > 0 ? buf_detach(&out) : NULL;
}
