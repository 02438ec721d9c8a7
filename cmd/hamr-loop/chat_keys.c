/* chat_keys.c - keys of the line editor with a meaning of ours. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "chat_edit_in.h"
#include "chat_in.h"
#include "mem.h"
#include "utf8.h"

#define SHOWN 40		/* candidates listed at once */
#define PASTE_MAX ((size_t)16 << 20)

/* libedit's callbacks are given only itself; we left ourselves with it. */
struct edit *
edit_self(EditLine *el)
{
	int (*get)(EditLine *, int, ...);
	struct edit *d = NULL;

	*(void **)&get = dlsym(RTLD_DEFAULT, "el_get");
	return get != NULL && get(el, EL_CLIENTDATA, &d) == 0 ? d : NULL;
}

/* ---- Tab ---- */

static void
list_words(const struct words *w)
{
	fputc('\n', stderr);
	for (size_t i = 0; i < w->n && i < SHOWN; i++)
		fprintf(stderr, "%s ", w->v[i]);
	if (w->n > SHOWN)
		fprintf(stderr, "(%zu more)", w->n - SHOWN);
	fputc('\n', stderr);
}

/* What all candidates have in common behind the had bytes that stand there;
 * nothing: the candidates are listed. */
static unsigned char
insert(struct edit *d, const struct words *w, size_t had)
{
	size_t n = words_common(w);
	char *rest;

	if (n <= had && w->n > 1) {
		list_words(w);
		return CC_REDISPLAY;
	}
	rest = xmemdup0(w->v[0] + had, n - had);
	n = d->lib.insert(d->el, rest) == 0;
	free(rest);
	return n ? CC_REFRESH : CC_ERROR;
}

unsigned char
key_complete(EditLine *el, int ch)
{
	struct edit *d = edit_self(el);
	const LineInfo *li = d->lib.line(el);
	size_t n = (size_t)(li->cursor - li->buffer);
	size_t at = words_begin(li->buffer, n);
	char *begun = xmemdup0(li->buffer + at, n - at);
	unsigned char r = CC_ERROR;
	struct words w;

	(void)ch;
	words_find(&w, begun, at == 0);
	if (w.n > 0)
		r = insert(d, &w, n - at);
	free(begun);
	words_free(&w);
	return r;
}

/* ---- a paste ---- */

/* All of it, without its end; false: a signal came first. */
static bool
take_paste(struct edit *d, struct buf *b)
{
	const size_t n = strlen(PASTE_END);
	char c;

	while (b->len < n || memcmp(b->p + b->len - n, PASTE_END, n) != 0) {
		if (!edit_byte(d, &c))
			return false;
		buf_addc(b, c);
		if (b->over)
			return false;
	}
	b->len -= n;
	return true;
}

/* Lines and tabs stay, other control bytes do not; the line's end behind it is
 * left to the person, who sends it. */
static void
clean(struct buf *b, struct buf *out)
{
	for (size_t i = 0; i < b->len; i++) {
		unsigned char c = (unsigned char)b->p[i];

		if (c == '\r' && i + 1 < b->len && b->p[i + 1] == '\n')
			continue;
		if (c == '\r')
			c = '\n';
		if ((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t')
			buf_addc(out, (char)c);
	}
	if (out->len > 0 && out->p[out->len - 1] == '\n')
		out->p[--out->len] = '\0';
}

unsigned char
key_paste(EditLine *el, int ch)
{
	struct edit *d = edit_self(el);
	struct buf b = BUF_INIT(PASTE_MAX), plain = BUF_INIT(PASTE_MAX);
	struct buf text = BUF_INIT(4 * PASTE_MAX);
	unsigned char r = CC_EOF;

	(void)ch;
	if (take_paste(d, &b)) {
		clean(&b, &plain);
		utf8_clean(&text, buf_view(&plain).p, plain.len);
		r = text.len == 0 || d->lib.insert(el, text.p) == 0 ?
		    CC_REFRESH : CC_ERROR;
	}
	buf_release(&b);
	buf_release(&plain);
	buf_release(&text);
	return r;
}
