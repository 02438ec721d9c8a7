/* context.h - what a session tells the model about its place (chapter 7.1):
 * AGENTS.md files and what the memory holds.
 *
 * They are the repository's and earlier sessions' words, so they come as a
 * user message that is marked, never as a system message.
 */
#ifndef HAMR_LOOP_CONTEXT_H
#define HAMR_LOOP_CONTEXT_H

#include "buf.h"
#include "stages.h"

/* Append the AGENTS.md files of dir and of each folder above it up to root,
 * nearest first, 32 KiB of them at most.  Links, pipes and files that cannot
 * be read are not there. */
void context_files(const char *root, const char *dir, struct buf *out);

/* Start `hamr-mem brief` for this task (or NULL); NULL when there is no memory
 * of root
 * and none of the user's.  The nunset variables are not for
 * it.  Its output is taken by context_memory. */
struct child *context_ask(const char *root, const char *task,
    const char *const *unset, size_t nunset);

/* Append what it says, if it says anything within a second. */
void context_memory(struct child *c, struct buf *out);

#endif
