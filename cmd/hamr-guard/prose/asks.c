/* asks.c - does a person ask for something to be repeated?
 *
 * The format is prose in any of a dozen languages, of which we know the words
 * for times, intervals and waiting; no library on our list reads it.
 */
#include <ctype.h>
#include <string.h>

#include "asks.h"

#define TEXT_MAX 1000		/* bytes; a longer text is a task with its
				 * papers, which may speak of anything */
#define MANY 6			/* so often is what we need to know of */
#define REACH 4			/* words from "every" to its unit */
#define COUNTED 2		/* 25 single requests */
#define WORD_MAX 32

/* Rows end at NULL; a word of more than ASCII is compared as it is, as capitals
 * are rare in it. */
static const char *const numbers[] = { "six", "seven", "eight", "nine", "ten",
	"twelve", "fifteen", "twenty", "thirty", "forty", "fifty", "hundred",
	"dozen", "sechs", "sieben", "acht", "neun", "zehn", "zwölf",
	"fünfzehn", "zwanzig", "dreißig", "fünfzig", "hundert", "dix", "douze",
	"quinze", "vingt", "trente", "cinquante", "cent", "diez", "doce",
	"quince", "veinte", "treinta", "cincuenta", "cien", "dez", "doze",
	"vinte", "trinta", "dieci", "venti", "trenta", NULL };
static const char *const times[] = { "times", "x", "mal", "fois", "veces",
	"vezes", "volte", "keer", "razy", "kez", "раз", "runs", "rounds",
	"iterations", "attempts", "tries", "requests",
	"calls", NULL };
static const char *const everys[] = { "every", "each", "alle", "jede",
	"jeden", "toutes", "chaque", "cada", "ogni", "elke", "каждые",
	"каждую", NULL };
static const char *const pers[] = { "per", "a", "par", "pro", "por", NULL };
static const char *const onces[] = { "once", "fois", "einmal", "mal", "vez",
	"volta", NULL };
static const char *const often[] = { "repeatedly", "regularly",
	"periodically", "wiederholt", "regelmäßig", "régulièrement",
	"regularmente", "regolarmente", NULL };
static const char *const waits[] = { "until", "till", "bis", "hasta", "até",
	"finché", "пока", "watch", "wait", "monitor", "keep", "warte",
	"beobachte", "überwache", "surveille", "attends", "espera", "vigila",
	NULL };
static const char *const units[] = { "s", "sec", "second", "seconds", "min",
	"minute", "minutes", "hour", "hours", "sekunde", "sekunden", "minuten",
	"stunde", "stunden", "seconde", "secondes", "heure", "heures",
	"segundo", "segundos", "minuto", "minutos", "hora", "horas",
	"secondi", "minuti", "секунд", "секунду", "минут", "минуту", NULL };
/* Words begin with these. */
static const char *const counted[] = { "次", "回", "遍", "번", NULL };
static const char *const spans[] = { "秒", "分", "小时", "小時", NULL };
/* Words have these in them. */
static const char *const waiting[] = { "直到", "为止", "為止", "まで", "jusqu",
	NULL };

static bool
begins(struct slice word, const char *const *row)
{
	while (*row != NULL && !slice_starts(word, *row))
		row++;
	return *row != NULL;
}

static bool
has(struct slice word, const char *const *row)
{
	while (*row != NULL && !slice_has(word, *row))
		row++;
	return *row != NULL;
}

/* zehnmal */
static bool
is_number_of_times(struct slice word)
{
	return slice_ends(word, "mal") &&
	    slice_in(slice_part(word, 0, word.n - 3), numbers);
}

/* What the words so far tell of the next one. */
struct before {
	unsigned many;		/* words left in which what is counted may
				 * follow a number that is not small */
	bool once;
	unsigned every;		/* words left in which a unit may follow */
};

/* Does one more word, or number, ask for something again? */
static bool
takes(struct before *b, struct slice word)
{
	size_t at = slice_find(word, 0, "每");

	if (at < word.n) {	/* where words are not divided */
		b->every = REACH;
		word = slice_from(word, at + strlen("每"));
	}
	if (b->many > 0 && (slice_in(word, times) || begins(word, counted)))
		return true;
	if (b->every > 0 && (slice_in(word, units) || begins(word, spans)))
		return true;
	if (is_number_of_times(word) || slice_in(word, often))
		return true;
	if (slice_in(word, everys) || (b->once && slice_in(word, pers)))
		b->every = REACH;
	else if (b->every > 0 && at >= word.n)
		b->every--;
	if (slice_in(word, numbers))
		b->many = COUNTED;
	else if (b->many > 0)
		b->many--;
	b->once = slice_in(word, onces);
	return false;
}

enum asks
prose_asks(struct slice text)
{
	const char *p = text.p, *end = p + text.n;
	enum asks asks = ASKS_ONCE;
	struct before b = { .every = 0 };
	char word[WORD_MAX];

	if (text.n > TEXT_MAX)
		return ASKS_ONCE;
	while (p < end) {
		unsigned long value = 0;
		size_t n = 0;

		for (; p < end && isdigit((unsigned char)*p); p++, n++)
			value = 10 * value + (unsigned long)(*p - '0');
		if (n > 0) {
			b.many = value >= MANY ? COUNTED : 0;
			continue;
		}
		for (; p < end && (isalpha((unsigned char)*p) ||
		    (*p & 0x80) != 0); p++)
			if (n < sizeof word)
				word[n++] = (char)tolower((unsigned char)*p);
		struct slice w = { word, n };
		if (n > 0 && takes(&b, w))
			return ASKS_AGAIN;
		if (n > 0 && (slice_in(w, waits) || has(w, waiting)))
			asks = ASKS_UNTIL;
		p += n == 0;
	}
	return asks;
}
