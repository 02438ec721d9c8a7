/* image.c - what kind of image a file is, and how large, by its bytes.
 *
 * The formats read here: the IHDR of PNG, the screen descriptor of GIF, the
 * frame header (SOF) of JPEG, the first chunk of WebP.  No library on our list
 * knows images, and none of it is decoded.
 */
#include <string.h>

#include "image.h"

static unsigned long
big(const unsigned char *p, int n)
{
	unsigned long v = 0;

	while (n-- > 0)
		v = v << 8 | *p++;
	return v;
}

static unsigned long
little(const unsigned char *p, int n)
{
	unsigned long v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

static bool
jpeg(struct image *im, const unsigned char *p, size_t n)
{
	size_t at = 2;

	if (n < 4 || p[0] != 0xff || p[1] != 0xd8 || p[2] != 0xff)
		return false;
	while (at + 9 < n && p[at] == 0xff) {
		unsigned char marker = p[at + 1];

		/* the start of a frame; not C4, C8 and CC */
		if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 &&
		    marker != 0xc8 && marker != 0xcc) {
			*im = (struct image){ "JPEG", "image/jpeg",
				big(p + at + 7, 2), big(p + at + 5, 2) };
			return true;
		}
		if (marker == 0xff)		/* a fill byte */
			at++;
		else if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd7))
			at += 2;		/* markers without a length */
		else
			at += 2 + big(p + at + 2, 2);
	}
	return false;
}

static bool
webp(struct image *im, const unsigned char *p, size_t n)
{
	if (n < 30 || memcmp(p, "RIFF", 4) != 0 ||
	    memcmp(p + 8, "WEBP", 4) != 0)
		return false;
	*im = (struct image){ .name = "WebP", .mime = "image/webp" };
	if (memcmp(p + 12, "VP8 ", 4) == 0 &&
	    memcmp(p + 23, "\x9d\x01\x2a", 3) == 0) {
		im->width = little(p + 26, 2) & 0x3fff;
		im->height = little(p + 28, 2) & 0x3fff;
	} else if (memcmp(p + 12, "VP8L", 4) == 0 && p[20] == 0x2f) {
		unsigned long bits = little(p + 21, 4);
		im->width = (bits & 0x3fff) + 1;
		im->height = (bits >> 14 & 0x3fff) + 1;
	} else if (memcmp(p + 12, "VP8X", 4) == 0) {
		im->width = little(p + 24, 3) + 1;
		im->height = little(p + 27, 3) + 1;
	}
	return im->width > 0;
}

bool
image_probe(struct image *im, struct slice bytes)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	size_t n = bytes.n;

	if (n >= 24 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0 &&
	    memcmp(p + 12, "IHDR", 4) == 0)
		*im = (struct image){ "PNG", "image/png", big(p + 16, 4),
			big(p + 20, 4) };
	else if (n >= 10 && (memcmp(p, "GIF87a", 6) == 0 ||
	    memcmp(p, "GIF89a", 6) == 0))
		*im = (struct image){ "GIF", "image/gif", little(p + 6, 2),
			little(p + 8, 2) };
	else if (!jpeg(im, p, n) && !webp(im, p, n))
		return false;
	return im->width > 0 && im->height > 0;
}

/* The last one is the padding. */
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "abcdefghijklmnopqrstuvwxyz0123456789+/=";

void
base64_add(struct buf *out, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	if (buf_reserve(out, (n + 2) / 3 * 4 + 1) < 0)
		return;
	for (size_t i = 0; i < n; i += 3) {
		unsigned long v = (unsigned long)p[i] << 16 |
		    (i + 1 < n ? (unsigned long)p[i + 1] << 8 : 0) |
		    (i + 2 < n ? p[i + 2] : 0);
		char four[4] = { digits[v >> 18], digits[v >> 12 & 63],
			i + 1 < n ? digits[v >> 6 & 63] : '=',
			i + 2 < n ? digits[v & 63] : '=' };

		buf_add(out, four, 4);
	}
}

bool
base64_take(struct buf *out, struct slice text)
{
	for (size_t i = 0; i < text.n; i += 4) {
		unsigned long v = 0;
		int pad = 0;

		if (text.n - i < 4)
			return false;
		for (size_t k = 0; k < 4; k++) {
			const char *at = memchr(digits, text.p[i + k],
			    sizeof digits - 1);
			bool fill = at != NULL && *at == '=';

			if (at == NULL || (fill && (k < 2 || i + 4 < text.n)) ||
			    (!fill && pad > 0))
				return false;
			pad += fill;
			v = v << 6 | (fill ? 0 : (unsigned long)(at - digits));
		}
		if (buf_add(out, (char[]){ (char)(v >> 16), (char)(v >> 8),
		    (char)v }, (size_t)(3 - pad)) < 0)
			return false;
	}
	return true;
}
