/* mode.c - what the mode and the switches allow. */
#include <string.h>

#include "schema.h"

#include "mode.h"

static const char *const modes[] = { [MODE_READ_ONLY] = "read-only",
	[MODE_PATCH] = "patch", [MODE_VERIFY] = "verify",
	[MODE_DOCS] = "docs" };

int
mode_named(const char *name)
{
	for (int i = 0; i < 4; i++)
		if (strcmp(modes[i], name) == 0)
			return i;
	return -1;
}

const char *
mode_name(enum mode m)
{
	return modes[m];
}

unsigned
tool_on(const struct tool *t)
{
	return (conf_bool(t->conf, "tools.bash.enabled") ? SCHEMA_BASH : 0) |
	    (conf_bool(t->conf, "memory.enabled") ? SCHEMA_MEMORY : 0) |
	    (t->mode == MODE_PATCH || t->mode == MODE_DOCS ? SCHEMA_CHANGE :
	    0);
}

bool
mode_has_approver(const struct tool *t)
{
	size_t n;

	conf_list(t->conf, "tools.approve", &n);
	return n > 0;
}

bool
mode_has_consent(const struct tool *t)
{
	return t->yes || mode_has_approver(t) ||
	    (t->stage->mode == STAGE_RESIDENT && !t->no_ask);
}

enum box_kind
tool_kind(const struct tool *t, bool approved)
{
	if (t->mode == MODE_VERIFY)
		return BOX_PRIVATE;
	return t->mode == MODE_PATCH && approved ? BOX_WRITE : BOX_READ;
}

struct box_want
mode_want(const struct tool *t, bool writes)
{
	enum box_kind kind = writes ? BOX_WRITE : BOX_READ;

	/* Where the kernel offers nothing, one that says that it changes
	 * nothing is believed, as long as a change would be allowed. */
	if (kind == BOX_READ && t->mode == MODE_PATCH &&
	    sandboxes_refuse(t->sandboxes, BOX_READ) != NULL &&
	    strcmp(conf_str(t->conf, "sandbox.mode"), "auto") == 0)
		kind = BOX_WRITE;
	return sandboxes_want(t->sandboxes, kind);
}

bool
mode_may_write(const struct tool *t)
{
	return t->mode == MODE_PATCH && mode_has_consent(t);
}
