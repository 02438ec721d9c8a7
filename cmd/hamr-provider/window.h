/* window.h - what a server tells of itself: its window, tools, speed. */
#ifndef PROVIDER_WINDOW_H
#define PROVIDER_WINDOW_H

#include "json.h"
#include "provider.h"

/* The tokens of its context window by /props (llama.cpp), the list of models
 * (vLLM) or /api/ps (Ollama), asked until `end` (file_now_ms); 0: it does not
 * tell.  *source: which of them. */
long long window_ask(struct provider *p, long long end, const char **source);

/* One small request: add to o whether tools work ("tools") and how fast it
 * is ("tokens_per_second"). */
void window_try(struct provider *p, struct json *o);

/* GET (or POST, when post.p is there) url: true when out holds one JSON object
 * that came with status 200.  In server.c. */
bool server_get(struct provider *p, const char *url, struct slice post,
    long max_ms, struct buf *out, struct http_reply *r);

#endif
