/* skills.h - what the model may read when it wants to: SKILL.md folders. */
#pragma once

#include "base/buf.h"
#include "conf/conf.h"

/* Append each skill's name, description and what it is read as: the user's, and
 * those of the repository if it is trusted.  Nothing where there are none. */
void skills_list(const struct conf *c, const char *root, struct buf *out);

/* The lines between two of "---" that a text may begin with are about it, and
 * are taken off it.  The value of a key there, or nothing. */
struct slice front_matter(struct slice *text, const char *key);
