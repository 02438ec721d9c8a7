/* signature.h - what a call is, and what makes two calls equal (chapter 3.1)
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "canonical.h"
#include "code.h"
#include "json/scan.h"
#include "json/sha.h"

#define NAMES 512

/* A signature to compare by: 128 bits, cheap to make.  When one is written to a
 * record, SHA-256 is computed over the same bytes. */
struct sig {
	uint64_t a, b;
};

static inline bool
sig_is(struct sig x, struct sig y)
{
	return x.a == y.a && x.b == y.b;
}

/* What a call is, by its name and arguments alone. */
struct traits {
	struct sig sig;
	struct sig does;	/* the same for what a command does, without
				 * what it merely prints */
	size_t at, n;		/* its text in the signer's memory */
	uint64_t tool;		/* hash of its name */
	bool idle;		/* cannot tell anything new */
	uint64_t thought;	/* of a call that only thinks: a hash of the
				 * thought without its numbers; else 0 */
	bool poll;
	bool waits;		/* sleeps, or waits for something */
	bool pauses;		/* does nothing but wait */
	bool patient;		/* pauses, or polls after a pause */
	bool asked;		/* a person wants it repeated, as long as it
				 * does not fail */
	bool awaited;		/* ... or whatever it returns */
	unsigned long often;	/* ... this many times; 0: they did not say */
	bool late;		/* to be refused late: a person may want it, or
				 * other calls may change what it shows */
	bool cuts;		/* head or tail at the end of a pipe limits the
				 * lines it shows */
	bool measures;		/* counts or weighs what may grow: wc, du */
	bool acts;		/* does something that its result shows: a
				 * click, a move */
	size_t echoes;		/* it may print text of its own arguments (echo,
				 * python -c): lines of at least this length
				 * that stand there; 0: it does not */
	bool bash;
	bool network;		/* its errors are often not its own */
	bool fetches;		/* may show a web page */
	bool tracks;		/* reads or keeps a to-do list */
	bool plans;		/* gets a whole to-do list */
	bool edits;		/* edit or write */
	bool write;		/* ... that has the whole content */
	bool looks;		/* the read tool */
	bool reads;		/* known to change nothing */
	bool seeks;		/* looks for something that may not be there */
	bool files;		/* if it seeks, its name suggests files, not
				 * something that changes by itself, such as
				 * mail or tickets */
	bool asks;		/* by its name, a question */
	bool sends;		/* by its name, creates or fills in one more */
	bool alters;		/* by its name, changes one of many things */
	bool consults;		/* by its name, asks a person */
	bool mutates;		/* known to change files */
	bool runs;		/* runs something that may prove a change */
	bool moves;		/* between states that git keeps */
	bool matters;		/* its changes may make earlier checks stale */
	uint64_t removes;	/* hash of the one path it removes; 0: none */
	uint64_t path;		/* hash; 0: none */
	uint64_t change;	/* of an edit: new text less old; of a write:
				 * the content (judge/file_states.h) */
	bool comments;		/* an edit of comments alone */
	struct code code;	/* of a write or a patch; the place where an
				 * edit changes only comments (exact) or numbers
				 * (shape), 0 if it changes more; of the
				 * arguments of other calls */
};

/* What signs calls.  Zero it before use. */
struct signer {
	struct user_rules *rules;	/* [loop_guard] normalize, or NULL;
					 * borrowed */
	size_t line;		/* of the current record, for messages */
	char *root;		/* the hamr record's cwd; NULL: not known */
	/* private */
	struct sha *sha;
	struct scan scan;
	struct buf args;	/* of the last call, decoded */
	struct buf named, text, path, theirs, code;
	struct buf texts;	/* what the signatures of a step are of */
	struct members members;
	struct named {
		uint64_t hash, is;	/* of a name; what it tells */
	} names[NAMES];
};

/* Does it only ask or look for something? */
static inline bool
is_question(const struct traits *t)
{
	return t->reads || t->asks || t->seeks;
}

void signer_root(struct signer *s, struct slice cwd);	/* a JSON value */
void signer_release(struct signer *s);

/* args: the string that holds the arguments, or the value that stands in its
 * place, as JSON.  Returns the arguments decoded, checked JSON or, if they do
 * not parse, p NULL; valid until the next call. */
struct slice sign_call(struct signer *s, struct slice name, struct slice args,
    struct traits *out);

/* The text that a call of this step is signed by: its name, a NUL and its
 * arguments; borrowed until the next step. */
struct slice sign_text_of(const struct signer *s, const struct traits *t);
/* The signature that is written: of such a text, or of a NUL and an answer. */
void sign_hex(struct signer *s, struct slice text, char sig[SHA_HEX]);

/* Could a change of the file, a JSON value, make the last check stale?  It
 * could if the file is below the root and is not documentation. */
bool sign_matters(struct signer *s, struct slice path);

/* Hash of a path or of a file's content hash, a JSON value. */
uint64_t sign_value(struct slice json);
