/* intent.c - does a task ask for a change of files? */
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "intent.h"
#include "base/mem.h"

#define TEXT_MAX ((size_t)64 << 10)	/* of a task, looked at at most */
#define CLAUSE_MAX 64		/* words of a clause, likewise */
#define QUOTED '`'		/* replaces quoted text */

enum kind { OTHER, LOOK, CHANGE };

/* What an imperative asks for; the first matching row counts.  In a row, "a|b"
 * matches either word, "*" any words, "@" something to be told (a list, a
 * plan), "!" a make target. */
static const struct {
	const char *words;
	enum kind kind;
} imperatives[] = {
	{ "fix|patch|update|change for|of", OTHER },
	{ "set|copy|cut|list of", OTHER },
	{ "write|make|create|generate|prepare|draft @", LOOK },
	{ "make * pass|green|work|compile|build|faster|run", CHANGE },
	{ "make !", LOOK },
	{ "make *", CHANGE },
	{ "get * pass|passing|green|work|working|compile|compiling|build|"
	    "building|run|running", CHANGE },
	{ "get rid", CHANGE },
	{ "speed * up", CHANGE },
	{ "stop|keep * from", CHANGE },
	{ "let me|you", LOOK },
	{ "let *", CHANGE },
	{ "use|return|do|print|call * instead", CHANGE },
	{ "build a|an|me|us", CHANGE },
	{ "take out|away|care", CHANGE },
	{ "roll back", CHANGE },
	{ "comment on", LOOK },
	{ "update|give|bring me|us", LOOK },
	{ "have|take a look", LOOK },
	{ "abbreviate|accelerate|adapt|add|adjust|align|allow|alter|amend|"
	    "annotate|append|apply|avoid|bring|bump|cache|capitalize|"
	    "catch|change|clean|collapse|combine|comment|complete|"
	    "consolidate|convert|copy|correct|create|cut|decouple|"
	    "deduplicate|define|delete|deprecate|develop|disable|document|"
	    "downgrade|drop|duplicate|edit|eliminate|embed|enable|"
	    "encapsulate|enforce|enhance|ensure|erase|escape|expand|expose|"
	    "extend|extract|factor|finish|fix|format|generalize|generate|"
	    "handle|harden|hardcode|hide|implement|import|improve|"
	    "increase|increment|indent|initialize|inject|inline|insert|"
	    "integrate|introduce|lower|merge|migrate|mock|modernize|modify|"
	    "move|"
	    "normalize|optimize|parallelize|parametrize|patch|pin|place|"
	    "plug|polish|port|prepend|prevent|protect|purge|put|raise|reduce|"
	    "redesign|redo|refactor|refine|reformat|register|remove|rename|"
	    "reorder|reorganize|repair|rephrase|replace|resolve|restore|"
	    "restructure|revert|reword|rework|rewrite|sanitize|scaffold|"
	    "separate|set|setup|shorten|silence|simplify|solve|sort|split|"
	    "standardize|strip|stub|support|suppress|swap|switch|teach|tidy|"
	    "tighten|touch|transform|translate|trim|truncate|tune|turn|tweak|"
	    "uncomment|undo|unify|update|upgrade|vendor|wire|wrap|write|"
	    "capitalise|generalise|initialise|modernise|normalise|optimise|"
	    "parallelise|parametrise|reorganise|sanitise|standardise",
	    CHANGE },
	{ "analyse|analyze|answer|ask|assess|audit|benchmark|brainstorm|"
	    "build|check|clarify|classify|commit|compare|compile|compute|"
	    "consider|count|debug|decide|deploy|describe|determine|diagnose|"
	    "diff|discuss|download|elaborate|estimate|evaluate|examine|"
	    "execute|explain|explore|figure|find|get|give|grep|guess|help|"
	    "highlight|identify|inspect|install|interpret|investigate|judge|"
	    "know|learn|list|locate|look|measure|name|open|outline|plan|"
	    "print|profile|propose|prove|push|rate|read|recommend|report|"
	    "reproduce|research|review|run|say|scan|search|see|show|skim|"
	    "start|study|suggest|summarise|summarize|tell|test|think|trace|"
	    "understand|validate|verify|view|walk|watch", LOOK },
};

/* What may precede an imperative.  POLITE: it may end with a question mark;
 * GERUND: "mind renaming it". */
