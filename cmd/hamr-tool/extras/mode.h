/* mode.h - what the mode and the switches allow. */
#pragma once

#include "calls/tool.h"

/* By its name; -1 when there is none of that name. */
int mode_named(const char *name);
const char *mode_name(enum mode m);

/* Which of our tools there are, by the configuration and the mode
 * (SCHEMA_BASH, ...). */
unsigned tool_on(const struct tool *t);

/* Is there a program that approves calls ([tools] approve)? */
bool mode_has_approver(const struct tool *t);

/* Can a change be allowed: by --yes, an approver, or somebody who is asked? */
bool mode_has_consent(const struct tool *t);

/* The sandbox a command gets in this mode; approved: by --yes or a person. */
enum box_kind tool_kind(const struct tool *t, bool approved);

/* The sandbox of a tool that others give; what is missing when the mode
 * allows none, sandboxes_want tells. */
struct box_want mode_want(const struct tool *t, bool writes);

/* May what lives as long as the session write, because each of its calls is
 * asked for or allowed? */
bool mode_may_write(const struct tool *t);
