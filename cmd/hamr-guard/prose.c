/* prose.c - answers that are none: plans, and claims without proof (3.4). */
#include <string.h>

#include "prose.h"
#include "sentence.h"

#define REACH 4			/* words from an intent to its verb */
#define CLAIM_REACH 6

/* ---- a plan ---- */

static const char *const intents[] = { "i'll", "i will", "let me",
	"i need to", "next i", "first i", "let's", "i am going to",
	"i'm going to", "i should", "next i'll", "then i'll", NULL };
static const char *const verbs[] = { "read", "look", "check", "inspect",
	"examine", "analyse", "analyze", "search", "explore", "open", "list",
	"run", "rerun", "re-run", "test", "build", "start", "begin", "create",
	"write", "rewrite", "edit", "implement", "update", "fix", "add",
	"change", "modify", "remove", "refactor", "verify", "review",
	"investigate", "install", "debug", NULL };
static const char *const announcements[] = { "here is my plan",
	"here's my plan", "here is the plan", "here's the plan", "my plan is",
	"the steps are", "now i will", "now i'll", "here's what i'll do",
	"here is what i will do", "the next step is", "next steps", NULL };
static const char *const past[] = { "fixed", "changed", "added", "ran",
	"passed", "found", "updated", "created", "implemented", "removed",
	"wrote", "edited", "renamed", "refactored", "replaced", "verified",
	"confirmed", "modified", "resolved", "is because", "was because",
	"installed", "deleted", "failed", NULL };
/* Offers, and what is asked of the person. */
static const char *const offers[] = { "if you want", "if you'd like",
	"if you would like", "if you wish", "if you prefer", "would you like",
	"do you want", "let me know", "happy to", "glad to", "feel free",
	"just say", "just tell me", "please provide", "please confirm",
	"please share", "please tell", "please specify", "please choose",
	"please select", "please let", "please reply", "please send",
	"please give", "could you", "can you", "once you", "when you",
	"once i have", "as soon as you", NULL };

/* No intent and no announcement is without one of these; sorted by first
 * letters. */
static const struct hint plan_hints[] = { { "first", "i" },
	{ "i", "ll will need am m should" }, { "let", "me s" },
	{ "next", "i step steps" }, { "plan", NULL }, { "steps", "are" },
	{ NULL, NULL } };

struct lists {
	struct set intents, verbs, announcements, past, offers;
};

static bool
has_intent(const struct sentence *s, const struct lists *l)
{
	if ((s->initials & l->intents.initials) == 0)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		size_t n = sentence_is(s, i, &l->intents);

		for (size_t k = i + n; n > 0 && k < i + n + REACH && k < s->n;
		    k++)
			if (sentence_is(s, k, &l->verbs) > 0)
				return true;
	}
	return false;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct slice
trimmed(struct slice s)
{
	while (s.n > 0 && is_blank(s.p[s.n - 1]))
		s.n--;
	while (s.n > 0 && is_blank(*s.p))
		s = (struct slice){ s.p + 1, s.n - 1 };
	return s;
}

/* What stands behind the last empty line; a list belongs to what announces
 * it. */
static struct slice
last_paragraph(struct slice text)
{
	const char *p;

	text = trimmed(text);
	p = text.p + text.n;
	while ((p = memrchr(text.p, '\n', (size_t)(p - text.p))) != NULL) {
		const char *q = p;

		while (q > text.p && (q[-1] == ' ' || q[-1] == '\t' ||
		    q[-1] == '\r'))
			q--;
		if (q > text.p && q[-1] == '\n')
			return trimmed((struct slice){ p,
			    (size_t)(text.p + text.n - p) });
	}
	return text;
}

/* Lines of a list: those that begin with something to do, and the others. */
static void
count_items(struct slice par, const struct lists *l, int *steps,
    int *findings)
{
	while (par.n > 0) {
		const char *nl = memchr(par.p, '\n', par.n);
		size_t n = nl != NULL ? (size_t)(nl - par.p) + 1 : par.n;
		struct slice line = trimmed((struct slice){ par.p, n });
		bool number = false, mark;
		struct sentence s;

		par = (struct slice){ par.p + n, par.n - n };
		while (line.n > 0 && *line.p >= '0' && *line.p <= '9') {
			number = true;
			line = (struct slice){ line.p + 1, line.n - 1 };
		}
		mark = line.n > 1 && strchr(number ? ".)" : "-*+", *line.p) !=
		    NULL && line.p[1] == ' ';
		if (!mark || !sentence_next(&line, &s))
			continue;
		if (sentence_is(&s, 0, &l->verbs) > 0 ||
		    sentence_is(&s, 0, &l->intents) > 0)
			*steps += number;
		else
			++*findings;
	}
}

static bool
ends_open(struct slice par)
{
	while (par.n > 0 && strchr("*_`", par.p[par.n - 1]) != NULL)
		par.n--;
	if (par.n == 0)
		return false;
	return par.p[par.n - 1] == ':' ||
	    (par.n > 2 && (memcmp(par.p + par.n - 3, "...", 3) == 0 ||
	    memcmp(par.p + par.n - 3, "\342\200\246", 3) == 0));
}

