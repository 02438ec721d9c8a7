/* skills.c - SKILL.md folders, which the model reads when it wants to. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "skills.h"

#define HEAD_MAX ((size_t)64 << 10)	/* read of a SKILL.md */
#define SKILLS_MAX 100
#define ABOUT_MAX 1000		/* bytes of a description */

/* Does a value of several lines begin after this, as in `key: >-`? */
static bool
is_block_mark(struct slice v)
{
	if (v.n == 0 || (*v.p != '>' && *v.p != '|'))
		return false;
	while (v.n > 1 && strchr("+-123456789", v.p[v.n - 1]) != NULL)
		v.n--;
	return v.n == 1;
}

static void
put_part(struct buf *value, struct slice part)
{
	part = slice_trim(part);
	if (part.n > 0 && value->len > 0)
		buf_addc(value, ' ');
	buf_slice(value, part);
}

struct slice
front_matter(struct slice *text, const char *key, struct buf *value)
{
	struct slice rest = *text, line, none = { NULL, 0 };
	size_t n = strlen(key);
	bool wanted = false;

	buf_reset(value);
	if (!slice_line(&rest, &line) || !slice_is(slice_trim(line), "---"))
		return none;
	while (slice_line(&rest, &line)) {
		if (slice_is(slice_trim(line), "---")) {
			struct slice v = buf_view(value);

			*text = rest;
			return v.n > 1 && (*v.p == '"' || *v.p == '\'') &&
			    v.p[v.n - 1] == *v.p ?
			    slice_part(v, 1, v.n - 1) : v;
		}
		if (slice_trim(line).n == 0 || *line.p == ' ' ||
		    *line.p == '\t') {	/* the value above goes on */
			if (wanted)
				put_part(value, line);
			continue;
		}
		wanted = slice_starts(line, key) && line.n > n &&
		    line.p[n] == ':';
		if (!wanted)
			continue;
		struct slice v = slice_trim(slice_from(line, n + 1));
		buf_reset(value);
		if (!is_block_mark(v))
			put_part(value, v);
	}
	return none;			/* "---" was a thematic break */
}

static void
put_value(struct buf *out, struct slice v)
{
	utf8_clean(out, v.p, utf8_cut(v.p, v.n, ABOUT_MAX));
}

/* List the skills in dir, except those also in the folder first, which
 * skill:NAME means. */
static void
add_folder(const char *dir, const char *first, struct buf *out)
{
	char *names[SKILLS_MAX];
	DIR *d = file_opendir(AT_FDCWD, dir);
	char *head = xmalloc(HEAD_MAX);
	struct buf value = BUF_INIT(HEAD_MAX);
	struct dirent *f;
	size_t n = 0;

	while (n < SKILLS_MAX && (f = file_readdir(d)) != NULL)
		if (f->d_name[0] != '.' && utf8_check(f->d_name,
		    strlen(f->d_name)) == strlen(f->d_name))
			names[n++] = xstrdup(f->d_name);
	file_closedir(d);
	if (n > 0)
		qsort(names, n, sizeof *names, text_order);
	for (size_t i = 0; i < n; i++) {
		char *path = xasprintf("%s/%s/SKILL.md", dir, names[i]);
		int fd = file_open_regular(AT_FDCWD, path, NULL);
		ssize_t got = fd >= 0 ? read(fd, head, HEAD_MAX) : -1;
		struct slice text = { head, got > 0 ? (size_t)got : 0 };
		struct slice again = text;

		free(path);
		path = xasprintf("%s/%s/SKILL.md", first, names[i]);
		if (got > 0 && (first == dir || access(path, F_OK) < 0)) {
			struct slice v = front_matter(&text, "name", &value);
			buf_adds(out, "- ");
			put_value(out, v.n > 0 ? v : slice_of(names[i]));
			buf_adds(out, ": ");
			put_value(out, front_matter(&again, "description",
			    &value));
			buf_fmt(out, " (skill:%s)\n", names[i]);
		}
		file_close(fd);
		FREE(path, names[i]);
	}
	buf_release(&value);
	free(head);
}

void
skills_list(const struct conf *c, const char *root, struct buf *out)
{
	struct buf list = BUF_INIT((size_t)1 << 20);
	char *conf = conf_user_path(), *dir = NULL, *user = NULL;
	char *repo = xasprintf("%s/.hamr/skills", root);

	if (conf != NULL) {
		dir = file_folder(conf);
		user = xasprintf("%s/skills", dir);
		add_folder(user, user, &list);
	}
	if (conf_is_trusted(c))
		add_folder(repo, user != NULL ? user : repo, &list);
	if (list.len > 0) {
		buf_adds(out, out->len > 0 ? "\n" : "");
		buf_adds(out, "Skills: read the one that a task is about "
		    "before you begin it.\n\n");
		buf_slice(out, buf_view(&list));
	}
	FREE(user, dir, repo, conf);
	buf_release(&list);
}
