/* mcp.c - MCP servers: start them, list their tools, call those, and end. */
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
#include "sandbox/box.h"
#include "term/clean.h"

#include "extra.h"
#include "mcp.h"
#include "rpc/rpc.h"
#include "run/prog.h"

#define MCP_WAIT_MS 10000	/* between progress records of a slow start */
#define MCP_SLOW_MS 3000	/* before the first */
#define MCP_WORDS_MAX 8192	/* bytes kept of its stderr */
#define MCP_TOKEN_MS 10000	/* for token_command */
#define MCP_TOOLS_MAX 500	/* of one server */
#define MCP_PAGES_MAX 100
#define LIST_MS 1000		/* some servers say list_changed at each list */
#define VERSION "2025-06-18"	/* what we ask for; we accept any answer */
#define END_MS 100		/* to exit after we close stdin */
#define READS_MAX 64		/* of one server in one round */
#define WHAT_MAX 4096
#define NO_SCHEMA "{\"type\":\"object\",\"properties\":{}}"
#define INITIALIZE "{\"protocolVersion\":\"" VERSION "\"," \
	"\"capabilities\":{},\"clientInfo\":{\"name\":\"hamr\"," \
	"\"version\":\"" HAMR_VERSION "\"}}"
#define GARBLED ", and what it wrote was not JSON, or too deep"
#define NONE ((struct slice){ NULL, 0 })
#define STOPPED (STAGE_CANCEL | STAGE_EOF | STAGE_CLOSED)

enum mcp_state {
	MCP_DOWN,		/* never started, or ended: see why */
	MCP_UP,
	/* below: it must answer by m->until */
	MCP_INIT,		/* initialize was sent */
	MCP_LIST		/* tools/list was sent */
};

struct tools {
	struct extra **v;
	size_t n, cap;
};

struct mcp {
	char *name;		/* of [mcp.NAME] */
	char *key;		/* result of key_of */
	char *prefix;		/* the name as it appears in tool names */
	struct texts argv;	/* ends with NULL */
	const char *const *env;	/* from the configuration */
	size_t nenv;
	bool http;		/* reached through hamr-provider --mcp */
	char *headers;		/* http: "MCP_HEADERS=...", its env */
	const char *const *token;	/* http: command that prints a token */
	size_t ntoken;
	struct texts writable;	/* folders it may write to */
	long long timeout, start;	/* ms, of a call and of the start */
	bool bare, network;	/* without a sandbox; with network access */
	enum mcp_state state;
	char *why;		/* reason for MCP_DOWN; NULL: never started */
	bool told;		/* the user was told why */
	struct box *box;
	struct box_io io;
	struct rpc rpc;
	struct buf words;	/* the end of its stderr */
	bool writes;		/* its sandbox may write */
	bool stale;		/* its tools have changed */
	bool garbled;		/* it wrote a line that is not JSON since our
				 * last request */
	bool mute;		/* a call timed out, and since then it wrote
				 * nothing, not even the answer to a ping */
	int64_t id;		/* of the newest request */
	int64_t call;		/* request id of the current call; 0: none */
	const struct extra *x;	/* the tool of that call */
	const char *call_id;	/* its id in the transcript */
	struct result *r;	/* its result, complete if done is set */
	bool done;
	bool unasked;		/* the server ended before it got the call */
	long long until;	/* deadline of MCP_INIT and MCP_LIST */
	long long due;		/* when idle, not listed again before */
	size_t pages;		/* of the list so far */
	struct tools tools;	/* published */
	struct tools fresh;	/* being listed, or listed but not published */
	bool listed;		/* fresh is complete */
};

/* ---- setting up ---- */

/* Replace the characters that not every provider accepts in a name. */
static void
clean_name(char *name)
{
	for (; *name != '\0'; name++)
		if (!plugin_is_name((char[]){ *name, '\0' }))
			*name = '_';
}

/* The full name of a key of [mcp.NAME], valid until the next call. */
static const char *
key_of(struct mcp *m, const char *last)
{
	free(m->key);
	m->key = xasprintf("mcp.%s.%s", m->name, last);
	return m->key;
}