/* "Did we ...", also where its mark is missing. */
static bool
is_question(const struct sentence *s)
{
	static const char *const verbs_first[] = { "did", "do", "does",
		"should", "shall", "would", "could", "can", "is", "are",
		NULL };
	static const char *const persons[] = { "i", "we", "you", "it", "this",
		"that", "there", NULL };
	const struct set v = set_of(verbs_first), p = set_of(persons);

	return s->end == '?' ||
	    (sentence_is(s, 0, &v) > 0 && sentence_is(s, 1, &p) > 0);
}

static int
plan_score(struct slice par)
{
	struct lists l = { .intents = set_of(intents),
		.verbs = set_of(verbs),
		.announcements = set_of(announcements) };
	bool intent = false, announced = false, done = false, offer = false;
	bool asks = false;
	int steps = 0, findings = 0, score;
	struct slice rest = par;
	struct sentence s;
	bool code;

	while (sentence_next(&rest, &s)) {
		intent |= has_intent(&s, &l);
		announced |= sentence_has(&s, &l.announcements);
	}
	if (!intent && !announced && !ends_open(par))
		return 0;
	l.past = set_of(past);
	l.offers = set_of(offers);
	for (rest = par; sentence_next(&rest, &s); ) {
		asks = is_question(&s);
		done |= sentence_has(&s, &l.past);
		offer |= sentence_has(&s, &l.offers);
	}
	count_items(par, &l, &steps, &findings);
	code = memmem(par.p, par.n, "```", 3) != NULL;
	score = 2 * intent + announced + ends_open(par) +
	    (steps >= 2 && !done);
	return score - 2 * asks - 2 * done - 2 * (code || findings >= 3) - 3 * offer;
}

int
prose_plan(struct slice text)
{
	struct slice par = last_paragraph(text);

	/* most texts have nothing that speaks for a plan */
	if (!ends_open(par) && !sentence_any(par, plan_hints))
		return 0;
	return plan_score(par);
}

/* ---- a claim ---- */

static const char *const subjects[] = { "test", "tests", "suite", "specs",
	"verification", "checks", NULL };
static const char *const passes[] = { "pass", "passes", "passed", "passing",
	"succeed", "succeeds", "succeeded", "green", NULL };
static const struct hint pass_hints[] = { { "green", NULL },
	{ "pass", NULL }, { "passes", NULL }, { "passed", NULL },
	{ "passing", NULL }, { "succeed", NULL }, { "succeeds", NULL },
	{ "succeeded", NULL }, { NULL, NULL } };
static const char *const between[] = { "all", "the", "its", "every", "of",
	"unit", "integration", "regression", "existing", "new", "these",
	"those", "our", "my", NULL };
static const char *const hedges[] = { "should", "will", "would", "if", "once",
	"when", "until", "whether", "must", "can", "could", "may", "might",
	"expect", "expected", "ensure", "sure", "not", "no", "never", "cannot",
	"don't", "doesn't", "didn't", "isn't", "aren't", "wasn't", "can't",
	"couldn't", "haven't", "hasn't", "fail", "fails", "failed", "failing",
	"before", "need", "needs", "so that", "to pass", "to succeed",
	"let me", "i'll", "i need", "next", "please", "unless", "previously",
	"without", "likely", "probably", "want", "assuming", "like", NULL };

struct claim {
	struct set subjects, passes, between, hedges;
};

/* Is the subject at most a few plain words behind i: "passed all the tests"? */
static bool
leads_to_subject(const struct sentence *s, size_t i, const struct claim *c)
{
	while (++i < s->n) {
		if (sentence_is(s, i, &c->subjects) > 0)
			return true;
		if (sentence_is(s, i, &c->between) == 0)
			return false;
	}
	return false;
}

static bool
claims(const struct sentence *s, const struct claim *c)
{
	if (s->end == '?' || !sentence_has(s, &c->passes) ||
	    sentence_has(s, &c->hedges))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		bool subject = sentence_is(s, i, &c->subjects) > 0;

		if (sentence_starts(s, i, "verified passed") > 0)
			return true;
		if (sentence_is(s, i, &c->passes) > 0 && leads_to_subject(s, i, c))
			return true;
		for (size_t k = i + 1; subject && k < s->n &&
		    k <= i + CLAIM_REACH; k++)
			if (sentence_is(s, k, &c->passes) > 0)
				return true;
	}
	return false;
}

static bool
any_claims(struct slice text)
{
	const struct claim c = { set_of(subjects), set_of(passes),
		set_of(between), set_of(hedges) };
	struct sentence s;

	while (sentence_next(&text, &s))
		if (claims(&s, &c))
			return true;
	return false;
}

bool
prose_claims_pass(struct slice text)
{
	/* most texts have none of the words at all */
	return sentence_any(text, pass_hints) && any_claims(text);
}
