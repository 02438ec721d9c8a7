/* toml_write.c - names and values written as TOML, safe to show. */
#include <string.h>

#include "buf.h"
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

/* Characters that could change what a terminal shows around them. */
static bool
is_unsafe(unsigned long cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x61c ||
	    cp == 0x200e || cp == 0x200f || (cp >= 0x2028 && cp <= 0x202e) ||
	    (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff;
}

void
toml_quote(struct buf *out, const char *s)
{
	size_t n = strlen(s), len;

	buf_addc(out, '"');
	for (; n > 0; s += len, n -= len) {
		const unsigned char *u = (const unsigned char *)s;
		unsigned long cp = *u;

		len = utf8_len(u, n);
		if (len == 0)
			len = 1;
		for (size_t i = 1; i < len; i++)
			cp = (i == 1 ? cp & (0x7fu >> len) : cp) << 6 |
			    (u[i] & 0x3f);
		if (cp == '"' || cp == '\\')
			buf_addc(out, '\\');
		if (is_unsafe(cp))
			buf_fmt(out, "\\u%04lX", cp);
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