struct mcp **
mcp_configured(const struct tool *t, size_t *n)
{
	const struct conf *c = t->conf;
	size_t names, words;
	const char *const *list = conf_names(c, "mcp", &names);
	struct mcp **v = xcalloc(names + 1, sizeof(struct mcp *));

	*n = 0;
	for (size_t i = 0; i < names; i++) {
		char *key = xasprintf("mcp.%s.enabled", list[i]);
		bool enabled = conf_bool(c, key);

		free(key);
		if (!enabled)
			continue;
		struct mcp *m = xcalloc(1, sizeof *m);
		v[(*n)++] = m;
		m->name = xstrdup(list[i]);
		m->prefix = xstrdup(list[i]);
		clean_name(m->prefix);
		const char *const *argv = conf_list(c, key_of(m, "command"),
		    &words);
		for (size_t k = 0; k < words; k++)
			texts_add(&m->argv, xstrdup(argv[k]));
		m->env = conf_list(c, key_of(m, "env"), &m->nenv);
		m->token = conf_list(c, key_of(m, "token_command"),
		    &m->ntoken);
		m->timeout = (long long)(1000 * conf_num(c, key_of(m,
		    "timeout")));
		m->start = (long long)(1000 * conf_num(c, key_of(m,
		    "start_timeout")));
		m->bare = !conf_bool(c, key_of(m, "sandbox"));
		m->network = conf_bool(c, key_of(m, "network"));
		m->io = (struct box_io){ -1, -1, -1 };
		buf_init(&m->words, 2 * MCP_WORDS_MAX);
		/* an HTTP server is reached through hamr-provider --mcp */
		const char *url = conf_str(c, key_of(m, "url"));
		char *program = url[0] == '\0' ? NULL :
		    which_beside("hamr-provider", t->root);
		if (program != NULL) {
			char *const bridge[] = { program,
				xstrdup("--no-config"), xstrdup("-o"),
				xasprintf("provider.ca_file=%s", conf_str(c,
				    "provider.ca_file")), xstrdup("-o"),
				xasprintf("provider.proxy=%s", conf_str(c,
				    "provider.proxy")), xstrdup("--mcp"),
				xstrdup(url) };

			texts_release(&m->argv);
			for (size_t k = 0; k < sizeof bridge /
			    sizeof bridge[0]; k++)
				texts_add(&m->argv, bridge[k]);
			m->env = (const char *const *)&m->headers;
			m->nenv = 1;
			m->http = m->network = true;
		}
		texts_add(&m->argv, NULL);
	}
	return v;
}

int
mcp_check(const struct extras *x, struct err *e)
{
	for (size_t i = 0; i < x->nservers; i++) {
		const struct mcp *m = x->servers[i];

		if (m->argv.v[0] == NULL)
			return err_set(e, ST_CONFIG, "mcp.%s.command is "
			    "empty; give the server's program and arguments, "
			    "or its url, or set mcp.%s.enabled = false",
			    m->name, m->name);
	}
	return 0;
}

/* ---- ending ---- */

static void
tools_release(struct tools *l)
{
	for (size_t i = 0; i < l->n; i++)
		extra_free(l->v[i]);
	free(l->v);
	*l = (struct tools){ .n = 0 };
}

static void
close_all(struct mcp *m)
{
	box_io_close(&m->io);
	if (m->box != NULL)
		box_close(m->box);
	m->box = NULL;
	rpc_release(&m->rpc);
	m->call = 0;
}

void
mcp_free(struct mcp **v, size_t n)
{
	long long until = file_now_ms() + END_MS;

	/* close the stdin of all of them first, and give them a moment */
	for (size_t i = 0; i < n; i++) {
		file_close(v[i]->io.in);
		v[i]->io.in = -1;
	}
	for (size_t i = 0; i < n; i++) {
		struct mcp *m = v[i];

		while (m->box != NULL && !m->box->exited && !m->box->lost &&
		    file_now_ms() < until) {
			struct pollfd p = { m->box->fd, POLLIN, 0 };

			poll(&p, 1, (int)(until - file_now_ms()));
			box_update(m->box);
		}
		close_all(m);
		tools_release(&m->tools);
		tools_release(&m->fresh);
		buf_release(&m->words);
		FREE(m->name, m->key, m->prefix);
		texts_release(&m->argv);
		free(m->headers);
		texts_release(&m->writable);
		FREE(m->why, m);
	}
	free(v);
}

/* Append what a server wrote for people, cleaned. */
static void
put_words(struct buf *out, struct slice words)
{
	struct clean c = { .n = 0 };

	clean_add(&c, words.p, words.n, out);
	clean_end(&c, out);
}

/* End the server and note why it is down, with the error line of its stderr.
 * node prints that above the stack, npm in the first line after the code,
 * others at the end. */
