/* index.h - the stage: what of a transcript is remembered, and when. */
#pragma once

#include "options/opts.h"
#include "stage/stage.h"

/* Run the stage over s->files as options and configuration say, into the file
 * at path (NULL: as options say).  Nothing is looked for or opened before there
 * is something to remember.  Returns the exit status, or -1 with e when it
 * could not begin. */
int index_files(struct stage *s, const struct opts *o, const char *path,
    struct err *e);
