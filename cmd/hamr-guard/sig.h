/* sig.h - the signature of a call (chapter 3.1). */
#ifndef HAMR_GUARD_SIG_H
#define HAMR_GUARD_SIG_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "canon.h"
#include "root.h"
#include "scan.h"
#include "sha.h"
#include "shell.h"

/* What signs calls; zero it, release it. */
struct sign {
	struct sha *sha;
	struct scan scan;
	struct buf args, named, text, neat;
	struct buf texts;	/* what the signatures of a step are of */
	struct canon members;
	struct rules *rules;	/* [loop_guard] normalize, or NULL; borrowed */
	struct root root;
};

/* A signature to compare by: 128 bits that are quickly had.  The SHA-256 is
 * made of the same bytes when it is to be told. */
struct sig {
	uint64_t a, b;
};

static inline bool
sig_is(struct sig x, struct sig y)
{
	return x.a == y.a && x.b == y.b;
}

/* What a call is, from its name and arguments alone. */
struct about {
	struct sig sig;
	size_t at, n;		/* what it is of, in the sign's memory */
	uint64_t tool;		/* hash of its name */
	bool idle;		/* cannot inform */
	bool poll;
	bool bash;
	bool network;		/* its errors are often not its own */
	bool edits;		/* edit or write */
	bool write;		/* of these, it says all of the content */
	bool looks;		/* the read tool */
	bool reads;		/* known to change nothing */
	bool mutates;		/* known to change files */
	bool runs;		/* runs what may prove a change */
	bool matters;		/* what it changes may make checks stale */
	uint64_t removes;	/* hash of the one path it removes; 0: none */
	uint64_t path;		/* hash; 0: none */
	uint64_t change;	/* of an edit: new text less old; of a write:
				 * the content (files.h) */
};

/* A new step: signatures of calls before can no more be told. */
void sign_step(struct sign *s);

/* args: the string that holds the arguments, or the value that stands in its
 * place, as JSON. */
void sign_call(struct sign *s, struct slice name, struct slice args,
    struct about *out);
/* The signature of a call of this step. */
void sign_hex(struct sign *s, const struct about *a, char sig[SHA_HEX]);
void sign_text(struct sign *s, struct slice text, char sig[SHA_HEX]);
void sign_release(struct sign *s);

#endif
