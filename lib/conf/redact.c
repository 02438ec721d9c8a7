/* redact.c - replace secrets in texts with [redacted:KIND]. */
#include <ctype.h>
#include <regex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "conf.h"
#include "redact.h"

/* Longest secret recognized: keys are short, a PEM block is not. */
#define SECRET_MAX 65536

/* Two bytes as a number. */
#define PAIR(a, b) ((unsigned)(unsigned char)(a) << 8 | (unsigned char)(b))

struct pattern {
	char *kind, *start;
	size_t n;		/* of start */
	unsigned pair;		/* the first two bytes of start */
	size_t line;		/* of the list */
	char *regex;		/* anchored; NULL: it is malformed */
	regex_t *re;		/* once a text held start */
};

struct redact {
	struct pattern *p;
	size_t n, cap;
	bool begins[1 << 16];	/* does a start begin with this PAIR? */
};

struct redact *
redact_load(struct err *e)
{
	char *path = conf_share("secrets.txt");
	struct buf b = BUF_INIT(1 << 20);
	struct redact *r = NULL;
	size_t no = 1;

	if (file_read(path, &b, e) < 0) {
		if (e->status == ST_NOINPUT)
			err_set(e, ST_NOINPUT, "%s is missing, so secrets "
			    "would be stored; install it or set HAMR_SHARE",
			    path);
		goto out;
	}
	buf_addc(&b, '\n');
	r = xcalloc(1, sizeof *r);
	for (char *p = b.p, *end; (end = strchr(p, '\n')) != NULL;
	    no++, p = end + 1) {
		*end = '\0';
		if (*p == '#' || *p == '\0')
			continue;
		char *start = strpbrk(p, " \t");
		char *text = start != NULL ? strpbrk(start + 1, " \t") : NULL;
		if (text == NULL || text - start < 3) {
			err_set(e, ST_DATA, "%s:%zu: not KIND START REGEX",
			    path, no);
			redact_free(r);
			r = NULL;
			break;
		}
		GROW(r->p, r->n, r->cap);
		struct pattern *new = &r->p[r->n++];
		*new = (struct pattern){ .line = no,
			.kind = xmemdup0(p, (size_t)(start - p)),
			.n = (size_t)(text - start) - 1,
			.pair = PAIR(start[1], start[2]),
			.regex = xasprintf("^(%s)", text + 1) };
		new->start = xmemdup0(start + 1, new->n);
		r->begins[new->pair] = true;
	}
out:
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
		FREE(r->p[i].kind, r->p[i].start, r->p[i].regex);
		if (r->p[i].re != NULL)
			regfree(r->p[i].re);
		free(r->p[i].re);
	}
	FREE(r->p, r);
}

static bool
is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The length of the secret that begins at t, or 0. */
static size_t
secret_len(struct pattern *p, struct slice t)
{
	regmatch_t m = { 0, (regoff_t)num_min(t.n, SECRET_MAX) };

	if (t.n < p->n || memcmp(t.p, p->start, p->n) != 0)
		return 0;
	/* most runs meet no start, and compiling all takes 0.7 ms */
	if (p->re == NULL && p->regex != NULL) {
		p->re = xcalloc(1, sizeof *p->re);
		if (regcomp(p->re, p->regex, REG_EXTENDED) != 0) {
			char *path = conf_share("secrets.txt");

			err_say("%s:%zu: malformed regex; until it is fixed, "
			    "everything from %s on is redacted", path,
			    p->line, p->start);
			FREE(path, p->re, p->regex);
			p->re = NULL;
			p->regex = NULL;
		}
	}
	if (p->re == NULL)
		return t.n;
	return regexec(p->re, t.p, 1, &m, REG_STARTEND) == 0 ?
	    (size_t)m.rm_eo : 0;
}

void
redact_add(const struct redact *r, struct slice t, struct buf *out)
{
	size_t from = 0, len;

	for (size_t at = 0; at + 1 < t.n; at += len > 0 ? len : 1) {
		unsigned pair = PAIR(t.p[at], t.p[at + 1]);

		len = 0;
		for (size_t i = 0; r->begins[pair] && len == 0 && i < r->n;
		    i++) {
			struct pattern *p = &r->p[i];

			/* a start that is a word must not be within one */
			if (p->pair == pair && (at == 0 ||
			    !is_word_byte(p->start[0]) ||
			    !is_word_byte(t.p[at - 1])))
				len = secret_len(p, slice_part(t, at, t.n));
			if (len == 0)
				continue;
			buf_add(out, t.p + from, at - from);
			buf_fmt(out, "[redacted:%s]", p->kind);
			from = at + len;
		}
	}
	if (from < t.n)
		buf_add(out, t.p + from, t.n - from);
}