enum { POLITE = 1, GERUND = 2 };

static const struct {
	const char *words;
	int flags;
} lead_ins[] = {
	{ "would|do you mind", POLITE | GERUND },
	{ "can|could|would|will|can't|won't you|u|someone|somebody", POLITE },
	{ "please|pls|plz|kindly", POLITE },
	{ "i|we want|need you to", 0 },
	{ "i'd|we'd like|love you to", 0 },
	{ "i|we would like you to", 0 },
	{ "i'd|we'd like|love to", 0 },
	{ "i|we would like to", 0 },
	{ "i|we|you want|need|have to", 0 },
	{ "we|you should|must", 0 },
	{ "your|the task|job|goal is to", 0 },
	{ "go ahead and", 0 },
	{ "feel free to", 0 },
	{ "make|be sure to", 0 },
	{ "remember|try|help|go to|and", 0 },
	{ "help me|us to", 0 },
	{ "help me|us", 0 },
	{ "let us", 0 },
	{ "start|begin by|with", GERUND },
	{ "try", GERUND },
	{ "and|again|also|but|finally|first|hello|hey|hi|instead|just|later|"
	    "let's|lets|maybe|next|no|now|ok|okay|only|or|perhaps|quickly|"
	    "secondly|simply|so|thanks|then|today|well|yes", 0 },
};

static const char asking[] = "am|are|aren't|can|could|did|didn't|do|does|"
    "doesn't|had|has|hasn't|have|how|how's|is|isn't|may|might|shall|should|"
    "shouldn't|was|wasn't|were|what|what's|when|where|where's|which|who|"
    "who's|whom|whose|why|will|would";

/* Verbs of a statement: the word before one was a noun. */
static const char finite[] = "are|aren't|breaks|can|can't|cannot|crashed|"
    "crashes|did|didn't|does|doesn't|fail|failed|fails|had|hangs|has|is|"
    "isn't|lacks|leaks|looks|may|must|needs|never|returns|seems|should|"
    "takes|throws|was|wasn't|were|will|won't|would";

static const char not_nouns[] = "a|all|an|any|anything|each|every|everything|"
    "how|if|it|its|my|no|our|some|that|the|them|these|things|this|those|"
    "what|whatever|when|where|whether|which|who|whoever|why|your";

static const char told[] = "analysis|comparison|estimate|explanation|guess|"
    "list|note|opinion|overview|plan|proposal|recommendation|report|"
    "review|suggestion|suggestions|summary|table";

static const char targets[] = "all|asan|bench|build|check|clean|dist|"
    "distclean|install|lint|test|tests";

/* ---- words ---- */

struct word {
	struct slice s;
	char end;		/* the mark that ends a clause here, or 0 */
};

struct words {
	struct buf text;	/* lower case, quoted parts replaced */
	struct word *v;
	size_t n, cap;
};

static bool
is_among(struct slice w, const char *row)
{
	while (*row != '\0') {
		size_t n = strcspn(row, "|");

		if (n == w.n && memcmp(row, w.p, n) == 0)
			return true;
		row += n + (row[n] == '|');
	}
	return false;
}

/* The end of the quotation that begins at p, on the same line, or NULL: it is
 * not one, as an apostrophe. */
static const char *
quote_end(const char *p, bool after_blank)
{
	static const struct { const char *open, *close; } pairs[] = {
		{ "```", "```" }, { "`", "`" }, { "\"", "\"" },
		{ "'", "'" }, { "\u201c", "\u201d" }, { "\u2018", "\u2019" } };

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		size_t n = strlen(pairs[i].open), m = strlen(pairs[i].close);

		if (strncmp(p, pairs[i].open, n) != 0)
			continue;
		if (*p == '\'' && !after_blank)
			return NULL;
		const char *end = memmem(p + n, i == 0 ? strlen(p + n) :
		    strcspn(p + n, "\n"), pairs[i].close, m);
		return end != NULL ? end + m : NULL;
	}
	return NULL;
}

