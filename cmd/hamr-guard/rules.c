/* rules.c - what each rule looks for, in a sentence for people. */
#include "rules.h"

static const char *const table[] = {
	[RULE_REPEAT] = "the same call (tool and arguments) with an unchanged "
	    "outcome, whatever came between, since the last progress",
	[RULE_REPEAT_WEAK] = "the same call with an outcome that differs in "
	    "clock times, durations, addresses and the like only",
	[RULE_RETRY] = "the same call failing again with the same error",
	[RULE_SAME_ERROR] = "one tool failing with one error, whatever its "
	    "arguments",
	[RULE_CYCLE] = "several calls going round with unchanged outcomes",
	[RULE_STALL] = "steps that bring nothing new, weighed and added up",
	[RULE_PLACEHOLDER] = "calls that cannot inform: no command at all, a "
	    "constant, an empty file",
	[RULE_FUTILE_EDITS] = "edits that leave a failing check as it was",
	[RULE_REVISIT] = "a file that is back in a state it had in this turn",
	[RULE_SWEEP] = "reading past the end of a file, or again what was "
	    "shown",
	[RULE_NO_MUTATION] = "steps without a change to a file, where one is "
	    "wanted",
	[RULE_READS] = "reads in one turn",
	[RULE_CALLS] = "calls in one turn",
	[RULE_BATCH] = "identical calls in one message",
	[RULE_PLAN_PROSE] = "an answer that only announces what comes next",
	[RULE_STATUS_ONLY] = "an answer that is a status and nothing else",
	[RULE_PREMATURE] = "a claim that checks passed when none ran since the "
	    "last change",
	[RULE_MONOLOGUE] = "the same answer again and again",
};

const char *
rule_about(enum rule r)
{
	return table[r];
}
