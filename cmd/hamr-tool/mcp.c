/* mcp.c - MCP servers: started, listened to, ended. */
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

#include "mcp_in.h"

#define VERSION "2025-06-18"	/* what we ask for; any answer is taken */
#define WORDS_MAX 2048
#define WHY_MAX 600
#define READS_MAX 64		/* of one server in one round */
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
	buf_init(&m->words, 2 * WORDS_MAX);
	buf_init(&m->answer, 4 * MCP_LINE_MAX);
	free(key);
	return m;
}

struct mcp **
mcp_configured(const struct tool *t, size_t *n)
{
	size_t names;
	const char *const *list = conf_names(t->conf, "mcp", &names);
	struct mcp **v = xcalloc(names + 1, sizeof *v);

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
	struct box_want want = extra_want(t, mcp_writes(t, m));
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
	m->writes = mcp_writes(t, m);
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
	struct buf b = BUF_INIT(4 * WORDS_MAX);
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
	struct buf why = BUF_INIT(4 * WORDS_MAX);
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

/* ---- listening ---- */

static void
request(struct mcp *m, const struct rpc_msg *msg)
{
	struct json *o;

	if (scan_str_is(msg->method, "ping")) {
		o = rpc_answer(msg->id);
		json_add(o, "result", json_object());
	} else {
		o = rpc_error(msg->id, RPC_NO_METHOD, "hamr does not do "
		    "this");
	}
	/* who asks and does not read gets no answer */
	rpc_put(&m->rpc, o, RPC_CHATTER_MAX);
}

static void
initialized(struct mcp *m, const struct rpc_msg *msg)
{
	if (msg->kind != RPC_RESULT) {
		mcp_stop(m, "it refused to initialize");
		return;
	}
	mcp_tell(m, "notifications/initialized", NULL);
	m->asked = 0;
	m->state = MCP_UP;
	m->stale = m->keep;	/* listed when there is time */
	if (!m->keep)
		mcp_list(m);
}

static void
answered(struct mcp *m, const struct rpc_msg *msg)
{
	struct slice body = msg->kind == RPC_RESULT ? msg->result :
	    msg->error;
	int64_t id = 0;

	if (scan_kind(msg->id) != SCAN_NUMBER || !scan_int(msg->id, &id))
		return;		/* ours are numbers */
	if (id == m->asked && m->state == MCP_INIT) {
		initialized(m, msg);
	} else if (id == m->asked && m->state == MCP_LIST) {
		m->asked = 0;
		mcp_listed(m, msg->kind == RPC_RESULT ? msg->result :
		    SLICE("{}"));
	} else if (id == m->call && m->reply == MCP_NONE) {
		m->reply = msg->kind == RPC_RESULT ? MCP_RESULT : MCP_ERROR;
		m->lossy = m->rpc.lossy;
		buf_reset(&m->answer);
		buf_slice(&m->answer, body);
	}
}

static void
message(struct mcp *m, struct slice text)
{
	struct rpc_msg msg;

	rpc_read(text, &msg);
	switch (msg.kind) {
	case RPC_REQUEST: request(m, &msg); break;
	case RPC_NOTIFY:
		if (scan_str_is(msg.method,
		    "notifications/tools/list_changed"))
			m->stale = true;
		break;
	case RPC_RESULT:
	case RPC_ERROR: answered(m, &msg); break;
	case RPC_OTHER: break;
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
	char buf[WORDS_MAX];
	ssize_t n = 0;

	for (int i = 0; i < READS_MAX; i++) {
		n = read(m->io.err, buf, sizeof buf);
		if (n <= 0)
			break;
		buf_add(&m->words, buf, (size_t)n);
		if (m->words.len > WORDS_MAX)
			buf_drop(&m->words, m->words.len - WORDS_MAX);
	}
	if (n == 0) {
		close(m->io.err);
		m->io.err = -1;
	}
}

enum { FD_OUT, FD_ERR, FD_IN, FD_BOX, NFDS };

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
	else if (box_exited(m->box) || box_lost(m->box))
		mcp_stop(m, "it ended");	/* and nothing is left to read */
	if (m->box != NULL && rpc_waiting(&m->rpc) && rpc_send(&m->rpc) < 0)
		mcp_stop(m, "it does not read any more");
}

static void
check_time(struct mcp *m)
{
	if (m->asked == 0 || file_now_ms() < m->until)
		return;
	mcp_stop(m, "no answer to %s within %d s", m->state == MCP_INIT ?
	    "initialize" : "tools/list", MCP_INIT_MS / 1000);
}

static long long
next_time(const struct extras *x, long long until)
{
	for (size_t i = 0; i < x->nservers; i++) {
		const struct mcp *m = x->servers[i];

		if (m->asked != 0 && (until < 0 || m->until < until))
			until = m->until;
	}
	return until;
}

/* until < 0: no limit.  fd >= 0: no stage_wait, which would read it. */
int
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
		q[FD_OUT] = (struct pollfd){ up ? m->io.out : -1, POLLIN, 0 };
		q[FD_ERR] = (struct pollfd){ up ? m->io.err : -1, POLLIN, 0 };
		q[FD_IN] = (struct pollfd){ up && rpc_waiting(&m->rpc) ?
		    m->io.in : -1, POLLOUT, 0 };
		q[FD_BOX] = (struct pollfd){ up ? box_fd(m->box) : -1,
		    POLLIN, 0 };
	}
	until = next_time(x, until);
	if (until >= 0)
		ms = until > now ? (int)(until - now) : 0;
	p[n] = (struct pollfd){ fd, POLLIN, 0 };
	if (fd >= 0 && poll(p, n + 1, ms) > 0 && p[n].revents != 0)
		flags = STAGE_READY;
	else if (fd < 0)
		flags = stage_wait(t->stage, p, n, ms);
	for (size_t i = 0; i < x->nservers; i++) {
		look_after(x->servers[i], p + i * NFDS);
		check_time(x->servers[i]);
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
