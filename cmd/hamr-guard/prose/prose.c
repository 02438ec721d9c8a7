/* prose.c - answers that are not really answers (chapter 3.4).
 *
 * The format is English with Markdown marks, read word by word; no library
 * on our list reads it.
 */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "json/bits.h"
#include "json/scan.h"
#include "prose.h"

#define REACH 4			/* words from an intent to its verb */
#define CLAIM_REACH 6
#define STATUS_MAX 200		/* a longer line says more than a status */

/* ---- words and sentences ---- */

#define WORD_MAX 24		/* longer words match nothing */
#define LINE_WORDS 96		/* of one sentence; the rest is ignored */

struct sentence {
	char w[LINE_WORDS][WORD_MAX];
	size_t n;
	char end;		/* the mark at its end: . ! ? : or 0 */
};

static const char letters[256] = { ['0' ... '9'] = 1, ['A' ... 'Z'] = 1,
	['a' ... 'z'] = 1 };

static inline bool
is_letter(char c)
{
	return letters[(unsigned char)c] != 0;
}

/* A letter in lower case, or a digit. */
static inline char
lower(char c)
{
	return (char)(c | 0x20);
}

/* Phrases in lower case, grouped by their first letter. */
struct phrases {
	const char *const *row;	/* ends with NULL */
	unsigned char at[32];	/* a letter's first phrase */
	uint32_t next[32];	/* what may follow it there, see next_bit */
	bool indexed;		/* at and next are set */
};

#define PHRASES(...) { .row = (const char *const[]){ __VA_ARGS__, NULL } }

/* A bit for the second byte of a word: bit 0 if the word has one letter. */
static inline uint32_t
next_bit(char c)
{
	return UINT32_C(1) << (is_letter(c) ? c & 31 : 0);
}

/* The first of the phrases that may begin like the word at p, or NULL, as for
 * most words of a text. */
static inline const char *const *
phrases_with(struct phrases *of, const char *p)
{
	for (unsigned char i = 0; !of->indexed && of->row[i] != NULL; i++) {
		const char *phrase = of->row[i];
		uint32_t *next = &of->next[*phrase & 31];

		if (*next == 0)
			of->at[*phrase & 31] = i;
		*next |= next_bit(phrase[1]);
	}
	of->indexed = true;
	return (of->next[*p & 31] & next_bit(p[1])) == 0 ? NULL :
	    of->row + of->at[*p & 31];
}

/* Is the phrase at p?  Its last word may go on there; what is between two words
 * does not matter. */
static bool
is_stem(const char *p, const char *end, const char *phrase)
{
	for (; *phrase != '\0'; phrase++) {
		if (p == end || is_letter(*p) != is_letter(*phrase))
			return false;
		if (!is_letter(*phrase))
			while (p < end && !is_letter(*p))
				p++;
		else if (lower(*p++) != *phrase)
			return false;
	}
	return true;
}

/* Does the text have one of these, in upper or lower case?  Much cheaper than
 * splitting it into sentences. */
static bool
has_stem(struct slice text, struct phrases *stems)
{
	const char *end = text.p + text.n;
	uint64_t inside = 0;	/* a word continues from the block before */

	for (const char *block = text.p; block < end; block += 64) {
		uint64_t words = bits_before(block, end) &
		    (bytes_within(block, '0', 9) |
		    bytes_within(block, 'A', 25) |
		    bytes_within(block, 'a', 25));
		uint64_t starts = words & ~(words << 1 | inside);

		inside = words >> 63;
		for (; starts != 0; starts &= starts - 1) {
			const char *p = block + __builtin_ctzll(starts);
			const char *const *row = phrases_with(stems, p);

			for (; row != NULL && *row != NULL &&
			    **row == lower(*p); row++)
				if (is_stem(p, end, *row))
					return true;
		}
	}
	return false;
}

/* Copy the word at p to w, in lower case and with a straight apostrophe; w is
 * empty if it is too long.  Returns the end of the word. */
