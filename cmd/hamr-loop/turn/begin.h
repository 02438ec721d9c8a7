/* begin.h - from options and configuration to slots and first records. */
#pragma once

#include "conf/conf.h"
#include "hub/hub.h"
#include "opts.h"

/* Argument vectors of the slots; they live until setup_release. */
struct setup {
	const struct opts *o;
	const struct conf *conf;
	const char *root;
	const char *dir;	/* where hamr-loop was called; in root */
	char *mode;		/* owned */
	struct argv flags[SLOTS];
	bool headed;		/* setup_header is done */
	struct buf system;	/* the system message's text */
	struct argv secrets;	/* variables only the provider inherits */
};

/* Say for each slot which commands it holds. */
int setup_slots(struct setup *s, struct hub *h, struct err *e);
void setup_release(struct setup *s);

/* The records a session begins with: header, what tool and provider offer,
 * the system message, AGENTS.md; task (or NULL) is what it begins with.  -1
 * when a data file is missing (e), or when the hub has failed or was
 * interrupted. */
int setup_session(struct setup *s, struct hub *h, const char *task,
    struct err *e);

/* The header alone, if it is not there yet; else what flags change, once:
 * whoever says otherwise later is heard. */
int setup_header(struct setup *s, struct hub *h);

/* A setting that changes in the session, as a config record. */
int setup_config(struct hub *h, const char *key, const char *value);

/* What a task is told beforehand, as a message marked so; from (or NULL):
 * where it is from, as "stdin"; lossy: bytes of it had to be replaced. */
int setup_context(struct hub *h, const char *text, const char *from,
    bool lossy);

/* The task as a message of a person, with the images that it names, and those
 * given with it (a JSON array of image parts, or NULL).  steering: it was typed
 * while the turn is under way, and belongs to that. */
int setup_task(struct hub *h, const struct conf *conf, const char *task,
    const char *images, bool steering);
