/* chat.h - hamr-loop on a terminal, without a task (chapter 7.5). */
#pragma once

#include "turn/run.h"

/* Read messages and commands until the person quits.  The session begins with
 * the first message.  The status, or -1 with e. */
int chat(struct run *r, struct err *e);

/* The same with a program: its records on stdin, ours on stdout (--json).  The
 * session begins at once.  User messages, answers, config, cancel; a sync comes
 * back when all before it is done. */
int chat_records(struct run *r, struct err *e);
