/* mcp.c - MCP servers: set up, started, asked, ended. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clean.h"
#include "env.h"
#include "file.h"
#include "hide.h"
#include "mem.h"
#include "mode.h"

#include "mcp_in.h"

#define VERSION "2025-06-18"	/* what we ask for; any answer is taken */
#define END_MS 100		/* from closed stdin to the end */

/* ---- setting up ---- */

static char *
key_of(const char *name, const char *last)
{
	return xasprintf("mcp.%s.%s", name, last);
}

static bool
get_bool(const struct conf *c, const char *name, const char *last)
{
	char *key = key_of(name, last);
	bool v = conf_bool(c, key);

	free(key);
	return v;
}

static const char *const *
get_list(const struct conf *c, const char *name, const char *last, size_t *n)
{
	char *key = key_of(name, last);
	const char *const *v = conf_list(c, key, n);

	free(key);
	return v;
}

static struct mcp *
mcp_new(const struct tool *t, const char *name)
{
	struct mcp *m = xcalloc(1, sizeof *m);
	char *key = key_of(name, "timeout");
	const char *const *argv;
	size_t n;

	m->name = xstrdup(name);
	m->prefix = xstrdup(name);
	for (char *p = m->prefix; *p != '\0'; p++)
		if (*p == '.' || !plugin_is_name((char[]){ *p, '\0' }))
			*p = '_';
	argv = get_list(t->conf, name, "command", &n);
	m->argv = xcalloc(n + 1, sizeof *m->argv);
	for (size_t i = 0; i < n; i++)
		m->argv[i] = (char *)argv[i];
	m->timeout = (long long)(conf_num(t->conf, key) * 1000);
	m->bare = !get_bool(t->conf, name, "sandbox");
	m->network = get_bool(t->conf, name, "network");
	m->io = (struct box_io){ -1, -1, -1 };
	buf_init(&m->words, 2 * MCP_WORDS_MAX);
	buf_init(&m->answer, 4 * MCP_LINE_MAX);
	free(key);
	return m;
}

struct mcp **
mcp_configured(const struct tool *t, size_t *n)
{
	size_t names;
	const char *const *list = conf_names(t->conf, "mcp", &names);
	struct mcp **v = xcalloc(names + 1, sizeof(struct mcp *));

	*n = 0;
	for (size_t i = 0; i < names; i++)
		if (get_bool(t->conf, list[i], "enabled"))
			v[(*n)++] = mcp_new(t, list[i]);
	return v;
}

int
mcp_check(const struct tool *t, struct err *e)
{
	size_t names, n;
	const char *const *list = conf_names(t->conf, "mcp", &names);

	for (size_t i = 0; i < names; i++) {
		if (!get_bool(t->conf, list[i], "enabled"))
			continue;
		get_list(t->conf, list[i], "command", &n);
		if (n == 0)
			return err_set(e, ST_CONFIG, "mcp.%s.command is "
			    "empty; give the server's program and arguments, "
			    "or set mcp.%s.enabled = false", list[i], list[i]);
	}
	return 0;
}

/* ---- ending ---- */

void
mcp_forget(struct extra **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		extra_free(v[i]);
	free(v);
}

void
mcp_forget_old(struct mcp *m)
{
	mcp_forget(m->old, m->nold);
	m->old = NULL;
	m->nold = m->capold = 0;
}

static void
close_all(struct mcp *m)
{
	box_io_close(&m->io);
	if (m->box != NULL)
		box_close(m->box);
	m->box = NULL;
	rpc_release(&m->rpc);
	m->asked = m->call = 0;
}

/* They are told by the end of their input, all at once, and given a moment. */
static void
end_all(struct mcp **v, size_t n)
{
	long long until = file_now_ms() + END_MS;

	for (size_t i = 0; i < n; i++) {
		if (v[i]->io.in >= 0)
			close(v[i]->io.in);
		v[i]->io.in = -1;
	}
	for (size_t i = 0; i < n; i++) {
		while (v[i]->box != NULL && !box_exited(v[i]->box) &&
		    !box_lost(v[i]->box) && file_now_ms() < until) {
			struct pollfd p = { box_fd(v[i]->box), POLLIN, 0 };

			poll(&p, 1, (int)(until - file_now_ms()));
			box_learn(v[i]->box);
		}
		close_all(v[i]);
	}
}