static void
simplify(const char *p, struct buf *out)
{
	bool begins = true, blank = true;

	while (*p != '\0' && !out->over) {
		/* a line of a log or of code */
		if (begins && (*p == '>' || *p == '\t' ||
		    strncmp(p, "    ", 4) == 0)) {
			p += strcspn(p, "\n");
			begins = false;
			continue;
		}
		const char *end = quote_end(p, blank);
		begins = *p == '\n';
		if (end != NULL) {
			buf_addc(out, QUOTED);
			p = end;
			blank = false;
		} else if (strncmp(p, "\u2019", 3) == 0) {
			buf_addc(out, '\'');
			p += 3;
		} else if (strncmp(p, "\u2014", 3) == 0 ||
		    strncmp(p, "\u2013", 3) == 0) {
			buf_adds(out, " ; ");
			p += 3;
		} else {
			blank = isspace((unsigned char)*p) || *p == '(';
			buf_addc(out, (char)tolower((unsigned char)*p++));
		}
	}
}

static void
words_of(struct words *w, const char *task)
{
	struct buf text = BUF_INIT(TEXT_MAX);

	simplify(task, &text);
	*w = (struct words){ .text = text };
	const char *next = w->text.len > 0 ? w->text.p : "";
	while (*next != '\0') {
		const char *p = next;
		char *before = w->n > 0 ? &w->v[w->n - 1].end : NULL;
		char end = 0;

		if (*p == '\n' && before != NULL && *before != '?')
			*before = '\n';
		next++;
		if (is_whitespace(*p))
			continue;
		while (*next != '\0' && !is_whitespace(*next))
			next++;
		/* a mark inside a word, as in a.c or f(x), does not end a
		 * clause */
		size_t n = (size_t)(next - p);
		bool call = memchr(p, '(', n) != NULL && *p != '(';
		for (; n > 0 && strchr("([*#", *p) != NULL; p++, n--)
			if (before != NULL && *before == 0)
				*before = ',';
		for (; n > 0 && (strchr(",;:.!?", p[n - 1]) != NULL ||
		    (strchr(")]", p[n - 1]) != NULL && !call)); n--)
			end = strchr(")]", p[n - 1]) != NULL ? ',' : p[n - 1];
		if (n > 1 || (n == 1 && *p != '-')) {
			GROW(w->v, w->n, w->cap);
			w->v[w->n++] = (struct word){ { p, n }, end };
		} else if (before != NULL && *before == 0) {
			/* a mark or a dash on its own */
			*before = end != 0 ? end : ',';
		}
	}
	if (w->n > 0 && w->v[w->n - 1].end == 0)
		w->v[w->n - 1].end = '.';
}

/* ---- an imperative ---- */

struct clause {
	const struct word *w;
	size_t n;
	bool first, last;	/* of its sentence ... */
	bool question;		/* ... which ends with a question mark */
};

/* Is it a list, a plan, ... within a few words, and not for a file? */
static bool
is_told(const struct word *w, size_t n)
{
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		if (is_among(w[i].s, "to|into|in") && found)
			return memchr(w[n - 1].s.p, '.', w[n - 1].s.n) == NULL;
		found = found || (i < 4 && is_among(w[i].s, told));
		if (!found && is_among(w[i].s, "for|of|to|in|with"))
			return false;
	}
	return found;
}

/* How many words the row matches, 0: it does not match. */
static size_t
fits(const char *row, const struct word *w, size_t n)
{
	size_t at = 0;

	while (*row != '\0') {
		size_t len = strcspn(row, " ");
		char one[2048];

		memcpy(one, row, len);
		one[len] = '\0';
		row += len + (row[len] == ' ');
		if (strcmp(one, "@") == 0)
			return is_told(w + at, n - at) ? at : 0;
		if (strcmp(one, "!") == 0)
			return at < n && is_among(w[at].s, targets) &&
			    (at + 1 == n || is_among(w[at + 1].s,
			    "again|and|for|in|on|then|with")) ? at : 0;
		if (strcmp(one, "*") == 0) {
			if (*row == '\0')
				return at < n ? at : 0;
			while (at < n && !is_among(w[at].s, row))
				at++;
			return at < n ? at + 1 : 0;
		}
		if (at >= n || !is_among(w[at++].s, one))
			return 0;
	}
	return at;
}

static enum kind
imperative(const struct word *w, size_t n)
{
	if (n == 0)
		return OTHER;
	/* "Fix is wrong", "write path is broken": the word is a noun */
	if (n > 1 && w[0].end == 0 && (is_among(w[1].s, finite) || (n > 2 &&
	    is_among(w[2].s, finite) && !is_among(w[1].s, not_nouns))))
		return OTHER;
	for (size_t i = 0; i < sizeof imperatives / sizeof *imperatives; i++)
		if (fits(imperatives[i].words, w, n) > 0)
			return imperatives[i].kind;
	return OTHER;
}

