/* profile_words.c - what other systems tell the model, in our words. */
#include <string.h>

#include "profile_words.h"
#include "utf8.h"

#define TOOL_MAX 64

static const char *const table[] = {
	[PW_HAMR_CACHED] =
	"Unchanged since you last read it; the text above is current.",
	[PW_HAMR_READ] =
	"You have read this range {count} times and it has not changed. The "
	"text is above: make the edit, or read another file.",
	[PW_HAMR_READ_HALT] =
	"Not run; this turn ends here: the same range was read {count} times.",
	[PW_HAMR_BASH_HALT] =
	"Not run; this turn ends here: the same command was run {count} times "
	"with no edit in between.",
	[PW_HAMR_READS] =
	"{count} reads in this turn. Stop reading; make the change, or answer.",
	[PW_HAMR_READS_BLOCK] =
	"Not run: the limit is {limit} reads per turn. Work from what you have "
	"read, or answer.",
	[PW_HAMR_STEPS_1] =
	"{count} steps without a file change. If you know enough, make the "
	"first edit; if not, name what is missing and look only for that.",
	[PW_HAMR_STEPS_2] =
	"{count} steps without a file change. Make the smallest edit that could "
	"be right in the next step, then check it.",
	[PW_HAMR_STEPS_3] =
	"EMERGENCY: {count} steps without a file change. The next step must be "
	"an edit or a write. Anything else ends the task without a result.",

	[PW_OPENFANG_WARN] =
	"The tool {tool} was called {count} times with the same parameters. "
	"Consider a different approach.",
	[PW_OPENFANG_POLL] =
	"The tool {tool} was polled {count} times with the same parameters. "
	"Wait {wait} seconds before the next check, or do other work.",
	[PW_OPENFANG_BLOCK] =
	"Blocked: the tool {tool} was called {count} times with the same "
	"parameters. Try different parameters or a different approach.",
	[PW_OPENFANG_EXHAUSTED] =
	"Blocked: the tool {tool} was called {count} times with the same "
	"parameters, and its warnings are used up. Try a different approach.",
	[PW_OPENFANG_PING_PONG] =
	"Blocked: the last calls repeat a pattern of {period} calls, {laps} "
	"times. Break it with a different approach.",
	[PW_OPENFANG_SAME] =
	"The tool {tool} returned an identical result {count} times. Try "
	"something different.",
	[PW_OPENFANG_SAME_BLOCK] =
	"Blocked: the tool {tool} returns an identical result every time. Try "
	"something different.",
	[PW_OPENFANG_BREAKER] =
	"Circuit breaker: more than {limit} tool calls in this turn, which ends "
	"here.",

	[PW_HERMES_WARN] =
	"Possible loop: {pattern}. Look at the results so far, then change the "
	"arguments or the tool.",
	[PW_HERMES_WAIT] =
	"The loop continues: {pattern}. If you are waiting for something, wait "
	"{wait} seconds before the next check; if not, change your approach "
	"now.",
	[PW_HERMES_BLOCK] =
	"Blocked: {pattern}, after {count} warnings. Use another tool or other "
	"arguments, or answer with what you know.",

	[PW_NANOBOT_WARN] =
	"The same calls were made {count} times in a row. Change the approach: "
	"other arguments, another tool, or an answer.",
	[PW_NANOBOT_STOP] =
	"The same calls were made {count} times in a row. Make no more calls; "
	"sum up what you found and answer now.",
	[PW_NANOBOT_RETRY] =
	"Attempt {count} of this call failed. Attempts so far:{history}\nThings "
	"to try: check the arguments against the error, look at the state it "
	"depends on, take a smaller step.",
	[PW_NANOBOT_OTHER_WAY] =
	"This call has failed {count} times. Attempts so far:{history}\nTake a "
	"fundamentally different approach, or ask the user.",

	[PW_KIMI_STALL] =
	"The last {count} steps changed no file, moved no background task and "
	"returned no new output. Write the next message as text only: what is "
	"done, what is in the way, and what comes next.",
};

static void
say_pattern(const struct pfacts *f, struct buf *out)
{
	if (f->period < 2)
		buf_fmt(out, "the same call %lu times in a row",
		    f->laps);
	else if (f->period == 2)
		buf_adds(out, "two calls alternate");
	else
		buf_fmt(out, "%lu calls repeat in a cycle", f->period);
}

static void
say_tool(const char *tool, struct buf *out)
{
	buf_add(out, tool, utf8_cut(tool, strlen(tool), TOOL_MAX));
}

static void
fill(struct slice name, const struct pfacts *f, struct buf *out)
{
	if (slice_is(name, "tool"))
		say_tool(f->tool, out);
	else if (slice_is(name, "pattern"))
		say_pattern(f, out);
	else if (slice_is(name, "count"))
		buf_fmt(out, "%lu", f->count);
	else if (slice_is(name, "limit"))
		buf_fmt(out, "%lu", f->limit);
	else if (slice_is(name, "period"))
		buf_fmt(out, "%lu", f->period);
	else if (slice_is(name, "laps"))
		buf_fmt(out, "%lu", f->laps);
	else if (slice_is(name, "history"))
		buf_adds(out, f->history != NULL ? f->history : "");
	else if (slice_is(name, "wait"))
		buf_fmt(out, "%lu", f->wait);
}

void
profile_words(enum pword w, const struct pfacts *f, struct buf *out)
{
	const char *p = w != PW_NONE ? table[w] : "";

	while (*p != '\0') {
		size_t n = strcspn(p, "{");

		buf_add(out, p, n);
		p += n;
		if (*p != '{')
			break;
		n = strcspn(++p, "}");
		fill((struct slice){ p, n }, f, out);
		p += n + 1;
	}
}
