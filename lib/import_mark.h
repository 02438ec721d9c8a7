/* import_mark.h - what is typical of one format, in one JSON value. */
#ifndef HAMR_IMPORT_MARK_H
#define HAMR_IMPORT_MARK_H

#include <stdbool.h>

#include "buf.h"

/* The formats in the order of import_formats, as bits. */
enum import_mark {
	MARK_OPENAI, MARK_CLAUDE_CODE, MARK_CODEX, MARK_PI, MARK_OPENCODE,
	MARK_GEMINI, MARK_QWEN, MARK_KIMI, MARK_SWE_AGENT, MARK_MINI_SWE_AGENT,
	MARK_OPENHANDS, MARK_SHAREGPT, MARK_ATIF, MARK_CLINE, MARK_COPILOT,
	NMARKS
};

/* The formats that this object, checked, may be of; in_list: it is an element
 * of the array that is the file. */
unsigned import_marks(struct slice object, bool in_list);

/* Marks found in several places, without what others of them say better: the
 * messages of some are OpenAI's, and more. */
unsigned import_marks_together(unsigned marks);

#endif
