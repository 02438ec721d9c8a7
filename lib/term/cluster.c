/* cluster.c - grapheme clusters and their columns, by utf8proc or wcwidth. */
#include <locale.h>
#include <utf8proc.h>
#include <wchar.h>

#include "base/ctrl.h"
#include "base/utf8.h"
#include "cluster.h"
#include "libc/so.h"

#define PICTURE 0xfe0f		/* VS16: the character before is a picture */

struct lib {
	__typeof__(&utf8proc_charwidth) width;
	__typeof__(&utf8proc_grapheme_break_stateful) breaks;
};

#define CLUSTER_MAX 64		/* bytes; a family of four has 25 */

/* The one handle of the process: widths are needed everywhere, and are the same
 * for all callers. */
static struct lib *
lib(void)
{
	static struct lib l;

	return &l;
}

void
term_init(void)
{
	locale_t l = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);

	if (l != (locale_t)0)
		uselocale(l);
}

bool
term_open_clusters(void)
{
	struct lib *l = lib();

	if (l->breaks != NULL)
		return true;
	term_init();
	void *so = SO_OPEN("libutf8proc.so.2");
	if (so == NULL)
		so = SO_OPEN("libutf8proc.so.3");
	if (so == NULL)
		return false;
	SO_FIND(l->width, so, utf8proc_charwidth);
	if (l->width != NULL)
		SO_FIND(l->breaks, so, utf8proc_grapheme_break_stateful);
	return l->breaks != NULL;
}

/* The valid character at p and its bytes; 0 for none. */
static size_t
code_at(struct slice t, size_t at, unsigned long *cp)
{
	const unsigned char *p = (const unsigned char *)t.p + at;
	size_t n = at < t.n ? utf8_len(p, t.n - at) : 0;

	if (n > 0)
		*cp = ctrl_code(p, n);
	return n;
}

static size_t
width_of(unsigned long cp)
{
	const struct lib *l = lib();
	int w = l->breaks != NULL ? l->width((utf8proc_int32_t)cp) :
	    wcwidth((wchar_t)cp);

	return w < 0 ? 1 : (size_t)w;
}

/* Skin tones, and the selector that makes a character a picture, are some. */
static bool
is_picture(unsigned long cp)
{
	return (cp >= 0x1f000 && cp <= 0x1faff) || cp == PICTURE ||
	    (cp >= 0x2190 && cp <= 0x2bff);
}

/* Arabic to Myanmar: Persian, Urdu and the scripts of India. */
static bool
is_joined_script(unsigned long cp)
{
	return cp >= 0x620 && cp <= 0x109f;
}

bool
term_joins(unsigned long before, unsigned long cp, unsigned long next)
{
	if (cp == JOINER && is_picture(before) && is_picture(next))
		return true;
	return (cp == JOINER || cp == NON_JOINER) &&
	    is_joined_script(before) && is_joined_script(next);
}

static bool
is_flag(unsigned long cp)
{
	return cp >= 0x1f1e6 && cp <= 0x1f1ff;
}

/* Does the character at `at` belong to the cluster that ends before it? */
static bool
goes_on(struct slice t, size_t at, unsigned long before, unsigned long cp,
    utf8proc_int32_t *state)
{
	const struct lib *l = lib();
	unsigned long next = before;	/* for a text cut after a joiner */

	code_at(t, at + code_at(t, at, &cp), &next);
	if (ctrl_is(cp) && !term_joins(before, cp, next))
		return false;
	if (l->breaks == NULL)
		return wcwidth((wchar_t)cp) == 0;
	return !l->breaks((utf8proc_int32_t)before, (utf8proc_int32_t)cp,
	    state);
}

size_t
term_cluster(struct slice text, size_t *columns)
{
	unsigned long cp = 0, next;
	size_t n = code_at(text, 0, &cp), more, w;
	utf8proc_int32_t state = 0;

	*columns = 1;
	if (n == 0)
		return text.n > 0;
	if (n == 1 && (text.n == 1 || (unsigned char)text.p[1] < 0x80))
		return n;
	if (ctrl_is(cp))
		return n;
	if (n > 1)
		*columns = width_of(cp);
	for (; (more = code_at(text, n, &next)) > 0 && n < CLUSTER_MAX &&
	    goes_on(text, n, cp, next, &state); n += more, cp = next) {
		/* a Hindi or Thai vowel sign has its own columns */
		int own = is_picture(next) ? 0 : wcwidth((wchar_t)next);

		w = next == PICTURE || is_flag(next) ? 2 : width_of(next);
		if (own > 0)
			*columns += (size_t)own;
		else if (w > *columns)
			*columns = w;
	}
	return n;
}

bool
term_cluster_differs(struct slice cluster)
{
	unsigned long cp;
	size_t n;

	for (size_t at = 0; (n = code_at(cluster, at, &cp)) > 0; at += n)
		if (cp == JOINER || cp == PICTURE || is_flag(cp) ||
		    (cp >= 0x1f3fb && cp <= 0x1f3ff))
			return true;
	return false;
}
