/* advice.c - every sentence that the model reads from the guard, in one table.
 *
 * {tool} {count} {same} {since} {span} {period} {laps} {pattern} {wait}
 * {limit} {history} {attempts} are filled in.
 */
#include <string.h>

#include "advice.h"
#include "base/utf8.h"

#define HISTORY_MAX 6		/* attempts listed */
#define TOOL_MAX 64		/* a tool's name comes from the model */

static const char *const table[] = {
	[A_REPEAT_WARN] =
	"This {tool} call has returned the same result {count} times; "
	"{since}. Make the change it supports, or answer. If you are waiting "
	"for it to change, pause before the next look; if it cannot be right, "
	"make a call you have not made yet to test it.",

	[A_REPEAT_DONE] =
	"This {tool} call has had the same result {count} times; {since}. "
	"Making it again changes nothing. Go on to the next step, or, if the "
	"result is not what you want, give the call other arguments.",

	[A_REPEAT_POLL] =
	"This {tool} check has returned the same result {count} times; "
	"{since}. Wait {wait} seconds before the next check, or do work that "
	"does not depend on it.",

	[A_REPEAT_BLOCK] =
	"Not run: attempt {count} of this {tool} call, which has returned the "
	"same result every time; {since}. The result above still holds. Make "
	"a change or answer, pause if you are waiting for another, or try "
	"another file, command or query.",

	[A_REPEAT_HALT] =
	"Not run; this turn ends here: the same {tool} call was made {count} "
	"times without a new result; {since}. Report what you found and what "
	"is missing, or start over from a different idea.",

	[A_WEAK_WARN] =
	"This {tool} call has returned the same result {count} times, apart "
	"from times and numbers; {since}. Take it as it stands: make the "
	"next change or answer, or look somewhere else for what is missing.",

	[A_SAME_ANSWER] =
	"{count} different {tool} calls have returned the same short answer. "
	"If that is what you expect, carry on; do the rest in one command if "
	"you can. If not, check one of them in detail before the next.",

	[A_SAME_NOTHING] =
	"{count} different {tool} calls have found nothing. If that is what "
	"you expect, carry on; do the rest in one command if you can. If not, "
	"list what is there, or search for something that must be found, to "
	"see that you look in the right place.",

	[A_RETRY_HINT] =
	"This {tool} call has failed the same way {count} times ({history}); "
	"{since}. Reread the error for what it asks for (a name, a path, a "
	"missing piece) and change the call, or check your assumption with "
	"another call first.",

	[A_RETRY_WARN] =
	"This {tool} call has failed the same way {count} times ({history}); "
	"{since}. Take a fundamentally different approach: make another call "
	"to find out why it fails, or reach the goal without it. If neither "
	"is possible, say what you need.",

	[A_RETRY_WAIT] =
	"This {tool} call has failed the same way {count} times ({history}); "
	"{since}. The error may be temporary. Wait {wait} seconds before the "
	"next attempt, or do work that does not depend on it.",

	[A_RETRY_BLOCK] =
	"Not run: attempt {count} of this {tool} call, which has failed the "
	"same way every time; {since}. Fix the cause first, or use another "
	"tool or another approach.",

	[A_RETRY_HALT] =
	"Not run; this turn ends here: the same {tool} call was made {count} "
	"times and failed the same way; {since}. Report what fails and what "
	"you need, or start over from a different idea.",

	[A_SAME_ERROR_WARN] =
	"{tool} has failed with the same error in {count} steps, with "
	"different arguments ({history}); {since}. What you change between "
	"the calls does not help. Do what the error asks for (a missing "
	"argument, a setting, an installation), or use another tool.",

	[A_SAME_ERROR_BLOCK] =
	"Not run: attempt {count} with {tool}, which fails with the same "
	"error whatever its arguments; {since}. Remove the cause that the "
	"error names, or use another tool.",

	[A_CYCLE_WARN] =
	"The last {period} calls form a cycle, repeated {laps} times with the "
	"same results; {since}. Change something between the calls (an edit, "
	"an input) so that a result can change, or make a call outside the "
	"cycle.",

	[A_CYCLE_BLOCK] =
	"Not run: this {tool} call is part of a cycle of {period} calls, "
	"repeated {laps} times with the same results; {since}. Change "
	"something the cycle looks at, or make a call outside it.",

	[A_CYCLE_HALT] =
	"Not run; this turn ends here: a cycle of {period} calls was repeated "
	"without a new result; {since}. Report what you found and what is "
	"missing, or start over from a different idea.",

	[A_STALL_WARN] =
	"The {span} new. Name the one thing that is still unknown and make the "
	"call that settles it, or make the change that the results support.",

	[A_STALL_IDLE] =
	"Calls like the last one cannot return anything new (a thought, a "
	"constant, no command, an empty file); {since}. Run a command or read "
	"a file that matters to the task. If the work is complete, say so and "
	"how you checked it.",

	[A_STALL_SWEEP] =
	"The last reads showed no line that you had not seen; {since}. Search "
	"for the one name that matters, or make the change: you have read "
	"enough for it.",

	[A_STALL_POLL] =
	"The {span} new. Wait {wait} seconds before the next check, or do work "
	"that does not depend on it.",

	[A_STALL_TEXT] =
	"The {span} new. Write the next message as text only, without calls: "
	"what you know and what is in the way, then either the answer or one "
	"different approach.",

	[A_TEXT_HALT] =
	"Not run; this turn ends here: the next message had to be text only. "
	"Report what you found and what is missing, or start over from a "
	"different idea.",

	[A_FUTILE_WARN] =
	"It still fails as it did before, after {count} changes. They do not "
	"reach the cause. Prove that the changed code runs at all (print from "
	"it, or break it on purpose), or look for the cause elsewhere, "
	"starting from the error.",

	[A_FUTILE_TEXT] =
	"It still fails as it did before, after {count} changes. Write the "
	"next message as text only, without calls: what the error says, which "
	"causes you have ruled out, and one cause you have not tested yet.",

	[A_REVISIT_WARN] =
	"A file has gone back to an earlier state of this turn again. Write "
	"down in one sentence what each of its states gets wrong, or make a "
	"change that fixes both.",

	[A_STILL_1] =
	"{count} steps without a file change. If you know the cause, make the "
	"edit now. If not, name the one thing you still need to know and look "
	"only at that.",

	[A_STILL_2] =
	"{count} steps without a file change. You have read enough for a "
	"first attempt. Edit the most likely place and run the check, or say "
	"in text what keeps you from editing.",

	[A_STILL_3] =
	"{count} steps without a file change. More reading costs more than a "
	"wrong first attempt. Make the edit in the next step. If nothing "
	"needs to change, answer and say why.",

	[A_READS_WARN] =
	"{count} reads in this turn; the limit is {limit}. Work from what you "
	"have read, or search for a name instead of reading whole files.",

	[A_READS_WARN_ONLY] =
	"{count} reads in this turn. Work from what you have read, or search "
	"for a name instead of reading whole files.",

	[A_READS_BLOCK] =
	"Not run: {limit} reads in this turn are enough. Work from what you "
	"have read, or answer.",

	[A_CALLS_TEXT] =
	"{count} calls in this turn, some of them again and again. Write the "
	"next message as text only, without calls: what you know and what is "
	"in the way, then either the answer or one different approach.",

	[A_SHARE] =
	"Not run: the same call is already in this message, and its result "
	"serves this one, too.",

	[A_PLAN_PROSE] =
	"Your last message announces a step but does not take it. Make that "
	"call now. If the work is complete, say what you did and how you "
	"checked it.",

	[A_PREMATURE] =
	"Your last message says that tests or a check passed, but none has "
	"run since the last change. Run the check now and report its result, "
	"or say that you did not run it and why.",

	[A_PREMATURE_NONE] =
	"Your last message says that tests or a check passed, but none has "
	"run. Run the check now and report its result, or say that you did "
	"not run it and why.",

	[A_MONOLOGUE] =
	"You have sent the same message three times or more. Make a call that "
	"moves the work forward, or answer in other words and say what is "
	"missing.",

	[A_STATUS_ONLY] =
	"Your last message is a status, not an answer. If the work is "
	"complete, say what you did, where, and how you checked it. If not, "
	"make the next call now.",

	[A_MORE] =
	"The same applies to {count} more of these calls.",

	/* what other systems say, in our words */
	[A_HAMR_CACHED] =
	"Unchanged since you last read it; the text above is current.",
	[A_HAMR_READ] =
	"You have read this range {count} times and it has not changed. The "
	"text is above: make the edit, or read another file.",
	[A_HAMR_READ_HALT] =
	"Not run; this turn ends here: the same range was asked for {count} "
	"times.",
	[A_HAMR_BASH_HALT] =
	"Not run; this turn ends here: the same command was asked for {count} "
	"times with no edit in between.",
	[A_HAMR_READS] =
	"{count} reads in this turn. Stop reading; make the change, or answer.",
	[A_HAMR_STEPS_1] =
	"{count} steps without a file change. If you know enough, make the "
	"first edit; if not, name what is missing and look only for that.",
	[A_HAMR_STEPS_2] =
	"{count} steps without a file change. Make the smallest edit that "
	"could be right in the next step, then check it.",
	[A_HAMR_STEPS_3] =
	"EMERGENCY: {count} steps without a file change. The next step must "
	"be an edit or a write. Anything else ends the task without a result.",

	[A_OPENFANG_WARN] =
	"The tool {tool} was called {count} times with the same parameters. "
	"Consider a different approach.",
	[A_OPENFANG_POLL] =
	"The tool {tool} was polled {count} times with the same parameters. "
	"Wait {wait} seconds before the next check, or do other work.",
	[A_OPENFANG_BLOCK] =
	"Blocked: the tool {tool} was called {count} times with the same "
	"parameters. Try different parameters or a different approach.",
	[A_OPENFANG_EXHAUSTED] =
	"Blocked: the tool {tool} was called {count} times with the same "
	"parameters, and its warnings are used up. Try a different approach.",
	[A_OPENFANG_PING_PONG] =
	"Blocked: the last calls repeat a pattern of {period} calls, {laps} "
	"times. Break it with a different approach.",
	[A_OPENFANG_SAME] =
	"The tool {tool} returned an identical result {count} times. Try "
	"something different.",
	[A_OPENFANG_SAME_BLOCK] =
	"Blocked: the tool {tool} returns an identical result every time. Try "
	"something different.",
	[A_OPENFANG_BREAKER] =
	"Circuit breaker: more than {limit} tool calls in this turn, which "
	"ends here.",

	[A_HERMES_WARN] =
	"Possible loop: {pattern}. Look at the results so far, then change "
	"the arguments or the tool.",
	[A_HERMES_WAIT] =
	"The loop continues: {pattern}. If you are waiting for something, "
	"wait {wait} seconds before the next check; if not, change your "
	"approach now.",
	[A_HERMES_BLOCK] =
	"Blocked: {pattern}, and the warnings are used up. Use another tool "
	"or other arguments, or answer with what you know.",

	[A_NANOBOT_WARN] =
	"The same calls were made {count} times in a row. Change the "
	"approach: other arguments, another tool, or an answer.",
	[A_NANOBOT_STOP] =
	"The same calls were made {count} times in a row. Make no more calls; "
	"sum up what you found and answer now.",
	[A_NANOBOT_RETRY] =
	"Attempt {count} of this call failed. Attempts so "
	"far:{attempts}\nThings to try: check the arguments against the "
	"error, look at the state it depends on, take a smaller step.",
	[A_NANOBOT_OTHER_WAY] =
	"This call has failed {count} times. Attempts so far:{attempts}\nTake "
	"a fundamentally different approach, or ask the user.",

	[A_KIMI_STALL] =
	"The last {count} steps changed no file, moved no background task and "
	"returned no new output. Write the next message as text only: what is "
	"done, what is in the way, and what comes next.",
};