__attribute__((format(printf, 2, 3)))
static void
mcp_stop(struct mcp *m, const char *fmt, ...)
{
	struct buf why = BUF_INIT(4 * MCP_WORDS_MAX);
	struct buf b = BUF_INIT(4 * MCP_WORDS_MAX);
	struct slice l = { NULL, 0 }, last = l, error = l, npm = l;
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(&why, fmt, ap);
	va_end(ap);
	put_words(&b, buf_view(&m->words));
	for (struct slice rest = buf_view(&b); slice_line(&rest, &l); ) {
		if (slice_trim(l).n == 0)
			continue;
		last = l;
		if (slice_starts(l, "npm error")) {
			if (npm.n == 0 && !slice_starts(l, "npm error code"))
				npm = l;
		} else if (*l.p != ' ' && *l.p != '\t' &&
		    (slice_has(l, "Error") || slice_has(l, "error:"))) {
			error = l;
		}
	}
	l = error.n > 0 ? error : npm.n > 0 ? npm : last;
	if (l.n > 0)
		buf_fmt(&why, ": %.*s", (int)utf8_cut(l.p, l.n, 300), l.p);
	buf_release(&b);
	m->told = m->told && strcmp(m->why, why.p) == 0;
	free(m->why);
	m->why = buf_detach(&why);
	close_all(m);
	m->state = MCP_DOWN;
}

/* ---- asking ---- */

/* Send a request, or a notification if asks is false. */
static void
mcp_send(struct mcp *m, bool asks, const char *method, struct slice params)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	m->garbled = m->garbled && !asks;
	rpc_call(&b, asks ? SCAN_INT(++m->id) : NONE, method, params);
	if (!rpc_put(&m->rpc, buf_view(&b), RPC_QUEUE_MAX) && asks)
		mcp_stop(m, "it does not read its requests");
	buf_release(&b);
}

/* Set the headers for hamr-provider --mcp; as they may contain a token, they
 * are not arguments.  Get a new token at each start: an expired one ends the
 * bridge, which is then restarted.  False with e. */
static bool
put_headers(struct tool *t, struct mcp *m, struct err *e)
{
	struct buf b = BUF_INIT((size_t)1 << 20), token = BUF_INIT(1 << 16);
	struct prog p = prog_trusted(t->sandboxes, m->token, MCP_TOKEN_MS,
	    &token);
	size_t n;
	const char *const *v = conf_list(t->conf, key_of(m, "headers"), &n);
	bool good = true;

	buf_adds(&b, "MCP_HEADERS=");
	for (size_t i = 0; i < n && good; i++) {
		buf_fmt(&b, "%s\n", v[i]);
		good = strchr(v[i], ':') != NULL && strpbrk(v[i], "\r\n") ==
		    NULL;
		if (!good)
			err_set(e, ST_CONFIG, "headers: entry %zu must be "
			    "written as \"Name: value\"", i + 1);
	}
	if (good && m->ntoken > 0) {
		prog_run(&p, t->stage);
		n = strcspn(token.len > 0 ? token.p : "", "\r\n");
		good = prog_is_good(&p) && n > 0;
		if (good)
			buf_fmt(&b, "Authorization: Bearer %.*s", (int)n,
			    token.p);
		else
			err_set(e, ST_CONFIG, "token_command: %s did not print "
			    "a token; run it in a shell to see why",
			    m->token[0]);
		prog_release(&p);
	}
	free(m->headers);
	m->headers = buf_detach(&b);
	buf_release(&token);
	return good;
}

/* npm caches packages in the home, which is read-only in the sandbox: npx could
 * not start anything. */
static void
add_npm_cache(struct texts *env)
{
	static const char have[] = "npm_config_cache=", cache[] =
	    "XDG_CACHE_HOME=";
	const char *dir = NULL;

	for (size_t i = 0; env->v[i] != NULL; i++) {
		if (slice_starts(slice_of(env->v[i]), have))
			return;
		if (slice_starts(slice_of(env->v[i]), cache))
			dir = env->v[i] + strlen(cache);
	}
	if (dir == NULL)
		return;
	env->v[env->n - 1] = xasprintf("%s%s/npm", have, dir);
	texts_add(env, NULL);
}

/* Find its writable folders, and make missing ones.  The mode decides about the
 * root itself. */