/* "adding": add; "renaming": rename; "setting": set. */
static enum kind
gerund(const struct word *w)
{
	char base[32];
	struct word one = { { base, 0 }, 0 };
	size_t n = w->s.n;

	if (n < 5 || n >= sizeof base || memcmp(w->s.p + n - 3, "ing", 3) != 0)
		return OTHER;
	n -= 3;
	memcpy(base, w->s.p, n);
	one.s.n = n;
	enum kind k = imperative(&one, 1);
	if (k == OTHER) {
		base[n] = 'e';
		one.s.n = n + 1;
		k = imperative(&one, 1);
	}
	if (k == OTHER && base[n - 1] == base[n - 2]) {
		one.s.n = n - 1;
		k = imperative(&one, 1);
	}
	return k;
}

/* A later imperative: "In a.c rename x", "Tests fail so fix them". */
static enum kind
later(const struct word *w, size_t n)
{
	bool place = is_among(w[0].s, "at|for|from|in|inside|under|within");

	for (size_t i = 1; i < n; i++) {
		enum kind k = imperative(w + i, n - i);

		if (k == OTHER)
			continue;
		if (is_among(w[i - 1].s, "please|so|then") || (i > 2 &&
		    is_among(w[i - 3].s, "if") && is_among(w[i - 2].s, "you") &&
		    is_among(w[i - 1].s, "can|could|would")))
			return k;
		if (place && k == CHANGE && i > 1 && i < 6 && i + 1 < n &&
		    !is_among(w[i - 1].s, "a|an|and|current|first|for|last|"
		    "latest|my|new|next|of|old|or|our|previous|recent|same|"
		    "that|the|this|to|with|your"))
			return k;
	}
	return OTHER;
}

/* Is it a question?  "When f is missing, ..." and "..., which is slow, ..." are
 * not. */
static bool
asks(const struct clause *c, struct slice word)
{
	if (!is_among(word, asking))
		return false;
	if (c->question)
		return true;
	if (is_among(word, "do") && c->n > 1)
		return is_among(c->w[1].s, "i|they|we|you|these|those");
	if (is_among(word, "when|where") && c->w[c->n - 1].end == ',')
		return false;
	return c->first;
}

static enum kind
clause(const struct clause *c)
{
	size_t at = 0, k, n = c->n < CLAUSE_MAX ? c->n : CLAUSE_MAX, i = 0;
	int flags = 0;

	while (at < n && i < sizeof lead_ins / sizeof *lead_ins) {
		const char *row = lead_ins[i].words;
		int more = lead_ins[i++].flags;

		k = fits(row, c->w + at, n - at);
		if (k == 0 || ((more & GERUND) != 0 && (at + k == n ||
		    gerund(&c->w[at + k]) == OTHER)))
			continue;
		flags |= more;
		at += k;
		i = 0;		/* another one may follow */
	}
	if (at < n && (flags & GERUND) != 0)
		return gerund(&c->w[at]);
	if (at < n && (flags & POLITE) == 0 && asks(c, c->w[at].s))
		return LOOK;
	if (c->question && c->last && (flags & POLITE) == 0)
		return LOOK;
	if (at == n)
		return OTHER;
	k = (size_t)imperative(c->w + at, n - at);
	return k != OTHER ? (enum kind)k : later(c->w + at, n - at);
}

/* ---- what is forbidden ---- */

/* Expressions over a text in which a blank goes before each word, and a newline
 * after each clause.  Words that tell an exception are in capitals, those that
 * end "leave ... alone" begin with one. */
#define ANY "[^ \n]+"		/* word */
#define THEN "\n? "		/* ... the next word, maybe in a new clause */
#define FURTHER THEN "(and|nor|or)" THEN ANY
#define ALTER "alter|change|create|delete|edit|fix|modify|patch|remove|" \
	"rewrite|touch|update|write"
#define NEVER "((do|must|should|may)" THEN "not|don't|dont|mustn't|never|" \
	"shouldn't)"
