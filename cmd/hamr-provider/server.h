/* server.h - which server, which model, how large its window is. */
#ifndef PROVIDER_SERVER_H
#define PROVIDER_SERVER_H

#include <stdbool.h>

#include "err.h"
#include "provider.h"

/* ---- server_find.c ---- */

/* Make base_url and model known: as set, else look for a server of this
 * machine, else ask the one named for its first model (which may stay "").
 * 0, or -1 with e when there is no server. */
int server_find(struct provider *p, struct err *e);

/* The two lines that say how to point us at a server. */
void server_say_none(void);

/* At the first sync: a limit, if the server tells within 300 ms. */
void server_put_limit(struct provider *p);

/* --models, --probe: print and return the exit status. */
int server_models(struct provider *p);
int server_probe(struct provider *p);

/* ---- server.c ---- */

/* The one connection. */
struct http *server_http(struct provider *p);

/* base_url with path behind its own path; yours to free. */
char *server_url(const char *base, const char *path);

/* GET (or POST, when post.p is there) url: true when out holds one JSON object
 * that came with status 200. */
bool server_get(struct provider *p, const char *url, struct slice post,
    long max_ms, struct buf *out, struct http_reply *r);

#endif
