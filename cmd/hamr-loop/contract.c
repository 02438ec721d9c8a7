/* contract.c - what a finished turn must have done (chapter 7.2). */
#include <string.h>

#include "contract.h"
#include "intent.h"

static bool
is_patch(const char *mode)
{
	return mode != NULL && strcmp(mode, "patch") == 0;
}

/* Did the person say the mode, for this run? */
static bool
mode_is_said(const struct conf *c)
{
	const char *from = conf_origin(c, "agent.mode");

	return is_patch(conf_str(c, "agent.mode")) &&
	    (strcmp(from, "--mode") == 0 || strcmp(from, "-o") == 0 ||
	    strncmp(from, "HAMR_", 5) == 0);
}

const char *
contract_of(const struct conf *c, const char *mode, bool chat,
    const char *task)
{
	const char *want = conf_str(c, "agent.contract");

	if (!is_patch(mode) || strcmp(want, "none") == 0)
		return NULL;
	if (!chat && (strcmp(want, "change") == 0 || mode_is_said(c)))
		return "hard";
	return intent_is_change(task) ? "soft" : NULL;
}

static bool
wants_change(const struct track *k, const struct conf *c)
{
	return k->contract != CONTRACT_NONE && is_patch(k->mode) &&
	    k->nfiles == 0 &&
	    strcmp(conf_str(c, "agent.contract"), "none") != 0;
}

/* A soft contract is said once, and not after a refusal, nor if the person
 * thinks otherwise meanwhile: the answer then stands. */
static bool
is_settled(const struct track *k, const struct conf *c)
{
	return k->nudges > 0 || k->refused ||
	    conf_int(c, "agent.contract_nudges") == 0 ||
	    (k->task != NULL && intent_forbids_change(k->task));
}

enum lack
contract_lacks(const struct track *k, const struct conf *c)
{
	if (wants_change(k, c) &&
	    (k->contract == CONTRACT_HARD || !is_settled(k, c)))
		return LACK_CHANGE;
	if (k->mode != NULL && strcmp(k->mode, "verify") == 0 &&
	    !k->verified && k->verify_command != NULL)
		return LACK_VERIFICATION;
	return LACK_NOTHING;
}

bool
contract_may_ask(const struct track *k, const struct conf *c, enum lack l)
{
	return k->nudges < conf_int(c, "agent.contract_nudges") &&
	    !(l == LACK_CHANGE && k->refused);
}

const char *
contract_remark(const struct track *k, const struct conf *c)
{
	return !wants_change(k, c) || k->contract != CONTRACT_SOFT ? NULL :
	    k->refused ? "no file was changed: the change was refused" :
	    "no file was changed, although the task asks for a change";
}

const char *
contract_reason(enum lack l)
{
	return l == LACK_CHANGE ? "no_change" : "verification";
}
