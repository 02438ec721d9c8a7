/* chat.h - hamr-loop on a terminal without a task (chapter 7.5). */
#pragma once

#include "turn/run.h"

/* Read messages and commands until the person quits.  The session begins with
 * the first message.  Returns the exit status, or -1 with e. */
int chat(struct run *r, struct err *e);

/* Chat with a program: it sends records on stdin and reads ours on stdout
 * (--json).  The session begins at once.  It may send user messages, answers,
 * config and cancel; a sync comes back when everything before it is done. */
int chat_records(struct run *r, struct err *e);
