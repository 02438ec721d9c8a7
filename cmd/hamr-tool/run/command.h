/* command.h - a command is run, and becomes the text that the model reads. */
#pragma once

#include "prog.h"
#include "root/path.h"
#include "root/result.h"

struct command {
	struct prog prog;	/* its out and err are set here */
	const char *command;	/* NULL: a plug-in; when all is well, its
				 * stdout alone */
	const struct root *root;	/* shown as cwd; holds .hamr/out */
	size_t cap;
	bool bare;		/* a mere "exit N" is no line of the text */
	bool clamped;		/* its timeout was out of range */
	bool unlimited;		/* report box_unlimited */
};

/* Run it.  r is the first line, stdout, "[stderr]" and stderr, within the cap,
 * and the meta of chapter 2.4.  If the output was cut, all of it is saved in
 * .hamr/out.  False: it could not be started, for the reason prog.e. */
bool command_run(struct command *cmd, struct stage *s, struct result *r);

/* Only the text in out, within the cap, then notes ("" for none). */
void command_text(const struct output *out, const char *notes, int rootfd,
    size_t cap, struct result *r);

#define BASH_SECONDS 120	/* the timeout of bash where none is given */

/* The bash tool: run cmd's command for so many seconds at most; nothing that it
 * starts outlives the call.  cmd also has where it runs, its cap, and of its
 * program id and alive; after the call how it ended.  r is always filled. */
void bash_run(struct stage *s, struct command *cmd, int64_t seconds,
    struct result *r);
