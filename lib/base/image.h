/* image.h - the kind and size of an image, from its bytes; base64. */
#pragma once

#include <stdbool.h>

#include "buf.h"

#define IMAGE_BYTES_MAX ((size_t)3750000)	/* 5,000,000 in base64 */

struct image {
	const char *name, *mime;
	unsigned long width, height;
};

/* Recognize PNG, JPEG, GIF or WebP.  False: none of these, or cut off before
 * its size. */
bool image_probe(struct image *im, struct slice bytes);

/* Append p in base64 (RFC 4648, padded). */
void base64_add(struct buf *out, const void *p, size_t n);
/* Append the bytes that base64 text encodes.  False, perhaps with some bytes
 * appended: it is not base64, or out is full. */
bool base64_take(struct buf *out, struct slice text);
