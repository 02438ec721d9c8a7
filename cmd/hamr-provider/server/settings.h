/* settings.h - what the command line, configuration and environment say. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "conf/conf.h"
#include "dialect/dialect.h"
#include "base/err.h"
#include "net/http.h"

#define OLLAMA_WINDOW 32768	/* that most machines can hold */

struct api;
struct adapter;

/* Named flags; NULL: not given. */
struct flags {
	const char *api, *base_url, *model, *provider, *replay, *replay_speed;
	const char *replay_chunk, *record, *mcp;
	bool models, probe, quiet;
};

enum reasoning_replay { REASONING_AUTO, REASONING_ALWAYS, REASONING_NEVER };

struct settings {
	const struct api *api;
	struct adapter *adapter;	/* that speaks it, or NULL; owned */
	char *program;			/* hamr-provider-NAME, to be run in our
					 * place; NULL: none.  Owned */
	long long window;		/* num_ctx; 0: not asked for */
	long long asked_window;		/* that somebody set; -1: nobody */
	const char *replay_file;	/* NULL: a server answers */
	double replay_speed;
	size_t replay_chunk;		/* bytes; 0: not cut */
	char *base_url, *model;		/* owned; "" when to be looked for */
	char *key;			/* owned, NULL: none */
	const char *key_origin;		/* a variable or configuration key */
	const char *key_variable;	/* that would be used, or NULL */
	const char *withheld;		/* what would have given a key or a
					 * header, but for another address */
	char **headers;			/* owned, with the key's */
	const char **secrets;		/* the key, and those of headers */
	size_t nheaders, nsecrets;
	struct http_conf http;		/* but for its headers */
	enum dialect_kind dialect;
	enum reasoning_replay reasoning;
	bool own_key;			/* one is among the headers */
	bool no_images;			/* the model sees no images */
	bool system_in_place, stream, cumulative, has_temperature, quiet;
	double temperature;
	long long max_tokens, max_retries, max_retry_after_ms, repeat_limit;
	const char *params;		/* a JSON object, or "" */
	const struct conf *conf;	/* borrowed, for prices */
	char prices_key[256];
	size_t max_line, max_event;
};

/* 0, or -1 with e.  Strings are borrowed from c and f. */
int settings_load(struct settings *s, const struct conf *c,
    const struct flags *f, struct err *e);
void settings_release(struct settings *s);

/* Append what a person whose key was refused may want to know: which one was
 * sent, or why none was. */
void settings_key_words(const struct settings *s, struct buf *out);

/* Take the key, and what is secret among the headers, out of words that a
 * server sent; out of a record only what cannot be a word of its text. */
void settings_redact(const struct settings *s, bool record, struct buf *b);

/* Is url at the API's own host? */
bool settings_is_own_host(const struct api *api, const char *url);

/* The address without what may be secret in it: scheme, host and port of
 * url; yours to free. */
char *settings_where(const char *url);
