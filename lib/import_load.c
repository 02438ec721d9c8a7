/* import_load.c - which format a file has, and the program that reads it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "import_guess.h"
#include "import_load.h"
#include "json.h"
#include "mem.h"
#include "place.h"

#define PROGRAM_MAX ((size_t)1 << 20)

static bool
is_auto(const char *format)
{
	return format == NULL || strcmp(format, "auto") == 0;
}

bool
import_is_path(const char *format)
{
	size_t n = strlen(format);

	return strchr(format, '/') != NULL ||
	    (n > 3 && strcmp(format + n - 3, ".jq") == 0);
}

static char *
program_path(const char *format)
{
	char *name = xasprintf("import/%s.jq", format);
	char *path = import_is_path(format) ? xstrdup(format) : conf_share(name);

	free(name);
	return path;
}

int
import_check(const char *format, struct err *e)
{
	struct buf names = BUF_INIT(PROGRAM_MAX);
	const struct import_format *f;
	char *path;
	int r = 0;

	if (is_auto(format) || strcmp(format, "hamr") == 0)
		return 0;
	path = program_path(format);
	if (access(path, R_OK) < 0 && import_is_path(format)) {
		r = err_sys(e, errno == ENOENT ? ST_NOINPUT : ST_SYSTEM,
		    "-F %s", format);
	} else if (access(path, R_OK) < 0) {
		for (f = import_formats; f->name != NULL; f++)
			buf_fmt(&names, ", %s", f->name);
		r = err_set(e, ST_USAGE, "-F %s: unknown format; known are "
		    "auto, hamr%s, or a jq program with a / in its name",
		    format, names.p);
	}
	buf_release(&names);
	free(path);
	return r;
}

/* What all importers share goes before a program, on its first line, so that
 * libjq's errors tell the program's own lines. */
static int
read_shared(struct buf *out, struct err *e)
{
	struct buf text = BUF_INIT(PROGRAM_MAX);
	char *path = conf_share("import.jq"), *line, *rest;
	int r = file_read(path, &text, e);

	rest = r == 0 ? text.p : NULL;
	while (rest != NULL && (line = strsep(&rest, "\n")) != NULL)
		if (*line != '#')
			buf_fmt(out, "%s ", line);
	buf_release(&text);
	free(path);
	return r;
}

/* The head of a program says what its inputs are: "# units: lines". */
static void
read_units(const char *text, struct units *u)
{
	while (*text == '#') {
		size_t n = strcspn(text, "\n");
		const char *word = strncmp(text, "# units: ", 9) == 0 ?
		    text + 9 : "";

		if (strncmp(word, "lines", 5) == 0)
			u->lines = true;
		if (strncmp(word, "elements", 8) == 0)
			u->elements = true;
		text += n + (text[n] == '\n');
	}
}

struct program *
import_load(const char *name, const char *format, const struct import_opts *o,
    struct units *units, struct err *e)
{
	struct program *program = NULL;
	struct buf text = BUF_INIT(PROGRAM_MAX), own = BUF_INIT(PROGRAM_MAX);
	char *path = program_path(format);
	struct json *vars = json_object();
	struct buf vars_text = BUF_INIT(PROGRAM_MAX);
	int r = read_shared(&text, e);

	if (r == 0)
		r = file_read(path, &own, e);
	if (r == 0) {
		buf_adds(&own, "");
		read_units(own.p, units);
		buf_slice(&text, buf_view(&own));
		json_bool(vars, "sidechains",
		    conf_bool(o->conf, "import.sidechains"));
		json_print(vars, &vars_text);
		program = program_new(name, text.p, vars_text.p, true, e);
	}
	json_free(vars);
	buf_release(&vars_text);
	buf_release(&text);
	buf_release(&own);
	free(path);
	return program;
}

/* ---- which format ---- */

/* With a format named it is only asked whether each line is a value. */
static int
guess(struct rec_in *in, bool named, bool lenient, struct guess *g,
    struct err *e)
{
	for (;;) {
		struct slice raw = rec_raw(in);
		bool all = in->eof || raw.n >= GUESS_HEAD;

		if (raw.n > GUESS_HEAD)
			raw.n = GUESS_HEAD;
		import_guess(raw, all, lenient, g);
		if (g->kind != GUESS_MORE || (named && g->lines))
			return 0;
		if (rec_fill(in, e) < 0)
			return -1;
	}
}

static int
say_nobody(const struct rec_in *in, const struct guess *g, struct err *e)
{
	const struct import_format *f;

	err_say("%s: tried, and why it is none of them:", in->name);
	err_say("  hamr: no line with a role, or with a type of its own");
	for (f = import_formats; f->name != NULL; f++)
		err_say("  %s: no %s", f->name, f->mark);
	if (g->document)
		err_say("  it is a JSON document with the keys %s", g->keys);
	return err_set(e, ST_DATA, "%s: the format is not recognised; name it "
	    "with -F, or see hamr-import(5) for writing one", in->name);
}

int
import_choose(struct rec_in *in, const struct import_opts *o,
    const char **format, struct import_layout *layout, struct err *e)
{
	struct guess g;

	if (guess(in, !is_auto(o->format), o->lenient, &g, e) < 0)
		return -1;
	layout->lines = g.lines;
	layout->document = g.document;
	*format = NULL;
	if (!is_auto(o->format)) {
		*format = o->format;
		return 0;
	}
	if (g.kind == GUESS_TWO)
		return err_set(e, ST_DATA, "%s: may be %s or %s; say which "
		    "with -F", in->name, g.one->name, g.other->name);
	if (g.kind == GUESS_FORMAT)
		*format = g.one->name;
	if (g.kind == GUESS_NOBODY && (g.odd || o->format != NULL ||
	    (g.document && !o->lenient)))
		return say_nobody(in, &g, e);
	if (!o->quiet && (*format != NULL || o->format != NULL))
		err_say("%s: read as %s", in->name, *format != NULL ? *format :
		    "hamr");
	return 0;
}
