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

static inline bool
is_letter(char c)
{
	unsigned char low = (unsigned char)c | 0x20;

	return (unsigned char)(low - 'a') < 26 ||
	    (unsigned char)((unsigned char)c - '0') < 10;
}

/* A letter's bit; digits and the rest share one. */
static uint32_t
bit_of(char c)
{
	return c >= 'a' && c <= 'z' ? UINT32_C(1) << (c - 'a') :
	    UINT32_C(1) << 31;
}

/* A run of letters is this word, in any case? */
static bool
run_is(const char *p, size_t n, const char *word)
{
	size_t i = 0;

	while (i < n && (p[i] | 0x20) == word[i])
		i++;	/* letters and digits only: the NUL ends it */
	return i == n && word[i] == '\0';
}

/* A letter stands at p that may begin one. */
static bool
begins_any(struct slice text, const char *p, const struct set *words)
{
	const char *end = text.p + text.n, *q = p;

	if (p > text.p && is_letter(p[-1]))
		return false;
	while (q < end && is_letter(*q))
		q++;
	for (const char *const *w = words->row; *w != NULL; w++)
		if (run_is(p, (size_t)(q - p), *w))
			return true;
	return false;
}

bool
sentence_any(struct slice text, const struct set *words)
{
	const char *p = text.p, *end = p + text.n;

#ifdef __SSE2__
	for (; end - p >= 16; p += 16) {
		__m128i x = _mm_or_si128(_mm_set1_epi8(0x20),
		    _mm_loadu_si128((const __m128i *)(const void *)p));
		__m128i any = _mm_setzero_si128();
		unsigned found;

		for (const char *const *w = words->row; *w != NULL; w++)
			any = _mm_or_si128(any, _mm_cmpeq_epi8(x,
			    _mm_set1_epi8(**w)));
		found = (unsigned)_mm_movemask_epi8(any);
		for (; found != 0; found &= found - 1)
			if (begins_any(text, p + __builtin_ctz(found), words))
				return true;
	}
#endif
	for (; p < end; p++)
		if ((words->initials & bit_of((char)(*p | 0x20))) != 0 &&
		    begins_any(text, p, words))
			return true;
	return false;
}

/* The next word of s in lower case, a curly apostrophe made straight; empty
 * when it is too long.  False at the end of s. */
static bool
next_word(struct slice *s, char w[WORD_MAX])
{
	size_t n = 0;

	while (s->n > 0 && is_letter(*s->p)) {
		if (n < WORD_MAX - 1)
			w[n] = *s->p >= 'A' && *s->p <= 'Z' ?
			    (char)(*s->p + 32) : *s->p;
		n++;
		*s = (struct slice){ s->p + 1, s->n - 1 };
		if (s->n > 3 && memcmp(s->p, "\342\200\231", 3) == 0 &&
		    is_letter(s->p[3])) {
			if (n < WORD_MAX - 1)
				w[n] = '\'';
			n++;
			*s = (struct slice){ s->p + 3, s->n - 3 };
		} else if (s->n > 1 && (*s->p == '\'' || *s->p == '-') &&
		    is_letter(s->p[1])) {
			if (n < WORD_MAX - 1)
				w[n] = *s->p;
			n++;
			*s = (struct slice){ s->p + 1, s->n - 1 };
		}
	}
	w[n < WORD_MAX ? n : 0] = '\0';
	return n > 0;
}

/* Cut the next sentence off text: up to . ! ? behind a word and before a
 * blank, or the end of the line. */
bool
sentence_next(struct slice *text, struct sentence *s)
{
	s->n = 0;
	s->initials = 0;
	s->end = '\0';
	while (text->n > 0) {
		char c = *text->p;

		if (is_letter(c)) {
			char over[WORD_MAX];
			char *w = s->n < LINE_WORDS ? s->w[s->n] : over;

			next_word(text, w);
			s->initials |= bit_of(*w);
			s->n += s->n < LINE_WORDS;
			continue;
		}
		*text = (struct slice){ text->p + 1, text->n - 1 };
		if (c == '.' || c == '!' || c == '?' || c == ':')
			s->end = c;
		if (s->n > 0 && (c == '\n' || (s->end != '\0' && c == s->end &&
		    c != ':' && (text->n == 0 || *text->p == ' ' ||
		    *text->p == '\n'))))
			return true;
	}
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
