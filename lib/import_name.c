/* import_name.c - what other programs call our tools, and their paths. */
#include <string.h>

#include "import_name.h"
#include "scan.h"

static const struct {
	const char *ours, *theirs;	/* blanks between, and around */
} names[] = {
	{ "read", " Read read_file view ReadFile view_file readFile "
	    "read_text_file " },
	{ "bash", " Bash shell exec_command run_shell_command execute_bash "
	    "Shell local_shell container.exec run_terminal_cmd "
	    "execute_command terminal run_command run_commands exec "
	    "run_terminal run_in_terminal shell_command " },
	{ "edit", " Edit str_replace str_replace_editor apply_patch MultiEdit "
	    "edit_file replace replace_in_file StrReplaceFile file_editor "
	    "str_replace_based_edit_tool NotebookEdit editor multiedit "
	    "replace_string_in_file search_replace " },
	{ "write", " Write create write_file write_to_file WriteFile "
	    "create_file " },
};

static const char *const paths[] = { "file_path", "filePath", "file",
	"absolute_path", "target_file", "notebook_path", "filename",
	"AbsolutePath", "relative_path", NULL };

static bool
is_in(const char *row, struct slice word)
{
	const char *p = row;
	const char *end = row + strlen(row);

	if (word.n == 0 || memchr(word.p, ' ', word.n) != NULL)
		return false;
	while ((p = memmem(p, (size_t)(end - p), word.p, word.n)) != NULL) {
		if (p[-1] == ' ' && p[word.n] == ' ')
			return true;
		p++;
	}
	return false;
}

static struct slice
own_name(const struct import_names *own, struct slice name)
{
	for (size_t i = 0; i < own->n; i++) {
		const char *eq = strchr(own->own[i], '=');

		if (eq != NULL && (size_t)(eq - own->own[i]) == name.n &&
		    memcmp(own->own[i], name.p, name.n) == 0)
			return slice_of(eq + 1);
	}
	return (struct slice){ NULL, 0 };
}

/* A tool for all that is done to files says in "command" which it is. */
static struct slice
by_command(struct slice args)
{
	struct slice command = scan_get(args, "command");

	if (scan_str_is(command, "view"))
		return SLICE("read");
	if (scan_str_is(command, "create"))
		return SLICE("write");
	return SLICE("edit");
}

struct slice
import_name(const struct import_names *own, struct slice name,
    struct slice args)
{
	struct slice mine = own_name(own, name);

	if (mine.p != NULL)
		return mine;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is_in(names[i].theirs, name))
			return strcmp(names[i].ours, "edit") == 0 ?
			    by_command(args) : slice_of(names[i].ours);
	return name;
}

static bool
is_path(struct slice key)
{
	for (size_t i = 0; paths[i] != NULL; i++)
		if (slice_is(key, paths[i]))
			return true;
	return false;
}

bool
import_path(struct slice tool, struct slice args, struct buf *out)
{
	struct slice key, val;
	struct walk w;

	if (!is_in(" read edit write view_image ", tool) ||
	    scan_kind(args) != SCAN_OBJECT || scan_get(args, "path").p != NULL)
		return false;
	walk_in(&w, args);
	while (walk_next(&w, &key, &val)) {
		if (!is_path(key) || scan_kind(val) != SCAN_STRING)
			continue;
		buf_add(out, args.p, (size_t)(key.p - args.p));
		buf_adds(out, "path");
		buf_add(out, key.p + key.n,
		    (size_t)(args.p + args.n - (key.p + key.n)));
		return true;
	}
	return false;
}
