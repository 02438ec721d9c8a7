/* mcp.c - MCP servers: started, asked, listened to, called, ended. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/scan.h"
#include "root/clean.h"
#include "sandbox/box.h"

#include "extra.h"
#include "mcp.h"
#include "mcp_result.h"
#include "mode.h"
#include "rpc/rpc.h"

#define KEYS 7			/* of [mcp.NAME] that are read here */
#define MCP_INIT_MS 10000
#define MCP_WORDS_MAX 2048	/* of its stderr */
#define MCP_TOOLS_MAX 500	/* of one server */
#define MCP_PAGES_MAX 100
#define VERSION "2025-06-18"	/* what we ask for; any answer is taken */
#define END_MS 100		/* from closed stdin to the end */
#define READS_MAX 64		/* of one server in one round */
#define WHAT_MAX 4096
#define NO_SCHEMA "{\"type\":\"object\",\"properties\":{}}"
#define STOPPED (STAGE_CANCEL | STAGE_EOF | STAGE_CLOSED)

enum mcp_state {
	MCP_OFF,		/* never started */
	MCP_INIT,		/* initialize was sent */
	MCP_LIST,		/* tools/list was sent */
	MCP_UP,
	MCP_DOWN		/* it ended, or did not do what it should */
};

/* What a call came to. */
enum mcp_reply {
	MCP_NONE, MCP_RESULT, MCP_ERROR, MCP_TOO_LONG, MCP_LATE, MCP_STOPPED,
	MCP_LOST		/* the server ended */
};

struct mcp {
	char *name;		/* of [mcp.NAME] */
	char *prefix;		/* the same, as it stands in a tool's name */
	char **argv;
	const char *const *env;	/* of the configuration */
	size_t nenv;
	char *program, *ca, *proxy, *headers;	/* of one over HTTP, or NULL */
	long long timeout;	/* ms */
	bool bare, network;
	enum mcp_state state;
	char *why;		/* it is down */
	struct box *box;
	struct box_io io;
	struct rpc rpc;
	struct buf words;	/* the end of its stderr */
	bool writes;		/* its sandbox may write */
	bool stale;		/* its tools have changed */
	int64_t id;		/* of the newest request */
	int64_t asked;		/* of initialize or tools/list, 0 none */
	int64_t call;		/* of the call in hand, 0 none */
	enum mcp_reply reply;
	struct buf answer;	/* its result or error, as JSON */
	bool lossy;
	long long until;	/* of MCP_INIT, MCP_LIST */
	size_t pages;
	struct extra **tools;	/* those listed before, which calls may know
				 * still, and those being listed too */
	size_t ntools, cap;
	size_t listing;		/* the number of the one in force */
	size_t nfresh;		/* being listed: they have the next number */
	bool keep;		/* started again: its tools are known */
};

/* ---- setting up ---- */

/* The letters that every server takes in a name. */
static void
clean_name(char *name)
{
	for (; *name != '\0'; name++)
		if (!plugin_is_name((char[]){ *name, '\0' }))
			*name = '_';
}

/* One over HTTP is one over stdio behind hamr-provider --mcp.  Its headers,
 * which may hold a token, are no argument. */
static void
take_url(const struct tool *t, struct mcp *m, const char *url,
    const char *headers)
{
	const char *const *v;
	struct buf b = BUF_INIT((size_t)1 << 20);
	size_t n;

	m->program = which_beside("hamr-provider", t->root);
	if (m->program == NULL)
		return;
	m->ca = xasprintf("provider.ca_file=%s", conf_str(t->conf,
	    "provider.ca_file"));
	m->proxy = xasprintf("provider.proxy=%s", conf_str(t->conf,
	    "provider.proxy"));
	free(m->argv);
	m->argv = xcalloc(9, sizeof *m->argv);
	m->argv[0] = m->program;
	m->argv[1] = (char *)"--no-config";
	m->argv[2] = (char *)"-o";
	m->argv[3] = m->ca;
	m->argv[4] = (char *)"-o";
	m->argv[5] = m->proxy;
	m->argv[6] = (char *)"--mcp";
	m->argv[7] = (char *)url;
	v = conf_list(t->conf, headers, &n);
	buf_adds(&b, "MCP_HEADERS=");
	for (size_t i = 0; i < n; i++)
		buf_fmt(&b, "%s%s", i > 0 ? "\n" : "", v[i]);
	m->headers = buf_detach(&b);
	m->env = (const char *const *)&m->headers;
	m->nenv = 1;
	m->network = true;
}

