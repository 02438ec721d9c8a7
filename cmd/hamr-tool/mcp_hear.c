/* mcp_hear.c - what MCP servers say, and when they have said nothing. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

#include "mcp_in.h"

#define READS_MAX 64		/* of one server in one round */

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
