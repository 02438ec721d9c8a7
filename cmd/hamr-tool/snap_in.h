/* snap_in.h - what the files of the snapshots share; for snap*.c, journal.c,
 * prune.c and store.c.
 */
#ifndef HAMR_TOOL_SNAP_IN_H
#define HAMR_TOOL_SNAP_IN_H

#include <sys/stat.h>

#include "git.h"
#include "map.h"
#include "snap.h"

struct snap {
	const struct files *f;
	char *dir;
	int dirfd;
	struct stat streams[6];	/* our stdin, stdout, stderr, and those of
				 * who started us: what others write while a
				 * call runs is not its work */
	uid_t owner;		/* of the root; git runs as he */
	struct map modes;	/* whole modes, as the last snapshot saw them */
	struct map modes_before;	/* and the one before it */
	struct stat index;	/* our index behind the last tree of it */
	char tree[SNAP_OID];	/* that tree; "": none */
	bool refreshed;		/* git was told to note times anew */
	bool sha256;		/* names of objects are 64 digits, else 40 */
	int hurry;		/* ms after a cancel; 0: it stops at once */
	long long until;	/* then, since one came; 0: none has */
	int use;		/* locked as long as this is open */
};

/* What has this lock shared works here; who has it alone may forget what
 * nobody needs (prune.h). */
#define SNAP_USE "hamr-use"

/* How git is run on our repository, and on the user's. */
struct git snap_ours(struct snap *s);
struct git snap_users(struct snap *s);
/* Can there be a repository of the user's? */
bool snap_has_users(const struct snap *s);

/* git on our repository, and on the user's (its stdin is empty). */
int snap_git(struct snap *s, const char *const *args, struct slice in,
    struct buf *out);
int snap_ask(struct snap *s, const char *const *args, struct buf *out);

/* The name that git printed, alone on its line. */
bool snap_oid(const struct buf *out, char oid[SNAP_OID]);

/* Forget the index and start without the user's. */
void snap_unseed(struct snap *s);

/* A file of ours in it, opened (made if need be), replaced at once, written
 * anew; and whose it is to be. */
int snap_file(const struct snap *s, const char *name, int flags);
int snap_replace(const struct snap *s, const char *name, struct slice text);
int snap_put_file(const struct snap *s, const char *name, const char *text);
void snap_give(const struct snap *s, int fd);

/* What the user's repository says of itself; NULL where there is none. */
struct users {
	struct buf text;
	const char *format, *objects, *index, *attributes, *prefix;
};

bool snap_ask_users(struct snap *s, struct users *u);

/* The user's index and objects, if they fit ours.  Not taking them is slower,
 * and no more. */
void snap_seed(struct snap *s, const struct users *u);

#endif
