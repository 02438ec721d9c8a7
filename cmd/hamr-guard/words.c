/* words.c - every sentence that the model reads from the guard, in one table.
 *
 * {tool} {count} {since} {period} {laps} {wait} are filled in.
 */
#include <string.h>

#include "utf8.h"
#include "words.h"

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

	[W_STALL_TEXT] =
	"The calls brought nothing new for long; {since}. The next message "
	"is text only, without calls. Two things to write: what is known and "
	"what is in the way, then either the answer or the one different "
	"approach to take next.",

	[W_STALL_HALT] =
	"Not run, and this turn ends here: text was asked for, as the calls "
	"brought nothing new; {since}. Two ways on: tell the person what was "
	"found and what is missing, or begin again from a different idea.",

	[W_SHARE] =
	"The same call stands earlier in this message; its result serves "
	"both.",

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
