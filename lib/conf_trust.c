/* conf_trust.c - trust in a repository's file, written where it is read. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buf.h"
#include "err.h"
#include "file.h"
#include "mem.h"
#include "sha.h"
#include "toml.h"
#include "utf8.h"
#include "conf_impl.h"

/* What the user's file says about a path, found by parsing it; lines from 1,
 * 0: nowhere. */
struct spot {
	const char *path;	/* the one to trust */
	bool in_table;		/* the header in force is [trust] */
	bool is_dotted;		/* the assignment is trust."PATH" = ... */
	size_t header;		/* the line of [trust] */
	size_t dotted;		/* the last line of trust."ANY" = ... */
	size_t same;		/* the line about path */
	char *hash;		/* what it says */
};

static int
look(void *ctx, const struct toml_event *ev, struct err *e)
{
	struct spot *s = ctx;
	bool about = strcmp(ev->key[0], "trust") == 0;

	(void)e;
	if (ev->v == NULL) {
		s->in_table = about && ev->nkey == 1;
		if (s->in_table)
			s->header = ev->line;
		return 0;
	}
	if (!about || ev->nkey != 2 || ev->v->kind != TOML_STRING)
		return 0;
	if (!s->in_table)
		s->dotted = ev->line;
	if (strcmp(ev->key[1], s->path) == 0) {
		s->same = ev->line;
		s->is_dotted = !s->in_table;
		s->hash = xstrdup(ev->v->s);
	}
	return 0;
}

/* Where the line of this number begins in text; behind it for one more. */
static size_t
line_at(struct slice text, size_t line)
{
	const char *p = text.p;

	while (--line > 0) {
		const char *lf = memchr(p, '\n',
		    text.n - (size_t)(p - text.p));

		if (lf == NULL)
			return text.n;
		p = lf + 1;
	}
	return (size_t)(p - text.p);
}

/* The text with the trust in it.  New lines end as their neighbours do. */
static void
rewrite(const struct spot *s, struct slice old, const char *hash,
    struct buf *out)
{
	size_t line = s->same != 0 ? s->same : s->header != 0 ? s->header :
	    s->dotted;
	size_t to = line != 0 ? line_at(old, line + 1) : old.n;
	size_t from = s->same != 0 ? line_at(old, line) : to;
	bool dotted = s->same != 0 ? s->is_dotted : s->header == 0 &&
	    s->dotted != 0;
	const char *nl = to > 1 && old.p[to - 1] == '\n' &&
	    old.p[to - 2] == '\r' ? "\r\n" : "\n";

	buf_add(out, old.p, from);
	if (from > 0 && old.p[from - 1] != '\n')
		buf_adds(out, nl);
	if (line == 0)
		buf_fmt(out, "%s[trust]%s", old.n > 0 ? nl : "", nl);
	buf_adds(out, dotted ? "trust." : "");
	toml_quote(out, s->path);
	buf_fmt(out, " = \"%s\"%s", hash, nl);
	buf_add(out, old.p + to, old.n - to);
}

/* The text that says so of path, checked before it becomes the user's file. */
static int
edit(const char *file, const char *path, const char *hash,
    const struct buf *old, struct buf *new, struct err *e)
{
	struct spot before = { .path = path }, after = { .path = path };
	int r;

	r = toml_parse(file, buf_view(old).p, old->len, look, &before, e);
	if (r == 0) {
		rewrite(&before, buf_view(old), hash, new);
		r = new->over ? err_set(e, ST_CONFIG, "%s: too large", file) :
		    toml_parse(file, new->p, new->len, look, &after, e);
	}
	if (r == 0 && (after.hash == NULL || strcmp(after.hash, hash) != 0))
		r = err_set(e, ST_BUG, "%s: trust cannot be written", file);
	free(before.hash);
	free(after.hash);
	return r;
}

/* The file itself where the user has linked to it, else its path with the
 * folders made. */
static char *
user_file(mode_t *mode, struct err *e)
{
	char *path = conf_user_path(), *real, *slash;
	struct stat st;
	int r;

	if (path == NULL) {
		err_set(e, ST_CONFIG, "no place to keep trust in; set HOME");
		return NULL;
	}
	real = realpath(path, NULL);
	if (real != NULL) {
		free(path);
		*mode = stat(real, &st) == 0 ? st.st_mode & 07777 : 0600;
		return real;
	}
	*mode = 0600;
	slash = strrchr(path, '/');
	*slash = '\0';
	r = file_mkdirs(path, 0700, e);
	*slash = '/';
	if (r == 0)
		return path;
	free(path);
	return NULL;
}

static int
remember(const char *path, const char *hash, struct err *e)
{
	struct buf old = BUF_INIT(CONF_FILE_MAX);
	struct buf new = BUF_INIT(CONF_FILE_MAX);
	struct err why = { .status = ST_OK };
	mode_t mode;
	char *file = user_file(&mode, e);
	int r = file == NULL ? -1 : 0;

	if (r == 0 && file_read(file, &old, &why) < 0 &&
	    why.status != ST_NOINPUT)
		r = err_set(e, ST_CONFIG, "%s", why.text);
	if (r == 0)
		r = edit(file, path, hash, &old, &new, e);
	if (r == 0)
		r = file_replace(file, new.p, new.len, mode, e);
	buf_release(&old);
	buf_release(&new);
	free(file);
	return r;
}

int
conf_trust(const char *root, struct err *e)
{
	struct buf text = BUF_INIT(CONF_FILE_MAX);
	struct repo_file f;
	char hash[SHA_HEX];
	int r = conf_repo_open(&f, root, e);

	if (r == 0 && f.why != NULL)
		r = err_set(e, ST_POLICY, "%s cannot be trusted: %s", f.path,
		    f.why);
	else if (r == 0 && f.fd < 0)
		r = err_set(e, ST_NOINPUT, "%s: there is nothing to trust",
		    f.path);
	else if (r == 0 && utf8_check(f.path, strlen(f.path)) <
	    strlen(f.path))
		r = err_set(e, ST_POLICY, "%s cannot be trusted: its path is "
		    "not UTF-8", f.path);
	if (r == 0)
		r = file_read_fd(f.fd, f.path, &text, e);
	if (r == 0) {
		conf_repo_hash(&f, buf_view(&text), hash);
		r = hash[0] != '\0' ? remember(f.path, hash, e) :
		    err_set(e, ST_POLICY, "%s cannot be trusted: there are too "
		    "many commands and skills beside it", f.path);
	}
	buf_release(&text);
	conf_repo_close(&f);
	return r;
}
