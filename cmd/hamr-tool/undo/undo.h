/* undo.h - hamr-tool undo: changes taken back, all of what was asked or none.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "files/files.h"

/* Take back the newest change, the one called id, or all since a checkpoint;
 * the files are named on stdout, in words or as an `undo` record.  force: also
 * a file that was changed since.  Returns the status: ST_OK, ST_NO when there
 * is nothing to take back, ST_POLICY when a file is not what hamr left; e has
 * the words of all but the first. */
int undo_run(struct files *f, const char *id, bool force, bool json,
    struct err *e);

/* NDJSON {id, at, tool, paths, ...} of what can be taken back, newest first;
 * or of what undo_run with that id takes back, each with `changed`: the paths
 * that are no longer as hamr left them. */
int undo_list(struct files *f, const char *id, struct err *e);
