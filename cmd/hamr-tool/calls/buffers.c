/* buffers.c - files that an editor has open, asked of who runs us. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "files/files.h"
#include "tool.h"

/* {"type":"file"}, and the wait for the same with the reply.  True when one
 * came: t->shown is the content of it, or NULL. */
static bool
ask(struct tool *t, const char *op, const char *rel, const char *content)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	char *path = xasprintf("%s/%s", t->root, rel);
	int stop = 0;

	t->file = xasprintf("f%zu", ++t->nfiles);
	free(t->shown);
	t->shown = NULL;
	scan_put(&b, "{'type':'file','id':@,'op':@,'path':@",
	    slice_of(t->file), slice_of(op), slice_of(path));
	if (content != NULL)
		scan_put(&b, ",'content':@", slice_of(content));
	buf_addc(&b, '}');
	stage_put(t->stage, R_FILE, buf_view(&b));
	buf_release(&b);
	while (t->file != NULL && stop == 0)
		stop = stage_wait(t->stage, NULL, 0, -1);
	stop = t->file != NULL;
	free(t->file);
	t->file = NULL;
	free(path);
	return !stop;
}

void
tool_take_file(struct tool *t, const struct rec *r)
{
	if (t->file == NULL || !rec_str_is(r, "id", t->file))
		return;
	t->shown = rec_strdup(r, "content");
	free(t->file);
	t->file = NULL;
}

static bool
is_text_name(const char *rel)
{
	return utf8_check(rel, strlen(rel)) == strlen(rel);
}

static bool
buffer(void *arg, const char *rel, struct buf *text)
{
	struct tool *t = arg;
	bool got = is_text_name(rel) && ask(t, "read", rel, NULL) &&
	    t->shown != NULL && buf_adds(text, t->shown) == 0;

	free(t->shown);
	t->shown = NULL;
	return got;
}

static void
changed(void *arg, const char *rel, struct slice text)
{
	char *content = xmemdup0(text.p != NULL ? text.p : "", text.n);

	if (is_text_name(rel) && strlen(content) == text.n &&
	    utf8_check(content, text.n) == text.n)
		ask(arg, "write", rel, content);
	free(content);
}

void
tool_open_buffers(struct tool *t)
{
	const char *const *ops;
	size_t n;

	ops = conf_list(t->conf, "tools.buffers", &n);
	if (t->stage->mode != STAGE_RESIDENT)
		return;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(ops[i], "read") == 0)
			t->files->buffer = buffer;
		else if (strcmp(ops[i], "write") == 0)
			t->files->changed = changed;
	}
	t->files->buffer_arg = t;
}
