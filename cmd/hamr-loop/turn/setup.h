/* setup.h - from options and configuration to slots and first records. */
#pragma once

#include "hub/hub.h"

struct run;

/* Fill in the commands of each slot, and r->secrets, which they need. */
int setup_slots(struct run *r, struct err *e);

/* Commit the first records of a session: header, what tool and provider offer,
 * the system message, AGENTS.md.  task (or NULL) is its first task.  -1 when a
 * data file is missing (with e), or when the hub has failed or was interrupted.
 */
int setup_session(struct run *r, const char *task, struct err *e);

/* Commit the header alone if there is no record yet; else, once, what the flags
 * change (and the mode and model of a foreign session), so that later settings
 * still win.  The guard must have judged what is there. */
int setup_header(struct run *r);

/* Commit a config record that changes a setting within the session. */
int setup_config(struct hub *h, const char *key, const char *value);

/* Commit context for a task as a message marked so.  from (or NULL): its
 * source, as "stdin"; lossy: invalid bytes in it were replaced already. */
int setup_context(struct hub *h, struct slice text, const char *from,
    bool lossy);

/* Commit the task as a message of a person, with the images that it names and
 * those given in images (a JSON array of image parts, or NULL).  steering: it
 * was typed during the turn and belongs to it. */
int setup_task(struct hub *h, const char *task, const char *images,
    bool steering);
