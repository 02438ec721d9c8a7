/* mention.h - what a person's message names with @path.
 *
 * The name stands in the text, and read finds it; an image is put beside the
 * text, so that the model sees it.  A blank in a path has a backslash before
 * it; what ends a sentence is no part of it.
 */
#ifndef HAMR_LOOP_MENTION_H
#define HAMR_LOOP_MENTION_H

#include <stdbool.h>

#include "json.h"
#include "ui.h"

/* Set "content" of o: text, or text and the images that it names (PNG, JPEG,
 * GIF or WebP by content, 3,750,000 bytes each, eight at most).  Only those in
 * the working directory, unless anywhere is set: then also by an absolute path
 * or one that begins with ~/.  vision: the model sees images.  What is shown
 * and what is not is told. */
void mention_content(struct json *o, const char *text, bool vision,
    bool anywhere, struct ui *u);

#endif
