/* image_view.h - an image as the model gets it. */
#ifndef HAMR_TOOL_IMAGE_VIEW_H
#define HAMR_TOOL_IMAGE_VIEW_H

#include "image.h"

/* Append the content part of an image that image_probe knows; a comma goes
 * before it where out is not empty. */
void image_part(struct buf *out, const struct image *im, struct slice bytes);

#endif
