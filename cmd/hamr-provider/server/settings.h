/* settings.h - what the command line, configuration and environment say. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "conf/conf.h"
#include "dialect/dialect.h"
#include "base/err.h"
#include "base/mem.h"
#include "net/http.h"

#define OLLAMA_WINDOW 32768	/* fits on most machines */

struct api;

/* Named flags; NULL: not given. */
struct flags {
	const char *api, *base_url, *model, *provider, *replay, *replay_speed;
	const char *replay_chunk, *record, *mcp;
	bool models, probe, quiet;
};

struct settings {
	const struct api *api;
	const struct api *adapter;	/* the API if a jq program speaks it,
					 * or NULL; owned */
	char *program;			/* hamr-provider-NAME, to exec instead
					 * of us; NULL: none.  Owned */
	long long window;		/* num_ctx; 0: not requested */
	long long asked_window;		/* set by the user; -1: not set */
	const char *replay_file;	/* NULL: a server answers */
	double replay_speed;
	size_t replay_chunk;		/* bytes; 0: not cut */
	char *base_url, *model;		/* owned; "" when to be discovered */
	char *key;			/* owned, NULL: none */
	const char *key_origin;		/* a variable or configuration key */
	const char *key_variable;	/* would supply a key, or NULL */
	const char *withheld;		/* a setting for a key or a header that
					 * belongs to another address */
	struct texts headers;		/* includes the key's */
	const char **secrets;		/* the key, and secrets in headers */
	size_t nsecrets;
	struct http_conf http;		/* without the url */
	enum dialect_kind dialect;
	const char *reasoning_replay;	/* auto, always or never */
	bool own_key;			/* the user's headers hold a key */
	bool no_images;			/* the model sees no images */
	bool system_in_place, stream, quiet;
	double temperature;		/* -1: not sent */
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

/* Append a hint for a user whose key was refused: which key was sent, or why
 * none was. */
void settings_key_words(const struct settings *s, struct buf *out);

/* Redact the key and the secrets in headers from text that a server sent;
 * from a record only those too long to be a word of its text. */
void settings_redact(const struct settings *s, bool record, struct buf *b);
/* How many bytes at the end of a delta's text may begin such a secret. */
size_t settings_secret_begins(const struct settings *s, struct slice text);

/* Is url at the API's own host? */
bool settings_is_own_host(const struct api *api, const char *url);

/* Scheme, host and port of url, without the parts that may be secret.  The
 * caller frees it. */
char *settings_where(const char *url);
