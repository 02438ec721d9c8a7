/* adapter_in.h - the inside of an adapter; of adapter*.c only. */
#ifndef PROVIDER_ADAPTER_IN_H
#define PROVIDER_ADAPTER_IN_H

#include "adapter.h"

struct adapter {
	struct api api;
	char *path, *name;
	char *base_url, *models, *window;	/* of its head, or NULL */
	char *text;		/* as it is compiled */
	size_t lines;		/* of the program's own */
	struct program *program;	/* NULL: to be started again */
	program_waiter *wait;
	void *wait_ctx;
	size_t max, made;	/* bytes of results, of the answer in hand */
	struct buf in, out;
	struct scan scan;
};

/* All results of function for ad->in, one a line, to ad->out; -1 with f. */
int adapter_ask(struct adapter *ad, const char *function, struct failure *f);

/* Tell the answer one result of `event`; API_ERROR with f
 * when it is none, or is an error. */
enum api_said adapter_delta(struct answer *a, struct slice result,
    struct failure *f);

#endif
