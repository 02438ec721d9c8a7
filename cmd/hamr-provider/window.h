/* window.h - what a server tells of itself: its window, tools, speed. */
#ifndef PROVIDER_WINDOW_H
#define PROVIDER_WINDOW_H

#include "json.h"
#include "provider.h"

/* The tokens of its context window by /props (llama.cpp), the list of models
 * (vLLM) or /api/ps (Ollama), or as an adapter says, asked until `end`
 * (file_now_ms); 0: it does not tell.  *source: which of them. */
long long window_ask(struct provider *p, long long end, const char **source);

/* An adapter says what it is, or where to ask. */
bool window_is_known(const struct provider *p);

/* One small request: add to o whether tools work ("tools") and how fast it
 * is ("tokens_per_second"). */
void window_try(struct provider *p, struct json *o);

#endif
