/* api.h - one kind of server: its requests and its events.
 *
 * A request is made from legal chat messages (messages.h); an API writes them
 * in its own form, and reads events into an answer.
 */
#pragma once

#include <stdbool.h>

#include "answer/answer.h"
#include "base/buf.h"
#include "json/scan.h"
#include "net/failure.h"
#include "net/sse.h"
#include "request/body.h"

enum api_said {
	API_MORE,
	API_FINISHED,		/* a finish_reason; usage may follow */
	API_DONE,		/* no more events */
	API_ERROR		/* f says why */
};

struct adapter;

/* What an API keeps between the events of one stream. */
struct api_stream {
	const struct sse *sse;	/* source of the current event; borrowed */
	struct buf text, mark;	/* of the current thought */
	long open;		/* index of the open block; -1: none */
	long foreign;		/* index of a block to skip; -1: none */
	bool deltas;		/* text has come in pieces */
	struct scan scan;
};

/* Read one event's data or a whole answer (checked JSON, its members in
 * st->scan) into the answer. */
typedef enum api_said api_read(struct api_stream *st, struct answer *a,
    struct slice data, struct failure *f);

struct api {
	const char *name;
	struct adapter *own;	/* a jq program speaks it (adapter.h): read,
				 * body and mark are not used */
	/* its address, and the environment variables its users know */
	const char *own_url;
	const char *url_env, *key_env;
	const char *key_header;	/* before the key */
	const char *models;	/* path of the list of models */
	const char *header;	/* one more header, or NULL */
	bool lines;		/* a line is an event, not SSE */
	bool chat;		/* base_url is the chat completions kind */
	bool one_system;	/* the system message is a field of its own */
	bool plain_ids;		/* see struct messages_rules */
	const char *mark;	/* a whole answer holds this */
	const char *path;	/* of a request, appended to base_url ... */
	/* ... or a path with the model's name, which the caller frees */
	char *(*model_path)(const char *model, bool stream);
	/* The body; messages are legal (chat: it prints them itself). */
	void (*body)(const struct body *b, struct slice messages,
	    struct buf *out);
	api_read *read;
};

/* Find an API by name; NULL: unknown. */
const struct api *api_named(const char *name);
/* What to check when base_url leads to something else. */
const char *api_url_hint(const struct api *api);
/* All names, separated by commas. */
extern const char api_names[];

extern const struct api api_openai, api_responses, api_anthropic, api_gemini,
    api_ollama;

void api_stream_reset(struct api_stream *st);

/* Check one event, repair it if possible, and read it.  An event that was cut
 * and therefore is not JSON is ignored. */
enum api_said api_event(const struct api *api, struct api_stream *st,
    struct answer *a, struct slice data, struct failure *f);

/* ---- for those who read events ---- */

struct slice api_member(const struct api_stream *st, const char *key);

/* The server reports this error. */
enum api_said api_fails(struct failure *f, struct slice object);

typedef void api_text_fn(struct answer *a, struct slice text);

/* Pass a string (decoded), or the text parts of an array, to fn; false: there
 * was no text. */
bool api_text(struct answer *a, struct slice val, api_text_fn *fn);

/* Another message or thought begins: set it apart from those before, of which
 * there are `had` bytes. */
void api_apart(struct answer *a, size_t had, api_text_fn *fn);

/* Add a delta of a call.  index -1: none; id, name, args: JSON values, or
 * {NULL, 0} when not given. */
void api_call(struct answer *a, long index, struct slice id,
    struct slice name, struct slice args);
