/* doctor.h - report what is installed and what is missing, one line each. */
#pragma once

#include "conf/conf.h"
#include "opts.h"

/* Print the lines to stdout; broken: what is wrong with the configuration
 * files, or "".  Returns ST_OK, or ST_NO when something required is missing; -1
 * with e when nothing can be printed. */
int doctor(const struct opts *o, const struct conf *c, const char *root,
    const char *broken, struct err *e);
