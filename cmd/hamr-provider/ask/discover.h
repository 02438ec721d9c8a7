/* discover.h - which server, which model, how large its window is. */
#pragma once

#include "base/err.h"
#include "server/provider.h"

/* Determine base_url and model: without a base_url look for a server on this
 * machine; without a model ask the server for its first one (it may stay "").
 * 0, or -1 with e when no server is found. */
int server_find(struct provider *p, struct err *e);

/* Print the two lines that say how to configure a server. */
void server_report_none(void);

/* In a session, once: unless the user set a window, request from Ollama the one
 * in the model's own settings, and never more than the model has.  Call it
 * before the first request: for another num_ctx Ollama would load the model
 * again. */
void server_fit_window(struct provider *p);

/* At the first sync: put a limit if the server reports its window within
 * 300 ms. */
void server_put_limit(struct provider *p);

/* --models, --probe: print and return the exit status. */
int server_models(struct provider *p);
int server_probe(struct provider *p);
