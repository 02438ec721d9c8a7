/* index.h - the stage: which parts of a transcript are remembered, and when. */
#pragma once

#include "options/opts.h"
#include "stage/stage.h"

/* Run the stage over s->files as options and configuration say, into the file
 * at path (NULL: as the options say).  Nothing is opened before there is
 * something to remember.  Returns the exit status, or -1 with e when it could
 * not start. */
int index_files(struct stage *s, const struct opts *o, const char *path,
    struct err *e);