#define FILLER "(" THEN "(actually|even|ever|just|please|really|you|yet))*" THEN
#define READ_ONLY " (read-only|readonly|read only)"
#define ABOUT_IT " (a|and|are|As|be|BUT|everything|for|in|is|it|it's|just|" \
	"keep|mode|now|only|pass|please|remain|repo|repository|run|session|" \
	"stay|strictly|task|the|this|treat|we|work|you)"

static const char *const forbidding[] = {
	/* "do not change ...", "without editing ...", if nothing follows or
	 * everything: "any of the files", "it"; but not "the tests", "anything
	 * else" */
	" (" NEVER FILLER "(" ALTER "|do|make)|without" FILLER "(altering|"
	    "changing|creating|deleting|doing|editing|fixing|making|modifying|"
	    "patching|touching|updating|writing))"
	    "((" FURTHER ")?\n|(" FURTHER ")?"
	    "(" THEN "(a|all|any|my|of|our|single|source|that|the|these|this|"
	    "those|your))*" THEN "((anything|change|changes|code|codebase|"
	    "edits|everything|file|files|it|line|modifications|project|repo|"
	    "repository|sources|stuff|them|thing|things|tree)(\n| (and|at|for|"
	    "just|now|only|or|please|until|yet)[ \n])|(yet|please)[ \n]))",
	/* "change nothing", "no changes", "leave the code alone" */
	" (" ALTER ")" THEN "nothing(\n| ([^A-Z]|[A-Z][^A-Z]))",
	"(\n| (and|BUT|make|please|so)\n?) no"
	    "(" THEN "(code|file|further|more))*" THEN
	    "(changes|edits|editing|modifications)"
	    "(\n| (at|for|just|now|please|yet)[ \n])",
	" (keep|leave)( ([^A-Z \n]|[A-Z][A-Z])[^ \n]*)* "
	    "(code|codebase|everything|files|it|repo|repository|sources) "
	    "(Alone|As|Intact|Unchanged|Untouched)[ \n]",
	/* a clause that says just "read only" */
	"\n(" ABOUT_IT ")*" READ_ONLY "(" ABOUT_IT "|" READ_ONLY ")*\n",
};

static bool
forbids(const struct words *w)
{
	struct buf text = BUF_INIT(2 * TEXT_MAX);
	bool yes = false;
	regex_t re;

	buf_addc(&text, '\n');
	for (size_t i = 0; i < w->n; i++) {
		struct slice s = w->v[i].s;
		size_t capitals = is_among(s, "but|else|except") ? s.n :
		    is_among(s, "alone|as|intact|unchanged|untouched");

		buf_addc(&text, ' ');
		for (size_t k = 0; k < s.n; k++)
			buf_addc(&text, k < capitals ?
			    (char)toupper((unsigned char)s.p[k]) : s.p[k]);
		if (w->v[i].end != 0)
			buf_addc(&text, '\n');
	}
	for (size_t i = 0; i < sizeof forbidding / sizeof *forbidding; i++) {
		if (regcomp(&re, forbidding[i], REG_EXTENDED | REG_NOSUB) != 0)
			mem_exhausted();
		yes = yes || regexec(&re, text.p, 0, NULL, 0) == 0;
		regfree(&re);
	}
	buf_release(&text);
	return yes;
}

bool
intent_forbids_change(const char *task)
{
	struct words w;

	words_of(&w, task);
	bool yes = forbids(&w);
	buf_release(&w.text);
	free(w.v);
	return yes;
}

bool
intent_is_change(const char *task)
{
	enum kind k = OTHER;
	size_t from = 0, to = 0;	/* the sentence */
	struct words w;

	words_of(&w, task);
	for (size_t i = 0; i < w.n && k == OTHER; ) {
		struct clause c = { .w = &w.v[i] };

		if (i > to)
			from = to = i;
		while (to + 1 < w.n && (w.v[to].end == 0 ||
		    strchr(".!?\n", w.v[to].end) == NULL))
			to++;
		while (w.v[i + c.n].end == 0)
			c.n++;
		c.n++;
		c.first = i == from;
		c.last = i + c.n > to;
		c.question = w.v[to].end == '?';
		k = clause(&c);
		i += c.n;
	}
	bool yes = k == CHANGE && !forbids(&w);
	buf_release(&w.text);
	free(w.v);
	return yes;
}
