/* texts.h - the sentences that hamr-loop says to the model, one table. */
#pragma once

#define TEXT_BUDGET \
	"The budget of this turn (%s) is used up. Reply with text only: say " \
	"what was done, what was found, and what is left to do. No tool call " \
	"will be run."
#define TEXT_NEW_BUDGET \
	"The budget was renewed. Continue the task where you stopped."
#define TEXT_CONSENT \
	"Changes can be allowed now. Make those that the task needs."
#define TEXT_CUT \
	"Your last answer was cut off by its length limit, so nothing of it " \
	"was run. Continue in smaller pieces: repeat the call with complete " \
	"arguments, and split a large write into several edits."
#define TEXT_CUT_TEXT \
	"Your last answer was cut off by its length limit. Continue where it " \
	"stopped, in smaller pieces: one step at a time, in as few words as " \
	"it needs."
#define TEXT_REPEATED \
	"Your last answer was stopped because it repeated the same passage " \
	"over and over. Do not continue it: go on with the next step, or " \
	"answer in a few sentences."
#define TEXT_EMPTY \
	"Your last response was empty. Continue with the task, or say what " \
	"was done and what is left."
#define TEXT_LOOP \
	"The guard stopped this turn because it was repeating itself: %s " \
	"Take a different approach now, or say what you need to go on."
#define TEXT_BASH \
	"This command failed and has not passed since: %.*s\n" \
	"Fix the cause, try another way, or explain why the failure does " \
	"not matter and go on. Its output:\n%.*s"
#define TEXT_MALFORMED \
	"Your tool call could not be read: %s. Nothing was run. Write it " \
	"again, complete and with valid JSON, like this: %s"
#define TEXT_CONTEXT \
	"The conversation has grown too long and was shortened. Stop " \
	"reading; act now with what you know, or say what is done and what " \
	"is left."
#define TEXT_NO_CHANGE \
	"No file was changed. If the task needs a change, make it; otherwise " \
	"say in a sentence why not."
#define TEXT_MUST_CHANGE \
	"No file was changed, and this task must change one. Make the change."
#define TEXT_NOT_VERIFIED \
	"The verification failed (%s): %s\n" \
	"Find out why, then answer with what fails and the cause.\n%s"
#define TEXT_REPAIR \
	"The verification failed (%s). Fix the failed verification: find " \
	"the cause in its output and fix it.\n%s"
#define TEXT_UNDONE \
	"The user undid your last changes of %s. Read it again before you " \
	"edit it."
#define TEXT_RESULT_CUT \
	"not run: the answer was cut off by its length limit before this " \
	"call was complete"
#define TEXT_RESULT_INTERRUPTED \
	"interrupted before it ran; nothing was done"
#define TEXT_RESULT_UNKNOWN \
	"interrupted while it ran; whether it took effect is unknown, so " \
	"look before you repeat it"
#define TEXT_RESULT_BUDGET \
	"not run: the budget of this turn is used up"
