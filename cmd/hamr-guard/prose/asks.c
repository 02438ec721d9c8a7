/* asks.c - does a person ask for something to be repeated?
 *
 * The format is prose in any of a dozen languages, of which we know the words
 * for numbers, intervals and waiting; no library on our list reads it.
 */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "asks.h"
#include "text/word_kinds.h"

#define TEXT_MAX 1000		/* bytes; a longer text is a task with its
				 * papers, which may speak of anything */
#define MANY 4			/* what is done so often needs our patience */
#define MOST 60			/* and nothing is done more often by hand */
#define REACH 4			/* words from "every" to its unit */
#define COUNTED 2		/* 25 single requests */
#define NAMES_MAX 400		/* bytes of one that may name a call; a longer
				 * one has too many words */
#define CALL_MAX 80		/* bytes of a call that can be named */
#define STEM 5			/* letters that make words alike */
#define STEMS (CALL_MAX / STEM)
#define WORD_MAX 32

/* The number of a word is below these. */
enum { NUMBER = 256, TIMES = 512, EVERY = 1024, UNIT = 2048, ONCE = 4096,
	PER = 8192, REGULARLY = 16384, WAIT = 32768 };

/* In lower case; a word of more than ASCII is compared as it is, as capitals
 * are rare in it. */
static struct words words = { .kinds = (const struct word_kind[]){
	{ NUMBER + 4, "four vier quatre cuatro quatro quattro" },
	{ NUMBER + 5, "five fünf cinq cinco cinque" },
	{ NUMBER + 6, "six sechs few several paar mehrere plusieurs varias" },
	{ NUMBER + 7, "seven sieben" },
	{ NUMBER + 8, "eight acht" },
	{ NUMBER + 9, "nine neun" },
	{ NUMBER + 10, "ten zehn dix diez dez dieci" },
	{ NUMBER + 11, "eleven elf onze undici" },
	{ NUMBER + 12, "twelve dozen zwölf douze doce doze dodici" },
	{ NUMBER + 13, "thirteen dreizehn treize trece treze tredici" },
	{ NUMBER + 14, "fourteen vierzehn quatorze catorce quattordici" },
	{ NUMBER + 15, "fifteen fünfzehn quinze quince quindici" },
	{ NUMBER + 16, "sixteen sechzehn seize sedici" },
	{ NUMBER + 18, "eighteen achtzehn diciotto" },
	{ NUMBER + 20, "twenty zwanzig vingt veinte vinte venti" },
	{ NUMBER + 30, "thirty dreißig trente treinta trinta trenta" },
	{ NUMBER + 40, "forty" },
	{ NUMBER + 50, "fifty fünfzig cinquante cincuenta" },
	{ TIMES, "times x veces vezes volte keer razy kez раз runs"
	    " attempts requests" },
	{ TIMES | ONCE, "mal fois" },
	{ EVERY, "every each alle jede jeden toutes chaque cada ogni elke"
	    " co каждые каждую" },
	{ UNIT, "s sec second seconds min minute minutes hour hours sekunde"
	    " sekunden minuten stunde stunden seconde secondes heure heures"
	    " segundo segundos minuto minutos hora horas secondi minuti"
	    " seconden sekund minut minutę"
	    " секунд секунду минут минуту" },
	{ ONCE, "once einmal vez volta" },
	{ PER, "per a par pro por" },
	{ REGULARLY, "repeatedly regularly periodically wiederholt"
	    " regelmäßig régulièrement regularmente regolarmente" },
	{ WAIT, "until till bis jusqu hasta até finché пока watch wait"
	    " monitor warte beobachte überwache surveille attends"
	    " espera vigila sobald solange zodra" },
	{ 0, NULL }
} };

static bool
has(struct slice word, const char *const *row, bool first)
{
	while (*row != NULL && !(first ? slice_starts(word, *row) :
	    slice_has(word, *row)))
		row++;
	return *row != NULL;
}

/* The same where words are not divided: what the text begins with after a
 * number or "every", and what it has in it. */
static unsigned
kind_within(struct slice *text, bool after)
{
	static const char *const times[] = { "次", "回", "遍", "번", NULL };
	static const char *const spans[] = { "秒", "分", "小时", "小時", "초",
		"분", NULL };
	static const char *const every[] = { "ごと", "おき", "마다", NULL };
	static const char *const waits[] = { "直到", "为止", "為止", "まで",
		"때까지", NULL };
	unsigned is = has(*text, waits, false) ? WAIT : 0;
	size_t at = slice_find(*text, 0, "每");

	if (at < text->n) {
		*text = slice_from(*text, at + strlen("每"));
		is |= EVERY;
	}
	if (!after && (is & EVERY) == 0)
		return is;
	is |= has(*text, times, true) ? TIMES : 0;
	if (has(*text, spans, true))
		is |= has(*text, every, false) ? EVERY | UNIT : UNIT;
	return is;
}

/* What the words so far tell of the next one. */
struct before {
	unsigned many;		/* words left in which what is counted may
				 * follow a number that is not small */
	unsigned every;		/* likewise, a unit */
	bool once, digits, x;
	enum { NOTHING, KEEP, SOON, SOON_AS } last;
	unsigned long number;	/* the last one */
	unsigned long most;	/* the largest of those that are not small */
};

static void
take_number(struct before *b, unsigned long n)
{
	b->number = n;
	b->many = n >= MANY && n <= MOST ? COUNTED : 0;
	if (b->many > 0 && n > b->most)
		b->most = n;
}

/* Does the word ask to wait: keep looking, as soon as it is up?  But not: keep
 * it short, as soon as possible. */
