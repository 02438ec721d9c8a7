/* contract.c - what a finished turn must have done (chapter 7.2). */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "contract.h"
#include "mem.h"
#include "texts.h"

/* Verbs that ask for a change of files, in their base form: "the fixes" and
 * "is this implemented" are talk about one. */
static const char *const verbs[] = { "add", "append", "bump", "change",
	"convert", "correct", "create", "delete", "drop", "edit", "extend",
	"extract", "fix", "implement", "improve", "insert", "introduce",
	"migrate", "modify", "move", "optimise", "optimize", "patch", "port",
	"refactor", "remove", "rename", "repair", "replace", "resolve",
	"revert", "rewrite", "simplify", "translate", "update", "upgrade",
	"write" };

static const char *const questions[] = { "what", "why", "how", "where",
	"when", "which", "who", "whose", "whom", "is", "are", "does", "did",
	"was", "were", "has", "have" };

static bool
is_one_of(const char *const *words, size_t nwords, const char *p, size_t n)
{
	for (size_t i = 0; i < nwords; i++)
		if (strlen(words[i]) == n && strncasecmp(words[i], p, n) == 0)
			return true;
	return false;
}

/* The next word of letters; its length, 0 at the end. */
static size_t
next_word(const char **p)
{
	size_t n = 0;

	while (**p != '\0' && !isalpha((unsigned char)**p))
		(*p)++;
	while (isalpha((unsigned char)(*p)[n]) || (*p)[n] == '_')
		n++;
	return n;
}

bool
contract_wants_change(const char *task)
{
	size_t n = strlen(task);
	const char *p = task;

	while (n > 0 && isspace((unsigned char)task[n - 1]))
		n--;
	if (n > 0 && task[n - 1] == '?')
		return false;
	for (bool first = true; (n = next_word(&p)) > 0; first = false) {
		if (first && is_one_of(questions, sizeof questions /
		    sizeof *questions, p, n))
			return false;
		if (is_one_of(verbs, sizeof verbs / sizeof *verbs, p, n))
			return true;
		p += n;
	}
	return false;
}

enum lack
contract_lacks(const struct track *k, const struct conf *c)
{
	const char *mode = k->mode != NULL ? k->mode : "";

	if (strcmp(mode, "patch") == 0 && k->nfiles == 0 && k->task != NULL &&
	    contract_wants_change(k->task))
		return LACK_CHANGE;
	if (strcmp(mode, "verify") == 0 && !k->verified &&
	    conf_str(c, "verification.defaultCommand")[0] != '\0')
		return LACK_VERIFICATION;
	return LACK_NOTHING;
}

const char *
contract_reason(enum lack l)
{
	return l == LACK_CHANGE ? "no_change" : "verification";
}

char *
contract_text(enum lack l, const struct conf *c)
{
	if (l == LACK_CHANGE)
		return xstrdup(TEXT_NO_CHANGE);
	return xasprintf(TEXT_NOT_VERIFIED,
	    conf_str(c, "verification.defaultCommand"));
}
