/*
 * quick.c - preloaded into jq by the tests, so that it starts five times as fast.
 *
 * jq 1.6 parses and binds all its builtins, which takes 25 ms, and the tests
 * run it thousands of times.  Here it is given those definitions only that the
 * program names, and those that these name in turn; what the program means is
 * the same.  In any other version, known by the length of its builtins, nothing
 * changes.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 12645, MOST = 512 };

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

static const char *program;

/* A word of a jq program: letters, digits and _. */
static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Does a text of n bytes have this word? */
static bool
has_word(const char *text, size_t n, const char *word, size_t length)
{
	const char *end = text + n, *p = text;
	while ((p = memmem(p, (size_t)(end - p), word, length))) {
		bool begins = p == text || !is_word(p[-1]);
		bool ends = p + length == end || !is_word(p[length]);
		if (begins && ends)
			return true;
		p++;
	}
	return false;
}

/* The next definition at the left margin, or the end. */
static const char *
next_def(const char *p, const char *end)
{
	const char *q = memmem(p, (size_t)(end - p), "\ndef ", 5);
	return q ? q + 1 : end;
}

/* Has the program parts that are not seen here, or does it ask what there is? */
static bool
needs_all(void)
{
	static const char *const words[] = { "import", "include", "builtins" };
	for (size_t i = 0; i < 3; i++)
		if (!program || has_word(program, strlen(program), words[i],
		    strlen(words[i])))
			return true;
	return false;
}

/* Puts into out, in their order, the definitions that the program or one of
 * these has by name.  What the grammar itself calls is
 * always there: _modify and the like, recurse for `..`, error. */
static void
choose(const char *text, size_t n, char *out)
{
	const char *at[MOST], *end = text + n;
	bool in[MOST] = { false };
	size_t count = 0;
	for (const char *p = text; p < end && count < MOST - 1;
	    p = next_def(p, end))
		at[count++] = p;
	at[count] = end;
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < count; i++) {
			const char *name = at[i] + 4;
			size_t length = 0;
			while (is_word(name[length]))
				length++;
			bool wanted = *name == '_' ||
			    has_word("recurse error", 13, name, length) ||
			    has_word(program, strlen(program), name, length);
			for (size_t k = 0; k < count && !wanted; k++)
				wanted = in[k] && has_word(at[k],
				    (size_t)(at[k + 1] - at[k]), name, length);
			more = more || (wanted && !in[i]);
			in[i] = in[i] || wanted;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (in[i]) {
			size_t length = (size_t)(at[i + 1] - at[i]);
			memcpy(out, at[i], length);
			out += length;
		}
	*out = '\0';
}

int
jq_compile_args(void *jq, const char *text, struct value args)
{
	int (*real)(void *, const char *, struct value) =
	    dlsym(RTLD_NEXT, "jq_compile_args");
	program = text;
	return real(jq, text, args);
}

int
jq_parse_library(struct source *source, void *block)
{
	int (*real)(struct source *, void *) =
	    dlsym(RTLD_NEXT, "jq_parse_library");
	const char *text = source->text;
	size_t n = (size_t)source->length;
	char *few = NULL;
	if (n == LENGTH && !needs_all() && (few = malloc(n + 1))) {
		choose(text, n, few);
		source->text = few;
		source->length = (int)strlen(few);
	}
	int errors = real(source, block);
	source->text = text;
	source->length = (int)n;
	free(few);
	return errors;
}
