/* profiles.c - the profiles that have rules of their own (chapter 3.3). */
#include <string.h>

#include "judge.h"

const struct judge *
judge_of(const char *profile)
{
	static const struct judge *const judges[] = { NULL };

	for (size_t i = 0; judges[i] != NULL; i++)
		if (strcmp(judges[i]->name, profile) == 0)
			return judges[i];
	return NULL;
}