unsigned long
advice_wait(unsigned long n)
{
	/* OpenFang's waits */
	static const unsigned char seconds[] = { 5, 10, 30, 60 };

	return seconds[n < sizeof seconds ? n : sizeof seconds - 1];
}

/* "at steps 2, 4 and 5": the last few that are known, each once. */
static void
put_history(const struct call_row *h, struct buf *out)
{
	unsigned at[HISTORY_MAX];
	size_t n = 0, i = h != NULL ? h->n : 0;

	for (; i > 0 && n < HISTORY_MAX; i--)
		if (n == 0 || h->c[i - 1].step != at[n - 1])
			at[n++] = h->c[i - 1].step;
	if (n == 0) {
		buf_adds(out, "all in this turn");
		return;
	}
	if (n == 1 && h->n > 1)
		buf_adds(out, "all ");
	buf_adds(out, i > 0 ? "last at step" : "at step");
	buf_adds(out, n > 1 ? "s " : " ");
	for (size_t k = n; k-- > 0; )
		buf_fmt(out, "%u%s", at[k], k > 1 ? ", " : k == 1 ? " and " :
		    " of this turn");
}

void
advice_fill(const char *text, const struct verdict *v,
    const struct facts *f, struct buf *out)
{
	static const struct facts none = { .wait = 0 };

	if (f == NULL)
		f = &none;
	const struct {
		const char *name;
		unsigned long n;
	} numbers[] = { { "count", v->count }, { "period", v->period },
		{ "laps", v->laps }, { "same", v->same }, { "wait", f->wait },
		{ "limit", v->halt != 0 ? v->halt : v->block != 0 ? v->block :
		    v->warn } };
	struct slice name;

	for (const char *p = text; ; p = name.p + name.n + 1) {
		size_t n = strcspn(p, "{");

		buf_add(out, p, n);
		if (p[n] == '\0')
			return;
		name = (struct slice){ p + n + 1, strcspn(p + n + 1, "}") };
		for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
			if (slice_is(name, numbers[i].name))
				buf_fmt(out, "%lu", numbers[i].n);
		if (slice_is(name, "tool") && f->tool.n == 0)
			buf_adds(out, "tool");
		else if (slice_is(name, "tool"))
			buf_add(out, f->tool.p, utf8_cut(f->tool.p, f->tool.n,
			    TOOL_MAX));
		else if (slice_is(name, "since") && v->steps == 0)
			buf_adds(out, "only other calls returned anything "
			    "new");
		else if (slice_is(name, "since") && v->steps == 1)
			buf_adds(out, "the last step returned nothing new");
		else if (slice_is(name, "since"))
			buf_fmt(out, "nothing new in the last %lu steps",
			    v->steps);
		else if (slice_is(name, "span") && 2 * v->steps < v->span)
			buf_fmt(out, "last %lu step%s returned hardly anything",
			    v->span, v->span == 1 ? "" : "s");
		else if (slice_is(name, "span") && v->steps > 1)
			buf_fmt(out, "last %lu steps returned nothing",
			    v->steps);
		else if (slice_is(name, "span"))
			buf_adds(out, "last step returned nothing");
		else if (slice_is(name, "pattern") && v->period < 2)
			buf_fmt(out, "the same call %lu times in a row",
			    v->laps);
		else if (slice_is(name, "pattern") && v->period == 2)
			buf_adds(out, "two calls alternate");
		else if (slice_is(name, "pattern"))
			buf_fmt(out, "%lu calls repeat in a cycle", v->period);
		else if (slice_is(name, "history"))
			put_history(f->history, out);
		else if (slice_is(name, "attempts"))
			buf_adds(out, f->attempts);
	}
}

char *
advice(enum advice a, const struct verdict *v, const struct facts *f)
{
	struct buf out = BUF_INIT(BUF_RECORD_MAX);

	advice_fill(table[a], v, f, &out);
	return buf_detach(&out);
}
