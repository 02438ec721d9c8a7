/* texts.h - the sentences that hamr-loop says to the model, one table. */
#ifndef HAMR_LOOP_TEXTS_H
#define HAMR_LOOP_TEXTS_H

#define TEXT_BUDGET \
	"The budget of this turn (%s) is used up. Reply with text only: say " \
	"what was done, what was found, and what is left to do. No tool call " \
	"will be run."
#define TEXT_CUT \
	"Your last answer was cut off by its length limit, so nothing of it " \
	"was run. Continue in smaller pieces: repeat the call with complete " \
	"arguments, and split a large write into several edits."
#define TEXT_EMPTY \
	"Your last response was empty. Continue with the task, or say in " \
	"words what was done and what is left."
#define TEXT_RESULT_CUT \
	"not run: the answer was cut off by its length limit before this " \
	"call was complete"
#define TEXT_RESULT_INTERRUPTED \
	"interrupted before it was run; nothing was done"
#define TEXT_RESULT_UNKNOWN \
	"interrupted while it ran; whether it took effect is unknown, so look " \
	"before you repeat it"
#define TEXT_RESULT_BUDGET \
	"not run: the budget of tool calls is used up"

#endif
