/* stage_args.c - the parts of a command line that all stages share. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"
#include "stage.h"

#ifndef HAMR_VERSION
#define HAMR_VERSION "0.1.0"
#endif

static void
say_and_end(const char *text)
{
	size_t n = strlen(text);

	if (write(STDOUT_FILENO, text, n) != (ssize_t)n)
		exit(ST_SYSTEM);
	exit(ST_OK);
}

bool
stage_option(struct stage_args *a, int c, const char *arg, const char *help)
{
	switch (c) {
	case 'n': a->mode = STAGE_NEW; return true;
	case 'r': a->mode = STAGE_RESIDENT; return true;
	case 'q': a->quiet = true; return true;
	case 'F': a->format = arg; return true;
	case 'o':
		a->set = xgrow(a->set, a->nset, &a->capset, sizeof *a->set);
		a->set[a->nset++] = arg;
		return true;
	case OPT_LENIENT: a->lenient = true; return true;
	case OPT_STREAM: a->stream = true; return true;
	case OPT_NO_CONFIG: a->no_config = true; return true;
	case OPT_JQ: a->jq = arg; return true;
	case 'h': say_and_end(help); return true;
	case 'V': say_and_end("hamr " HAMR_VERSION "\n"); return true;
	default: return false;
	}
}

int
stage_format(const struct stage_args *a, struct err *e)
{
	if (a->format == NULL || strcmp(a->format, "auto") == 0 ||
	    strcmp(a->format, "hamr") == 0)
		return 0;
	return err_set(e, ST_USAGE, "-F %s: this stage reads our own records "
	    "only; hamr-guard --import-only -F %s makes them of others'",
	    a->format, a->format);
}

void
stage_apply(struct stage *s, const struct stage_args *a)
{
	s->mode = a->mode;
	s->stream = a->stream;
	s->lenient = a->lenient;
}

int
stage_reads(struct stage *s, const struct stage_args *a,
    const struct conf *conf, struct err *e)
{
	s->import = (struct import_opts){ .format = a->format,
		.quiet = a->quiet, .lenient = a->lenient, .conf = conf };
	if (import_check(a->format, e) < 0)
		return -1;
	if (a->jq == NULL)
		return 0;
	if (a->mode == STAGE_RESIDENT)
		return err_set(e, ST_USAGE, "--jq is not for -r, whose output "
		    "a program reads");
	s->jq = program_new("--jq", a->jq, "{}", false, e);
	return s->jq != NULL ? 0 : -1;
}

struct conf *
stage_conf(const struct stage_args *a, const char *root, struct err *e)
{
	struct conf_opts o = { .none = a->no_config, .root = root,
		.set = a->set, .nset = a->nset, .quiet = a->quiet };

	return conf_load(&o, e);
}
