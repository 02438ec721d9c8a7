/* chat_in.h - the inside of the chat; of chat*.c only. */
#ifndef HAMR_LOOP_CHAT_IN_H
#define HAMR_LOOP_CHAT_IN_H

#include <stdbool.h>

#include "buf.h"
#include "run.h"

struct edit;

struct chat {
	struct run *run;
	struct edit *edit;
	int signals;		/* a signalfd for INT, TERM, HUP */
	bool open;		/* there is a session, its stages run */
	bool quit;
	struct err err;		/* what ended it, when failed is set */
	bool failed;
};

/* ---- chat_open.c ---- */

/* Open the session if there is none yet; task (or NULL) is what it begins
 * with.  -1: c->err says why. */
int chat_open(struct chat *c, const char *task);

/* ---- chat_cmd.c ---- */

/* Is it "/command" or "!command"? */
bool chat_is_command(const char *line);
void chat_command(struct chat *c, const char *line);

/* Go on with a session (NULL: the one last used) and show where it stands.
 * -1: c->err says why not. */
int chat_resume(struct chat *c, const char *id);

/* Names of the commands, each with its slash, NULL at the end. */
extern const char *const chat_commands[];

/* ---- chat_shell.c ---- */

/* Run it with bash, as the person, until it ends or Ctrl-C; the model is
 * told. */
void chat_shell(struct chat *c, const char *cmd);

/* ---- chat_words.c ---- */

struct words {
	char **v;
	size_t n, cap;
};

/* Where the word begins that ends at n. */
size_t words_begin(const char *line, size_t n);

/* Everything that goes on from what is begun, each with a blank behind:
 * commands (as the first word of a line) and, behind @, files. */
void words_find(struct words *w, const char *begun, bool first);
void words_free(struct words *w);

/* How many bytes all of them (there is one) begin with. */
size_t words_common(const struct words *w);

/* ---- chat_edit.c ---- */

/* A line editor on the terminal with history (kept in the file history, NULL:
 * nowhere) and completion of commands and, behind @, of the files of the
 * working directory that git knows.  libedit when it is installed, else plain
 * lines.  signals: a signalfd; what comes there ends a line. */
struct edit *edit_new(const char *history, int signals);
void edit_free(struct edit *d);

/* Text that the next line begins with; it is taken out of b. */
void edit_push(struct edit *d, struct buf *b);

/* The next message, yours: a line, or several that were pasted at once.  NULL
 * at the end of input; *interrupted when Ctrl-C was pressed instead. */
char *edit_line(struct edit *d, const char *prompt, bool *interrupted);

#endif
