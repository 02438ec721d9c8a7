/* action.c - what a tool call does, and whether it failed. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/import_convert.h"
#include "record/msg.h"

#include "action.h"

/* Our own tools, and two names that no importer knows. */
static const struct {
	const char *name;
	enum tool_kind kind;
} tools[] = {
	{ "bash", TOOL_COMMAND }, { "read", TOOL_READ },
	{ "edit", TOOL_EDIT }, { "write", TOOL_WRITE },
	{ "open", TOOL_READ }, { "execute", TOOL_COMMAND },
};

enum tool_kind
tool_kind(const char *name, struct slice command)
{
	enum tool_kind kind = TOOL_OTHER;

	/* drop an MCP server's prefix, then look for our name of that tool */
	for (const char *p = name; (p = strstr(p, "__")) != NULL; p++)
		name = p + 2;
	name = import_name(&(struct import_names){ .n = 0 }, slice_of(name),
	    (struct slice){ NULL, 0 }).p;
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
		if (strcasecmp(tools[i].name, name) == 0) {
			kind = tools[i].kind;
			break;
		}
	/* str_replace_editor does three things, by its "command" */
	if (kind == TOOL_EDIT && scan_str_is(command, "view"))
		return TOOL_READ;
	if (kind == TOOL_EDIT && scan_str_is(command, "create"))
		return TOOL_WRITE;
	return kind;
}

bool
asks_git(const char *command, const char *what)
{
	size_t n = strlen(what);

	for (const char *p = command; (p = strstr(p, "git ")) != NULL; p++) {
		const char *q = p + 4;

		if (p > command && strchr(" ;&|(\n", p[-1]) == NULL)
			continue;
		while (*q == '-') {	/* -C dir, --no-pager */
			bool pair = strncmp(q, "-C ", 3) == 0;

			q += strcspn(q, " ");
			q += *q == ' ';
			if (pair)
				q += strcspn(q, " "), q += *q == ' ';
		}
		if (strncmp(q, what, n) == 0 && strchr(" ;&|)\n", q[n]) !=
		    NULL)
			return true;
	}
	return false;
}

/* Is it a search by grep or rg with status 1 and no output, as we and other
 * agents say it?  Of what git status said it shows nothing. */
static bool
found_nothing(const char *command, struct slice text)
{
	static const char *const nothing[] = { "exit 1", "Exit code 1",
		"Command exited with code 1", NULL };

	return slice_in(slice_trim(text), nothing) &&
	    !asks_git(command, "status") && !asks_git(command, "diff") &&
	    (strstr(command, "grep ") != NULL ||
	    strncmp(command, "rg ", 3) == 0 || strstr(command, " rg ") != NULL);
}

bool
result_failed(const struct rec *r, enum tool_kind kind, const char *object,
    struct slice text)
{
	int64_t exit;
	bool known = scan_int(msg_meta(r, "exit"), &exit);

	if (kind == TOOL_COMMAND && found_nothing(object,
	    known && exit == 1 && text.n == 0 ? SLICE("exit 1") : text))
		return false;
	if (scan_true(rec_get(r, "is_error")))
		return true;
	if (known)
		return exit != 0;
	return kind == TOOL_COMMAND && slice_starts(text, "exit ") &&
	    text.n > 5 && text.p[5] != '0';
}