static struct mcp *
mcp_new(const struct tool *t, const char *name)
{
	static const char *const last[] = { "command", "env", "timeout",
		"sandbox", "network", "url", "headers" };
	struct mcp *m = xcalloc(1, sizeof *m);
	const char *const *argv;
	char *key[KEYS];
	size_t n;

	for (size_t i = 0; i < KEYS; i++)
		key[i] = xasprintf("mcp.%s.%s", name, last[i]);
	m->name = xstrdup(name);
	m->prefix = xstrdup(name);
	clean_name(m->prefix);
	argv = conf_list(t->conf, key[0], &n);
	m->argv = xcalloc(n + 1, sizeof *m->argv);
	for (size_t i = 0; i < n; i++)
		m->argv[i] = (char *)argv[i];
	m->env = conf_list(t->conf, key[1], &m->nenv);
	m->timeout = (long long)(conf_num(t->conf, key[2]) * 1000);
	m->bare = !conf_bool(t->conf, key[3]);
	m->network = conf_bool(t->conf, key[4]);
	m->io = (struct box_io){ -1, -1, -1 };
	buf_init(&m->words, 2 * MCP_WORDS_MAX);
	buf_init(&m->answer, 4 * MCP_LINE_MAX);
	if (conf_str(t->conf, key[5])[0] != '\0')
		take_url(t, m, conf_str(t->conf, key[5]), key[6]);
	for (size_t i = 0; i < KEYS; i++)
		free(key[i]);
	return m;
}

struct mcp **
mcp_configured(const struct tool *t, size_t *n)
{
	size_t names;
	const char *const *list = conf_names(t->conf, "mcp", &names);
	struct mcp **v = xcalloc(names + 1, sizeof(struct mcp *));

	*n = 0;
	for (size_t i = 0; i < names; i++) {
		char *key = xasprintf("mcp.%s.enabled", list[i]);

		if (conf_bool(t->conf, key))
			v[(*n)++] = mcp_new(t, list[i]);
		free(key);
	}
	return v;
}

int
mcp_check(const struct tool *t, struct err *e)
{
	size_t n;
	struct mcp **v = mcp_configured(t, &n);
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		if (v[i]->argv[0] == NULL)
			r = err_set(e, ST_CONFIG, "mcp.%s.command is empty; "
			    "give the server's program and arguments, or its "
			    "url, or set mcp.%s.enabled = false", v[i]->name,
			    v[i]->name);
	mcp_free(v, n);
	return r;
}

/* ---- ending ---- */

