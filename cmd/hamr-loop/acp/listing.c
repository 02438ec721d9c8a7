/* listing.c - find, list and replay the sessions on disk. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utc.h"
#include "conf/place.h"
#include "session/origin.h"
#include "session/sessions.h"
#include "internal.h"

#define PAGE 50

char *
listing_find(const char *cwd, const char *id)
{
	struct err e;
	char *root = conf_root(cwd, &e);
	char *dir = root != NULL ? sessions_dir(root, false, &e) : NULL;
	char *path = dir != NULL && id[0] != '.' && strchr(id, '/') == NULL ?
	    xasprintf("%s/%s.ndjson", dir, id) : NULL;

	if (path != NULL && access(path, F_OK) < 0) {
		free(path);
		path = NULL;
	}
	FREE(root, dir);
	return path;
}

int
listing_page(const char *cwd, const char *cursor, struct buf *out,
    struct err *e)
{
	struct buf all = BUF_INIT((size_t)1 << 30);
	char *root = conf_root(cwd != NULL ? cwd : ".", e), at[UTC_SIZE];
	struct slice last = { NULL, 0 };
	size_t n = 0;

	if (root == NULL)
		return -1;
	char *dir = sessions_dir(root, false, e);
	/* a folder without sessions has an empty page */
	int rc = dir != NULL ? sessions_list(dir, 0, cursor, PAGE + 1, &all,
	    e) : cursor == NULL ? 0 : -1;
	struct rec_text t = { .rest = buf_view(&all) };
	char *folder = origin_cwd(cwd != NULL ? cwd : root);
	scan_put(out, "{'sessions':[");
	for (; n < PAGE && rec_text_next(&t); n++) {
		struct slice title = rec_get(&t.rec, "task");
		int64_t age = 0;

		last = rec_get(&t.rec, "session");
		rec_int(&t.rec, "age_s", &age);
		utc_print((utc_now() / 1000 - age) * 1000, at);
		scan_put(out, "${'sessionId':$,'cwd':@", scan_comma(out), last,
		    slice_of(folder));
		if (title.n > 2)
			scan_put(out, ",'title':$", title);
		scan_put(out, ",'updatedAt':@}", slice_of(at));
	}
	buf_addc(out, ']');
	if (rec_text_next(&t))
		scan_put(out, ",'nextCursor':$", last);
	buf_addc(out, '}');
	FREE(folder, dir, root);
	scan_release(&t.scan);
	buf_release(&all);
	return rc;
}

int
listing_replay(struct worker *s, struct err *e)
{
	/* the root's name has lost bytes that are not UTF-8 */
	char *path = listing_find(s->cwd, s->id);
	int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	int got = fd >= 0 ? 1 : err_set(e, ST_NOINPUT, "session %s cannot be "
	    "read", s->id);
	const struct rec *r;
	struct rec_in in;

	s->messages++;	/* what was said of it is not part of the first one */
	rec_in_init(&in, fd, path, REC_MAX);
	while (got > 0 && (got = rec_next(&in, &r, e)) > 0)
		update_record(s, r, true);
	rec_in_release(&in);
	file_close(fd);
	free(path);
	return got;
}
