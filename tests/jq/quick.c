/*
 * quick.c - preloaded into jq by the tests, so that it starts ten times as
 * fast: of its builtins it is given those that the program uses, as
 * lib/jq/program.c does it.  The tests run it thousands of times.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "jq/definitions.h"

/* what 1.6 calls a jv, and the first members of its locfile */
struct value {
	void *at[2];
};
struct source {
	struct value name;
	const char *text;
	int length;
};

int jq_compile_args(void *, const char *, struct value);
int jq_parse_library(struct source *, void *);

static const char *program = "";

int
jq_compile_args(void *jq, const char *text, struct value args)
{
	int (*real)(void *, const char *, struct value) =
	    dlsym(RTLD_NEXT, "jq_compile_args");

	program = text;
	return real(jq, text, args);
}

/* A program may have parts that are not seen here, or ask what there is. */
int
jq_parse_library(struct source *source, void *block)
{
	int (*real)(struct source *, void *) =
	    dlsym(RTLD_NEXT, "jq_parse_library");
	struct slice all = { source->text, (size_t)source->length };
	char *few = NULL;

	if (slice_starts(all, "def halt_error: halt_error(5);\n"
	    "def error: error(.);\n") && !strstr(program, "import") &&
	    !strstr(program, "include") && !strstr(program, "builtins") &&
	    (few = malloc(all.n))) {
		source->text = few;
		source->length = (int)definitions_used(all,
		    (struct slice){ program, strlen(program) }, few);
	}
	int errors = real(source, block);
	source->text = all.p;
	source->length = (int)all.n;
	free(few);
	return errors;
}
