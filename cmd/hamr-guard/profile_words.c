/* profile_words.c - what other systems tell the model, in our words. */
#include <string.h>

#include "profile_words.h"
#include "utf8.h"

#define TOOL_MAX 64

static const char *const table[] = {
	[PW_HAMR_CACHED] =
	"Unchanged since it was read before; the text above is current.",
	[PW_HAMR_READ] =
	"This range was read {count} times and has not changed. What it says "
	"is above: make the edit it calls for, or read another file.",
	[PW_HAMR_READ_HALT] =
	"Not run, and this turn ends here: the same range was read {count} "
	"times.",
	[PW_HAMR_BASH_HALT] =
	"Not run, and this turn ends here: the same command was given {count} "
	"times with no edit between.",
	[PW_HAMR_READS] =
	"{count} reads in this turn. Stop reading now; make the change that "
	"they support, or answer.",
	[PW_HAMR_READS_BLOCK] =
	"Not run: {limit} reads are the limit of a turn. Work with what was "
	"read, or answer.",
	[PW_HAMR_STEPS_1] =
	"{count} steps without a change to a file. If enough is known, make "
	"the first edit; if not, name what is missing and look for that only.",
	[PW_HAMR_STEPS_2] =
	"{count} steps without a change to a file. Make the smallest edit "
	"that could be right in the next step, then check it.",
	[PW_HAMR_STEPS_3] =
	"EMERGENCY: {count} steps without a change to a file. The next step "
	"must be an edit or a write. Anything else will end the task without "
	"a result.",

	[PW_OPENFANG_WARN] =
	"The tool {tool} was called {count} times with the same parameters. "
	"Consider a different approach.",
	[PW_OPENFANG_POLL] =
	"The tool {tool} was polled {count} times with the same parameters. "
	"Wait {wait} seconds before the next check, or go on with other work.",
	[PW_OPENFANG_BLOCK] =
	"Blocked: the tool {tool} was called {count} times with the same "
	"parameters. Try other parameters or another approach.",
	[PW_OPENFANG_EXHAUSTED] =
	"Blocked: the tool {tool} was called {count} times with the same "
	"parameters, and the warnings are used up. Try another approach.",
	[PW_OPENFANG_PING_PONG] =
	"Blocked: the last calls go round in a pattern of {period}, {laps} "
	"times. Break it by another approach.",
	[PW_OPENFANG_SAME] =
	"The tool {tool} gave an identical result {count} times: this way "
	"does not work. Try something different.",
	[PW_OPENFANG_SAME_BLOCK] =
	"Blocked: the tool {tool} gives an identical result each time. Try "
	"something different.",
	[PW_OPENFANG_BREAKER] =
	"Circuit breaker: more than {limit} tool calls in this turn, which "
	"ends here.",

	[PW_HERMES_WARN] =
	"A loop is forming: {pattern}. Look at the results so far and change "
	"the arguments or the tool.",
	[PW_HERMES_WAIT] =
	"The loop goes on: {pattern}. If this waits for something, wait {wait} "
	"seconds before the next check; if not, take another way now.",
	[PW_HERMES_BLOCK] =
	"Blocked: {pattern}, after {count} warnings. Use another tool or "
	"other arguments, or answer with what is known.",

	[PW_NANOBOT_WARN] =
	"The same calls came {count} times in a row. Change the approach: "
	"other arguments, another tool, or an answer.",
	[PW_NANOBOT_STOP] =
	"The same calls came {count} times in a row. Make no more calls; sum "
	"up what was found and answer now.",
	[PW_NANOBOT_RETRY] =
	"Attempt {count} of this call failed as shown. Things to try: check "
	"the arguments against the error, look at the state it depends on, "
	"take a smaller step.",
	[PW_NANOBOT_OTHER_WAY] =
	"This call has failed {count} times with the same arguments. Take a "
	"fundamentally different approach, or ask the person.",

	[PW_KIMI_STALL] =
	"The last {count} steps changed no file, moved no background task and "
	"brought no new output. The next message is text only: say what was "
	"done, what is in the way, and what comes next.",
};

static void
say_pattern(const struct pfacts *f, struct buf *out)
{
	if (f->period < 2)
		buf_fmt(out, "the same call %lu times in a row",
		    f->laps);
	else if (f->period == 2)
		buf_adds(out, "two calls take turns");
	else
		buf_fmt(out, "%lu calls go round", f->period);
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
