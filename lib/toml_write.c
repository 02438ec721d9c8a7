/* toml_write.c - names and values written as TOML, safe to show. */
#include <string.h>

#include "buf.h"
#include "ctrl.h"
#include "utf8.h"
#include "toml_impl.h"

bool
toml_is_bare(const char *s)
{
	const char *p = s;

	while (toml_bare((unsigned char)*p))
		p++;
	return p > s && *p == '\0';
}

void
toml_quote(struct buf *out, const char *s)
{
	size_t n = strlen(s), len;

	buf_addc(out, '"');
	for (; n > 0; s += len, n -= len) {
		const unsigned char *u = (const unsigned char *)s;
		unsigned long cp;

		len = utf8_len(u, n);
		if (len == 0)
			len = 1;
		cp = ctrl_code(u, len);
		if (cp == '"' || cp == '\\')
			buf_addc(out, '\\');
		if (ctrl_is(cp))
			buf_fmt(out, cp > 0xffff ? "\\U%08lX" :
			    "\\u%04lX", cp);
		else
			buf_add(out, s, len);
	}
	buf_addc(out, '"');
}

void
toml_path(struct buf *out, const char *const *key, size_t nkey)
{
	for (size_t i = 0; i < nkey; i++) {
		if (i > 0)
			buf_addc(out, '.');
		if (toml_is_bare(key[i]))
			buf_adds(out, key[i]);
		else
			toml_quote(out, key[i]);
	}
}

void
toml_show(struct buf *out, const struct toml_value *v)
{
	if (v->kind == TOML_STRING)
		toml_quote(out, v->s);
	else if (v->kind == TOML_BOOL)
		buf_adds(out, v->b ? "true" : "false");
	else if (v->kind != TOML_ARRAY)
		buf_adds(out, v->s);
	else {
		buf_addc(out, '[');
		for (size_t i = 0; i < v->n; i++) {
			if (i > 0)
				buf_adds(out, ", ");
			toml_show(out, &v->v[i]);
		}
		buf_addc(out, ']');
	}
}
