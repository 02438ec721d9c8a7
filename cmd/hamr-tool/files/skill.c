/* skill.c - the user's own skills, which lie outside the root. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "conf/place.h"
#include "internal.h"

#define SKILL_MAX ((size_t)1 << 20)

/* With a slash at its end; yours, or NULL. */
static char *
skills_folder(void)
{
	char *conf = conf_user_path();
	char *dir = conf != NULL ? file_folder(conf) : NULL;
	char *all = dir != NULL ? xasprintf("%s/skills/", dir) : NULL;

	free(conf);
	free(dir);
	return all;
}

bool
files_is_skill(struct slice path)
{
	char *dir = skills_folder();
	bool is = dir != NULL && slice_starts(path, dir);

	free(dir);
	return is;
}

void
files_read_skill(const struct files *f, struct slice path, struct result *r)
{
	char *dir = skills_folder();
	size_t n = strlen(dir);
	struct buf text = BUF_INIT(SKILL_MAX);
	struct root root = { .fd = -1 };
	struct path p = { .rel = NULL };
	struct fault fault = { 0 };
	int fd = -1;

	if (root_open(&root, dir, &fault.err) < 0)
		fault.code = "not_found";
	else if (path_find(&root, (struct slice){ path.p + n, path.n - n },
	    &p, &fault) == 0) {
		fd = path_open(&root, p.rel, O_RDONLY | O_NONBLOCK);
		if (fd < 0)
			fault_sys(&fault, "cannot be read", p.rel);
		else if (files_load(fd, p.rel, &p.st, &text, &fault))
			utf8_clean(&r->content, buf_view(&text).p, text.len);
	}
	if (fault.code != NULL)
		files_fault(r, &fault);
	else if (f->o.result_cap != 0)
		result_cap(r, f->o.result_cap);
	file_close(fd);
	if (root.fd >= 0)
		root_close(&root);
	path_release(&p);
	buf_release(&text);
	free(dir);
}
