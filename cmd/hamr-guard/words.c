/* words.c - every sentence that the model reads from the guard, in one table.
 *
 * {tool} {count} {since} {period} {laps} {wait} {limit} {history} are filled
 * in.
 */
#include <string.h>

#include "utf8.h"
#include "words.h"

#define HISTORY_MAX 6		/* attempts told of */
#define TOOL_MAX 64		/* a name is the model's own text too */

static const char *const table[] = {
	[W_REPEAT_WARN] =
	"This {tool} call has returned the same result {count} times; {since}. "
	"Calling it again will not change the answer. Act on what it says (make "
	"the change, or answer), or make a call you have not made yet to test "
	"another assumption.",

	[W_REPEAT_POLL] =
	"This {tool} check has returned the same result {count} times; {since}. "
	"Wait {wait} seconds before the next check, or do work that does not "
	"depend on it.",

	[W_REPEAT_BLOCK] =
	"Not run: this {tool} call has returned the same result every time, and "
	"this is attempt {count}; {since}. The result above still holds. Use it "
	"to make a change or to answer, or look at a different file, command or "
	"query.",

	[W_REPEAT_HALT] =
	"Not run; this turn ends here: the same {tool} call was made {count} "
	"times without a new result; {since}. Report what you found and what is "
	"missing, or start over from a different idea.",

	[W_WEAK_WARN] =
	"This {tool} call has returned the same result {count} times, apart "
	"from times and numbers; {since}. Take the result as it stands and make "
	"the next change or answer, or look at something that can really "
	"differ.",

	[W_SAME_ANSWER] =
	"{count} different {tool} calls have returned the same short answer. If "
	"that is what you expect, carry on, in one command for the rest if you "
	"can. If not, check one of them in detail before the next.",

	[W_RETRY_HINT] =
	"This {tool} call has failed the same way {count} times ({history}); "
	"{since}. Reread the error for what it asks for (a name, a path, a "
	"missing piece) and change the call, or check your assumption with "
	"another call first.",

	[W_RETRY_WARN] =
	"This {tool} call has failed the same way {count} times ({history}); "
	"{since}. It will fail again: take a fundamentally different approach. "
	"Find out why it fails with another call, or reach the goal without it. "
	"If neither is possible, say what you need.",

	[W_RETRY_WAIT] =
	"This {tool} call has failed the same way {count} times ({history}); "
	"{since}. The error may be temporary. Wait {wait} seconds before the "
	"next attempt, or do work that does not depend on it.",

	[W_RETRY_BLOCK] =
	"Not run: this {tool} call has failed the same way every time, and this "
	"is attempt {count}; {since}. Fix what makes it fail before you try "
	"again, or use another tool or another route.",

	[W_RETRY_HALT] =
	"Not run; this turn ends here: the same {tool} call was made {count} "
	"times and failed the same way; {since}. Report what fails and what you "
	"need, or start over from a different idea.",

	[W_SAME_ERROR_WARN] =
	"{tool} has failed with the same error in {count} steps, with different "
	"arguments ({history}); {since}. The cause is probably not in the "
	"arguments. Read what the error says about the tool or its environment, "
	"or use another tool.",

	[W_SAME_ERROR_BLOCK] =
	"Not run: {tool} has failed with the same error whatever its arguments, "
	"and this is attempt {count}; {since}. Remove the cause that the error "
	"names, or use another tool.",

	[W_CYCLE_WARN] =
	"The last {period} calls form a cycle, repeated {laps} times with the "
	"same results; {since}. Change something between the calls (an edit, an "
	"input) so that a result can differ, or make a call outside the cycle.",

	[W_CYCLE_BLOCK] =
	"Not run: this {tool} call is part of a cycle of {period} calls, "
	"repeated {laps} times with the same results; {since}. Change something "
	"the cycle looks at, or make a call outside it.",

	[W_CYCLE_HALT] =
	"Not run; this turn ends here: a cycle of {period} calls was repeated "
	"without a new result; {since}. Report what you found and what is "
	"missing, or start over from a different idea.",

	[W_STALL_WARN] =
	"The last calls returned nothing new; {since}. Name the one thing that "
	"is still unknown and make the call that settles it, or make the change "
	"that the results support.",

	[W_STALL_IDLE] =
	"The last calls cannot return anything new (no command at all, a "
	"constant, an empty file); {since}. Run a command or read a file that "
	"matters to the task. If the work is complete, say so and how you "
	"checked it.",

	[W_STALL_SWEEP] =
	"The last reads returned lines you have already seen, or went past the "
	"end of the file; {since}. Search for the one name that matters, or "
	"make the change that you have read enough for.",

	[W_STALL_TEXT] =
	"Your calls have returned nothing new for a long time; {since}. Write "
	"the next message as text only, without calls: what you know and what "
	"is in the way, then either the answer or one different approach.",

	[W_TEXT_HALT] =
	"Not run; this turn ends here: a message without calls was due; "
	"{since}. Report what you found and what is missing, or start over from "
	"a different idea.",

	[W_FUTILE_WARN] =
	"The same check still fails the same way after {count} different edits; "
	"{since}. Your edits do not reach the cause. Prove that the edited code "
	"runs at all (print from it, or break it on purpose), or look for the "
	"cause elsewhere, starting from the error.",

	[W_FUTILE_TEXT] =
	"The same check still fails the same way after {count} different edits; "
	"{since}. Write the next message as text only, without calls: what the "
	"error says, which causes you have ruled out, and one cause you have "
	"not tested yet.",

	[W_REVISIT_WARN] =
	"A file is back in the same earlier state of this turn for the second "
	"time. Write down in one sentence what each of the two states gets "
	"wrong, or make a third change that fixes both.",

	[W_STILL_1] =
	"{count} steps without a file change. If you know the cause, make the "
	"edit now. If not, name the one thing you still need to know and look "
	"only at that.",

	[W_STILL_2] =
	"{count} steps without a file change. You have read enough for a first "
	"attempt. Edit the most likely place and run the check, or say in text "
	"what keeps you from editing.",

	[W_STILL_3] =
	"{count} steps without a file change. More reading costs more than a "
	"wrong first attempt. Make the edit in the next step. If nothing needs "
	"to change, answer and say why.",

	[W_READS_WARN] =
	"{count} reads in this turn; the limit is {limit}. Work from what you "
	"have read, or search for a name instead of reading whole files.",

	[W_READS_WARN_ONLY] =
	"{count} reads in this turn. Work from what you have read, or search "
	"for a name instead of reading whole files.",

	[W_READS_BLOCK] =
	"Not run: {count} reads in this turn are enough. Work from what you "
	"have read, or answer.",

	[W_CALLS_TEXT] =
	"{count} calls in this turn, some of them again and again; {since}. "
	"Write the next message as text only, without calls: what you know and "
	"what is in the way, then either the answer or one different approach.",

	[W_SHARE] =
	"Not run: the same call is already in this message, and its result "
	"serves both.",

	[W_PLAN_PROSE] =
	"Your last message announces a step but does not take it. Make that "
	"call now. If the work is complete, say what you did and how you "
	"checked it.",

	[W_PREMATURE] =
	"Your last message says that tests or a check passed, but none has run "
	"since the last change. Run the check now and report its result, or say "
	"that you did not run it and why.",

	[W_MONOLOGUE] =
	"You have sent the same message three times or more. Make a call that "
	"moves the work on, or answer in other words and say what is missing.",

	[W_STATUS_ONLY] =
	"Your last message is a status, not an answer. If the work is complete, "
	"say what you did, where, and how you checked it. If not, make the next "
	"call now.",

	[W_MORE] =
	"The same applies to {count} more of these calls.",
};

