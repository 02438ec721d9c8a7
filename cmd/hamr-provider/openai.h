/* openai.h - chunks and answers of the chat completions API, read. */
#ifndef PROVIDER_OPENAI_H
#define PROVIDER_OPENAI_H

#include <stdbool.h>

#include "answer.h"
#include "buf.h"
#include "errors.h"
#include "scan.h"

enum openai_said {
	OPENAI_MORE,
	OPENAI_FINISHED,	/* a finish_reason; usage may follow */
	OPENAI_DONE,		/* [DONE] */
	OPENAI_ERROR		/* f says which */
};

/* One event's data, or a whole answer without a stream. */
enum openai_said openai_read(struct scan *sc, struct answer *a,
    struct slice data, struct failure *f);

#endif
