/* export.h - write a session in other formats: openai, atif, html.
 *
 * Each format is a jq program, share/hamr/export/FORM.jq, whose input is null
 * and whose `inputs` are the records.  Of its results, a string is written as
 * is except for terminal controls (lib/term).  An array is markup, text, markup
 * and so on; the texts are escaped for HTML.  An object is a line of JSON; in
 * it {"$json": TEXT} becomes the bytes of TEXT, or {"_invalid": TEXT} if TEXT
 * is not a JSON object, because jq would lose digits of large numbers.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

extern const char *const export_forms[];		/* ends with NULL */

/* Append the session at path in this format.  -1 with e. */
int export_session(const char *path, const char *form, struct buf *out,
    struct err *e);
