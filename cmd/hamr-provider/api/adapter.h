/* adapter.h - an API that a jq program speaks (ADAPTERS in hamr-provider(1)).
 *
 * The program defines two functions: `request` turns a request record into
 * what is sent to the server, `event` turns one event of the answer into
 * deltas.  It is run by program.h, so it opens nothing, sees no key and is
 * bounded; an error in it fails only the current request.
 */
#pragma once

#include "base/err.h"
#include "base/mem.h"
#include "jq/program.h"

#include "api.h"

struct adapter;

/* The file that NAME or FILE.jq means: a path is used as is, a name is
 * share/hamr/providers/NAME.jq or the user's own.  NULL: no such file.  The
 * caller frees it. */
char *adapter_path(const char *name);
bool adapter_is_path(const char *name);

/* Read and compile: an API, whose own is the adapter; NULL with e.  A result
 * may have up to max bytes.  The caller frees it with adapter_free. */
const struct api *adapter_open(const char *path, size_t max, struct err *e);
void adapter_free(const struct api *api);	/* NULL: nothing */

/* Call wait while the program runs. */
void adapter_wait(struct adapter *ad, program_waiter *wait, void *ctx);

/* The request to send.  The caller frees it; a header may hold the key. */
struct adapter_call {
	char *method, *path;	/* path is appended to base_url */
	struct texts headers;	/* the default ones are among them */
};

/* Run `request` on these legal messages; fill call, and append the body to out.
 * The headers in usual are sent unless the program sets them; key, unless NULL,
 * replaces "[key]" in those that it sets.  0, or -1 with f. */
int adapter_request(struct adapter *ad, const struct body *b,
    struct slice messages, const struct texts *usual, const char *key,
    struct adapter_call *call, struct buf *out, struct failure *f);

/* Does the head of the program say how to find the window?  If so, this is it:
 * a number of tokens, or 0 and the path to ask for this model's window, which
 * the caller frees. */
bool adapter_has_window(const struct adapter *ad);
long long adapter_window_told(const struct adapter *ad, const char *model,
    char **path);

/* Run `window` on the answer from that path (checked JSON): tokens, 0:
 * unknown, or -1 with f. */
long long adapter_window(struct adapter *ad, struct slice answer,
    const char *model, struct failure *f);

/* Run `event` on the data of one event (any bytes) and update the answer. */
enum api_said adapter_event(struct adapter *ad, struct api_stream *st,
    struct answer *a, struct slice data, struct failure *f);
