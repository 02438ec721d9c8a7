/* verify.c - the project's own check of the work (chapter 7.2). */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "texts.h"
#include "verify.h"
#include "turn_in.h"

/* How the newest verification ended, yours, and what it said. */
static char *
outcome(const struct track *k, char **output)
{
	struct slice v = slice_of(k->verification);
	int64_t code;

	*output = scan_strdup(scan_get(v, "output"));
	if (*output == NULL)
		*output = xstrdup("");
	return scan_int(scan_get(v, "exit"), &code) ?
	    xasprintf("exit %lld", (long long)code) :
	    xstrdup("no exit status");
}

static char *
what_is_missing(const struct track *k, enum lack lack)
{
	char *how, *output, *text;

	if (lack == LACK_CHANGE)
		return xstrdup(k->contract == CONTRACT_HARD ?
		    TEXT_MUST_CHANGE : TEXT_NO_CHANGE);
	how = outcome(k, &output);
	text = xasprintf(TEXT_NOT_VERIFIED, how, k->verify_command, output);
	free(how);
	free(output);
	return text;
}

bool
verify_contract(struct turn *t, enum lack lack)
{
	struct track *k = t->hub->track;
	char *text;
	bool told;

	if (lack == LACK_VERIFICATION) {
		turn_ends(t, END_TOOL_ERROR, "stage tool did not verify");
		if (!verify_now(t->hub, t->profile))
			return false;
		if (k->verified) {
			turn_ends(t, END_COMPLETED, "stop");
			return false;
		}
	}
	turn_ends(t, END_CONTRACT, contract_reason(lack));
	if (!contract_may_ask(k, t->conf, lack))
		return false;
	text = what_is_missing(k, lack);
	told = turn_say(t, text, "contract") == 0 &&
	    hub_sync(t->hub, SLOT_GUARD) == 0;
	free(text);
	return told;
}

bool
verify_due(const struct turn *t)
{
	const struct track *k = t->hub->track;

	if (k->verify_command == NULL || k->mode == NULL ||
	    strcmp(k->mode, "patch") != 0)
		return false;
	return !k->verified && k->nfiles > 0;
}

/* Fix it: a turn of the loop with its own count of steps and calls. */
static bool
repair(struct turn *t)
{
	struct track *k = t->hub->track;
	struct json *o = json_object(), *meta = json_object();
	char *output, *how = outcome(k, &output);
	char *text = xasprintf(TEXT_REPAIR, how, output);

	json_str(o, "role", "user");
	json_str(o, "content", text);
	json_str(meta, "by", "verify");
	json_add(o, "meta", meta);
	free(text);
	free(how);
	free(output);
	return hub_commit(t->hub, o) == 0 && hub_sync(t->hub, SLOT_GUARD) == 0;
}

/* hamr-tool runs it, in its sandbox; once more if it died over it. */
bool
verify_now(struct hub *h, const char *profile)
{
	struct track *k = h->track;
	char *doing = xasprintf("verifying: %s", k->verify_command);

	ui_status_doing(h->ui, doing);
	free(doing);
	free(k->verification);
	k->verification = NULL;
	for (int tries = 0; tries < 2 && k->verification == NULL; tries++) {
		struct json *o = json_object();

		json_str(o, "type", "verify");
		json_str(o, "command", k->verify_command);
		json_str(o, "profile", profile);
		hub_hint(h, SLOT_TOOL, o);
		if (hub_go(h, SLOT_TOOL, 0) < 0)
			return false;
	}
	ui_status_doing(h->ui, "");
	return k->verification != NULL && hub_sync(h, SLOT_GUARD) == 0;
}

bool
verify(struct turn *t)
{
	struct track *k = t->hub->track;

	turn_ends(t, END_TOOL_ERROR, "stage tool did not verify");
	if (!k->failed_verification && !verify_now(t->hub, t->profile))
		return false;
	if (k->verified) {
		turn_ends(t, END_COMPLETED, "stop");
		return false;
	}
	turn_ends(t, END_CONTRACT, "verification");
	return k->repairs < t->repair_attempts && repair(t);
}
