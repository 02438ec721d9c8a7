/* export.h - a session in the forms of others: openai, atif, html.
 *
 * Each form is a jq program, share/hamr/export/FORM.jq, which is given null
 * and then, as `inputs`, the records.  A string that it makes is written as it
 * is but for what steers a terminal (lib/term), an array as markup, text,
 * markup and so on, of which the texts are escaped for HTML, and an object as a
 * line of JSON; in it {"$json": TEXT} becomes TEXT, as its bytes are, or
 * {"_invalid": TEXT} when that is not an object of JSON: jq would lose digits
 * of large numbers.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

extern const char *const export_forms[];		/* ends with NULL */

/* Append the session at path. */
int export_session(const char *path, const char *form, struct buf *out,
    struct err *e);
