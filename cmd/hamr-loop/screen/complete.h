/* complete.h - complete the word at the cursor.
 *
 * Three things can be completed: a command (a slash and a word, at the start of
 * the message), a command's argument, and @path.  A callback lists the
 * candidates; this finds those that match, the best first: commands and
 * arguments that begin with what was typed, paths that contain its letters in
 * order.
 *
 * Tab opens a small list of matches, or completes the word if there is only
 * one.  In the list, Tab and the arrows choose; Enter takes the choice, and
 * sends it if nothing can follow it; Esc closes the list (a list of arguments
 * of which none is begun leaves Esc to the input, which is cleared); typing
 * narrows it.  While a command or path is typed the list is shown without a
 * choice: Enter then sends the message as it is.
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
	bool more;		/* arguments follow it */
	long score;		/* private, like order */
	size_t order;
};

struct candidates {
	struct candidate *v;
	size_t n, cap;
	bool quick;		/* not asked for: skip what takes time */
};

/* Add copies of text and about.  A text that is not UTF-8 or would control the
 * terminal is left out. */
void candidates_add(struct candidates *c, const char *text,
    const char *about);
void candidates_release(struct candidates *c);

/* list adds all candidates of a kind; for arguments, those of command
 * ("model"), which is otherwise not there. */
struct complete_source {
	void (*list)(void *arg, enum complete_kind kind, struct slice command,
	    struct candidates *out);
	void *arg;
};

/* ---- the list ---- */

struct menu {			/* zeroed: closed */
	struct candidates list;
	size_t matches;		/* how many, at the front; 0: not shown */
	size_t chosen;
	bool hint;		/* nothing is chosen */
	enum complete_kind kind;
	size_t from;		/* where the word begins */
};

/* As Tab does, if something completes at the cursor. */
void menu_open(struct menu *u, struct message *m,
    const struct complete_source *from);
void menu_close(struct menu *u);

/* Is the choice a command or argument that nothing can follow? */
bool menu_ends(const struct menu *u);

/* False: the key is not for an open menu. */
bool menu_key(struct menu *u, struct message *m, const struct key *key);

/* Another key changed the message or moved the cursor.  typed is what was typed
 * last, or empty; if that began a command or path, the list is shown. */
void menu_changed(struct menu *u, const struct message *m,
    const struct complete_source *from, struct slice typed);

/* How many rows it wants, at most max; append that many, an LF before each. */
size_t menu_rows(const struct menu *u, size_t max);
void menu_draw(const struct menu *u, size_t rows, size_t columns, bool colour,
    struct buf *out);
