/* bridge.h - an MCP server over streamable HTTP, for clients that speak stdio.
 *
 * Each line of stdin is posted to the URL; the replies, JSON or server-sent
 * events, become lines of stdout.  One request is active at a time;
 * notifications and answers are sent meanwhile, so that it can be canceled.
 * A request that fails is answered with an error.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"

/* Run until stdin ends or the server forgets the session.  $MCP_HEADERS holds
 * "Name: value" lines to send with every request.  Returns the exit status, or
 * -1 with e. */
int bridge_run(const char *url, const struct conf *conf, struct err *e);