static bool
keeps(struct before *b, struct slice word)
{
	int last = b->last;

	b->last = slice_is(word, "keep") ? KEEP : slice_is(word, "soon") ?
	    SOON : last == SOON && slice_is(word, "as") ? SOON_AS : NOTHING;
	return (last == KEEP && (slice_ends(word, "ing") ||
	    slice_is(word, "an"))) ||
	    (last == SOON_AS && !slice_is(word, "possible"));
}

static enum asks
take(struct before *b, struct slice word, bool ascii)
{
	uint64_t is = words_is(&words, word), ten = words_is(&words,
	    slice_part(word, 0, word.n > 3 ? word.n - 3 : 0));
	unsigned long number = is % NUMBER;

	is |= keeps(b, word) ? WAIT : 0;
	if ((ten & NUMBER) != 0 && slice_ends(word, "mal")) {
		b->number = ten % NUMBER;	/* zehnmal */
		return ASKS_OFTEN;
	}
	if (!ascii)
		is |= kind_within(&word, b->digits || b->many > 0 ||
		    b->every > 0);
	if ((is & EVERY) != 0 || ((is & PER) != 0 && b->once))
		b->every = REACH;
	if ((is & TIMES) != 0 && b->many > 0)
		return ASKS_OFTEN;
	/* every 5 s, but not every city's */
	if ((is & REGULARLY) != 0 || ((is & UNIT) != 0 && b->every > 0 &&
	    (word.n > 1 || b->digits)))
		return ASKS_EVERY;
	b->digits = false;
	b->every -= b->every > 0;
	b->many -= b->many > 0;
	if ((is & NUMBER) != 0)		/* twenty-five */
		take_number(b, number + (number < 10 && b->number >= 20 &&
		    b->many == COUNTED - 1 ? b->number : 0));
	b->once = (is & ONCE) != 0;
	return (is & WAIT) != 0 ? ASKS_UNTIL : ASKS_ONCE;
}

static inline bool
is_letter(char c)
{
	return (c & 0x80) != 0 || (unsigned char)((c | 0x20) - 'a') < 26;
}

/* Is a word part of a name: wait-queue, retry_until, monitor.py? */
static bool
in_name(struct slice text, const char *p, const char *q)
{
	const char *end = text.p + text.n;

	return (p - text.p > 1 && strchr("-_./", p[-1]) != NULL &&
	    is_letter(p[-2])) || (end - q > 1 &&
	    strchr("-_./", *q) != NULL && is_letter(q[1]));
}

enum asks
prose_asks(struct slice text, unsigned long *often)
{
	const char *p = text.p, *end = p + text.n, *start;
	enum asks asks = ASKS_ONCE, one;
	struct before b = { .every = 0 };
	char word[WORD_MAX];

	*often = 0;
	if (text.n > TEXT_MAX)
		return ASKS_ONCE;
	for (; (start = p) < end; p += p == start) {
		unsigned long value = 0;
		bool ascii = true;
		size_t n = 0;

		for (; p < end && *p >= '0' && *p <= '9'; p++)
			value = 10 * value + (unsigned long)(*p - '0');
		if (p > start) {
			take_number(&b, value);
			if (b.x && b.many > 0 && (p == end ||
			    !is_letter(*p))) {	/* x15, no name */
				asks = ASKS_OFTEN;
				*often = value;
			}
			b.x = false;
			b.digits = true;
			continue;
		}
		for (; p < end && is_letter(*p); p++) {
			ascii &= (*p & 0x80) == 0;
			if (n < sizeof word)
				word[n++] = *p | ((*p & 0x80) == 0 ? 0x20 : 0);
		}
		/* a longer one is a sentence of words not divided */
		struct slice w = { (size_t)(p - start) > n ? start : word,
			(size_t)(p - start) };
		if (w.n == 0 || (in_name(text, start, p) &&
		    (words_is(&words, w) & NUMBER) == 0))
			continue;
		if (*start == 'x' && p < end && *p >= '0' && *p <= '9') {
			/* but 4x4 is a size */
			b.x = p - start == 1 && !b.digits;
			continue;
		}
		one = take(&b, w, ascii);
		if (one == ASKS_OFTEN)
			*often = b.number;
		if (one > asks)
			asks = one;
	}
	if (asks != ASKS_OFTEN)
		*often = b.most;
	return asks;
}

/* The next word of four letters and digits or more, in lower case, as a number:
 * its first letters.  A member's name is none.  0: there is none. */
static uint64_t
next_stem(const char **start, const char **p, const char *end)
{
	while (*p < end) {
		uint64_t stem = 0;
		int n = 0;

		for (*start = *p; *p < end && (is_letter(**p) ||
		    isdigit((unsigned char)**p)); (*p)++)
			if (n++ < STEM)
				stem = stem << 8 |
				    (unsigned char)tolower((unsigned char)**p);
		if (n >= STEM - 1 && (end - *p < 2 ||
		    memcmp(*p, "\":", 2) != 0))
			return stem;
		*p += n == 0;
	}
	return 0;
}

bool
prose_names(struct slice text, struct slice call, bool in_names)
{
	const char *p = call.p, *end = p + call.n, *start;
	uint64_t named[STEMS], one;
	size_t n = 0;

	if (text.n > NAMES_MAX || call.n > CALL_MAX)
		return false;
	while (n < STEMS && (one = next_stem(&start, &p, end)) != 0)
		named[n++] = one;
	p = text.p;
	end = p + text.n;
	while ((one = next_stem(&start, &p, end)) != 0)
		for (size_t i = 0; i < n; i++)
			if (named[i] == one && (!in_names ||
			    in_name(text, start, p)))
				return true;
	return false;
}
