/* ignore.c - what git ignores, asked of git. */
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"

#include "files_in.h"
#include "git.h"

struct ignored {
	struct map names;	/* true names, without a / at the end */
};

/* Ask the user's repository; -1 when there is no answer in time. */
static int
ask(const struct files *f, bool may_stop, const char *const *args,
    struct buf *out)
{
	struct git g = { .rootfd = f->root.fd, .root = f->root.real,
		.ms = GIT_MS,
		.stop = may_stop ? f->stop : NULL, .stop_arg = f->stop_arg };

	return git_run(&g, args, SLICE(""), out);
}

struct ignored *
ignored_load(const struct files *f, const char *rel)
{
	struct ignored *ig = xcalloc(1, sizeof *ig);
	const char *spec = *rel != '\0' ? rel : ".";
	const char *args[] = { "--literal-pathspecs", "ls-files", "-z",
		"--others", "--ignored", "--exclude-standard", "--directory",
		"--", spec, NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	size_t nrel = strlen(rel);

	if (ask(f, true, args, &out) != 0)
		buf_reset(&out);
	for (size_t at = 0, n; at < out.len; at += n + 1) {
		const char *name = out.p + at;

		n = strnlen(name, out.len - at);
		struct slice s = { name, n };
		if (s.n > 0 && s.p[s.n - 1] == '/')
			s.n--;
		if (s.n <= nrel && strncmp(s.p, rel, s.n) == 0 &&
		    (rel[s.n] == '/' || rel[s.n] == '\0')) {
			map_release(&ig->names);
			break;
		}
		map_put(&ig->names, s, NULL);
	}
	buf_release(&out);
	return ig;
}

bool
ignored_has(const struct ignored *ig, const char *rel)
{
	return map_get(&ig->names, slice_of(rel)) != NULL;
}

bool
ignored_file(const struct files *f, const char *rel)
{
	/* check-ignore knows no literal paths; "./" takes any magic away. */
	char *path = xasprintf("./%s", rel);
	const char *args[] = { "check-ignore", "-q", "--", path, NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	/* never cut short: that would let the file be written */
	int status = ask(f, false, args, &out);

	free(path);
	buf_release(&out);
	return status == 0;
}

bool
tracked_file(const struct files *f, const char *rel)
{
	const char *args[] = { "--literal-pathspecs", "ls-files", "-z", "--",
		rel, NULL };
	struct buf out = BUF_INIT(GIT_OUT_MAX);
	bool yes = ask(f, false, args, &out) == 0 && out.len > 0;

	buf_release(&out);
	return yes;
}

void
ignored_free(struct ignored *ig)
{
	if (ig == NULL)
		return;
	map_release(&ig->names);
	free(ig);
}
