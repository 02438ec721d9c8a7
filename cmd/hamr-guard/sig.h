/* sig.h - the signature of a call (chapter 3.1). */
#ifndef HAMR_GUARD_SIG_H
#define HAMR_GUARD_SIG_H

#include <stdbool.h>

#include "buf.h"
#include "canon.h"
#include "scan.h"
#include "sha.h"
#include "shell.h"

/* What signs calls; zero it, release it. */
struct sign {
	struct sha *sha;
	struct scan scan;
	struct buf args, named, canonical;
	struct canon members;
	struct rules *rules;	/* [loop_guard] normalize, or NULL; borrowed */
};

/* What a call is, from its name and arguments alone. */
struct about {
	char sig[SHA_HEX];
	bool idle;		/* cannot inform */
	bool poll;
	bool bash;
	bool edits;		/* edit or write */
	bool reads;		/* known to change nothing */
	bool mutates;		/* known to change files */
};

/* args: the string that holds the arguments, or the value that stands in its
 * place, as JSON. */
void sign_call(struct sign *s, struct slice name, struct slice args,
    struct about *out);
void sign_text(struct sign *s, struct slice text, char sig[SHA_HEX]);
void sign_release(struct sign *s);

#endif