static bool
make_writable(const struct tool *t, struct mcp *m, struct err *e)
{
	size_t n;
	const char *const *v = conf_list(t->conf, key_of(m, "writable"), &n);

	texts_release(&m->writable);
	for (size_t i = 0; i < n; i++) {
		char *path = sandboxes_path(t->sandboxes, v[i]);
		bool inside = is_beneath(path, t->root);
		char *real = NULL;

		if (file_mkdirs(path, e) == 0 &&
		    (real = realpath(path, NULL)) == NULL)
			err_sys(e, ST_CONFIG, "writable: %s", v[i]);
		free(path);
		if (real == NULL)
			return false;
		texts_add(&m->writable, real);
		/* a command may have put that link there */
		if (inside && !is_beneath(real, t->root))
			return err_set(e, ST_CONFIG, "writable: %s leads out "
			    "of the repository through a link; name its "
			    "target", v[i]) == 0;
		if (is_beneath(t->root, real))
			return err_set(e, ST_CONFIG, "writable: %s holds the "
			    "repository, which only the mode makes writable; "
			    "name a folder in it or beside it", v[i]) == 0;
	}
	return true;
}

bool
mcp_has_folder(const struct mcp *m, const char *root)
{
	for (size_t i = 0; i < m->writable.n; i++)
		if (is_beneath(m->writable.v[i], root))
			return true;
	return false;
}

/* May it write to the root, or below, from a sandbox? */
static bool
is_confined(const struct mcp *m)
{
	return (m->writes || m->writable.n > 0) && !m->bare;
}

static void
mcp_start(struct tool *t, struct mcp *m)
{
	struct texts show = { .n = 0 };
	struct err e;

	buf_reset(&m->words);
	m->writes = mode_may_write(t);
	if (make_writable(t, m, &e) && (!m->http || put_headers(t, m, &e))) {
		struct box_spec spec = mode_box_spec(t, m->writes);

		/* the program, and what its arguments name */
		char *program = plugin_find(NULL, m->argv.v[0], NULL);
		if (program != NULL)
			texts_add(&show, program);
		for (char **p = m->argv.v; *p != NULL; p++)
			if ((*p)[0] == '/')
				texts_add(&show, xstrdup(*p));
		spec.show = show.v;
		spec.nshow = show.n;
		spec.write = m->writable.v;
		spec.nwrite = m->writable.n;
		spec.bare = m->bare;
		spec.stays = is_confined(m);
		spec.network = m->network = spec.network || m->network;
		m->box = box_open(t->sandboxes, &spec, &e);
		texts_release(&show);
	}
	if (m->box == NULL) {
		mcp_stop(m, "%s", e.text);
		return;
	}
	struct texts env = box_env(m->box, m->env, m->nenv);
	add_npm_cache(&env);
	if (box_spawn(m->box, m->argv.v, env.v, true, &m->io) < 0) {
		mcp_stop(m, "%s: %s", m->argv.v[0], strerror(errno));
	} else {
		rpc_init(&m->rpc, m->io.out, m->io.in, MCP_LINE_MAX);
		m->rpc.repair = true;
		m->state = MCP_INIT;
		m->until = file_now_ms() + m->start;
		mcp_send(m, true, "initialize", SLICE(INITIALIZE));
	}
	texts_release(&env);
}

/* ---- tools/list ---- */

static void
mcp_list(struct mcp *m)
{
	tools_release(&m->fresh);
	m->state = MCP_LIST;
	m->stale = m->listed = false;
	m->pages = 0;
	m->until = file_now_ms() + m->start;
	m->due = file_now_ms() + LIST_MS;
	mcp_send(m, true, "tools/list", NONE);
}

