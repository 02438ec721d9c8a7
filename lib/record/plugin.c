/* plugin.c - programs that extend hamr: where they are, what they say. */
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "json/scan.h"
#include "json/sha.h"

#include "plugin.h"

#define SCHEMA_DEPTH 100	/* jq 1.6's limit is 256 */

/* ---- where ---- */

char *
plugin_find(const char *kind, const char *name, struct err *e)
{
	if (name[0] == '/') {
		if (which_is_program(name))
			return xstrdup(name);
		err_set(e, ST_CONFIG, "plug-in %s: not found, or not "
		    "executable; correct its path or mode, or remove it from "
		    "the configuration", name);
		return NULL;
	}
	if (strchr(name, '/') != NULL) {
		err_set(e, ST_CONFIG, "plug-in \"%s\": give its name or an "
		    "absolute path", name);
		return NULL;
	}
	char *prefix = kind != NULL ? xasprintf("hamr-%s-", kind) :
	    xstrdup("");
	bool whole = slice_starts(slice_of(name), prefix);
	char *file = xasprintf("%s%s", whole ? "" : prefix, name);
	char *path = which_program(file, NULL);
	if (path == NULL)
		err_set(e, ST_CONFIG, "plug-in \"%s\": no program %s on "
		    "PATH; install it, or give its absolute path", name, file);
	FREE(prefix, file);
	return path;
}

bool
plugin_is_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	return n > 0 && n <= PLUGIN_NAME_MAX && name[n] == '\0';
}

/* ---- what it says ---- */

static int
broken(struct err *e, const char *what)
{
	return err_set(e, ST_PEER, "--describe %s", what);
}

static bool
is_deeper(struct slice val, int levels)
{
	struct walk w = walk_of(val);
	struct slice el;

	if (levels == 0)
		return w.kind != SCAN_NONE;
	while (walk_next(&w, NULL, &el))
		if (is_deeper(el, levels - 1))
			return true;
	return false;
}

bool
plugin_is_schema(struct slice text)
{
	return scan_kind(text) == SCAN_OBJECT &&
	    text.n <= PLUGIN_SCHEMA_MAX && !is_deeper(text, SCHEMA_DEPTH);
}

static int
take(struct plugin *p, struct slice rec, struct err *e)
{
	struct slice parameters = scan_get(rec, "parameters");
	struct slice type = scan_get(parameters, "type");
	struct slice mutates = scan_get(rec, "mutates");
	struct slice paths = scan_get(rec, "paths"), el;

	if (!scan_str_is(scan_get(rec, "kind"), "tool"))
		return broken(e, "does not say \"kind\":\"tool\"");
	p->name = scan_strdup(scan_get(rec, "name"));
	p->what = scan_strdup(scan_get(rec, "description"));
	if (p->name == NULL || !plugin_is_name(p->name))
		return broken(e, "gives no \"name\" of 1 to 64 letters, "
		    "digits, _ and -");
	if (p->what == NULL || p->what[0] == '\0')
		return broken(e, "gives no \"description\"");
	if (mutates.p != NULL && scan_kind(mutates) != SCAN_TRUE &&
	    scan_kind(mutates) != SCAN_FALSE)
		return broken(e, "gives \"mutates\" that is neither true nor "
		    "false");
	p->mutates = scan_kind(mutates) != SCAN_FALSE;
	if (parameters.p == NULL)
		parameters = SLICE("{\"type\":\"object\",\"properties\":{}}");
	if (!plugin_is_schema(parameters) || (type.p != NULL &&
	    !scan_str_is(type, "object")))
		return broken(e, "gives \"parameters\" that are not a JSON "
		    "Schema of type object, at most 64 KiB and 100 levels");
	p->parameters = xmemdup0(parameters.p, parameters.n);
	for (char *c = p->parameters; *c != '\0'; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';	/* between tokens */
	if (paths.p != NULL && scan_kind(paths) != SCAN_NULL &&
	    scan_kind(paths) != SCAN_ARRAY)
		return broken(e, "gives \"paths\" that is not an array");
	for (struct walk w = walk_elements(paths); walk_next(&w, NULL, &el); ) {
		char *path = scan_strdup(el);

		if (path == NULL)
			return broken(e, "gives \"paths\" that holds more "
			    "than strings");
		texts_add(&p->paths, path);
	}
	return 0;
}

int
plugin_parse(struct plugin *p, struct slice text, struct err *e)
{
	struct scan scan = { .n = 0 };
	int r;

	if (text.n == 0)
		r = broken(e, "printed nothing");
	else if (scan_record(&scan, text.p, text.n) < 0)
		r = err_set(e, ST_PEER, "--describe did not print one JSON "
		    "object: %s (byte %zu)", scan.why, scan.at);
	else
		r = take(p, text, e);
	scan_release(&scan);
	return r;
}

void
plugin_release(struct plugin *p)
{
	texts_release(&p->paths);
	FREE(p->path, p->name, p->what, p->parameters);
	*p = (struct plugin){ .path = NULL };
}

/* ---- cached descriptions ---- */

static char *
file_of(const char *folder, const char *path)
{
	char hash[SHA_HEX];

	sha256_hex(path, strlen(path), hash);
	return xasprintf("%s/%.32s", folder, hash);
}

/* The cache file's first line, which says which program it describes.  NULL:
 * the program is gone. */
static char *
identity(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return NULL;
	return xasprintf("%s %lld.%09ld %lld.%09ld %lld %llu\n", path,
	    (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
	    (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec,
	    (long long)st.st_size, (unsigned long long)st.st_ino);
}

bool
plugin_recall(const char *folder, const char *path, struct buf *out)
{
	char *file = file_of(folder, path), *id = identity(path);
	struct buf b = BUF_INIT(2 * PLUGIN_SAYS_MAX);
	size_t n = id != NULL ? strlen(id) : 0;
	bool known = false;

	if (id != NULL && file_read(file, &b, NULL) == 0 && b.len > n &&
	    memcmp(b.p, id, n) == 0) {
		buf_add(out, b.p + n, b.len - n);
		known = true;
	}
	buf_release(&b);
	FREE(file, id);
	return known;
}

void
plugin_remember(const char *folder, const char *path, struct slice text)
{
	char *file = file_of(folder, path), *id = identity(path);
	struct buf b = BUF_INIT(2 * PLUGIN_SAYS_MAX);

	if (id != NULL) {
		buf_adds(&b, id);
		buf_slice(&b, text);
		if (file_mkdirs(folder, NULL) == 0)
			file_replace(file, b.p, b.len, 0600, NULL);
	}
	buf_release(&b);
	FREE(file, id);
}
