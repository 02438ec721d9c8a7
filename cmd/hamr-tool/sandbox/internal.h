/* internal.h - what the files of the sandbox share. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "root/path.h"
#include "root/secret.h"

#include "box.h"
#include "names.h"

/* Where git keeps its files here. */
struct box_git {
	bool linked;		/* .git is a link: it cannot be protected */
	bool write;		/* sandbox.git_write, and it is the root's */
	struct texts dirs;	/* .git, the git directory, the common one:
				 * absolute, without links */
};

struct sandboxes {
	const struct conf *conf;
	struct root root;	/* fd -1: it could not be opened */
	bool opened;		/* what follows is known */
	uid_t uid;		/* commands run as */
	gid_t gid;
	bool switched;		/* uid is not ours */
	char *home, *user;	/* of uid if switched, else HOME and NULL */
	char *base;		/* where temporary folders are made, or NULL */
	char *temp;		/* our temporary folder, or NULL */
	char *tmp;		/* a command's /tmp: in temp, or the
				 * session's */
	char *session;		/* its id; NULL: by hand */
	int session_fd;		/* its folder, locked; -1: none of its own */
	bool ended;		/* the session has: its folder can be removed */
	char *cache;		/* XDG_CACHE_HOME of commands */
	int lock;		/* on temp, for our lifetime */
	struct texts places;	/* outside the root, that are hidden, */
	struct texts shown;	/* except these */
	struct texts hidden;	/* the places that exist */
	uint64_t hidden_as;	/* a hash of their current state */
	struct texts settings;	/* folders of the user's own, in the root */
	struct texts hide_list;	/* patterns: policy.secret, sandbox.mask */
	struct texts show_list;
	struct lists hide, show;
	struct map known;	/* secrets, under any name; hide has it */
	struct names names;
	bool no_git;		/* there was no .git at the last look */
	/* what the machine can do */
	bool probed;
	enum box_layer layer;
	struct err why;		/* bubblewrap does not work */
	bool told;		/* reported on stderr, or never to be */
	bool told_limits;	/* the same for missing limits */
	char refusal[512];
	char overlay_why[256];	/* why it does not work, "" */
	bool no_group[2];	/* memory, processes: no group can be made */
	char *bwrap;		/* path, NULL: none */
	struct box *resident[BOX_PRIVATE + 1];	/* by kind; no private one */
	struct box *staying;	/* boxes whose spec.stays is set */
};

/* ---- owner.c: who commands run as, their cache, what they never see ---- */
void owner_find(struct sandboxes *bs);
/* Look again at the places that commands never see; if one has appeared or was
 * replaced, hidden and hidden_as change. */
void owner_refresh(struct sandboxes *bs);
/* If we are root, drop the paths that commands, which run as the owner of the
 * root or without capabilities, cannot reach.  A folder in the root that keeps
 * them out, but is their own, so that they could open it, goes to shut. */
void owner_drop_unreachable(const struct sandboxes *bs, struct texts *t,
    struct texts *shut);

/* ---- folders.c ---- */
void folders_open(struct sandboxes *bs);
void folders_close(struct sandboxes *bs);
/* Make a folder in bs->temp.  The caller frees its path; NULL with errno. */
char *folders_make(const struct sandboxes *bs, const char *name);
/* Remove name in the folder at, recursively, whatever it is; links are not
 * followed. */
void folders_remove(int at, const char *name);
/* bubblewrap will mount something at path, in /tmp: make the folders that lead
 * to it in our /tmp.  bubblewrap would follow a link that a command left there,
 * while it still sees the host's files. */
bool folders_make_path(const struct sandboxes *bs, const char *path);

/* ---- layers.c: arguments for bubblewrap, each ended by NUL ---- */
/* Why nothing may be started now; NULL: it may. */
const char *layers_why_not(struct sandboxes *bs);
/* False: something in /tmp cannot be reached. */
bool layers_make(struct box *b, const struct box_git *g, struct buf *out);

/* ---- protect.c ---- */
/* Append a note: what it is about, and the first few of these paths. */
void put_list(struct buf *notes, const struct texts *t, const char *what);
/* Tell the user of protected names that a look after number `before' found:
 * nobody knows who made them. */
void names_report(struct sandboxes *bs, unsigned before);
/* Find git's folders.  If b may write, make .hamr and, for bubblewrap, stubs for
 * what is missing of .git and must not be made by others; what cannot be
 * protected is made read-only: g->write or b->locked says so, and b->base. */
void git_protect(struct box *b, struct box_git *g);
/* What git runs, obeys or follows, in each of its folders: folders come first.
 * A missing one must exist to be protected, but for the last, commondir: an
 * empty one is fatal to git; sandboxes_quarantine_new checks. */
enum { GIT_FOLDERS = 3, GIT_STUBS = 5, GIT_OBEYED };
extern const char *const git_obeyed[GIT_OBEYED];
/* Append a text that changes when git's folders do or, if they may be written,
 * what git obeys in them: it is protected by mounts, which are lost when
 * somebody replaces it. */
void git_fingerprint(const struct sandboxes *bs, struct buf *out);
/* Is there no .git in the root, or only a stub? */
bool git_is_missing(int root);
void stubs_remove(struct box *b);
/* Learn of the secrets that commands of earlier processes renamed. */
void moved_load(struct sandboxes *bs);
/* Remove the stub of a run that was killed. */
void stubs_remove_stale(struct sandboxes *bs);

/* ---- cgroup.c ---- */
/* Make a group with the limits of [sandbox] memory and pids; a process enters
 * by writing "0" to fds.  bs->no_group says what cannot be limited. */
void cgroup_make(struct box *b, int fds[2]);
void cgroup_remove(struct box *b);
/* "memory", "processes", both, or NULL. */
const char *cgroup_words(bool memory, bool pids);

/* ---- box.c ---- */
/* Start the supervisor of b in b->layer, and wait until it is ready; 0, or -1
 * with why.  ST_TEMP: the failure says nothing about the layer. */
int box_start(struct box *b, struct err *why);
/* Enter a user namespace, and these others, as the same user, with all
 * capabilities there.  NULL, or what failed, with errno.  System calls only. */
const char *box_namespaces(int also, uid_t uid, gid_t gid);
/* Undo a failed start. */
void box_abort(struct box *b);
