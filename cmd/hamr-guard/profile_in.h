/* profile_in.h - what a profile is made of; only for profile.c and
 * profile_say.c. */
#ifndef HAMR_GUARD_PROFILE_IN_H
#define HAMR_GUARD_PROFILE_IN_H

#include "profile.h"

/* A remark kept until it is said, with all it needs. */
struct held {
	struct verdict v;
	struct why why;
	char *message, **id;	/* owned, and those of id too */
	size_t *line, n;
};

struct profile {
	const struct profile_ops *ops;
	struct profile_env env;
	void *self;
	/* signing */
	struct sign sign;
	struct scan scan;
	struct sha *sha;
	struct buf args, sorted, text;
	/* pairing */
	struct pairing pairing;
	struct pcall *call;
	size_t ncall, capcall;
	size_t first, left;	/* the step's calls; without a result */
	/* the turn */
	unsigned long turn;
	struct held *halt;	/* in force */
	char *halt_id;		/* the call it began with */
	size_t halt_line;
	bool text_only;		/* to be asked for at the end of the step */
	enum rule text_rule;
	bool patch;
	size_t line;		/* of the record in hand */
};

void held_free(struct held *h);
void held_say(struct profile *p, const struct pcall *c, struct held *h,
    enum phase phase);
/* A halt is in force: for this call, too. */
void profile_say_halted(struct profile *p, struct pcall *c);
void profile_say_allow(struct profile *p, struct pcall *c);

#endif
