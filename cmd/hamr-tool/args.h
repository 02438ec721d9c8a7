/* args.h - a call's arguments: the model's text in, checked values out. */
#ifndef HAMR_TOOL_ARGS_H
#define HAMR_TOOL_ARGS_H

#include <stdbool.h>

#include "buf.h"
#include "result.h"
#include "schema.h"

/* Why arguments were refused. */
enum args_fault { ARGS_OK, ARGS_JSON, ARGS_SHAPE };

/* Check text (decoded out of the call, p NULL when there is none) as JSON and
 * against the schema.  Append to out an object with canonical names, integers
 * as integers, without null and unknown members.  Else r is a bad_arguments
 * error that shows the template. */
enum args_fault args_check(const struct schema *t, struct slice text,
    struct buf *out, struct result *r);

#endif
