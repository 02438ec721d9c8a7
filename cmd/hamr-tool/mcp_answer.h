/* mcp_answer.h - hamr-tool --mcp: a connection, and what is said on it. */
#ifndef HAMR_TOOL_MCP_ANSWER_H
#define HAMR_TOOL_MCP_ANSWER_H

#include "rpc.h"
#include "tool.h"

struct serve {
	struct tool *t;
	struct rpc in;
	struct json *batch;	/* answers to a batch, or NULL */
	char *running;		/* id of the call in hand, as JSON */
	char **later;		/* lines that wait for its end */
	size_t nlater, caplater, bytes;
};

/* Write o, or put it into the batch; it is freed. */
void serve_put(struct serve *v, struct json *o);
void serve_error(struct serve *v, struct slice id, enum rpc_code code,
    const char *words);
void serve_result(struct serve *v, struct slice id, struct json *result);

/* The methods initialize and tools/list. */
void serve_initialize(struct serve *v, const struct rpc_msg *m);
void serve_list(struct serve *v, const struct rpc_msg *m);

#endif