/* Forget what was listed before a listing. */
static void
forget_before(struct mcp *m, size_t listing)
{
	size_t n = m->ntools;

	m->ntools = 0;
	for (size_t i = 0; i < n; i++)
		if (m->tools[i]->listing < listing)
			extra_free(m->tools[i]);
		else
			m->tools[m->ntools++] = m->tools[i];
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

void
mcp_free(struct mcp **v, size_t n)
{
	long long until = file_now_ms() + END_MS;

	/* they are told by the end of their input, all at once, and given a
	 * moment */
	for (size_t i = 0; i < n; i++) {
		if (v[i]->io.in >= 0)
			close(v[i]->io.in);
		v[i]->io.in = -1;
	}
	for (size_t i = 0; i < n; i++) {
		struct mcp *m = v[i];

		while (m->box != NULL && !m->box->exited && !m->box->lost &&
		    file_now_ms() < until) {
			struct pollfd p = { m->box->fd, POLLIN, 0 };

			poll(&p, 1, (int)(until - file_now_ms()));
			box_learn(m->box);
		}
		close_all(m);
		forget_before(m, SIZE_MAX);
		free(m->tools);
		buf_release(&m->words);
		buf_release(&m->answer);
		free(m->name);
		free(m->prefix);
		free(m->argv);
		free(m->program);
		free(m->ca);
		free(m->proxy);
		free(m->headers);
		free(m->why);
		free(m);
	}
	free(v);
}

/* End it; it is down, and why: what its last line on stderr was, too. */
__attribute__((format(printf, 2, 3)))
static void
mcp_stop(struct mcp *m, const char *fmt, ...)
{
	struct buf why = BUF_INIT(4 * MCP_WORDS_MAX);
	struct buf b = BUF_INIT(4 * MCP_WORDS_MAX);
	struct slice text, last = { NULL, 0 };
	struct clean c = { .n = 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(&why, fmt, ap);
	va_end(ap);
	clean_add(&c, m->words.p != NULL ? m->words.p : "", m->words.len, &b);
	clean_end(&c, &b);
	text = slice_trim_end(buf_view(&b), "\n\t ");
	while (slice_line(&text, &last))
		;
	if (last.n > 0)
		buf_fmt(&why, ": %.*s", last.n < 300 ? (int)last.n : 300,
		    last.p);
	buf_release(&b);
	free(m->why);
	m->why = buf_detach(&why);
	close_all(m);
	m->state = MCP_DOWN;
}

/* ---- asking ---- */

static void
mcp_tell(struct mcp *m, const char *method, struct json *params)
{
	struct json *o = rpc_message();

	json_str(o, "method", method);
	if (params != NULL)
		json_add(o, "params", params);
	rpc_put(&m->rpc, o, RPC_QUEUE_MAX);
}

static int64_t
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
mcp_start(struct tool *t, struct mcp *m, bool keep)
{
	struct box_want want = mode_want(t, mode_may_write(t));
	struct box_cmd cmd = { .argv = m->argv, .piped = true };
	struct texts show = { .n = 0 };
	struct json *o, *client;
	char **env = NULL, *program;
	struct err e;

	/* the program, and what its arguments name */
	program = plugin_find(NULL, m->argv[0], NULL);
	if (program != NULL)
		texts_add(&show, program);
	for (char **p = m->argv; *p != NULL; p++)
		if ((*p)[0] == '/')
			texts_add(&show, xstrdup(*p));
	want.show = show.v;
	want.nshow = show.n;
	want.bare = m->bare;
	want.network = want.network || m->network;
	buf_reset(&m->words);
	m->keep = keep;
	m->writes = mode_may_write(t);
	m->box = box_open(t->sandboxes, &want, &e);
	if (m->box != NULL)
		cmd.env = env = box_env(m->box, m->env, m->nenv);
	if (m->box == NULL) {
		mcp_stop(m, "%s", e.text);
	} else if (box_spawn(m->box, &cmd, &m->io) < 0) {
		mcp_stop(m, "%s: %s", m->argv[0], strerror(errno));
	} else {
		rpc_init(&m->rpc, m->io.out, m->io.in, MCP_LINE_MAX);
		m->rpc.repair = true;
		o = json_object();
		client = json_object();
		json_str(o, "protocolVersion", VERSION);
		json_add(o, "capabilities", json_object());
		json_str(client, "name", "hamr");
		json_str(client, "version", HAMR_VERSION);
		json_add(o, "clientInfo", client);
		m->state = MCP_INIT;
		m->until = file_now_ms() + MCP_INIT_MS;
		m->asked = mcp_ask(m, "initialize", o);
	}
	if (env != NULL)
		env_free(env);
	texts_release(&show);
}

/* ---- tools/list ---- */

static void
mcp_list(struct mcp *m)
{
	m->state = MCP_LIST;
	m->stale = false;
	m->pages = 0;
	m->until = file_now_ms() + MCP_INIT_MS;
	m->asked = mcp_ask(m, "tools/list", NULL);
}

/* Servers of models want to see that it is an object. */
static char *
schema_of(struct slice v)
{
	struct buf b = BUF_INIT(2 * PLUGIN_SCHEMA_MAX);
	struct slice type = scan_get(v, "type");

	if (!plugin_is_schema(v) || (type.p != NULL &&
	    !scan_str_is(type, "object")))
		return xstrdup(NO_SCHEMA);
	if (type.p != NULL)
		return xmemdup0(v.p, v.n);
	buf_adds(&b, "{\"type\":\"object\"");
	if (strspn(v.p + 1, " \t") < v.n - 2)
		buf_addc(&b, ',');
	buf_add(&b, v.p + 1, v.n - 1);
	return buf_detach(&b);
}

static void
take_tool(struct mcp *m, struct slice tool)
{
	struct slice hints = scan_get(tool, "annotations");
	char *remote = scan_strdup(scan_get(tool, "name"));
	bool wanted = remote != NULL && remote[0] != '\0' &&
	    m->nfresh < MCP_TOOLS_MAX;
	struct plugin *p;
	struct extra *x;

	for (size_t i = 0; wanted && i < m->ntools; i++)
		wanted = m->tools[i]->listing <= m->listing ||
		    strcmp(m->tools[i]->remote, remote) != 0;
	if (!wanted) {
		free(remote);
		return;
	}
	x = xcalloc(1, sizeof *x);
	x->schema.id = TOOL_MCP;
	x->server = m;
	x->bare = m->bare;
	x->remote = remote;
	x->listing = m->listing + 1;
	p = &x->plugin;
	p->what = scan_strdup(scan_get(tool, "description"));
	if (p->what == NULL)
		p->what = scan_strdup(scan_get(tool, "title"));
	if (p->what == NULL)
		p->what = xstrdup("");
	p->what[utf8_cut(p->what, strlen(p->what), WHAT_MAX)] = '\0';
	p->parameters = schema_of(scan_get(tool, "inputSchema"));
	x->mutates = !scan_true(scan_get(hints, "readOnlyHint"));
	x->once = scan_true(scan_get(hints, "destructiveHint")) &&
	    !scan_true(scan_get(hints, "idempotentHint"));
	m->tools = xgrow(m->tools, m->ntools, &m->cap, sizeof(struct extra *));
	m->tools[m->ntools++] = x;
	m->nfresh++;
}

static void
mcp_listed(struct mcp *m, struct slice result)
{
	char *cursor = scan_strdup(scan_get(result, "nextCursor"));
	struct json *params;
	struct slice el;
	struct walk w;

	walk_in(&w, scan_get(result, "tools"));
	while (walk_next(&w, NULL, &el))
		take_tool(m, el);
	if (cursor != NULL && ++m->pages < MCP_PAGES_MAX &&
	    m->nfresh < MCP_TOOLS_MAX) {
		params = json_object();
		json_str(params, "cursor", cursor);
		m->asked = mcp_ask(m, "tools/list", params);
	} else {
		m->listing++;
		m->nfresh = 0;
		m->state = MCP_UP;
		m->asked = 0;
	}
	free(cursor);
}

/* ---- their names among all ---- */

/* NAME__tool in the letters that every server takes, 64 of them.  Two that came
 * to one name: the later one gets a number at its end. */
static void
publish(struct extras *all, struct mcp *m, struct extra *x)
{
	char end[16] = "";

	for (int i = 2; i <= 1000; i++) {
		size_t room = PLUGIN_NAME_MAX - strlen(end);
		char *name = xasprintf("%s__%s", m->prefix, x->remote);

		clean_name(name);
		free(x->plugin.name);
		x->plugin.name = xasprintf("%.*s%s", (int)room, name, end);
		free(name);
		if (extras_add(all, x))
			break;
		snprintf(end, sizeof end, "_%d", i);
	}
}

static void
mcp_publish(struct tool *t)
{
	struct extras *all = t->extras;

	all->n = all->nplugins;
	for (size_t i = 0; i < all->nservers; i++) {
		struct mcp *m = all->servers[i];

		for (size_t k = 0; k < m->ntools; k++)
			if (m->tools[k]->listing == m->listing)
				publish(all, m, m->tools[k]);
	}
}

/* ---- listening ---- */

static void
answered(struct mcp *m, const struct rpc_msg *msg)
{
	bool good = msg->kind == RPC_RESULT;
	int64_t id = 0;

	if (scan_kind(msg->id) != SCAN_NUMBER || !scan_int(msg->id, &id))
		return;		/* ours are numbers */
	if (id == m->asked && m->state == MCP_INIT && !good) {
		char *words = scan_strdup(scan_get(msg->error, "message"));

		mcp_stop(m, "it refused to initialize%s%.300s", words != NULL ?
		    ": " : "", words != NULL ? words : "");
		free(words);
	} else if (id == m->asked && m->state == MCP_INIT) {
		mcp_tell(m, "notifications/initialized", NULL);
		m->asked = 0;
		m->state = MCP_UP;
		m->stale = m->keep;	/* listed when there is time */
		if (!m->keep)
			mcp_list(m);
	} else if (id == m->asked && m->state == MCP_LIST) {
		m->asked = 0;
		mcp_listed(m, good ? msg->result : SLICE("{}"));
	} else if (id == m->call && m->reply == MCP_NONE) {
		m->reply = good ? MCP_RESULT : MCP_ERROR;
		m->lossy = m->rpc.lossy;
		buf_reset(&m->answer);
		buf_slice(&m->answer, good ? msg->result : msg->error);
	}
}

static void
message(struct mcp *m, struct slice text)
{
	struct rpc_msg msg;
	struct json *o;

	rpc_read(text, &msg);
	if (msg.kind == RPC_RESULT || msg.kind == RPC_ERROR) {
		answered(m, &msg);
	} else if (msg.kind == RPC_NOTIFY) {
		if (scan_str_is(msg.method,
		    "notifications/tools/list_changed"))
			m->stale = true;
	} else if (msg.kind == RPC_REQUEST) {
		if (scan_str_is(msg.method, "ping")) {
			o = rpc_answer(msg.id);
			json_add(o, "result", json_object());
		} else {
			o = rpc_error(msg.id, RPC_NO_METHOD, "hamr does not "
			    "do this");
		}
		/* who asks and does not read gets no answer */
		rpc_put(&m->rpc, o, RPC_CHATTER_MAX);
	}
}

static void
line(struct mcp *m, enum rpc_got got, struct slice text)
{
	struct slice el;
	struct walk w;

	if (got == RPC_LONG && m->call != 0) {
		m->reply = MCP_TOO_LONG;	/* what else could it be */
	} else if (got == RPC_LONG && m->asked != 0) {
		mcp_stop(m, "it answered with more than %zu MiB",
		    MCP_LINE_MAX >> 20);
	} else if (got == RPC_TEXT && scan_kind(text) == SCAN_ARRAY) {
		walk_in(&w, text);	/* a batch */
		while (m->box != NULL && walk_next(&w, NULL, &el))
			message(m, el);
	} else if (got == RPC_TEXT) {
		message(m, text);
	}
}

static void
take_stdout(struct mcp *m)
{
	struct slice text = { NULL, 0 };
	enum rpc_got got;
	int n = 0;

	for (int i = 0; i < READS_MAX && m->box != NULL; i++) {
		n = rpc_fill(&m->rpc);
		if (n <= 0)
			break;
		while (m->box != NULL &&
		    (got = rpc_take(&m->rpc, &text)) != RPC_NONE)
			line(m, got, text);
	}
	if (n >= 0 || m->box == NULL)
		return;
	box_learn(m->box);
	mcp_stop(m, m->state == MCP_INIT ? "it ended before it answered "
	    "initialize" : "it ended");
}

/* Only its last words are kept. */
static void
take_stderr(struct mcp *m)
{
	char buf[MCP_WORDS_MAX];
	ssize_t n = 0;

	for (int i = 0; i < READS_MAX; i++) {
		n = read(m->io.err, buf, sizeof buf);
		if (n <= 0)
			break;
		buf_add(&m->words, buf, (size_t)n);
		if (m->words.len > MCP_WORDS_MAX)
			buf_drop(&m->words, m->words.len - MCP_WORDS_MAX);
	}
	if (n == 0) {
		close(m->io.err);
		m->io.err = -1;
	}
}

enum { FD_OUT, FD_ERR, FD_IN, FD_BOX, NFDS };

/* What poll found of it. */
static void
look_after(struct mcp *m, const struct pollfd *p)
{
	if (m->box == NULL)
		return;
	if (p[FD_ERR].revents != 0)
		take_stderr(m);
	if (p[FD_BOX].revents != 0)
		box_learn(m->box);
	if (p[FD_OUT].revents != 0)
		take_stdout(m);
	else if (m->box->exited || m->box->lost)
		mcp_stop(m, "it ended");	/* nothing is left to read */
	if (m->box != NULL && rpc_waiting(&m->rpc) && rpc_send(&m->rpc) < 0)
		mcp_stop(m, "it does not read any more");
}

/* Wait, at most until a time (ms), and look after all servers; what stage_wait
 * says.  until < 0: no limit.  fd >= 0: no stage_wait, which would read it. */
static int
mcp_round(struct tool *t, long long until, int fd)
{
	struct extras *x = t->extras;
	size_t n = x->nservers * NFDS;
	struct pollfd *p = xcalloc(n + 1, sizeof *p);
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	long long now = file_now_ms();
	int flags = 0, ms = -1;

	sigaction(SIGPIPE, &ignore, &old);
	for (size_t i = 0; i < x->nservers; i++) {
		struct mcp *m = x->servers[i];
		struct pollfd *q = p + i * NFDS;
		bool up = m->box != NULL;

		if (up && rpc_waiting(&m->rpc))
			rpc_send(&m->rpc);
		if (m->asked != 0 && (until < 0 || m->until < until))
			until = m->until;
		q[FD_OUT] = (struct pollfd){ up ? m->io.out : -1, POLLIN, 0 };
		q[FD_ERR] = (struct pollfd){ up ? m->io.err : -1, POLLIN, 0 };
		q[FD_IN] = (struct pollfd){ up && rpc_waiting(&m->rpc) ?
		    m->io.in : -1, POLLOUT, 0 };
		q[FD_BOX] = (struct pollfd){ up ? m->box->fd : -1,
		    POLLIN, 0 };
	}
	if (until >= 0)
		ms = until > now ? (int)(until - now) : 0;
	p[n] = (struct pollfd){ fd, POLLIN, 0 };
	if (fd >= 0 && poll(p, n + 1, ms) > 0 && p[n].revents != 0)
		flags = STAGE_READY;
	else if (fd < 0)
		flags = stage_wait(t->stage, p, n, ms);
	for (size_t i = 0; i < x->nservers; i++) {
		struct mcp *m = x->servers[i];

		look_after(m, p + i * NFDS);
		if (m->asked != 0 && file_now_ms() >= m->until)
			mcp_stop(m, "no answer to %s within %d s", m->state ==
			    MCP_INIT ? "initialize" : "tools/list",
			    MCP_INIT_MS / 1000);
	}
	sigaction(SIGPIPE, &old, NULL);
	free(p);
	return flags;
}

void
mcp_idle(struct tool *t, int fd)
{
	bool any = false;

	for (size_t i = 0; i < t->extras->nservers; i++)
		any = any || t->extras->servers[i]->box != NULL;
	while (any && mcp_round(t, -1, fd) == 0)
		;
}

/* ---- up, or not ---- */

static bool
may_be_of(const struct mcp *m, const char *name)
{
	size_t n = strlen(m->prefix);

	return strncmp(name, m->prefix, n) == 0 &&
	    strncmp(name + n, "__", 2) == 0;
}

/* Until nobody is being asked; false: stopped before. */
static bool
settle(struct tool *t)
{
	for (;;) {
		bool asked = false;

		for (size_t i = 0; i < t->extras->nservers; i++)
			asked = asked || t->extras->servers[i]->asked != 0;
		if (!asked)
			return true;
		if ((mcp_round(t, -1, -1) & STOPPED) != 0)
			return false;
	}
}

void
mcp_load(struct tool *t, const char *name)
{
	struct extras *x = t->extras;
	bool any = false;

	for (size_t i = 0; i < x->nservers; i++) {
		struct mcp *m = x->servers[i];

		if ((name != NULL && !may_be_of(m, name)) || (m->state !=
		    MCP_OFF && m->state != MCP_DOWN))
			continue;
		mcp_start(t, m, false);
		any = true;
	}
	if (!any)
		return;
	settle(t);
	mcp_publish(t);
	for (size_t i = 0; i < x->nservers; i++)
		if (x->servers[i]->state == MCP_DOWN)
			err_say("mcp.%s: %s; its tools are left out",
			    x->servers[i]->name, x->servers[i]->why);
}

bool
mcp_changed(struct tool *t)
{
	struct extras *x = t->extras;
	bool any = false;

	if (x->nservers == 0)
		return false;
	mcp_round(t, 0, -1);
	for (size_t i = 0; i < x->nservers; i++) {
		struct mcp *m = x->servers[i];

		forget_before(m, m->listing);	/* no call is in hand */
		if (m->state != MCP_UP || !m->stale)
			continue;
		mcp_list(m);
		any = true;
	}
	if (!any)
		return false;
	settle(t);
	mcp_publish(t);
	return true;
}

const char *
mcp_name(const struct mcp *m)
{
	return m->name;
}

static void
say_down(const struct mcp *m, struct result *r)
{
	result_error(r, "spawn_failed", "the MCP server %s is not running: "
	    "%s; do without it, or ask the user to look at it", m->name,
	    m->why != NULL ? m->why : "it was not started");
}

bool
mcp_is_down(const struct tool *t, const char *name, struct result *r)
{
	struct extras *x = t->extras;

	for (size_t i = 0; i < x->nservers; i++) {
		if (x->servers[i]->state != MCP_DOWN ||
		    !may_be_of(x->servers[i], name))
			continue;
		say_down(x->servers[i], r);
		return true;
	}
	return false;
}

/* ---- the call ---- */

/* Ask, and wait for what m->reply is then. */
static void
ask_once(struct tool *t, const struct extra *x, struct slice args)
{
	long long until = file_now_ms() + x->server->timeout;
	struct mcp *m = x->server;
	struct json *o = json_object();

	json_str(o, "name", x->remote);
	json_raw(o, "arguments", args);
	m->reply = MCP_NONE;
	m->call = mcp_ask(m, "tools/call", o);
	while (m->box != NULL && m->reply == MCP_NONE) {
		int flags = mcp_round(t, until, -1);

		if (m->reply != MCP_NONE)
			break;
		if ((flags & STOPPED) != 0)
			m->reply = MCP_STOPPED;
		else if (m->box != NULL && file_now_ms() >= until)
			m->reply = MCP_LATE;
	}
	if (m->reply == MCP_NONE)
		m->reply = MCP_LOST;
	if (m->reply == MCP_LATE || m->reply == MCP_STOPPED) {
		o = json_object();
		json_int(o, "requestId", m->call);
		json_str(o, "reason", m->reply == MCP_LATE ? "timed out" :
		    "cancelled by the user");
		mcp_tell(m, "notifications/cancelled", o);
		rpc_send(&m->rpc);
	}
	m->call = 0;
}

/* Up, with the sandbox that the mode wants; *left more starts may be tried. */
static bool
make_up(struct tool *t, struct mcp *m, int *left)
{
	if (m->state == MCP_UP && m->writes != mode_may_write(t)) {
		mcp_stop(m, "the mode has changed");
		++*left;	/* this one is our own doing */
	}
	while (m->state != MCP_UP && *left > 0) {
		--*left;
		mcp_start(t, m, true);
		if (!settle(t))
			return false;
	}
	return m->state == MCP_UP;
}

static void
fill(const struct tool *t, const struct extra *x, struct result *r)
{
	struct mcp *m = x->server;
	struct slice answer = buf_view(&m->answer);
	int64_t code = 0;
	char *words;

	switch (m->reply) {
	case MCP_STOPPED:
		result_error(r, "interrupted", "interrupted");
		break;
	case MCP_LATE:
		result_error(r, "timeout", "timed out after %lld s; the MCP "
		    "server %s was told to stop", m->timeout / 1000, m->name);
		break;
	case MCP_NONE:
	case MCP_LOST:
		say_down(m, r);
		break;
	case MCP_TOO_LONG:
		result_error(r, "too_large", "the answer of the MCP server %s "
		    "is longer than %zu MiB; ask for less", m->name,
		    MCP_LINE_MAX >> 20);
		break;
	case MCP_ERROR:
		words = scan_strdup(scan_get(answer, "message"));
		scan_int(scan_get(answer, "code"), &code);
		result_error(r, code == RPC_NO_PARAMS ? "bad_arguments" : NULL,
		    "%s: %s (error %lld of the MCP server %s)", x->schema.name,
		    words != NULL ? words : "it failed", (long long)code,
		    m->name);
		free(words);
		break;
	case MCP_RESULT:
		mcp_result(t, answer, r);
		break;
	}
	r->lossy = r->lossy || m->lossy;
	m->lossy = false;
	buf_release(&m->answer);
	buf_init(&m->answer, 4 * MCP_LINE_MAX);
}

void
mcp_call(struct tool *t, const struct extra *x, struct slice args,
    struct result *r)
{
	struct mcp *m = x->server;
	int left = 1;

	mcp_round(t, 0, -1);	/* it may have died long ago */
	m->reply = MCP_LOST;
	while (m->reply == MCP_LOST && make_up(t, m, &left)) {
		ask_once(t, x, args);
		if (m->reply != MCP_LOST || left == 0)
			break;
		if (x->once) {
			result_error(r, "spawn_failed", "the MCP server %s "
			    "ended in the call (%s); what it did before is "
			    "not known, so look before you call it again",
			    m->name, m->why);
			return;
		}
	}
	if (m->reply == MCP_LOST && (stage_wait(t->stage, NULL, 0, 0) &
	    STOPPED) != 0)
		m->reply = MCP_STOPPED;
	fill(t, x, r);
}