/* Add a page of its tools, each name once. */
static void
mcp_listed(struct mcp *m, struct slice result)
{
	struct slice cursor = scan_get(result, "nextCursor"), tool;
	struct buf params = BUF_INIT(BUF_RECORD_MAX);
	struct tools *l = &m->fresh;

	for (struct walk w = walk_of(scan_get(result, "tools"));
	    walk_next(&w, NULL, &tool); ) {
		struct slice hints = scan_get(tool, "annotations");
		struct slice schema = scan_get(tool, "inputSchema");
		struct slice type = scan_get(schema, "type");
		char *remote = scan_strdup(scan_get(tool, "name"));
		bool wanted = remote != NULL && remote[0] != '\0' &&
		    l->n < MCP_TOOLS_MAX;

		for (size_t i = 0; wanted && i < l->n; i++)
			wanted = strcmp(l->v[i]->remote, remote) != 0;
		if (!wanted) {
			free(remote);
			continue;
		}
		struct extra *x = xcalloc(1, sizeof *x);
		*x = (struct extra){ .schema.id = TOOL_MCP, .server = m,
			.bare = m->bare, .remote = remote };
		struct plugin *p = &x->plugin;
		p->what = scan_strdup(scan_get(tool, "description"));
		if (p->what == NULL)
			p->what = scan_text(scan_get(tool, "title"));
		p->what[utf8_cut(p->what, strlen(p->what), WHAT_MAX)] = '\0';
		/* model servers require "type": "object" */
		if (!plugin_is_schema(schema) || (type.p != NULL &&
		    !scan_str_is(type, "object"))) {
			p->parameters = xstrdup(NO_SCHEMA);
		} else if (type.p != NULL) {
			p->parameters = xmemdup0(schema.p, schema.n);
		} else {
			struct buf b = BUF_INIT(2 * PLUGIN_SCHEMA_MAX);

			buf_adds(&b, "{\"type\":\"object\"");
			if (strspn(schema.p + 1, " \t") < schema.n - 2)
				buf_addc(&b, ',');
			buf_add(&b, schema.p + 1, schema.n - 1);
			p->parameters = buf_detach(&b);
		}
		x->mutates = !scan_true(scan_get(hints, "readOnlyHint"));
		x->once = scan_true(scan_get(hints, "destructiveHint")) &&
		    !scan_true(scan_get(hints, "idempotentHint"));
		l->v = xgrow(l->v, l->n, &l->cap, sizeof(struct extra *));
		l->v[l->n++] = x;
	}
	if (scan_kind(cursor) == SCAN_STRING && ++m->pages < MCP_PAGES_MAX &&
	    l->n < MCP_TOOLS_MAX) {
		scan_put(&params, "{'cursor':$}", cursor);
		mcp_send(m, true, "tools/list", buf_view(&params));
		buf_release(&params);
	} else {
		m->listed = true;
		m->state = MCP_UP;
	}
}

/* Call this only between calls: a call may use the old tools. */
static void
mcp_publish(struct tool *t)
{
	struct extras *all = t->extras;

	all->n = all->nplugins;
	for (size_t i = 0; i < all->nservers; i++) {
		struct mcp *m = all->servers[i];

		if (m->listed) {
			tools_release(&m->tools);
			m->tools = m->fresh;
			m->fresh = (struct tools){ .n = 0 };
			m->listed = false;
		}
		/* NAME__tool, at most 64 of the characters that every server
		 * accepts; if two names become equal, the later one gets a
		 * number at its end */
		for (size_t k = 0; k < m->tools.n; k++) {
			struct extra *x = m->tools.v[k];
			char *name = xasprintf("%s__%s", m->prefix, x->remote);
			char end[16] = "";

			clean_name(name);
			for (int no = 2; no <= 1000; no++) {
				free(x->plugin.name);
				x->plugin.name = xasprintf("%.*s%s",
				    (int)(PLUGIN_NAME_MAX - strlen(end)), name,
				    end);
				if (extras_add(all, x))
					break;
				snprintf(end, sizeof end, "_%d", no);
			}
			free(name);
		}
	}
}

/* ---- listening ---- */

static void
answered(const struct tool *t, struct mcp *m, const struct rpc_msg *msg)
{
	bool good = msg->kind == RPC_RESULT;
	char *text = scan_text(scan_get(msg->error, "message"));
	struct buf cleaned = BUF_INIT(BUF_RECORD_MAX);
	int64_t code = scan_int_or(scan_get(msg->error, "code"), 0);

	put_words(&cleaned, slice_of(text));
	const char *words = cleaned.len > 0 ? cleaned.p : "";
	bool ours = rpc_same_id(msg->id, SCAN_INT(m->id));
	/* a server without tools may not know tools/list */
	if (ours && !good && (m->state == MCP_INIT ||
	    (m->state == MCP_LIST && code != RPC_NO_METHOD))) {
		mcp_stop(m, "it refused to %s%s%.300s", m->state == MCP_INIT ?
		    "initialize" : "list its tools",
		    words[0] != '\0' ? ": " : "", words);
	} else if (ours && m->state == MCP_INIT) {
		mcp_send(m, false, "notifications/initialized", NONE);
		mcp_list(m);
	} else if (ours && m->state == MCP_LIST) {
		mcp_listed(m, good ? msg->result : SLICE("{}"));
	} else if (m->call == 0 || m->done ||
	    !rpc_same_id(msg->id, SCAN_INT(m->call))) {
		;
	} else if (!good && m->http && code == RPC_ASK_AGAIN) {
		mcp_stop(m, "%.300s", words[0] != '\0' ? words : "it ended");
		m->unasked = true;
	} else {
		m->done = true;
		if (good)
			mcp_result(t, msg->result, m->r);
		else
			result_error(m->r, code == RPC_NO_PARAMS ?
			    "bad_arguments" : NULL, "%s: %s (error %lld of "
			    "the MCP server %s)", m->x->schema.name,
			    words[0] != '\0' ? words : "it failed",
			    (long long)code, m->name);
		m->r->lossy |= m->rpc.lossy;
	}
	buf_release(&cleaned);
	free(text);
}