static const char *
next_word(const char *p, const char *end, char w[WORD_MAX])
{
	size_t n = 0;
	char join;

	for (;;) {
		for (; p < end && is_letter(*p); p++, n++)
			if (n < WORD_MAX - 1)
				w[n] = lower(*p);
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

/* Cut the next sentence off text: up to a . ! ? with a word before it and a
 * blank after it, or to the end of the line; false if there is none. */
static bool
sentence_next(struct slice *text, struct sentence *s)
{
	const char *p = text->p, *end = p + text->n;
	bool whole = false;

	s->n = 0;
	s->end = '\0';
	while (p < end && !whole) {
		char c = *p;

		if (is_letter(c)) {
			char over[WORD_MAX];
			char *w = s->n < LINE_WORDS ? s->w[s->n] : over;

			p = next_word(p, end, w);
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

/* If the words from i on begin with one of the phrases, how many words it has;
 * else 0. */
static size_t
sentence_is(const struct sentence *s, size_t i, struct phrases *of)
{
	if (i >= s->n || *s->w[i] == '\0')
		return 0;
	const char *first = s->w[i];
	const char *const *row = phrases_with(of, first);

	for (; row != NULL && *row != NULL && **row == *first; row++) {
		const char *phrase = *row;

		for (size_t k = i; k < s->n; k++) {
			const char *w = s->w[k];

			while (*w != '\0' && *w == *phrase) {
				w++;
				phrase++;
			}
			if (*w != '\0' || w == s->w[k])
				break;
			if (*phrase == '\0')
				return k + 1 - i;
			if (*phrase++ != ' ')
				break;
		}
	}
	return 0;
}

static bool
sentence_has(const struct sentence *s, struct phrases *of)
{
	for (size_t i = 0; i < s->n; i++)
		if (sentence_is(s, i, of) > 0)
			return true;
	return false;
}

/* ---- a plan ---- */

static struct phrases intents = PHRASES("i'll", "i will", "i need to",
    "i am going to", "i'm going to", "i am now going to", "i'm now going to",
    "i should", "let me", "let's", "next i", "next i'll", "first i",
    "then i'll");
static struct phrases verbs = PHRASES("add", "adjust", "analyse", "analyze",
    "apply", "begin", "browse", "build", "change", "check", "clean", "commit",
    "compare", "compile", "configure", "continue", "convert", "create", "debug",
    "define", "delete", "dig", "do", "edit", "examine", "execute", "explore",
    "extend", "fetch", "figure", "find", "fix", "generate", "get", "grep",
    "handle", "identify", "implement", "import", "inspect", "install",
    "investigate", "list", "locate", "look", "make", "merge", "migrate",
    "modify", "move", "open", "patch", "proceed", "query", "read", "refactor",
    "remove", "rename", "replace", "rerun", "re-run", "resolve", "restart",
    "review", "rewrite", "run", "scan", "search", "see", "start", "take",
    "test", "trace", "try", "understand", "update", "use", "verify", "view",
    "write");
static struct phrases announcements = PHRASES("here is my plan",
    "here's my plan", "here is the plan", "here's the plan",
    "here's what i'll do", "here is what i will do", "my plan is",
    "the steps are", "the next step is", "now i will", "now i'll",
    "next steps");
static struct phrases past = PHRASES("fixed", "found", "failed", "changed",
    "created", "confirmed", "added", "ran", "removed", "renamed", "refactored",
    "replaced", "resolved", "passed", "updated", "implemented", "is because",
    "installed", "wrote", "was because", "edited", "verified", "modified",
    "deleted");
/* Offers, and requests to the person. */
static struct phrases offers = PHRASES("if you want", "if you'd like",
    "if you would like", "if you wish", "if you prefer", "would you like",
    "when you", "do you want", "let me know", "happy to", "glad to",
    "feel free", "just say", "just tell me", "please provide", "please confirm",
    "please share", "please tell", "please specify", "please choose",
    "please select", "please let", "please reply", "please send", "please give",
    "could you", "can you", "once you", "once i have", "as soon as you");

static struct phrases nots = PHRASES("not", "never");
static struct phrases reports = PHRASES("first i read", "next i read");

static bool
has_intent(const struct sentence *s)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t n = sentence_is(s, i, &intents);

		if (n == 0 || sentence_is(s, i, &reports) > 0)
			continue;
		for (size_t k = i + n; k < i + n + REACH && k < s->n &&
		    sentence_is(s, k, &nots) == 0; k++)
			if (sentence_is(s, k, &verbs) > 0)
				return true;
	}
	return false;
}

/* The text after the last empty line. */
static struct slice
last_paragraph(struct slice text)
{
	text = slice_trim(text);
	const char *p = text.p + text.n;
	while ((p = memrchr(text.p, '\n', (size_t)(p - text.p))) != NULL) {
		const char *q = p;

		while (q > text.p && is_whitespace(q[-1]) && q[-1] != '\n')
			q--;
		if (q > text.p && q[-1] == '\n')
			return slice_trim((struct slice){ p,
			    (size_t)(text.p + text.n - p) });
	}
	return text;
}

static struct phrases verbs_first = PHRASES("did", "do", "does",
    "should", "shall", "would", "could", "can", "is", "are");
static struct phrases persons = PHRASES("i", "it", "we", "you",
    "this", "that", "there");

/* Is text nothing but a call, or does it end with a call in a code fence?
 * Models write this if they have no other way to call, or forgot it. */
static bool
ends_in_call(struct slice text)
{
	struct slice s = slice_trim(text);
	const char *open = NULL, *line;

	if (slice_ends(s, "```")) {
		s.n -= 3;
		for (const char *p = s.p; (p = memmem(p, (size_t)(s.p + s.n -
		    p), "```", 3)) != NULL; p += 3)
			open = p + 3;
		if (open == NULL || (line = memchr(open, '\n',
		    (size_t)(s.p + s.n - open))) == NULL)
			return false;
		s = slice_trim((struct slice){ line,
		    (size_t)(s.p + s.n - line) });
	}
	if (s.n == 0 || *s.p != '{')
		return false;
	struct scan scan = { .n = 0 };
	bool call = scan_value(&scan, s.p, s.n) == 0 &&
	    scan_kind(scan_get(s, "name")) == SCAN_STRING &&
	    scan_kind(scan_get(s, "arguments")) == SCAN_OBJECT;
	scan_release(&scan);
	return call;
}

/* Every intent or announcement has one of these. */
static struct phrases plan_stems = PHRASES("i'll", "i will", "i need to",
    "i am going", "i am now", "i'm going", "i'm now", "i should", "let me",
    "let's", "next i", "first i", "my plan", "the plan", "the steps",
    "next step");

int
prose_plan(struct slice text)
{
	const struct slice par = last_paragraph(text);
	const struct slice tail = slice_trim_end(par, "*_`");
	const bool open = slice_ends(tail, ":") || slice_ends(tail, "...") ||
	    slice_ends(tail, "\342\200\246");
	bool intends = false, announced = false, done = false, offer = false;
	bool asks = false;
	int steps = 0, findings = 0;
	struct slice rest = par, line;
	struct sentence s;

	if (ends_in_call(text))
		return 2;
	if (!open && !has_stem(par, &plan_stems))
		return 0;
	while (sentence_next(&rest, &s)) {
		intends = intends || has_intent(&s);
		announced = announced || sentence_has(&s, &announcements);
	}
	if (!intends && !announced && !open)
		return 0;
	for (rest = par; sentence_next(&rest, &s); ) {
		/* "Did we ...", even without a question mark */
		asks = s.end == '?' || (sentence_is(&s, 0, &verbs_first) > 0 &&
		    sentence_is(&s, 1, &persons) > 0);
		done |= sentence_has(&s, &past);
		offer |= sentence_has(&s, &offers);
	}
	/* lines of a list: those that begin with something to do, and others */
	for (rest = par; slice_line(&rest, &line); ) {
		line = slice_trim(line);
		size_t digits = line.n;
		line = slice_trim_start(line, "0123456789");
		bool number = line.n < digits;
		bool mark = line.n > 1 && strchr(number ? ".)" : "-*+", *line.p)
		    != NULL && line.p[1] == ' ';
		if (!mark || !sentence_next(&line, &s))
			continue;
		if (sentence_is(&s, 0, &verbs) > 0 ||
		    sentence_is(&s, 0, &intents) > 0)
			steps += number;
		else
			findings++;
	}
	bool code = memmem(par.p, par.n, "```", 3) != NULL;
	return 2 * intends + announced + open + (steps >= 2 && !done) -
	    2 * asks - 2 * done - 2 * (code || findings >= 3) - 3 * offer;
}

/* ---- a claim ---- */

static struct phrases subjects = PHRASES("test", "tests", "suite", "specs",
    "verification", "check", "checks");
static struct phrases passes = PHRASES("pass", "passes", "passed", "passing",
    "succeed", "succeeds", "succeeded", "green");
static struct phrases between = PHRASES("all", "the", "these", "those", "its",
    "integration", "every", "existing", "of", "our", "unit", "regression",
    "new", "my");
static struct phrases hedges = PHRASES("should", "sure", "so that", "will",
    "would", "when", "whether", "wasn't", "without", "want", "if", "isn't",
    "i'll", "i need", "once", "until", "unless", "must", "may", "might", "can",
    "could", "cannot", "can't", "couldn't", "ci", "expect", "expected",
    "ensure", "earlier", "not", "no", "never", "need", "needs", "next", "don't",
    "doesn't", "didn't", "aren't", "assuming", "haven't", "hasn't", "fail",
    "fails", "failed", "failing", "before", "to pass", "to succeed", "to make",
    "let me",
    "likely", "like", "please", "previously", "probably");

/* After a verb: something else is passed, not the test. */
static struct phrases objects = PHRASES("a", "an", "it", "its", "null", "them");

static struct phrases orders = PHRASES("run", "rerun", "re-run", "execute",
    "use");
static struct phrases aims = PHRASES("to see", "to verify", "to confirm",
    "to check", "to validate");
static struct phrases aimed = PHRASES("that", "they", "it", "everything");

/* Is it what the person is to do: run it to see that they pass?  Not "run to
 * verify the fix: all tests pass". */
static bool
is_order(const struct sentence *s)
{
	if (!sentence_has(s, &orders))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		size_t n = sentence_is(s, i, &aims), at = i + n;

		while (n > 0 && (sentence_is(s, at, &between) > 0 ||
		    sentence_is(s, at, &aimed) > 0))
			at++;
		if (n > 0 && (i == 0 || sentence_is(s, 0, &orders) > 0) &&
		    (sentence_is(s, at, &subjects) > 0 ||
		    sentence_is(s, at, &passes) > 0))
			return true;
	}
	return false;
}

static bool
claims(const struct sentence *s)
{
	if (s->end == '?' || !sentence_has(s, &passes) || is_order(s))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (sentence_is(s, i, &hedges) > 0 &&
		    (i == 0 || strcmp(s->w[i - 1], "0") != 0))
			return false;
	for (size_t i = 0; i < s->n; i++) {
		bool subject = sentence_is(s, i, &subjects) > 0;
		const char *before = i > 0 ? s->w[i - 1] : "";
		bool all = i < 2 || strcmp(s->w[i - 2], "of") != 0;
		size_t behind = i + 1;

		/* without a subject before the verb: "passed all the tests",
		 * with a few plain words between; "verified: passed", "12
		 * passed" */
		if (sentence_is(s, i, &passes) > 0) {
			while (sentence_is(s, behind, &between) > 0)
				behind++;
			if (sentence_is(s, behind, &subjects) > 0 ||
			    (strcmp(s->w[i], "passed") == 0 &&
			    (strcmp(before, "verified") == 0 || (all &&
			    *before > '0' && *before <= '9' &&
			    before[strspn(before, "0123456789")] == '\0'))))
				return true;
		}
		for (size_t k = i + 1; subject && k < s->n &&
		    k <= i + CLAIM_REACH; k++)
			if (sentence_is(s, k, &passes) > 0 &&
			    sentence_is(s, k + 1, &objects) == 0)
				return true;
	}
	return false;
}

bool
prose_claims_pass(struct slice text)
{
	struct sentence s;

	if (!has_stem(text, &passes))	/* as most texts */
		return false;
	while (sentence_next(&text, &s))
		if (claims(&s))
			return true;
	return false;
}

/* ---- a status ---- */

static const char *const status_words[] = { "completed", "done", "ok",
	"finished", "success", "all done", "task complete", "task completed",
	NULL };
static const char *const status_values[] = { "done", "ok", "success",
	"complete", "completed", "failed", "running", "pending", "skipped",
	NULL };

/* A mark without meaning at the end of a line: not a letter of any script.
 * Beyond ASCII these are Latin-1 signs, general punctuation, arrows, symbols,
 * dingbats, variation selectors, tags and the pictographs. */
static bool
is_mark(const char *p, size_t n)
{
	static const struct {
		const char first[5], last[5];	/* of n bytes each */
	} ranges[] = { { "\302\200", "\302\277" }, { "\u2000", "\u2bff" },
		{ "\u3002", "\u3002" }, { "\ufe00", "\ufe0f" },
		{ "\uff01", "\uff01" }, { "\uff0e", "\uff0e" },
		{ "\U0001f000", "\U0001faff" },
		{ "\U000e0020", "\U000e007f" } };

	if (n == 1)
		return !isalnum((unsigned char)*p);
	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
		if (strlen(ranges[i].first) == n &&
		    memcmp(p, ranges[i].first, n) >= 0 &&
		    memcmp(p, ranges[i].last, n) <= 0)
			return true;
	return false;
}

/* s without marks at its ends; at the front only emoji and Markdown are cut, so
 * that "(done" stays as it is. */
static struct slice
trim_marks(struct slice s)
{
	while (s.n > 0) {
		size_t k = utf8_len((const unsigned char *)s.p, s.n);

		if (k == 0 || (k == 1 && strchr(" \t\r*_`#>-", *s.p) == NULL) ||
		    !is_mark(s.p, k))
			break;
		s = (struct slice){ s.p + k, s.n - k };
	}
	while (s.n > 0) {
		size_t k = 1;

		while (k < s.n && k < 4 && (s.p[s.n - k] & 0xc0) == 0x80)
			k++;
		if (!is_mark(s.p + s.n - k, k))
			break;
		s.n -= k;
	}
	return s;
}

bool
prose_is_status(struct slice text)
{
	struct slice line;
	size_t lines = 0;

	while (slice_line(&text, &line)) {
		char low[STATUS_MAX];	/* without marks, with single blanks */
		size_t n = 0;
		struct slice s = trim_marks(line);

		if (s.n == 0)
			continue;
		/* most texts begin otherwise */
		if (++lines > 2 || line.n > STATUS_MAX ||
		    memchr("acdfostw", *s.p | 0x20, 8) == NULL)
			return false;
		for (size_t i = 0; i < s.n; i++) {
			char c = s.p[i];

			if (c == '*' || c == '_' || c == '`')
				continue;
			if (c == '\t' || c == '\r')
				c = ' ';
			if (c == ' ' && n > 0 && low[n - 1] == ' ')
				continue;
			low[n++] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
		}
		s = trim_marks((struct slice){ low, n });
		if (slice_in(s, status_words) ||
		    slice_starts(s, "working tree:"))
			continue;
		if (!slice_starts(s, "status:") && !slice_starts(s, "status :"))
			return false;
		s = slice_from(s, slice_find(s, 0, ":") + 1);
		if (!slice_in(trim_marks(s), status_values))
			return false;
	}
	return lines > 0;
}
