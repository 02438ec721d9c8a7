/* chat_edit_in.h - the inside of the line editor; of chat_edit.c, chat_keys.c
 * and chat_wait.c only. */
#ifndef HAMR_LOOP_CHAT_EDIT_IN_H
#define HAMR_LOOP_CHAT_EDIT_IN_H

#include <histedit.h>
#include <stdbool.h>
#include <stdio.h>

#include "buf.h"

#define PASTE_BEGIN "\033[200~"
#define PASTE_END "\033[201~"

struct lib {
	void *so;
	EditLine *(*init)(const char *, FILE *, FILE *, FILE *);
	void (*end)(EditLine *);
	const char *(*gets)(EditLine *, int *);
	int (*set)(EditLine *, int, ...);
	const LineInfo *(*line)(EditLine *);
	int (*insert)(EditLine *, const char *);
	History *(*history_init)(void);
	void (*history_end)(History *);
	int (*history)(History *, HistEvent *, int, ...);
};

struct edit {
	struct lib lib;
	EditLine *el;		/* NULL: plain lines */
	History *hist;
	char *file;
	int signals;
	int job;		/* job.h, while libedit has the terminal */
	struct buf ahead;	/* as if typed, before all else */
	bool stopped;		/* a signal ended the line */
};

/* ---- chat_wait.c ---- */

/* The next byte of the terminal; false: a signal came first. */
bool edit_byte(struct edit *d, char *c);

/* ---- chat_keys.c: keys with a meaning of ours, as libedit calls them ---- */

struct edit *edit_self(EditLine *el);
unsigned char key_complete(EditLine *el, int ch);	/* Tab */
unsigned char key_paste(EditLine *el, int ch);		/* a paste begins */

#endif