static void
message(struct tool *t, struct mcp *m, struct slice text)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct rpc_msg msg;

	rpc_read(text, &msg);
	struct slice done = scan_get(msg.params, "progress");
	if (msg.kind == RPC_RESULT || msg.kind == RPC_ERROR) {
		answered(t, m, &msg);
	} else if (msg.kind == RPC_NOTIFY && scan_str_is(msg.method,
	    "notifications/tools/list_changed")) {
		m->stale = true;
	} else if (msg.kind == RPC_NOTIFY && scan_str_is(msg.method,
	    "notifications/progress") && m->call != 0 && m->call_id != NULL &&
	    rpc_same_id(scan_get(msg.params, "progressToken"),
	    SCAN_INT(m->call)) && scan_kind(done) == SCAN_NUMBER) {
		struct slice total = scan_get(msg.params, "total");
		char *words = scan_strdup(scan_get(msg.params, "message"));

		/* show progress of the current call like a command's output */
		buf_slice(&b, done);
		if (scan_kind(total) == SCAN_NUMBER)
			buf_fmt(&b, " of %.*s", (int)total.n, total.p);
		if (words != NULL) {
			buf_adds(&b, ": ");
			put_words(&b, slice_of(words));
		}
		buf_addc(&b, '\n');
		prog_put_output(t->stage, m->call_id, "stderr", buf_view(&b));
		buf_release(&b);
		free(words);
	} else if (msg.kind == RPC_REQUEST) {
		if (scan_str_is(msg.method, "ping"))
			rpc_result(&b, msg.id, SLICE("{}"));
		else
			rpc_error(&b, msg.id, RPC_NO_METHOD, "hamr does not "
			    "do this");
		/* a server that sends requests but does not read gets no
		 * answer */
		rpc_put(&m->rpc, buf_view(&b), RPC_CHATTER_MAX);
		buf_release(&b);
	}
}

static void
line(struct tool *t, struct mcp *m, enum rpc_got got, struct slice text)
{
	struct slice el;

	m->garbled |= got == RPC_BAD;
	m->mute = false;
	if (got == RPC_LONG && m->call != 0 && !m->done) {
		m->done = true;		/* it must be the call's answer */
		result_error(m->r, "too_large", "the answer of the MCP server "
		    "%s is longer than %zu MiB; ask for less", m->name,
		    MCP_LINE_MAX >> 20);
	} else if (got == RPC_LONG && m->state >= MCP_INIT) {
		mcp_stop(m, "it answered with more than %zu MiB",
		    MCP_LINE_MAX >> 20);
	} else if (got == RPC_TEXT && scan_kind(text) == SCAN_ARRAY) {
		for (struct walk w = walk_of(text);	/* a batch */
		    m->box != NULL && walk_next(&w, NULL, &el); )
			message(t, m, el);
	} else if (got == RPC_TEXT) {
		message(t, m, text);
	}
}

