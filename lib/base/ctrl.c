/* ctrl.c - the characters that control a terminal, or are invisible on it. */
#include "ctrl.h"

static const struct {
	unsigned long first, last;
} list[] = {
	{ 0x00, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c },
	{ 0x115f, 0x1160 }, { 0x180e, 0x180e }, { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 },
	{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff9, 0xfffb },
	{ 0xfffe, 0xffff },
	{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

bool
ctrl_is(unsigned long cp)
{
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (cp <= list[i].last)
			return cp >= list[i].first;
	return false;
}

unsigned long
ctrl_code(const unsigned char *p, size_t n)
{
	unsigned long cp = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));

	for (size_t i = 1; i < n; i++)
		cp = cp << 6 | (p[i] & 0x3fu);
	return cp;
}

size_t
ctrl_len(const unsigned char *p)
{
	size_t n = *p < 0xc2 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;

	if (*p == '\0' || *p == '\t')
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return ctrl_is(*p >= 0x80 && n == 1 ? 0x20 : ctrl_code(p, n)) ? n : 0;
}
