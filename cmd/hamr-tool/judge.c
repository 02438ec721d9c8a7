/* judge.c - may this call run?  Everything that is asked before anybody is. */
#include <string.h>

#include "utf8.h"

#include "extra.h"
#include "hook.h"
#include "judge.h"
#include "mcp.h"
#include "mode.h"

static void
unknown(const struct tool *t, const char *name, struct result *r)
{
	size_t n = utf8_cut(name, strlen(name), 64);
	struct buf names = BUF_INIT(RESULT_MAX);

	tool_names(t, &names);
	if (!mcp_is_down(t, name, r))
		result_error(r, "unknown_tool", "there is no tool \"%.*s\"; "
		    "the tools are %s", (int)n, name, names.p);
	buf_release(&names);
}

/* Is there the sandbox that a command needs? */
static bool
box_allows(const struct tool *t, struct result *r)
{
	enum box_kind kind = tool_kind(t, mode_has_consent(t));
	const char *why;

	/* the machine is not asked where the answer would change nothing */
	if (kind == BOX_WRITE &&
	    strcmp(conf_str(t->conf, "sandbox.mode"), "require") != 0)
		return true;
	why = boxes_refuse(t->boxes, kind);
	if (why == NULL)
		return true;
	if (kind == BOX_WRITE)
		result_error(r, "denied", "denied: %s, and the configuration "
		    "requires one (sandbox.mode); use the other tools", why);
	else if (t->mode == MODE_PATCH) {
		json_str(r->meta, "consent", "missing");
		result_error(r, "denied", "denied: without --yes commands run "
		    "in a read-only sandbox, and %s; use read, or ask for "
		    "--yes", why);
	} else
		result_error(r, "denied", "denied: in mode %s commands run in "
		    "a sandbox only, and %s; use read", mode_name(t->mode),
		    why);
	return false;
}

/* The mode's say; false: r is the error. */
static bool
mode_allows(const struct tool *t, const struct schema *s, struct result *r)
{
	const char *mode = mode_name(t->mode);

	if (s->id == TOOL_BASH)
		return box_allows(t, r);
	if ((s->id != TOOL_EDIT && s->id != TOOL_WRITE) ||
	    t->mode == MODE_PATCH)
		return true;
	if (t->mode == MODE_DOCS)
		return true;	/* which files, is for the file tools */
	result_error(r, "denied", "denied: in mode %s no file is changed; "
	    "say what you would change", mode);
	return false;
}

static void
switched_off(const struct tool *t, const struct schema *s, struct result *r)
{
	struct buf names = BUF_INIT(RESULT_MAX);

	tool_names(t, &names);
	result_error(r, "denied", "denied: %s is switched off by the "
	    "configuration (%s); the tools are %s", s->name,
	    s->id == TOOL_BASH ? "tools.bash.enabled" : "memory.enabled",
	    names.p);
	buf_release(&names);
}

static bool
is_of_files(const struct schema *s)
{
	return s->id == TOOL_READ || s->id == TOOL_EDIT ||
	    s->id == TOOL_WRITE || s->id == TOOL_VIEW;
}

enum judged
judge_call(const struct tool *t, const char *name, struct slice args,
    const struct schema **schema, struct buf *out, struct result *r)
{
	const struct schema *s = tool_schema(t, name);
	enum args_fault fault;
	size_t at = out->len;

	*schema = s;
	if (s == NULL) {
		unknown(t, name, r);
		return JUDGED_UNKNOWN;
	}
	fault = args_check(s, args, out, r);
	if (fault != ARGS_OK)
		return fault == ARGS_JSON ? JUDGED_JSON : JUDGED_REFUSED;
	if (extra_of(s) != NULL)
		return extra_judge(t, extra_of(s), (struct slice){
		    out->p + at, out->len - at }, r) ? JUDGED_FINE :
		    JUDGED_REFUSED;
	if (!schema_is_on(s, tool_on(t) | SCHEMA_CHANGE)) {
		switched_off(t, s, r);
		return JUDGED_REFUSED;
	}
	if (!mode_allows(t, s, r) || (is_of_files(s) &&
	    !files_judge(t->files, s->name, (struct slice){ out->p + at,
	    out->len - at }, r)))
		return JUDGED_REFUSED;
	return JUDGED_FINE;
}
