/* api.h - what one kind of server wants and says: the adapters.
 *
 * A request is made of legal chat messages (messages.h); an adapter writes
 * them as its API has them, and reads events back into an answer.
 */
#ifndef PROVIDER_API_H
#define PROVIDER_API_H

#include <stdbool.h>

#include "answer.h"
#include "body.h"
#include "buf.h"
#include "errors.h"
#include "scan.h"

enum api_said {
	API_MORE,
	API_FINISHED,		/* a finish_reason; usage may follow */
	API_DONE,		/* nothing more comes */
	API_ERROR		/* f says which */
};

struct adapter;

/* What an adapter keeps between the events of one stream. */
struct api_stream {
	/* of the event in hand: its name, borrowed; that it came as an error;
	 * that the stream ended in it */
	struct slice event;
	bool is_error, is_cut;
	struct buf text, mark;	/* of the thought in hand */
	long open;		/* index of a block, -1: none */
	long foreign;		/* of one that is not for us, -1: none */
	struct scan scan;
};

struct api {
	const char *name;
	struct adapter *own;	/* a program speaks it (adapter.h): read, body
				 * and mark are not used */
	/* where it is, and the variables its users know */
	const char *own_url, *own_host;	/* own_host: "https://..." */
	const char *url_env, *key_env;
	const char *key_header;	/* before the key */
	const char *models;	/* path of the list of models */
	const char *header;	/* one more header, or NULL */
	bool lines;		/* a line is an event, not SSE */
	bool chat;		/* base_url is the chat completions kind */
	bool one_system;	/* the system message stands beside the others */
	const char *mark;	/* a whole answer holds this */
	const char *path;	/* of a request, behind base_url ... */
	/* ... or one that names the model; yours */
	char *(*model_path)(const char *model, bool stream);
	/* The body; messages are legal. */
	void (*body)(const struct body *b, struct slice messages,
	    struct buf *out);
	/* One event's data, or a whole answer (checked JSON, its members in
	 * sc). */
	enum api_said (*read)(struct api_stream *st, const struct scan *sc,
	    struct answer *a, struct slice data, struct failure *f);
};

/* By name; NULL: not known. */
const struct api *api_named(const char *name);
/* All names, with commas. */
extern const char api_names[];

extern const struct api api_openai, api_responses, api_anthropic, api_gemini,
    api_ollama;

void api_stream_init(struct api_stream *st);
void api_stream_reset(struct api_stream *st);
void api_stream_release(struct api_stream *st);

/* Check one event and read it; repairs what can be repaired.  One that is cut
 * and no JSON for that says nothing. */
enum api_said api_event(const struct api *api, struct api_stream *st,
    struct answer *a, struct slice data, struct failure *f);

/* ---- api_parts.c: helpers of the adapters ---- */

struct slice api_member(const struct scan *sc, const char *key);

/* A delta of a call, as the chat completions API has it.  index -1: none; id,
 * name, args may be {NULL, 0}: not told.  name and id are JSON strings. */
void api_call(struct answer *a, long index, struct slice id,
    struct slice name, struct slice args);

/* Usage in the words of the chat completions API; -1: not told, the number
 * told before stays.  prompt has in it what was read out of the cache and what
 * was written to it. */
void api_usage(struct answer *a, long long prompt, long long completion,
    long long cached, long long written);

long long api_number(struct slice o, const char *key);	/* -1: none */

/* Feed a JSON string decoded into fn, if it is one and not empty. */
void api_text(struct answer *a, struct slice val,
    void (*fn)(struct answer *, struct slice));

/* The other fields of the body: model, stream, temperature, and params of the
 * configuration and the request, after each other, "{" before the first; what
 * skip names is left out. */
void api_fields(const struct body *b, struct buf *out, bool *first,
    const char *const *skip);
void api_field(struct buf *out, bool *first, const char *key,
    struct slice val);

/* The tools as a field of the body: open, and for each a head, its name, its
 * description, its schema (schema is what stands before that), and an end. */
struct api_tools {
	const char *open, *head, *schema, *end, *close;
};
bool api_tools(struct slice tools, const struct api_tools *f, struct buf *out,
    bool *first);		/* false: there are none */

/* Append a model's name as a part of a path; a slash in it stays one. */
void api_path_name(const char *name, struct buf *out);

/* A data: URL taken apart; false when it is none. */
bool api_data_url(struct slice url, struct slice *mime, struct slice *data);

#endif
