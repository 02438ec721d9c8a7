/* undo.h - hamr-tool undo: undo changes, all that were asked for or none.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "files/files.h"

/* Undo the newest change, the change id, or all changes since checkpoint id;
 * list the files on stdout, as text or as an `undo` record.  force: undo even
 * files that were changed since.  Returns the status: ST_OK, ST_NO if there is
 * nothing to undo, ST_POLICY if a file is not as hamr left it; e explains all
 * but ST_OK. */
int undo_run(struct files *f, const char *id, bool force, bool json,
    struct err *e);

/* Print NDJSON {id, at, tool, paths, ...} of what can be undone, newest first;
 * or of what undo_run with this id would undo, each with `changed`: the paths
 * that are no longer as hamr left them. */
int undo_list(struct files *f, const char *id, struct err *e);
