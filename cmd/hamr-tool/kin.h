/* kin.h - every process that descends from this one, found and ended.
 *
 * hamr-tool is child subreaper: what a command leaves behind (setsid, double
 * fork) becomes our child, so all that /proc says descends from us belongs to
 * the call that runs.
 */
#ifndef HAMR_TOOL_KIN_H
#define HAMR_TOOL_KIN_H

#include <stdbool.h>

#include "buf.h"

/* Who descended from us before the call (a shell may exec us with children
 * of its own): they and theirs are left alone. */
struct kin_spared {
	int *pid;
	size_t n, cap;
};

/* Become child subreaper, and list who is there already. */
void kin_adopt(struct kin_spared *s);
void kin_release(struct kin_spared *s);

/* Reap what has ended, but not the process keep. */
void kin_reap(int keep);

/* Send sig to the process group a call began with, to all of it at one moment,
 * so that none can fork meanwhile; kin_signal and kin_end find those who left
 * it. */
void kin_group(int group, int sig);

/* Send sig to every descendant that still runs; their number. */
size_t kin_signal(const struct kin_spared *s, int sig);

/* The command lines of those that run and have no children themselves,
 * sorted, each once, as "a, b"; nothing when there are none. */
void kin_names(const struct kin_spared *s, struct buf *out);

/* End them all, now, and reap them but keep, whose status somebody wants
 * (-1: all). */
void kin_end(const struct kin_spared *s, int keep);

#endif
