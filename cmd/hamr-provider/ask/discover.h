/* discover.h - which server, which model, how large its window is. */
#pragma once

#include "base/err.h"
#include "server/provider.h"

/* Make base_url and model known: as set, else look for a server of this
 * machine, else ask the one named for its first model (which may stay "").
 * 0, or -1 with e when there is no server. */
int server_find(struct provider *p, struct err *e);

/* The two lines that say how to point us at a server. */
void server_say_none(void);

/* In a session, ask Ollama once for the window that the model's own settings
 * name where nobody set one, and for no more than the model has.  Before the
 * first request: another num_ctx later would load the model again. */
void server_fit_window(struct provider *p);

/* At the first sync: a limit, if the server tells within 300 ms. */
void server_put_limit(struct provider *p);

/* --models, --probe: print and return the exit status. */
int server_models(struct provider *p);
int server_probe(struct provider *p);
