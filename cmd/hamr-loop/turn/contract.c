/* contract.c - what a finished turn must have done, and its verification. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "contract.h"
#include "intent.h"
#include "texts.h"
#include "internal.h"

static bool
is_patch(const char *mode)
{
	return mode != NULL && strcmp(mode, "patch") == 0;
}

const char *
contract_of(const struct hub *h, const char *task)
{
	const struct conf *c = h->ui->conf;
	const char *want = conf_str(c, "agent.contract");
	const char *from = conf_origin(c, "agent.mode");
	/* did the person choose the mode for this run? */
	bool said = is_patch(conf_str(c, "agent.mode")) &&
	    (strcmp(from, "--mode") == 0 || strcmp(from, "-o") == 0 ||
	    strncmp(from, "HAMR_", 5) == 0);

	if (!is_patch(h->track->mode) || strcmp(want, "none") == 0)
		return NULL;
	if (!h->chat && (strcmp(want, "change") == 0 || said))
		return "hard";
	return intent_is_change(task) ? "soft" : NULL;
}

static bool
wants_change(const struct track *k, const struct conf *c)
{
	return k->contract != CONTRACT_NONE && is_patch(k->mode) &&
	    k->files.n == 0 && !k->files_unknown &&
	    strcmp(conf_str(c, "agent.contract"), "none") != 0;
}

const char *
contract_remark(const struct track *k, const struct conf *c)
{
	if (k->files_unknown)
		return "what the commands changed is not known, as no snapshot "
		    "could be made";
	return !wants_change(k, c) ? NULL :
	    k->refused ? "no file was changed: the change was refused" :
	    k->contract != CONTRACT_SOFT ? NULL :
	    "no file was changed, although the task asks for a change";
}

/* hamr-tool runs it in its sandbox. */
bool
verify_now(struct hub *h, const char *profile, long long until)
{
	struct track *k = h->track;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	char *doing = xasprintf("verifying: %s", k->verify_command);

	ui_status_doing(h->ui, doing);
	free(doing);
	xset(&k->verification, NULL);
	scan_put(&b, "{'type':'verify','command':@,'profile':@}",
	    slice_of(k->verify_command), slice_of(profile));
	hub_notify_tool(h, &b);
	if (hub_go(h, SLOT_TOOL, until) < 0)
		return false;
	ui_status_doing(h->ui, "");
	return k->verification != NULL && hub_sync(h, SLOT_GUARD) == 0;
}

bool
contract_check(struct turn *t)
{
	struct track *k = t->hub->track;
	bool patch = is_patch(k->mode);
	bool verify = k->mode != NULL && strcmp(k->mode, "verify") == 0;
	long long nudges = conf_int(t->conf, "agent.contract_nudges");
	long long wall = turn_wall_end(t);
	int64_t code;

	/* What is missing: a change, or else that the check passes.  Remind of
	 * a soft contract once, but not after a refusal, nor if the person has
	 * changed their mind: the answer then stands. */
	bool change = wants_change(k, t->conf) &&
	    (k->contract == CONTRACT_HARD ||
	    (k->nudges == 0 && !k->refused && nudges != 0 &&
	    (k->task == NULL || !intent_forbids_change(k->task))));
	bool check = !change && !k->verified && k->verify_command != NULL &&
	    (verify || (patch && (k->files.n > 0 || k->files_unknown)));
	if (check && (verify || k->verification == NULL)) {
		turn_set_ending(t, END_TOOL_ERROR, "stage tool did not verify");
		if (!verify_now(t->hub, conf_str(t->conf,
		    "verification.profile"), wall))
			return wall != 0 && file_now_ms() >= wall &&
			    turn_out_of_time(t);
	}
	if (!change && (!check || k->verified))
		return turn_set_ending(t, END_COMPLETED, "stop");
	turn_set_ending(t, END_CONTRACT, change ? "no_change" : "verification");
	/* do not ask for a change that was refused */
	if (check && patch ? k->repairs >= conf_int(t->conf,
	    "agent.repair_attempts") : k->nudges >= nudges ||
	    (change && k->refused))
		return false;
	if (change)
		return turn_message(t, "loop", k->contract == CONTRACT_HARD ?
		    TEXT_MUST_CHANGE : TEXT_NO_CHANGE, "contract");
	struct slice v = slice_of(k->verification);
	char *output = scan_text(scan_get(v, "output"));
	char *how = scan_int(scan_get(v, "exit"), &code) ?
	    xasprintf("exit %lld", (long long)code) :
	    xstrdup("no exit status");
	char *text = patch ? xasprintf(TEXT_REPAIR, how, output) :
	    xasprintf(TEXT_NOT_VERIFIED, how, k->verify_command, output);
	/* a repair is a turn of the loop with its own count of steps and
	 * calls */
	bool told = patch ? turn_message(t, "verify", text, NULL) :
	    turn_message(t, "loop", text, "contract");
	FREE(how, output, text);
	return told;
}
