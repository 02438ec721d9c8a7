/* conf_file.c - one configuration file, from its text to its values. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "conf_keys.h"
#include "err.h"
#include "file.h"
#include "mem.h"
#include "sha.h"
#include "toml.h"
#include "conf_impl.h"

static int
trust(struct source *at, const struct toml_event *ev, struct err *e)
{
	struct names *l = &at->c->trust;

	if (at->layer == LAYER_REPO && at->c->untrusted) {
		if (ev->v != NULL)
			conf_ignore(at, "[trust]");
		return 0;
	}
	if (at->layer != LAYER_USER)
		return err_set(e, ST_CONFIG, "%s: [trust] counts in the "
		    "user's own file only", at->where);
	if (ev->nkey == 1 && ev->v == NULL)
		return 0;
	if (ev->nkey != 2 || ev->v == NULL || ev->v->kind != TOML_STRING ||
	    strlen(ev->v->s) != SHA_HEX - 1)
		return err_set(e, ST_CONFIG, "%s: [trust] wants \"PATH\" = "
		    "\"SHA-256 in 64 hexadecimal digits\"", at->where);
	for (int i = 0; i < 2; i++) {
		l->p = xgrow(l->p, l->n, &l->cap, sizeof *l->p);
		l->p[l->n++] = xstrdup(i == 0 ? ev->key[1] : ev->v->s);
	}
	return 0;
}

static int
table(struct source *at, const char *path, struct err *e)
{
	char *inner;

	if (at->pending != NULL)
		return err_set(e, ST_CONFIG, "%s", at->pending);
	if (!conf_key_is_table(path)) {
		at->pending = xasprintf("%s: unknown table [%.200s]",
		    at->where, path);
		return 0;
	}
	inner = xasprintf("%s.", path);
	if (at->layer != LAYER_REPO || !at->c->untrusted)
		conf_note_name(at->c, inner);
	free(inner);
	return 0;
}

static int
event(void *ctx, const struct toml_event *ev, struct err *e)
{
	struct source *at = ctx;
	struct buf path = BUF_INIT(2 * CONF_FILE_MAX);
	char *where = xasprintf("%s:%zu", at->file, ev->line);
	int r;

	at->where = where;
	toml_path(&path, ev->key, ev->nkey);
	if (strcmp(ev->key[0], "trust") == 0)
		r = trust(at, ev, e);
	else if (ev->v == NULL)
		r = table(at, path.p, e);
	else
		r = conf_put(at, path.p, ev->v, e);
	at->where = NULL;
	free(where);
	buf_release(&path);
	return r;
}

int
conf_parse(struct source *at, const struct buf *text, struct err *e)
{
	int r = toml_parse(at->file, buf_view(text).p, text->len, event, at,
	    e);

	if (r == 0 && at->pending != NULL)
		r = err_set(e, ST_CONFIG, "%s", at->pending);
	free(at->pending);
	at->pending = NULL;
	return r;
}

/* Of a file only: nobody waits for what a FIFO or a terminal may bring. */
static int
read_file(const char *path, struct buf *text, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), r;
	struct stat st;

	if (fd < 0)
		return err_sys(e, errno == ENOENT || errno == ENOTDIR ?
		    ST_NOINPUT : ST_SYSTEM, "%s", path);
	r = fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) ? err_set(e,
	    ST_SYSTEM, "%s: is not a regular file", path) :
	    file_read_fd(fd, path, text, e);
	close(fd);
	return r;
}

int
conf_load_file(struct conf *c, const char *path, enum layer layer,
    struct err *e)
{
	struct source at = { .c = c, .layer = layer, .file = path };
	struct buf text = BUF_INIT(CONF_FILE_MAX);
	struct err why = { .status = ST_OK };
	int r = 0;

	if (read_file(path, &text, &why) == 0)
		r = conf_parse(&at, &text, e);
	else if (why.status != ST_NOINPUT)
		r = err_set(e, ST_CONFIG, "%s", why.text);
	buf_release(&text);
	return r;
}
