/* memories.c - what a command line means: which memories, words and ids. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "memories.h"
#include "conf/state.h"

static char *
global_path(bool create, struct err *e)
{
	char *dir = conf_home("XDG_DATA_HOME", ".local/share", "");
	char *path = NULL;

	if (dir == NULL)
		err_set(e, ST_NOINPUT, "no user memory: HOME is not set; name "
		    "a file with --db");
	else if (!create || file_mkdirs(dir, e) == 0)
		path = xasprintf("%s/memory.db", dir);
	free(dir);
	return path;
}

/* The file at path, which need not exist, or where a link there leads; NULL: it
 * is not a plain one.  Frees path. */
static char *
plain(char *path, bool links, bool create, struct err *e)
{
	struct stat st;
	bool is = lstat(path, &st) == 0;
	bool link = is && links && S_ISLNK(st.st_mode);

	/* a link to a missing file creates the file */
	if (link && create)
		file_close(open(path, O_RDWR | O_CREAT | O_NONBLOCK |
		    O_NOCTTY | O_CLOEXEC, 0600));
	char *real = link ? realpath(path, NULL) : NULL;
	if (link && real == NULL)
		is = errno != ENOENT;
	if (real != NULL) {
		is = stat(real, &st) == 0;
		free(path);
		path = real;
	}
	if (is && !S_ISREG(st.st_mode)) {
		err_set(e, ST_SYSTEM, "%s: not a plain file; name another one "
		    "with --db", path);
		free(path);
		path = NULL;
	}
	return path;
}

char *
memories_path(const struct opts *o, bool create, const char **name,
    struct err *e)
{
	static bool said;	/* a command may look several times */
	bool project = o->db == NULL && !o->global;
	char *root = project ? conf_root(".", e) : NULL, *dir = NULL;
	char *path = o->global ? global_path(create, e) : NULL;

	/* SQLite would take a name with a colon for something else */
	if (o->db != NULL)
		path = xasprintf("%s%s", strcspn(o->db, ":") <
		    strcspn(o->db, "/") ? "./" : "", o->db);
	if (root != NULL) {
		if (e->text[0] != '\0' && !said)
			err_say("%s", e->text);
		said = true;
		dir = state_dir(root, create, e);
		if (dir != NULL)
			path = xasprintf("%s/memory.db", dir);
		else if (!create && e->status == ST_NOINPUT)
			path = xstrdup("");	/* not made yet */
		FREE(dir, root);
	}
	*name = o->db != NULL ? "file" : o->global ? "global" : "project";
	/* the project's folder is known to be the user's own, but its content
	 * may come from an archive, so a link there could lead us anywhere and
	 * is not followed.  Other links are, as the lock and log must be next
	 * to the file itself */
	return path == NULL ? NULL : plain(path, !project, create, e);
}

/* Open the memory at path, which is freed, after the n that are open: 0, 1 if
 * it is missing, or -1. */
static int
open_next(char *path, const char *name, enum db_mode mode,
    struct store st[MEMORIES], size_t *n, struct err *e)
{
	if (path == NULL)
		return -1;
	int r = access(path, F_OK) == 0 ? store_open(&st[*n], path, name,
	    mode, e) : err_open(e, path);
	free(path);
	*n += r == 0;
	return r < 0 && e->status == ST_NOINPUT ? 1 : r;
}

/* The memory in a .hamr that cannot be written, beside that of the state
 * folder; NULL: there is none. */
static char *
read_only_path(void)
{
	struct err e;
	struct stat st;
	char *root = conf_root(".", &e), *path = NULL;
	char *dir = root != NULL ? state_read_only(root) : NULL;

	if (dir != NULL)
		path = xasprintf("%s/memory.db", dir);
	if (path != NULL && (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))) {
		free(path);
		path = NULL;
	}
	FREE(dir, root);
	return path;
}

int
memories_open(const struct opts *o, enum db_mode mode, bool users,
    struct store st[MEMORIES], size_t *n, struct err *e)
{
	struct err why = { .status = ST_OK }, other;
	bool project = o->db == NULL && !o->global;
	const char *name;
	char *path = memories_path(o, false, &name, e);

	*n = 0;
	int own = open_next(path, name, mode, st, n, e);
	const struct { char *path; const char *name; enum db_mode mode; }
	    more[] = {
		/* its log may not be readable there */
		{ project ? read_only_path() : NULL, name, DB_READ },
		{ project && users ? global_path(false, &other) : NULL,
		    "global", mode } };
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		if (more[i].path == NULL || open_next(plain(more[i].path,
		    true, false, &other), more[i].name, more[i].mode, st, n,
		    &other) >= 0)
			continue;
		if (why.status != ST_OK)
			err_say("%s; it is left out", why.text);
		why = other;
	}
	if (why.status == ST_OK)
		return own < 0 ? -1 : 0;
	bool none = own > 0 && *n == 0;
	if (!none)
		err_say("%s; it is left out", why.text);
	if (own >= 0)
		*e = why;
	return own < 0 || none ? -1 : 1;
}

int
memories_open_own(const struct opts *o, enum db_mode mode,
    struct store st[MEMORIES], size_t *n, struct err *e)
{
	if (o->db != NULL && access(o->db, F_OK) < 0)
		return err_open(e, o->db);
	if (memories_open(o, mode, false, st, n, e) >= 0)
		return 0;
	memories_close(st, *n);
	*n = 0;
	return -1;
}

void
memories_close(struct store *st, size_t n)
{
	for (size_t i = 0; i < n; i++)
		store_close(&st[i]);
}

int
memories_create_own(const struct opts *o, struct store *st, struct err *e)
{
	const char *name;
	char *path = memories_path(o, true, &name, e);
	int r = path == NULL ? -1 : store_open(st, path, name, DB_WRITE, e);

	free(path);
	return r;
}

/* ---- words and ids ---- */

void
opts_words(const struct opts *o, struct buf *out)
{
	for (size_t i = 0; i < o->nargs; i++) {
		if (i > 0)
			buf_addc(out, ' ');
		utf8_clean(out, o->args[i], strlen(o->args[i]));
	}
}

int
memories_parse_id(const char *arg, char out[MEMID_SIZE], struct err *e)
{
	const char *s = strncmp(arg, "m:", 2) == 0 ? arg + 2 : arg;
	size_t n = strlen(s);

	if (n < 4 || n > MEMID_SIZE - 3 ||
	    strspn(s, "0123456789abcdef") != n)
		return err_set(e, ST_USAGE, "%s: not an id; write m: and 4 to "
		    "12 hex digits", arg);
	memcpy(out, s, n + 1);
	return 0;
}

int
memories_find(struct store *st, size_t n, char id[MEMID_SIZE], size_t *which,
    int64_t *row, struct err *e)
{
	char found[MEMID_SIZE] = "", key[MEMID_SIZE];
	bool failed = false;
	int64_t at;

	for (size_t i = 0; i < n; i++) {
		int got = store_find(&st[i], id, &at, key, e);

		failed |= got < 0;
		if (got > 1 || (got > 0 && *found != '\0' &&
		    strcmp(key, found) != 0))
			return err_set(e, ST_USAGE, "m:%s: ambiguous; give "
			    "more digits", id);
		if (got > 0 && *found == '\0') {
			memcpy(found, key, sizeof found);
			*which = i;
			*row = at;
		}
	}
	if (*found == '\0')
		return failed ? -1 : 0;
	memcpy(id, found, sizeof found);
	return 1;
}
