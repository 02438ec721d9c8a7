/* duration.h - spans of time, as people write them */
#pragma once

/*
 * Read a text such as "90s", "1h30m" or "2w" into seconds.
 * Returns 0, or -1 for anything else and for more than a long can hold.
 */
int duration_parse(const char *text, long *seconds);
