/* plugin.h - programs that extend hamr: where they are, and how they describe
 * themselves (chapter 1.5).
 *
 * Only the configuration enables a plug-in: by an absolute path, or by NAME,
 * which is hamr-KIND-NAME on PATH.  What --describe prints is cached in the
 * user's cache folder under the program's path and identity (modification
 * time and the like), so that it runs only once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#define PLUGIN_NAME_MAX 64	/* servers' limit on a tool's name */
#define PLUGIN_SCHEMA_MAX ((size_t)64 << 10)
#define PLUGIN_SAYS_MAX ((size_t)256 << 10)	/* a description's bytes */

struct plugin {
	char *path;		/* absolute */
	char *name, *what;
	char *parameters;	/* JSON Schema, an object's text */
	bool mutates;		/* true unless it says false */
	struct texts paths;	/* arguments that name files */
};

/* The program's absolute path; the caller frees it.  kind "tool" and name "x"
 * (or "hamr-tool-x") is the first executable hamr-tool-x in an absolute folder
 * of PATH; the working directory is never searched.  kind NULL: the name as it
 * is (a stage).  NULL with e (ST_CONFIG): not found. */
char *plugin_find(const char *kind, const char *name, struct err *e);

/* Is name 1 to PLUGIN_NAME_MAX letters, digits, '_' and '-'? */
bool plugin_is_name(const char *name);

/* Is text a JSON Schema that can be carried in records and sent with each
 * request: a valid object, not too long, not too deep? */
bool plugin_is_schema(struct slice text);

/* Read what a tool's --describe printed.  0, or -1 with e (ST_PEER) if it is
 * not one record with the keys of chapter 1.5.  p->path is not changed. */
int plugin_parse(struct plugin *p, struct slice text, struct err *e);

/* Append the cached description of the program at path to out; false if there
 * is none, or the program has changed since.  folder: the cache. */
bool plugin_recall(const char *folder, const char *path, struct buf *out);
/* Cache it.  Failing to write is not an error. */
void plugin_remember(const char *folder, const char *path, struct slice text);

void plugin_release(struct plugin *p);