void
mcp_free(struct mcp **v, size_t n)
{
	end_all(v, n);
	for (size_t i = 0; i < n; i++) {
		struct mcp *m = v[i];

		mcp_forget(m->tools, m->ntools);
		mcp_forget(m->fresh, m->nfresh);
		mcp_forget_old(m);
		buf_release(&m->words);
		buf_release(&m->answer);
		free(m->name);
		free(m->prefix);
		free(m->argv);
		free(m->why);
		free(m);
	}
	free(v);
}

/* ---- asking ---- */

void
mcp_tell(struct mcp *m, const char *method, struct json *params)
{
	struct json *o = rpc_message();

	json_str(o, "method", method);
	if (params != NULL)
		json_add(o, "params", params);
	rpc_put(&m->rpc, o, RPC_QUEUE_MAX);
}

int64_t
mcp_ask(struct mcp *m, const char *method, struct json *params)
{
	struct json *o = rpc_message();

	json_int(o, "id", ++m->id);
	json_str(o, "method", method);
	if (params != NULL)
		json_add(o, "params", params);
	if (!rpc_put(&m->rpc, o, RPC_QUEUE_MAX))
		mcp_stop(m, "it does not read what it is asked");
	return m->id;
}

static void
ask_to_initialize(struct mcp *m)
{
	struct json *o = json_object(), *client = json_object();

	json_str(o, "protocolVersion", VERSION);
	json_add(o, "capabilities", json_object());
	json_str(client, "name", "hamr");
	json_str(client, "version", HAMR_VERSION);
	json_add(o, "clientInfo", client);
	m->state = MCP_INIT;
	m->until = file_now_ms() + MCP_INIT_MS;
	m->asked = mcp_ask(m, "initialize", o);
}

/* The program, and what its arguments name. */
static void
shown_of(const struct mcp *m, struct texts *show)
{
	char *program = plugin_find(NULL, m->argv[0], NULL);

	if (program != NULL)
		texts_add(show, program);
	for (char **p = m->argv; *p != NULL; p++)
		if ((*p)[0] == '/')
			texts_add(show, xstrdup(*p));
}

void
mcp_start(struct tool *t, struct mcp *m, bool keep)
{
	struct box_want want = mode_want(t, mode_may_write(t));
	size_t n;
	const char *const *more = get_list(t->conf, m->name, "env", &n);
	struct box_cmd cmd = { .argv = m->argv, .piped = true };
	struct texts show = { .n = 0 };
	char **env = NULL;
	struct err e;

	shown_of(m, &show);
	want.show = show.v;
	want.nshow = show.n;
	want.bare = m->bare;
	want.network = want.network || m->network;
	buf_reset(&m->words);
	m->keep = keep;
	m->writes = mode_may_write(t);
	m->box = box_open(t->boxes, &want, &e);
	if (m->box != NULL)
		cmd.env = env = box_env(m->box, more, n);
	if (m->box == NULL) {
		mcp_stop(m, "%s", e.text);
	} else if (box_spawn(m->box, &cmd, &m->io) < 0) {
		mcp_stop(m, "%s: %s", m->argv[0], strerror(errno));
	} else {
		rpc_init(&m->rpc, m->io.out, m->io.in, MCP_LINE_MAX);
		m->rpc.repair = true;
		ask_to_initialize(m);
	}
	if (env != NULL)
		env_free(env);
	texts_release(&show);
}

/* The last line it wrote on stderr, cleaned. */
static void
last_words(struct mcp *m, struct buf *out)
{
	struct clean c = { .n = 0 };
	struct buf b = BUF_INIT(4 * MCP_WORDS_MAX);
	const char *lf;

	clean_add(&c, m->words.p != NULL ? m->words.p : "", m->words.len, &b);
	clean_end(&c, &b);
	while (b.len > 0 && strchr("\n\t ", b.p[b.len - 1]) != NULL)
		b.p[--b.len] = '\0';
	lf = b.len > 0 ? strrchr(b.p, '\n') : NULL;
	if (b.len > 0)
		buf_fmt(out, ": %.*s", 300, lf != NULL ? lf + 1 : b.p);
	buf_release(&b);
}

void
mcp_stop(struct mcp *m, const char *fmt, ...)
{
	struct buf why = BUF_INIT(4 * MCP_WORDS_MAX);
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(&why, fmt, ap);
	va_end(ap);
	last_words(m, &why);
	free(m->why);
	m->why = buf_detach(&why);
	close_all(m);
	m->state = MCP_DOWN;
}
