/* extra.h - external tools, of plug-ins and MCP servers (chapter 5.1), and what
 * the mode and the switches allow of all tools.
 *
 * They are asked for their tools once, on demand: for the `tools` record, or
 * for a call whose name is not one of ours.  A struct schema with id
 * TOOL_PLUGIN or TOOL_MCP is the first member of a struct extra.
 */
#pragma once

#include "record/plugin.h"
#include "root/result.h"
#include "schema.h"
#include "calls/tool.h"

struct mcp;			/* mcp.h */

struct extra {
	struct schema schema;	/* first; its texts are owned here */
	char *template;
	bool mutates;		/* it may change what is in the root, or so its
				 * server hints */
	struct plugin plugin;	/* of a server's tool the texts only */
	struct mcp *server;	/* TOOL_MCP: whose, and its name there */
	char *remote;
	bool bare;		/* without a sandbox */
	bool once;		/* not idempotent, as the server hints */
};

struct extras {
	struct extra **v;
	size_t n, cap, nplugins;	/* plug-ins come first */
	struct mcp **servers;
	size_t nservers;
	bool plugins, mcp;	/* asked already */
};

/* Check [tools] plugins and [mcp.NAME]: ST_CONFIG for a name that one of our
 * tools has, a missing plug-in, a server without a command.  Starts nothing. */
int extras_check(const struct tool *t, struct err *e);

struct extras *extras_new(const struct tool *t);
void extras_free(struct extras *x);

/* Ask every configured plug-in and server, once.  -1: a plug-in broke the
 * protocol (ST_PEER) or has the name of one of our tools (ST_CONFIG).  A server
 * that does not answer is reported on stderr and left out. */
int extras_load(struct tool *t, struct err *e);

/* The tool of this name, ours or another's; NULL when there is none.  An
 * extra is looked for where its name says, and the stage fails (stage_fail)
 * as extras_load would. */
const struct schema *tool_schema(const struct tool *t, const char *name);

static inline const struct extra *
extra_of(const struct schema *s)
{
	return s->id == TOOL_PLUGIN || s->id == TOOL_MCP ?
	    (const struct extra *)s : NULL;
}

/* Does the call get a sandbox that may write?  Then it is asked for. */
bool extra_writes(const struct tool *t, const struct extra *x);

/* A call that nobody approved may only get a read-only sandbox.  False: it
 * would run without one; r is the error. */
bool extra_unapproved(const struct tool *t, const struct extra *x,
    struct result *r);

/* Do the mode and the paths allow the call?  False: r is the error. */
bool extra_judge(const struct tool *t, const struct extra *x,
    struct slice args, struct result *r);

/* The call itself, of this id. */
void extra_run(struct tool *t, const struct extra *x, const char *id,
    bool writes, struct slice args, struct result *r);

/* Append the `tools` record of all that is loaded and that the mode does not
 * deny. */
void tool_record_all(const struct tool *t, struct buf *out);

/* Add new, made with xcalloc, its id and the plug-in's texts set; x then owns
 * it.  False (the caller still owns it): the name is taken. */
bool extras_add(struct extras *x, struct extra *new);
void extra_free(struct extra *x);

/* "read, edit, ..., x", appended. */
void tool_names(const struct tool *t, struct buf *out);

/* ---- the mode ---- */

extern const char *const mode_names[];
/* By its name; -1 when there is none of that name. */
int mode_named(const char *name);

/* Which of our tools there are, by the configuration and the mode
 * (SCHEMA_BASH, ...). */
unsigned tool_on(const struct tool *t);

/* Is an approver configured ([tools] approve)? */
bool mode_has_approver(const struct tool *t);

/* Can a change be allowed: by --yes, an approver, or somebody who is asked? */
bool mode_has_consent(const struct tool *t);

/* The sandbox a command gets in this mode; approved: by --yes or a person. */
enum box_kind tool_kind(const struct tool *t, bool approved);

/* The sandbox of a plug-in's or server's tool.  If none can be enforced,
 * sandboxes_why_not says why. */
struct box_spec mode_box_spec(const struct tool *t, bool writes);

/* May what lives as long as the session write, because each of its calls is
 * asked for or allowed? */
bool mode_may_write(const struct tool *t);
