/* commands.h - the commands of hamr-mem. */
#pragma once

#include "options/opts.h"

/* Each returns a status, or -1 with e. */
int command_save(const struct opts *o, struct err *e);
int command_search(const struct opts *o, struct err *e);
int command_list(const struct opts *o, struct err *e);
int command_show(const struct opts *o, struct err *e);
int command_forget(const struct opts *o, struct err *e);
int command_brief(const struct opts *o, struct err *e);
int command_stats(const struct opts *o, struct err *e);
int command_check(const struct opts *o, struct err *e);
int command_rebuild(const struct opts *o, struct err *e);
int command_export(const struct opts *o, struct err *e);
int command_import(const struct opts *o, struct err *e);

/* Remove the new file of a killed rebuild, unless a rebuild is running. */
void remove_unfinished(const char *path);
