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
	"The same {tool} call has now given the same result {count} times; "
	"{since}. Its answer is known and will not change by asking again. "
	"Two ways on: act on what it already says (make the change it points "
	"to, or give your answer), or test another assumption with a call "
	"that has not been made yet.",

	[W_REPEAT_POLL] =
	"The same {tool} check has now given the same result {count} times; "
	"{since}. What it waits for has not moved. Two ways on: wait {wait} "
	"seconds before the next check, or go on with work that does not "
	"depend on it.",

	[W_REPEAT_BLOCK] =
	"Not run: this {tool} call already gave the same result each time, "
	"and this would be number {count}; {since}. The result above still "
	"holds. Two ways on: use it to make a change or to answer, or look "
	"at another file, command or query that could prove the present idea "
	"wrong.",

	[W_REPEAT_HALT] =
	"Not run, and this turn ends here: the same {tool} call came up "
	"{count} times without a new result; {since}. Two ways on: tell the "
	"person what was found and what is missing, or begin again from a "
	"different idea.",

	[W_WEAK_WARN] =
	"The same {tool} call has now given the same result {count} times, "
	"but for times and numbers that change by themselves; {since}. Two "
	"ways on: take the result as it stands and make the next change or "
	"give the answer, or look at something that could really differ.",

	[W_RETRY_HINT] =
	"The same {tool} call has now failed in the same way {count} times "
	"({history}); {since}. Two ways on: read the error again for the one "
	"thing it asks for (a name, a path, a missing piece) and change the "
	"call accordingly, or check the assumption behind it with another "
	"call first.",

	[W_RETRY_WARN] =
	"The same {tool} call has now failed in the same way {count} times "
	"({history}); {since}. The same attempt will fail again, so a "
	"fundamentally different approach is needed. Two ways on: find out "
	"with another call why it fails, or reach the goal without it (and "
	"if neither is possible, say what is needed).",

	[W_RETRY_WAIT] =
	"The same {tool} call has now failed in the same way {count} times "
	"({history}); {since}. Such an error may pass, but not at once. Two "
	"ways on: wait {wait} seconds before the next attempt, or go on with "
	"work that does not need it.",

	[W_RETRY_BLOCK] =
	"Not run: this {tool} call failed in the same way each time, and "
	"this would be attempt {count}; {since}. Two ways on: change what "
	"makes it fail before it is tried again, or reach the goal by "
	"another tool or another route.",

	[W_RETRY_HALT] =
	"Not run, and this turn ends here: the same {tool} call came up "
	"{count} times and failed in the same way; {since}. Two ways on: "
	"tell the person what fails and what would be needed, or begin again "
	"from a different idea.",

	[W_SAME_ERROR_WARN] =
	"{tool} has now failed {count} times in a row with one and the same "
	"error, whatever it was given ({history}); {since}. The cause is "
	"probably not in the arguments. Two ways on: read the error for what "
	"it says about the tool or its surroundings, or use another tool for "
	"this.",

	[W_SAME_ERROR_BLOCK] =
	"Not run: {tool} failed with one and the same error each time, "
	"whatever it was given, and this would be number {count}; {since}. "
	"Two ways on: remove the cause that the error names, or do it with "
	"another tool.",

	[W_CYCLE_WARN] =
	"The last {period} calls repeat as a cycle, {laps} times so far, "
	"with the same results each time; {since}. Another lap will bring "
	"the same. Two ways on: change something between the calls (an edit, "
	"an input) so that a result can differ, or leave the cycle with a "
	"call that is not part of it.",

	[W_CYCLE_BLOCK] =
	"Not run: this {tool} call belongs to a cycle of {period} calls that "
	"went round {laps} times with the same results; {since}. Two ways "
	"on: change something that the cycle looks at, or leave it with a "
	"call that is not part of it.",

	[W_CYCLE_HALT] =
	"Not run, and this turn ends here: a cycle of {period} calls came up "
	"again and again without a new result; {since}. Two ways on: tell "
	"the person what was found and what is missing, or begin again from "
	"a different idea.",

	[W_STALL_WARN] =
	"The last calls brought nothing that was not already shown; {since}. "
	"Two ways on: write down in one sentence what is still unknown and "
	"make the one call that would settle it, or make the change that the "
	"results so far support.",

	[W_STALL_IDLE] =
	"The last calls cannot tell anything new by their nature (no command "
	"at all, a constant, an empty file); {since}. Two ways on: run a "
	"command or read a file that bears on the task, or, if the work is "
	"complete, say so and say how it was checked.",

	[W_STALL_SWEEP] =
	"The last reads showed lines that were shown before, or went past the "
	"end of the file; {since}. All of it has been seen. Two ways on: "
	"search for the one name that matters, or make the change that what "
	"was read supports.",

	[W_STALL_TEXT] =
	"The calls brought nothing new for long; {since}. The next message "
	"is text only, without calls. Two things to write: what is known and "
	"what is in the way, then either the answer or the one different "
	"approach to take next.",

	[W_STALL_HALT] =
	"Not run, and this turn ends here: text was asked for, as the calls "
	"brought nothing new; {since}. Two ways on: tell the person what was "
	"found and what is missing, or begin again from a different idea.",

	[W_FUTILE_WARN] =
	"The same check still fails in the same way after {count} different "
	"edits; {since}. So the edits do not touch the cause. Two ways on: "
	"prove that the edited code is reached at all (print something from "
	"it, or break it on purpose), or look for the cause somewhere else, "
	"beginning at the error itself.",

	[W_REVISIT_WARN] =
	"A file is now back in a state that it already had in this turn. If "
	"that was the aim, go on from there. If not, two ways on: write down "
	"in one sentence what each of the two states gets wrong, or make a "
	"third change that answers both.",

	[W_STILL_1] =
	"{count} steps and no file has changed yet. If the cause is known, "
	"the next step can be the edit itself. If not, two ways on: name the "
	"one thing that is still unknown and look only at that, or make a "
	"small first change and check it.",

	[W_STILL_2] =
	"{count} steps and no file has changed yet. What was read so far is "
	"enough for a first attempt. Two ways on: edit the most likely place "
	"now and run the check, or say in text what keeps the edit from "
	"being made.",

	[W_STILL_3] =
	"{count} steps and no file has changed yet. Looking further costs "
	"more than a wrong first attempt. Two ways on: make the edit in the "
	"next step with what is known, or, if nothing is to be changed, give "
	"the answer and say why.",

	[W_READS_WARN] =
	"{count} reads in this turn, and no more than {limit} are let through. Two "
	"ways on: work from what was read, or search for a name instead of "
	"reading whole files.",

	[W_READS_WARN_ONLY] =
	"{count} reads in this turn. Two ways on: work from what was read, or "
	"search for a name instead of reading whole files.",

	[W_READS_BLOCK] =
	"Not run: {count} reads in this turn are enough; work from what was "
	"read, or answer.",

	[W_CALLS_TEXT] =
	"{count} calls in this turn, and some of them over and over; {since}. "
	"The next message is text only, without calls. Two things to write: "
	"what is known and what is in the way, then either the answer or the "
	"one different approach to take next.",

	[W_CALLS_HALT] =
	"Not run, and this turn ends here: text was asked for after many "
	"calls; {since}. Two ways on: tell the person what was found and "
	"what is missing, or begin again from a different idea.",

	[W_SHARE] =
	"The same call stands earlier in this message; its result serves "
	"both.",

	[W_PLAN_PROSE] =
	"The last message says what comes next but does not do it. Two ways "
	"on: make the call that it announces now, or, if the work is "
	"complete, say what was done and how it was checked.",

	[W_PREMATURE] =
	"The last message says that tests or a check passed, but none was run "
	"since the last change. Two ways on: run the check now and report "
	"what it says, or say plainly that it was not run and why.",

	[W_MONOLOGUE] =
	"The same message came three times in a row or more. Two ways on: "
	"make a call that moves the work on, or give the answer in other "
	"words, with what is missing.",

	[W_STATUS_ONLY] =
	"The last message gives a status, not an answer. Two ways on: if the "
	"work is complete, say what was done, where, and how it was checked; "
	"if not, make the next call now.",

	[W_MORE] = "The same holds for {count} more of these calls.",
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
		buf_adds(out, "only other calls brought something new");
	else if (f->steps == 1)
		buf_adds(out, "the last step brought nothing new");
	else
		buf_fmt(out, "nothing new has come back for %lu steps",
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
