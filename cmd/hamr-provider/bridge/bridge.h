/* bridge.h - an MCP server over streamable HTTP, for who speaks stdio.
 *
 * Each line of stdin is posted to the URL; what comes back, as JSON or as
 * server-sent events, are lines of stdout.  One request is in hand at a time;
 * notifications and answers are sent beside it, so that it can be cancelled.
 * A request that fails is answered with an error.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"

/* Until stdin ends, or the server has forgotten the session.  $MCP_HEADERS
 * holds "Name: value" lines that go with every request.  The status, or -1
 * with e. */
int bridge_run(const char *url, const struct conf *conf, struct err *e);
