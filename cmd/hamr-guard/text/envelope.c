/* envelope.c - what other agents write around an output. */
#include <string.h>

#include "base/num.h"
#include "envelope.h"

#define FOOT_MAX 400		/* bytes of what is written below one */

static bool
begins_with(struct slice line, const char *const *row)
{
	for (; line.n > 0 && *row != NULL; row++)
		if (**row == *line.p && slice_starts(line, *row))
			return true;
	return false;
}

/* Codex: lines of its own, the last of which is "Output:". */
static bool
open_codex(struct slice *text)
{
	static const char *const labels[] = { "Chunk ID: ", "Wall time: ",
		"Exit code: ", "Process exited with code ",
		"Original token count: ", "Total output lines: ", NULL };
	struct slice rest = *text, line = { NULL, 0 };
	size_t n = 0;

	while (slice_line(&rest, &line) && begins_with(line, labels))
		n++;
	if (n == 0 || !slice_is(line, "Output:"))
		return false;
	*text = rest;
	return true;
}

/* Gemini CLI: the command and where it ran. */
static void
open_gemini(struct slice *text)
{
	static const char *const labels[] = { "Command: ", "Directory: ",
		NULL };
	struct slice rest = *text, line;

	while (slice_line(&rest, &line) && begins_with(line, labels))
		*text = rest;
}

struct slice
envelope_open(struct slice text)
{
	const char *end = text.p + text.n, *lf = end;
	const char *from = end - num_min(text.n, FOOT_MAX);

	if (open_codex(&text))
		return text;
	while ((lf = memrchr(from, '\n', (size_t)(lf - from))) != NULL) {
		struct slice foot = { lf + 1, (size_t)(end - lf - 1) };
		bool gemini = slice_starts(foot, "Process Group PGID: ");

		/* what Claude Code writes below what a sub-agent says */
		if (!gemini && (!slice_starts(foot, "agentId: ") ||
		    (!slice_has(foot, "<usage>") &&
		    !slice_has(foot, "(for resuming"))))
			continue;
		text = slice_part(text, 0, (size_t)(lf - text.p));
		if (gemini)
			open_gemini(&text);
		break;
	}
	return text;
}
