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
	struct files *f;
	char *dir;
	int dirfd;
	struct stat streams[6];	/* our stdin, stdout, stderr, and those of
				 * who started us: what others write while a
				 * call runs is not its work */
	uid_t owner;		/* of the root; git runs as he */
	struct map clean;	/* files that were found to be as our index
				 * has them, and what they looked like */
	struct map modes;	/* whole modes, as the last snapshot saw them */
	struct map modes_before;	/* and the one before it */
	struct stat index;	/* our index behind the last tree of it */
	char tree[SNAP_OID];	/* that tree; "": none */
	const char *why;	/* the last one failed; NULL: git did */
	bool refreshed;		/* git was told to note times anew */
	bool sha256;		/* names of objects are 64 digits, else 40 */
	int hurry;		/* ms after a cancel; 0: it stops at once */
	long long until;	/* then, since one came; 0: none has */
	int use;		/* locked as long as this is open */
};

/* What has this lock shared works here; who has it alone may forget what
 * nobody needs (prune.h). */
#define SNAP_USE "hamr-use"

#define SNAP_MS 60000		/* for one step of a snapshot */

/* git on our repository. */
int snap_git(struct snap *s, const char *const *args, struct slice in,
    struct buf *out);
/* For a person: what became of it, when it returned r. */
const char *snap_git_why(const struct snap *s, int r);
/* Cancelled, or to end?  arg: a struct snap. */
bool snap_stopped(void *arg);

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

/* Names of objects in the user's index; false: 20 bytes, or there is none. */
bool snap_seed_is_sha256(const struct snap *s);

/* The user's index and objects, if they fit ours.  Not taking them is slower,
 * and no more. */
void snap_seed(struct snap *s);

/* Are all files in this folder, and in those so deep in it, regular ones?  git
 * would wait for a FIFO. */
bool snap_files_are_plain(int dirfd, const char *name, int depth);
#define SNAP_DEPTH 3		/* objects/info/commit-graphs */

/* Are the objects of the user's that ours lean on (if any) in the one place
 * where they may be, and nothing but files? */
bool snap_objects_are_plain(const struct snap *s);

/* May git look for attributes of these paths, each ended by NUL?  True unless
 * a .gitattributes beside or above one is no file: git would wait for it. */
bool snap_attributes_are_plain(const struct snap *s, const struct buf *paths);

#endif
