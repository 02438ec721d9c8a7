/* envelope.c - what other agents write around an output. */
#include "envelope.h"

#define FOOT_MAX 400		/* bytes of what is written below one */

static bool
begins_with(struct slice line, const char *const *row)
{
	for (; *row != NULL; row++)
		if (slice_starts(line, *row))
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

/* From the line of the last few on that begins so and says so behind that. */
static bool
cut_foot(struct slice *text, const char *begins, const char *says)
{
	size_t from = text->n > FOOT_MAX ? text->n - FOOT_MAX : 0;
	size_t at = slice_find(*text, from, begins);

	if (slice_find(*text, at, says) == text->n)
		return false;
	*text = slice_part(*text, 0, at);
	return true;
}

/* Gemini CLI: the command and where it ran, what came, its process group. */
static bool
open_gemini(struct slice *text)
{
	static const char *const labels[] = { "Command: ", "Directory: ",
		NULL };
	struct slice rest, line;

	if (!cut_foot(text, "\nProcess Group PGID: ", ""))
		return false;
	for (rest = *text; slice_line(&rest, &line) &&
	    begins_with(line, labels); )
		*text = rest;
	return true;
}

struct slice
envelope_open(struct slice text)
{
	/* the last is Claude Code's, below what a sub-agent says */
	if (!open_codex(&text) && !open_gemini(&text) &&
	    !cut_foot(&text, "\nagentId: ", "<usage>"))
		cut_foot(&text, "\nagentId: ", "(for resuming");
	return text;
}