/* Read its stderr; keep only the end. */
static void
take_stderr(struct mcp *m)
{
	char buf[MCP_WORDS_MAX];
	ssize_t n = 0;

	for (int i = 0; i < READS_MAX &&
	    (n = read(m->io.err, buf, sizeof buf)) > 0; i++) {
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

/* Handle what poll reported for this server. */
static void
look_after(struct tool *t, struct mcp *m, const struct pollfd *p)
{
	struct slice text = { NULL, 0 };
	enum rpc_got got;
	int n = 1;

	if (m->box == NULL)
		return;
	if (p[FD_ERR].revents != 0)
		take_stderr(m);
	if (p[FD_BOX].revents != 0)
		box_update(m->box);
	if (p[FD_OUT].revents == 0 && (m->box->exited || m->box->lost))
		mcp_stop(m, "it ended");	/* nothing is left to read */
	for (int i = 0; p[FD_OUT].revents != 0 && n > 0 && i < READS_MAX &&
	    m->box != NULL; i++) {
		n = rpc_fill(&m->rpc);
		while (n > 0 && m->box != NULL &&
		    (got = rpc_take(&m->rpc, &text)) != RPC_NONE)
			line(t, m, got, text);
	}
	if (n < 0 && m->box != NULL) {
		box_update(m->box);
		if (m->io.err >= 0)
			take_stderr(m);
		mcp_stop(m, m->state == MCP_INIT ? "it ended before it "
		    "answered initialize" : "it ended");
	}
	if (m->box != NULL && rpc_waiting(&m->rpc) && rpc_send(&m->rpc) < 0)
		mcp_stop(m, "it stopped reading");
}

/* Serve all servers until a time (ms; < 0: no limit) at most; returns what
 * stage_wait does.  With fd >= 0, stage_wait is not called, as it would read
 * fd; STAGE_READY then means fd. */
static int
mcp_round(struct tool *t, long long until, int fd)
{
	struct extras *x = t->extras;
	size_t n = x->nservers * NFDS;
	struct pollfd *p = xcalloc(n + 3, sizeof *p);
	long long now = file_now_ms();
	int flags = 0, ms = -1;

	for (size_t i = 0; i < x->nservers; i++) {
		struct mcp *m = x->servers[i];
		struct pollfd *q = p + i * NFDS;
		bool up = m->box != NULL;

		if (up && rpc_waiting(&m->rpc))
			rpc_send(&m->rpc);
		if (m->state >= MCP_INIT && (until < 0 || m->until < until))
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
	p[n + 1] = (struct pollfd){ STDOUT_FILENO, 0, 0 };
	p[n + 2] = (struct pollfd){ t->stage->signals, POLLIN, 0 };
	if (fd < 0)
		flags = stage_wait(t->stage, p, n, ms);
	else if (poll(p, n + 3, ms) > 0)
		flags = (p[n].revents != 0 ? STAGE_READY : 0) |
		    (p[n + 1].revents != 0 ? STAGE_CLOSED : 0) |
		    (p[n + 2].revents != 0 ? STAGE_CANCEL : 0);
	for (size_t i = 0; i < x->nservers; i++) {
		struct mcp *m = x->servers[i];

		look_after(t, m, p + i * NFDS);
		if (m->state < MCP_INIT || file_now_ms() < m->until)
			continue;
		/* one that waits for a network it does not have often says
		 * nothing */
		mcp_stop(m, "no answer to %s within %lld s "
		    "(mcp.%s.start_timeout)%s", m->state == MCP_INIT ?
		    "initialize" : "tools/list", m->start / 1000, m->name,
		    m->garbled ? GARBLED : m->bare || m->network ? "" : "; if "
		    "it needs the network, set network = true in its table");
	}
	free(p);
	return flags;
}

bool
mcp_idle(struct tool *t, int fd, bool changes)
{
	struct extras *x = t->extras;
	int flags = 0;

	while (flags == 0) {
		long long until = -1;

		for (size_t i = 0; i < x->nservers && changes; i++) {
			const struct mcp *m = x->servers[i];

			if (m->stale && file_now_ms() >= m->due)
				return true;
			if (m->stale && (until < 0 || m->due < until))
				until = m->due;
		}
		flags = mcp_round(t, until, fd);
	}
	return flags != STAGE_CLOSED;
}

/* ---- starting and listing ---- */

static bool
may_be_of(const struct mcp *m, const char *name)
{
	size_t n = strlen(m->prefix);

	return strncmp(name, m->prefix, n) == 0 &&
	    strncmp(name + n, "__", 2) == 0;
}

/* Wait until no server owes us an answer; false if we are stopped before.
 * Report progress: a server that must be downloaded first takes long. */
static bool
settle(struct tool *t)
{
	long long next = file_now_ms() + MCP_SLOW_MS;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	for (;;) {
		const struct mcp *asked = NULL;

		for (size_t i = 0; i < t->extras->nservers; i++)
			if (t->extras->servers[i]->state >= MCP_INIT)
				asked = t->extras->servers[i];
		if (asked == NULL)
			return true;
		if (file_now_ms() >= next) {
			char *words = xasprintf("waiting for the MCP server %s",
			    asked->name);
			scan_put(&b, "{'type':'progress','stage':'tool',"
			    "'message':@}", slice_of(words));
			stage_put(t->stage, R_PROGRESS, buf_view(&b));
			free(words);
			buf_release(&b);
			next = file_now_ms() + MCP_WAIT_MS;
		}
		if ((mcp_round(t, next, -1) & STOPPED) != 0)
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

		if ((name != NULL && !may_be_of(m, name)) ||
		    m->state != MCP_DOWN)
			continue;
		mcp_start(t, m);
		any = true;
	}
	if (!any)
		return;
	settle(t);
	mcp_publish(t);
	for (size_t i = 0; i < x->nservers; i++) {
		struct mcp *m = x->servers[i];
		bool failed = m->state == MCP_DOWN && m->why != NULL;

		/* if a person asked for one by name, the answer says it */
		if (failed && !m->told && !(t->person && name != NULL))
			err_say("mcp.%s: %s; its tools are left out", m->name,
			    m->why);
		m->told = failed;
	}
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

		/* do not wait for a list after a cancel: use the old one */
		any = any || m->listed;
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
		const struct mcp *m = x->servers[i];

		if (m->state == MCP_DOWN && may_be_of(m, name)) {
			say_down(m, r);
			return true;
		}
	}
	return false;
}

/* ---- the call ---- */

/* Call, and wait for the answer; m->done stays false if the server ended. */
static void
ask_once(struct tool *t, struct mcp *m, struct slice args)
{
	long long until = file_now_ms() + m->timeout;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	bool stopped = false, late = false;

	scan_put(&b, "{'name':@,'arguments':$,'_meta':{'progressToken':$}}",
	    slice_of(m->x->remote), args, SCAN_INT(m->id + 1));
	m->unasked = false;
	buf_reset(&m->words);	/* what it wrote at its start is not why it
				 * ends during this call */
	mcp_send(m, true, "tools/call", buf_view(&b));
	m->call = m->id;
	while (m->box != NULL && !m->done && !stopped && !late) {
		stopped = (mcp_round(t, until, -1) & STOPPED) != 0;
		late = file_now_ms() >= until;
	}
	if (!m->done && (stopped || (late && m->box != NULL))) {
		m->done = true;
		if (stopped)
			result_error(m->r, "interrupted", "interrupted");
		else
			result_error(m->r, "timeout", "timed out after %lld "
			    "s; the MCP server %s was %s%s",
			    m->timeout / 1000, m->name, m->mute ? "ended, as "
			    "it has sent nothing since the previous call; "
			    "the next call starts it again" : "told to stop",
			    m->garbled ? GARBLED : "");
		buf_reset(&b);
		scan_put(&b, "{'requestId':$,'reason':@}", SCAN_INT(m->call),
		    stopped ? SLICE("cancelled by the user") :
		    SLICE("timed out"));
		/* it hangs in a call, and would hold up all that follow */
		if (late && m->mute)
			mcp_stop(m, "it did not answer");
		else if (late)
			mcp_send(m, true, "ping", NONE);
		m->mute |= late;
		if (m->box != NULL) {
			mcp_send(m, false, "notifications/cancelled",
			    buf_view(&b));
			rpc_send(&m->rpc);
		}
	}
	buf_release(&b);
	m->call = 0;
}

void
mcp_call(struct tool *t, const struct extra *x, const char *id,
    struct slice args, struct result *r)
{
	struct mcp *m = x->server;
	struct buf notes = BUF_INIT(WHAT_MAX * 4);
	int left = 1;		/* starts left to try */
	bool settled = true;

	m->x = x;
	m->call_id = id;
	m->r = r;
	m->done = false;
	mcp_round(t, 0, -1);	/* it may have exited long ago */
	while (!m->done) {
		/* start it if it is down or the mode wants another sandbox */
		if (m->state == MCP_UP && m->writes != mode_may_write(t)) {
			mcp_stop(m, "the mode has changed");
			left++;		/* our own doing: does not count */
		}
		while (m->state != MCP_UP && left > 0 && settled) {
			left--;
			mcp_start(t, m);
			settled = settle(t);
		}
		if (m->state != MCP_UP || !settled)
			break;
		if (is_confined(m))
			sandboxes_note_existing(t->sandboxes);
		ask_once(t, m, args);
		if (is_confined(m))
			sandboxes_quarantine_new(t->sandboxes, &notes);
		if (!m->done && x->once && !m->unasked) {
			m->done = true;
			result_error(r, "spawn_failed", "the MCP server %s "
			    "ended during the call (%s); what it did before "
			    "that is not known, so look before you call it "
			    "again",
			    m->name, m->why);
		}
	}
	if (!m->done && (stage_wait(t->stage, NULL, 0, 0) & STOPPED) != 0)
		result_error(r, "interrupted", "interrupted");
	else if (!m->done)
		say_down(m, r);
	if (m->box != NULL && !m->bare)
		scan_put(&r->meta, "'sandbox':@,", slice_of(m->box->name));
	if (notes.len > 0) {
		buf_end_line(&r->content);
		buf_fmt(&r->content, "[%s]\n", notes.p);
	}
	buf_release(&notes);
}
