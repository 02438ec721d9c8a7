/* listing.c - the sessions on the disk: found, listed, told again. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utc.h"
#include "conf/place.h"
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
	free(root);
	free(dir);
	return path;
}

static struct json *
list_entry(const struct rec *r, const char *cwd)
{
	struct json *o = json_object();
	char *title = rec_strdup(r, "task");
	int64_t age = 0;
	char at[UTC_SIZE];

	rec_int(r, "age_s", &age);
	utc_print((utc_now() / 1000 - age) * 1000, at);
	json_raw(o, "sessionId", rec_get(r, "session"));
	json_str(o, "cwd", cwd);
	if (title != NULL && title[0] != '\0')
		json_str(o, "title", title);
	json_str(o, "updatedAt", at);
	free(title);
	return o;
}

/* A page of the lines; *at: the cursor was found, or there is none. */
static struct json *
list_page(struct slice lines, const char *cwd, const char *cursor, bool *at)
{
	struct json *o = json_object(), *list = json_array();
	struct scan scan = { 0 };
	char *last = NULL;
	struct slice line;
	struct rec r;
	size_t n = 0;

	*at = cursor == NULL;
	while (slice_line(&lines, &line)) {
		if (rec_parse(&scan, line.p, line.n, &r) < 0)
			continue;
		if (!*at) {
			*at = rec_str_is(&r, "session", cursor);
			continue;
		}
		if (n == PAGE) {
			json_str(o, "nextCursor", last);
			break;
		}
		json_add(list, NULL, list_entry(&r, cwd));
		free(last);
		last = rec_strdup(&r, "session");
		n++;
	}
	json_add(o, "sessions", list);
	free(last);
	scan_release(&scan);
	return o;
}

struct json *
listing_page(const char *cwd, const char *cursor, struct err *e)
{
	struct buf b = BUF_INIT((size_t)1 << 30);
	char *root = conf_root(cwd != NULL ? cwd : ".", e), *dir;
	struct json *o = NULL;
	bool at = false;

	if (root == NULL)
		return NULL;
	dir = sessions_dir(root, false, e);
	if (dir != NULL)
		sessions_list(dir, true, &b, e);
	o = list_page(buf_view(&b), cwd != NULL ? cwd : root, cursor, &at);
	if (!at) {
		json_free(o);
		o = NULL;
		err_set(e, ST_USAGE, "there is no such cursor");
	}
	free(dir);
	free(root);
	buf_release(&b);
	return o;
}

int
listing_replay(struct worker *s, struct err *e)
{
	char *path = listing_find(s->root, s->id);
	int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	const struct rec *r;
	struct rec_in in;
	int got;

	if (fd < 0) {
		free(path);
		return err_set(e, ST_NOINPUT, "session %s cannot be read",
		    s->id);
	}
	s->messages = 0;
	rec_in_init(&in, fd, path, REC_MAX);
	while ((got = rec_next(&in, &r, e)) > 0)
		update_record(s, r, true);
	rec_in_release(&in);
	close(fd);
	free(path);
	return got;
}
