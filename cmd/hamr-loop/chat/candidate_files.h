/* candidate_files.h - the project's files, for what completes after an @. */
#ifndef HAMR_LOOP_CANDIDATE_FILES_H
#define HAMR_LOOP_CANDIDATE_FILES_H

#include "screen/complete.h"

/* Add the files of the working directory that git tracks or does not ignore:
 * as many as are found in 2 s. */
void files_list(struct candidates *out);

#endif
