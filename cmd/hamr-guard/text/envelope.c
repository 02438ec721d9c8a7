/* envelope.c - what other agents write around an output. */
#include <string.h>

#include "base/num.h"
#include "envelope.h"

#define FOOT_MAX 400		/* bytes of what is written below an output */

static bool
begins_with(struct slice line, const char *const *row)
{
	for (; line.n > 0 && *row != NULL; row++)
		if (**row == *line.p && slice_starts(line, *row))
			return true;
	return false;
}

/* What is around an output: the last line shows which agent wrote it.  Not all
 * of its lines are always there. */
static const struct frame {
	const char *heads[3], *feet[6];
} frames[] = {
	/* Gemini CLI */
	{ { "Command: ", "Directory: " }, { "Process Group PGID: ",
	    "Background PIDs: ", "Signal: ", "Exit Code: ",
	    "Error: (none)" } },
	/* OpenHands */
	{ { NULL }, { "[Command finished with exit code ",
	    "[Python interpreter: ", "[Current working directory: ",
	    "[The command completed with exit code " } },
	/* SWE-agent */
	{ { NULL }, { "bash-$", "(Current directory: ", "(Open file: " } },
	/* mini-SWE-agent */
	{ { "<returncode>", "<output>" }, { "</output>" } },
	/* pi */
	{ { NULL }, { "Command exited with code " } },
};

struct slice
envelope_last_line(struct slice text)
{
	const char *lf = memrchr(text.p, '\n', text.n);

	return slice_from(text, lf != NULL ? (size_t)(lf + 1 - text.p) : 0);
}

/* Kimi: what it says of an output stands before that; if there is none, it is
 * the output. */
static struct slice
without_head(struct slice text)
{
	static const char head[] = "<system>", end[] = "</system>";
	size_t at = slice_starts(text, head) ? slice_find(text, 0, end) :
	    text.n;

	if (at == text.n)
		return text;
	struct slice rest = slice_from(text, at + strlen(end));
	return slice_trim(rest).n > 0 ? rest :
	    slice_part(text, strlen(head), at);
}

struct slice
envelope_open(struct slice text)
{
	/* Claude Code and Cline: their notes to the model below a result */
	static const char *const notes[][2] = {
		{ "<system-reminder>", "</system-reminder>" },
		{ "<environment_details>", "</environment_details>" } };
	/* Codex: lines of its own, the last of which is "Output:" */
	static const char *const labels[] = { "Chunk ID: ", "Wall time: ",
		"Exit code: ", "Process exited with code ",
		"Original token count: ", "Total output lines: ", NULL };
	size_t labeled = 0;

	text = without_head(text);
	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
		size_t at = text.n, next = 0;

		if (!slice_ends(slice_trim_end(text, "\n"), notes[i][1]))
			continue;
		while ((next = slice_find(text, next, notes[i][0])) < text.n)
			at = next++;
		text = slice_part(text, 0, at);
	}
	struct slice rest = text, line = { NULL, 0 };
	while (slice_line(&rest, &line) && begins_with(line, labels))
		labeled++;
	if (labeled > 0 && slice_is(line, "Output:"))
		return rest;
	rest = slice_trim_end(text, "\n");
	const struct slice last = envelope_last_line(rest);
	for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
		const struct frame *f = &frames[i];

		if (!begins_with(last, f->feet))
			continue;
		while (begins_with(line = envelope_last_line(rest), f->feet))
			rest = slice_part(rest, 0, line.p > rest.p ?
			    (size_t)(line.p - rest.p) - 1 : 0);
		for (text = rest; slice_line(&rest, &line) &&
		    begins_with(line, f->heads); )
			text = rest;
		return text;
	}
	const char *end = text.p + text.n, *p = end;
	const char *from = end - num_min(text.n, FOOT_MAX);
	/* by their I, as few lines have one */
	while ((p = memrchr(from, 'I', (size_t)(p - from))) != NULL) {
		if (p - from < 6 || p[-6] != '\n')
			continue;
		struct slice foot = slice_from(text, (size_t)(p - 5 - text.p));
		/* Claude Code's lines below the answer of a sub-agent */
		if (slice_starts(foot, "agentId: ") &&
		    (slice_has(foot, "<usage>") ||
		    slice_has(foot, "(for resuming")))
			return slice_part(text, 0, (size_t)(p - 6 - text.p));
	}
	return text;
}

struct slice
envelope_foot(struct slice text)
{
	struct slice open = envelope_open(text);

	return slice_from(text, (size_t)(open.p + open.n - text.p));
}
