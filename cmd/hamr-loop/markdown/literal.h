/* literal.h - marks of emphasis and links in what is code all the same, though
 * nobody has marked it as such: *.c, __init__, 2**8, f[i](x), HEAD~2, \d+\.
 * CommonMark takes them for marks and they would be lost.  What may be either
 * stays as it was written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Put control characters in the place of such marks in text, which a blank
 * stands before; it has no control characters of its own but blanks.  True:
 * there were some. */
bool literal_hide(char *text);

/* Put them back. */
void literal_show(char *text, size_t n);
