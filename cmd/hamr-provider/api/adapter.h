/* adapter.h - an API that a jq program speaks (ADAPTERS in hamr-provider(1)).
 *
 * The program defines two functions: `request` makes what is sent to the
 * server of a request record, `event` makes deltas of one event of the
 * answer.  It is run by program.h, so it opens nothing, sees no key and is
 * bounded; what it does wrong is the failure of one request.
 */
#pragma once

#include "base/err.h"
#include "jq/program.h"

#include "api.h"

struct adapter;

/* The file that NAME or FILE.jq means: a path is itself, a name is
 * share/hamr/providers/NAME.jq or one of the user's.  NULL: there is no such
 * file.  Yours to free. */
char *adapter_path(const char *name);
bool adapter_is_path(const char *name);

/* Read and compile; NULL with e.  A result may have max bytes. */
struct adapter *adapter_open(const char *path, size_t max, struct err *e);
void adapter_free(struct adapter *ad);

/* As an API; borrowed from ad. */
const struct api *adapter_api(const struct adapter *ad);

/* Wait with this while the program works. */
void adapter_wait(struct adapter *ad, program_waiter *wait, void *ctx);

/* What is to be sent. */
struct adapter_call {
	char *method, *path;	/* path is appended to base_url */
	char **headers;		/* the default ones are among them */
	size_t nheaders;
};
void adapter_call_release(struct adapter_call *c);

/* What is sent where nothing else is said. */
struct adapter_defaults {
	const char *const *headers;
	size_t nheaders;
	const char *key;	/* NULL: none; replaces "[key]" in headers */
};

/* Ask `request` about these legal messages; its body goes to out.  0, or -1
 * with f. */
int adapter_request(struct adapter *ad, const struct body *b,
    struct slice messages, const struct adapter_defaults *d,
    struct adapter_call *call, struct buf *out, struct failure *f);

/* The window by the head of the program: a number, or 0; and the path that
 * tells it of this model (yours), or NULL. */
long long adapter_window_told(const struct adapter *ad);
char *adapter_window_path(const struct adapter *ad, const char *model);

/* Ask `window` about what came from there (checked JSON): tokens, 0: it does
 * not tell, -1 with f. */
long long adapter_window(struct adapter *ad, struct slice answer,
    const char *model, struct failure *f);

/* Ask `event` about the data of one event (any bytes) and tell the answer. */
enum api_said adapter_event(struct adapter *ad, struct api_stream *st,
    struct answer *a, struct slice data, struct failure *f);
