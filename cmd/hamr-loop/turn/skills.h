/* skills.h - SKILL.md folders, which the model reads when it wants to. */
#pragma once

#include "base/buf.h"
#include "conf/conf.h"

/* Append each skill's name, description and the name to read it by: the user's
 * skills, and the repository's if it is trusted.  Appends nothing without any.
 */
void skills_list(const struct conf *c, const char *root, struct buf *out);

/* Remove the front matter (lines between two "---") from the start of text.
 * Returns the value of key in it, on one line and without quotes, or an empty
 * slice; `value` holds it. */
struct slice front_matter(struct slice *text, const char *key,
    struct buf *value);
