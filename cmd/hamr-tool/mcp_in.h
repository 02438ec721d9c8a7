/* mcp_in.h - a server: its process, what it was asked; for mcp*.c. */
#ifndef HAMR_TOOL_MCP_IN_H
#define HAMR_TOOL_MCP_IN_H

#include "box.h"
#include "extra.h"
#include "mcp.h"
#include "rpc.h"

#define MCP_INIT_MS 10000
#define MCP_LINE_MAX ((size_t)16 << 20)	/* of what a server answers */
#define MCP_WORDS_MAX 2048	/* of its stderr */
#define MCP_TOOLS_MAX 500	/* of one server */
#define MCP_PAGES_MAX 100

enum mcp_state {
	MCP_OFF,		/* never started */
	MCP_INIT,		/* initialize was sent */
	MCP_LIST,		/* tools/list was sent */
	MCP_UP,
	MCP_DOWN		/* it ended, or did not do what it should */
};

/* What a call came to. */
enum mcp_reply { MCP_NONE, MCP_RESULT, MCP_ERROR, MCP_TOO_LONG };

struct mcp {
	char *name;		/* of [mcp.NAME] */
	char *prefix;		/* the same, as it stands in a tool's name */
	char **argv, **env;
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
	struct extra **tools, **fresh;	/* listed; being listed */
	struct extra **old;	/* listed before: calls may know them still */
	size_t ntools, nfresh, capfresh, nold, capold;
	bool keep;		/* started again: its tools are known */
};

/* mcp.c: start it, and ask it to initialize; keep: no list after that. */
void mcp_start(struct tool *t, struct mcp *m, bool keep);
/* End it; it is down, and why. */
void mcp_stop(struct mcp *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Tools that it had. */
void mcp_forget(struct extra **v, size_t n);
void mcp_forget_old(struct mcp *m);
/* mcp_hear.c: wait, at most until a time (ms), and look after all servers; what
 * stage_wait says. */
int mcp_round(struct tool *t, long long until, int fd);
/* A request with params (freed, may be NULL); its id. */
int64_t mcp_ask(struct mcp *m, const char *method, struct json *params);
void mcp_tell(struct mcp *m, const char *method, struct json *params);

/* mcp_list.c: tools/list, its answer, and what comes of it. */
void mcp_list(struct mcp *m);
void mcp_listed(struct mcp *m, struct slice result);
/* All listed tools under their names among the extras of t. */
void mcp_publish(struct tool *t);

#endif