static const int waits[] = { 5, 10, 30, 60 };	/* seconds; OpenFang's row */

static void
say_tool(const struct facts *f, struct buf *out)
{
	size_t n = utf8_cut(f->tool.p, f->tool.n, TOOL_MAX);

	if (n == 0)
		buf_adds(out, "tool");
	else
		buf_add(out, f->tool.p, n);
}

static void
say_since(const struct facts *f, struct buf *out)
{
	if (f->steps == 0)
		buf_adds(out, "only other calls returned anything new");
	else if (f->steps == 1)
		buf_adds(out, "the last step returned nothing new");
	else
		buf_fmt(out, "nothing new in the last %lu steps",
		    f->steps);
}

static void
say_wait(const struct facts *f, struct buf *out)
{
	size_t last = sizeof waits / sizeof waits[0] - 1;

	buf_fmt(out, "%d", waits[f->laps < last ? f->laps : last]);
}

/* "at steps 2, 4 and 5": the last few that are known. */
static void
say_history(const struct facts *f, struct buf *out)
{
	const struct ids *h = f->history;
	size_t n = h != NULL ? h->n : 0;
	size_t first = n > HISTORY_MAX ? n - HISTORY_MAX : 0;

	if (n == 0) {
		buf_adds(out, "all in this turn");
		return;
	}
	buf_adds(out, first > 0 ? "last at step" : "at step");
	buf_adds(out, n - first > 1 ? "s " : " ");
	for (size_t i = first; i < n; i++)
		buf_fmt(out, "%s%u", i == first ? "" : i + 1 == n ? " and " :
		    ", ", h->step[i]);
	buf_adds(out, " of this turn");
}

static void
fill(const char *name, size_t n, const struct facts *f, struct buf *out)
{
	struct slice s = { name, n };

	if (slice_is(s, "tool"))
		say_tool(f, out);
	else if (slice_is(s, "since"))
		say_since(f, out);
	else if (slice_is(s, "wait"))
		say_wait(f, out);
	else if (slice_is(s, "count"))
		buf_fmt(out, "%lu", f->count);
	else if (slice_is(s, "period"))
		buf_fmt(out, "%lu", f->period);
	else if (slice_is(s, "laps"))
		buf_fmt(out, "%lu", f->laps);
	else if (slice_is(s, "limit"))
		buf_fmt(out, "%lu", f->limit);
	else if (slice_is(s, "history"))
		say_history(f, out);
}

void
words_say(enum word w, const struct facts *f, struct buf *out)
{
	const char *p = table[w];

	while (*p != '\0') {
		size_t n = strcspn(p, "{");

		buf_add(out, p, n);
		p += n;
		if (*p != '{')
			break;
		n = strcspn(++p, "}");
		fill(p, n, f, out);
		p += n + 1;
	}
}
