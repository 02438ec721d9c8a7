/* hide.h - what of the machine no command may see: keys, histories, tokens. */
#ifndef HAMR_TOOL_HIDE_H
#define HAMR_TOOL_HIDE_H

#include <stddef.h>
#include <sys/types.h>

#include "conf.h"

struct texts {
	char **v;
	size_t n, cap;
};

void texts_add(struct texts *t, char *text);	/* takes it */
void texts_release(struct texts *t);

/* The home of a user by /etc/passwd, and the name; NULL when there is none.
 * Yours. */
char *hide_home_of(uid_t uid, char **name);

/* Append, without links, what exists of the list of chapter 5.3 in these
 * homes, and the absolute and ~ paths of [sandbox] mask; a "!PATH" there takes
 * one out. */
void hide_list(const struct conf *c, const char *const *homes, size_t nhomes,
    struct texts *out);

#endif
