/* plugin.h - programs that add to hamr: where they are, what they say they
 * are (chapter 1.5).
 *
 * A plug-in is switched on by the configuration only: by an absolute path, or
 * by NAME, which is hamr-KIND-NAME on PATH.  What --describe prints is kept
 * in the user's cache folder under the path of the program and its identity
 * (modification time and the like), so that it is asked once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#define PLUGIN_NAME_MAX 64	/* what servers take as a tool's name */
#define PLUGIN_SCHEMA_MAX ((size_t)64 << 10)
#define PLUGIN_SAYS_MAX ((size_t)256 << 10)	/* a description's bytes */

struct plugin {
	char *path;		/* absolute */
	char *name, *what;
	char *parameters;	/* JSON Schema, an object's text */
	bool mutates;		/* true unless it says false */
	struct texts paths;	/* arguments that name files */
};

/* The program's absolute path, yours.  kind "tool" and name "x" (or
 * "hamr-tool-x") is the first executable hamr-tool-x in an absolute folder of
 * PATH; the working directory is never searched.  kind NULL: the name as it
 * is (a stage).  NULL: ST_CONFIG. */
char *plugin_find(const char *kind, const char *name, struct err *e);

/* Letters, digits, '_' and '-', 1 to PLUGIN_NAME_MAX of them. */
bool plugin_is_name(const char *name);

/* A JSON Schema that can be carried in records and sent with each request: a
 * checked object, not too long, not too deep. */
bool plugin_is_schema(struct slice text);

/* Read what a tool's --describe printed; -1 (ST_PEER) when it is not one record
 * with the keys of chapter 1.5.  p->path is left alone. */
int plugin_parse(struct plugin *p, struct slice text, struct err *e);

/* What the program at path printed when it was as it is now, appended to
 * out; false when that is not known.  folder: where such things are kept. */
bool plugin_recall(const char *folder, const char *path, struct buf *out);
/* Keep it.  Failing to write is not an error. */
void plugin_remember(const char *folder, const char *path, struct slice text);

void plugin_release(struct plugin *p);
