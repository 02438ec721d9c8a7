/* sentence.c - English prose, word by word (chapter 3.4).
 *
 * The format is English with marks of Markdown; no library on our list reads
 * it.
 */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "sentence.h"

/* Letters in lower case and digits; 0 for all else. */
static const char lower[256] = {
	['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4',
	['5'] = '5', ['6'] = '6', ['7'] = '7', ['8'] = '8', ['9'] = '9',
	['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e',
	['F'] = 'f', ['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j',
	['K'] = 'k', ['L'] = 'l', ['M'] = 'm', ['N'] = 'n', ['O'] = 'o',
	['P'] = 'p', ['Q'] = 'q', ['R'] = 'r', ['S'] = 's', ['T'] = 't',
	['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y',
	['Z'] = 'z', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd',
	['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i',
	['j'] = 'j', ['k'] = 'k', ['l'] = 'l', ['m'] = 'm', ['n'] = 'n',
	['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r', ['s'] = 's',
	['t'] = 't', ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x',
	['y'] = 'y', ['z'] = 'z',
};

static inline bool
is_letter(char c)
{
	return lower[(unsigned char)c] != '\0';
}

/* A letter's bit; digits and the rest share one. */
static uint32_t
bit_of(char c)
{
	return c >= 'a' && c <= 'z' ? UINT32_C(1) << (c - 'a') :
	    UINT32_C(1) << 31;
}

/* Behind the word at p, if it is this one in any case, up to a NUL or blank;
 * else NULL. */
static const char *
over_word(const char *p, const char *end, const char *word)
{
	while (p < end && *word > ' ' && (*p | 0x20) == *word) {
		p++;
		word++;
	}
	return *word <= ' ' && (p == end || !is_letter(*p)) ? p : NULL;
}

static bool
goes_on(const char *p, const char *end, const char *next)
{
	while (p < end && !is_letter(*p))
		p++;
	while (next != NULL && over_word(p, end, next) == NULL) {
		next = strchr(next, ' ');
		if (next == NULL)
			return false;
		next++;
	}
	return true;
}

/* A word begins at p. */
static bool
begins_any(const char *p, const char *end, const struct hint *hints)
{
	for (const struct hint *h = hints; h->word != NULL; h++) {
		const char *q;

		if (*h->word != (*p | 0x20))
			continue;
		q = over_word(p, end, h->word);
		if (q != NULL && goes_on(q, end, h->next))
			return true;
	}
	return false;
}

#ifdef __SSE2__
#define STARTS_MAX 8		/* ways that hints begin */

/* The first two letters of hints. */
struct starts {
	__m128i first[STARTS_MAX], second[STARTS_MAX];
	size_t n;
	char alone;		/* the hint of one letter, if there is one */
};

/* Hints that begin alike stand together.  False: too many for us. */
static bool
starts_of(struct starts *s, const struct hint *hints)
{
	s->n = 0;
	s->alone = '\0';
	for (const struct hint *h = hints; h->word != NULL; h++) {
		if (h > hints && memcmp(h[-1].word, h->word, 2) == 0)
			continue;
		if (h->word[1] == '\0' && s->alone == '\0') {
			s->alone = h->word[0];
			continue;
		}
		if (h->word[1] == '\0' || s->n == STARTS_MAX)
			return false;
		s->first[s->n] = _mm_set1_epi8(h->word[0]);
		s->second[s->n++] = _mm_set1_epi8(h->word[1]);
	}
	return true;
}

static inline __m128i
up_to(__m128i x, char from, char to)
{
	x = _mm_sub_epi8(x, _mm_set1_epi8(from));
	return _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(
	    (char)(to - from))), x);
}

static inline __m128i
lower16(const char *p)
{
	return _mm_or_si128(_mm_set1_epi8(0x20),
	    _mm_loadu_si128((const __m128i *)(const void *)p));
}

/* Which of 16 bytes begin as a hint does. */
static inline unsigned
begin16(const char *p, const struct starts *s)
{
	__m128i x = lower16(p), next = lower16(p + 1);
	__m128i letter = _mm_or_si128(up_to(next, 'a', 'z'),
	    up_to(next, '0', '9'));
	__m128i any = _mm_andnot_si128(letter, _mm_cmpeq_epi8(x,
	    _mm_set1_epi8(s->alone)));

	for (size_t i = 0; i < s->n; i++)
		any = _mm_or_si128(any, _mm_and_si128(
		    _mm_cmpeq_epi8(x, s->first[i]),
		    _mm_cmpeq_epi8(next, s->second[i])));
	return (unsigned)_mm_movemask_epi8(any);
}

/* Whole blocks of 16 bytes from *at on. */
static bool
blocks_any(const char **at, const char *end, const struct hint *hints)
{
	const char *start = *at;
	struct starts s;

	if (!starts_of(&s, hints))
		return false;
	for (; end - *at > 16; *at += 16) {
		unsigned found = begin16(*at, &s);

		for (; found != 0; found &= found - 1) {
			const char *p = *at + __builtin_ctz(found);

			if ((p == start || !is_letter(p[-1])) &&
			    begins_any(p, end, hints))
				return true;
		}
	}
	return false;
}
#endif

bool
sentence_any(struct slice text, const struct hint *hints)
{
	const char *p = text.p, *end = p + text.n;

#ifdef __SSE2__
	if (blocks_any(&p, end, hints))
		return true;
#endif
	for (; p < end; p++)
		if (is_letter(*p) && (p == text.p || !is_letter(p[-1])) &&
		    begins_any(p, end, hints))
			return true;
	return false;
}

/* Behind the word at p, which goes to w in lower case, a curly apostrophe made
 * straight; empty when it is too long. */
static const char *
next_word(const char *p, const char *end, char w[WORD_MAX])
{
	size_t n = 0;

	for (;;) {
		char join;

		for (; p < end && is_letter(*p); p++, n++)
			if (n < WORD_MAX - 1)
				w[n] = lower[(unsigned char)*p];
		if (end - p > 3 && memcmp(p, "\342\200\231", 3) == 0 &&
		    is_letter(p[3])) {
			join = '\'';
			p += 3;
		} else if (end - p > 1 && (*p == '\'' || *p == '-') &&
		    is_letter(p[1])) {
			join = *p++;
		} else {
			break;
		}
		if (n < WORD_MAX - 1)
			w[n] = join;
		n++;
	}
	w[n < WORD_MAX ? n : 0] = '\0';
	return p;
}

/* Cut the next sentence off text: up to . ! ? behind a word and before a
 * blank, or the end of the line. */
bool
sentence_next(struct slice *text, struct sentence *s)
{
	const char *p = text->p, *end = p + text->n;
	bool whole = false;

	s->n = 0;
	s->initials = 0;
	s->end = '\0';
	while (p < end && !whole) {
		char c = *p;

		if (is_letter(c)) {
			char over[WORD_MAX];
			char *w = s->n < LINE_WORDS ? s->w[s->n] : over;

			p = next_word(p, end, w);
			s->initials |= bit_of(*w);
			s->n += s->n < LINE_WORDS;
			continue;
		}
		p++;
		if (c == '.' || c == '!' || c == '?' || c == ':')
			s->end = c;
		whole = s->n > 0 && (c == '\n' || (s->end != '\0' &&
		    c == s->end && c != ':' && (p == end || *p == ' ' ||
		    *p == '\n')));
	}
	*text = (struct slice){ p, (size_t)(end - p) };
	return s->n > 0;
}

/* Do the words from i on begin with this phrase?  How many they are. */
size_t
sentence_starts(const struct sentence *s, size_t i, const char *phrase)
{
	size_t from = i;

	for (; i < s->n; i++) {
		const char *w = s->w[i];

		while (*w != '\0' && *w == *phrase) {
			w++;
			phrase++;
		}
		if (*w != '\0')
			return 0;
		if (*phrase == '\0')
			return i + 1 - from;
		if (*phrase++ != ' ')
			return 0;
	}
	return 0;
}

struct set
set_of(const char *const *row)
{
	struct set s = { row, 0 };

	for (; *row != NULL; row++)
		s.initials |= bit_of(**row);
	return s;
}

size_t
sentence_is(const struct sentence *s, size_t i, const struct set *set)
{
	char first = i < s->n ? s->w[i][0] : '\0';

	if ((set->initials & bit_of(first)) == 0)
		return 0;
	for (const char *const *row = set->row; *row != NULL; row++) {
		size_t n = **row == first ? sentence_starts(s, i, *row) : 0;

		if (n > 0)
			return n;
	}
	return 0;
}

bool
sentence_has(const struct sentence *s, const struct set *set)
{
	for (size_t i = 0; i < s->n; i++)
		if ((s->initials & set->initials) != 0 &&
		    sentence_is(s, i, set) > 0)
			return true;
	return false;
}
