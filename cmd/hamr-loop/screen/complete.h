/* complete.h - what the word at the cursor may become.
 *
 * Three things complete: a command (a slash and a word, at the start of the
 * message), a command's argument, and @path.  What there is says a callback;
 * this finds which of it match, the best first: commands and arguments that
 * begin with what was typed, paths that hold its letters in order.
 *
 * Tab opens a small list of them, or completes the word where only one matches.
 * Open, Tab and the arrows choose, Enter takes what is chosen, and sends it
 * where nothing else belongs to it, Esc closes it (of arguments, before one is
 * begun, it is a key of the input, which is cleared), and what is typed narrows
 * it.  Of commands and paths it is shown while they are typed, and nothing is
 * chosen then: Enter sends what stands there.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "keys.h"
#include "message.h"

enum complete_kind { COMPLETE_COMMAND, COMPLETE_ARGUMENT, COMPLETE_PATH };

struct candidate {
	char *text;		/* "/model", "qwen3-coder", "src/main.c" */
	char *about;		/* shown beside it, or NULL */
	bool more;		/* arguments belong behind it */
	long score;		/* private; so is the order of coming */
	size_t order;
};

struct candidates {
	struct candidate *v;
	size_t n, cap;
	bool quick;		/* nobody asked: what takes time is left out, */
	bool later;		/* or there when it is asked for again */
};

/* Copied; one that is not UTF-8 or would steer a terminal is left out. */
void candidates_add(struct candidates *c, const char *text,
    const char *about);
void candidates_release(struct candidates *c);

/* Adds all there are of that kind; for arguments of that command ("model"),
 * else NULL. */
struct complete_source {
	void (*list)(void *arg, enum complete_kind kind, const char *command,
	    struct candidates *out);
	void *arg;
};

/* ---- the list ---- */

struct menu {			/* zeroed: closed */
	struct candidates list;
	size_t matches;		/* of them, first; 0: none is shown */
	size_t chosen;
	bool hint;		/* nothing is */
	enum complete_kind kind;
	size_t from;		/* where the word begins */
};

/* False: nothing completes at the cursor. */
bool menu_open(struct menu *u, struct message *m,
    const struct complete_source *from);
void menu_close(struct menu *u);

/* A list that is to be shown was not there yet (list.later): look again.  True:
 * it is. */
bool menu_again(struct menu *u, const struct message *m,
    const struct complete_source *from);

/* Is what is chosen a command, or the argument of one, that nothing else
 * belongs behind? */
bool menu_ends(const struct menu *u);

/* False: the key is none of an open menu's. */
bool menu_key(struct menu *u, struct message *m, const struct key *key);

/* Another key changed the message, or moved in it.  Typed was the last, or
 * nothing; if a command or path began with it, the list is shown. */
void menu_changed(struct menu *u, const struct message *m,
    const struct complete_source *from, struct slice typed);

/* How many rows it wants, at most max; append so many, an LF before each. */
size_t menu_rows(const struct menu *u, size_t max);
void menu_draw(const struct menu *u, size_t rows, size_t columns, bool colour,
    struct buf *out);
