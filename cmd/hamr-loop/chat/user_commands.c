/* user_commands.c - commands of the user's own, which are Markdown files. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "conf/place.h"
#include "internal.h"
#include "turn/skills.h"

#define TEXT_MAX ((size_t)1 << 20)
#define SUFFIX ".md"
#define ALL "$ARGUMENTS"
#define BLANK " \t\n"
#define NAME_BYTES \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

static char *
folder(const struct chat *c, bool project)
{
	return project ? xasprintf("%s/.hamr/commands", c->run->root) :
	    conf_home("XDG_CONFIG_HOME", ".config", "/commands");
}

/* Read its text.  False: there is no such file. */
static bool
load(const struct chat *c, bool project, const char *name, struct buf *text)
{
	char *dir = folder(c, project);
	char *path = dir != NULL ? xasprintf("%s/%s" SUFFIX, dir, name) : NULL;
	int fd = path != NULL && name[0] != '\0' &&
	    name[strspn(name, NAME_BYTES)] == '\0' ?
	    file_open_regular(AT_FDCWD, path, NULL) : -1;
	struct buf raw = BUF_INIT(TEXT_MAX);
	bool got = fd >= 0 && file_read_fd(fd, path, &raw, NULL) == 0;

	if (got)
		utf8_clean(text, buf_view(&raw).p, raw.len);
	file_close(fd);
	buf_release(&raw);
	free(dir);
	free(path);
	return got;
}

/* Append a command's text with args filled in.  False: it has no place for
 * them. */
static bool
fill(const char *p, const char *args, struct buf *out)
{
	bool placed = false;

	while (*p != '\0') {
		const char *word = args + strspn(args, BLANK);
		size_t n = strlen(ALL);

		if (strncmp(p, ALL, n) == 0) {
			buf_adds(out, args);
		} else if (p[0] == '$' && p[1] >= '1' && p[1] <= '9') {
			for (char k = '1'; k < p[1]; k++) {
				word += strcspn(word, BLANK);
				word += strspn(word, BLANK);
			}
			buf_add(out, word, strcspn(word, BLANK));
			n = 2;
		} else {
			buf_addc(out, *p++);
			continue;
		}
		placed = true;
		p += n;
	}
	return placed;
}

char *
user_command_text(struct chat *c, const char *name, const char *args,
    const char **why)
{
	struct buf text = BUF_INIT(4 * TEXT_MAX);
	struct buf all = BUF_INIT((size_t)1 << 30), value = text;
	bool project = false, got = load(c, false, name, &text);

	if (!got)
		project = got = load(c, true, name, &text);
	struct slice rest = buf_view(&text);
	front_matter(&rest, "", &value);
	if (project && !conf_is_trusted(c->run->conf))
		*why = "that command is this project's, which is not trusted; "
		    "look at .hamr/commands, then: hamr-loop --trust";
	else if (slice_trim(rest).n > 0) {
		if (!fill(rest.p, args, &all) && *args != '\0')
			buf_fmt(&all, "\n%s", args);
		if (slice_trim(buf_view(&all)).n == 0) {
			buf_release(&all);
			*why = "that command needs arguments";
		}
	} else if (got)
		*why = "that command's file is empty";
	bufs_release(BUFS(&text, &value));
	return all.p != NULL ? buf_detach(&all) : NULL;
}

static void
list_folder(struct chat *c, bool project, struct candidates *out)
{
	char *path = folder(c, project);
	DIR *d = path != NULL ? file_opendir(AT_FDCWD, path) : NULL;
	struct dirent *f;

	while ((f = file_readdir(d)) != NULL) {
		struct buf text = BUF_INIT(4 * TEXT_MAX), filled = text;
		struct buf value = text;
		size_t n = strlen(f->d_name), k = strlen(SUFFIX);

		if (n <= k || strcmp(f->d_name + n - k, SUFFIX) != 0)
			continue;
		char *name = xasprintf("/%.*s", (int)(n - k), f->d_name);
		load(c, project, name + 1, &text);
		/* its description, or its first line with text */
		struct slice rest = buf_view(&text);
		struct slice line = front_matter(&rest, "description",
		    &value);
		while (line.n == 0 && slice_line(&rest, &line))
			line = slice_trim_start(slice_trim(line), "# ");
		char *what = xasprintf("%s%.*s", !project ? "" :
		    conf_is_trusted(c->run->conf) ? "(this project's) " :
		    "(this project's, not trusted) ",
		    (int)utf8_cut(line.p, line.n, 80), line.p);
		/* does name call something else: a command of ours, or the
		 * person's own? */
		bool taken = chat_has_command(slice_of(name + 1));
		for (size_t i = 0; i < out->n; i++)
			taken |= strcmp(out->v[i].text, name) == 0;
		if (name[1 + strspn(name + 1, NAME_BYTES)] == '\0' && !taken) {
			candidates_add(out, name, what);
			out->v[out->n - 1].more = fill(buf_view(&text).p, "",
			    &filled);
		}
		bufs_release(BUFS(&text, &filled, &value));
		free(name);
		free(what);
	}
	file_closedir(d);
	free(path);
}

void
user_commands_list(struct chat *c, struct candidates *out)
{
	list_folder(c, false, out);
	list_folder(c, true, out);
}
