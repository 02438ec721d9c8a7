/* internal.h - what the files of the sandbox know of each other. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "root/path.h"
#include "root/secret.h"

#include "box.h"
#include "names.h"

#define NRESIDENT 2		/* BOX_READ and BOX_WRITE */

/* How git is kept here. */
struct box_git {
	bool missing;		/* there is no .git */
	bool linked;		/* .git is a link: it cannot be protected */
	struct texts dirs;	/* .git, the git directory, the common one:
				 * absolute, without links */
};

struct sandboxes {
	const struct conf *conf;
	struct root root;	/* fd -1: it could not be opened */
	bool opened;		/* what follows is known */
	uid_t uid;		/* commands run as */
	gid_t gid;
	bool switched;		/* and that is not who we are */
	char *home, *user;	/* of uid if switched, else HOME and NULL */
	char *base;		/* where temporary folders are made, or NULL */
	char *temp;		/* our folder for all this, or NULL */
	char *tmp;		/* what a command finds as /tmp: in it, or the
				 * session's */
	char *session;		/* its id; NULL: by hand */
	int session_fd;		/* its folder, locked; -1: none of its own */
	bool ended;		/* it has, and may take its folder with it */
	char *cache;		/* XDG_CACHE_HOME of commands */
	int lock;		/* on temp, as long as we are */
	struct texts places;	/* outside the root, that are hidden, */
	struct texts shown;	/* but for these */
	struct texts hidden;	/* those that are there */
	uint64_t hidden_as;	/* stands for what they are now */
	struct texts settings;	/* folders of the user's own, in the root */
	struct texts hide_list;	/* patterns: policy.secret, sandbox.mask */
	struct texts show_list;
	struct lists hide, show;
	struct names names;
	/* what the machine can do */
	bool probed;
	enum box_layer layer;
	struct err why[LAYER_BWRAP + 1];	/* a layer does not work, "" */
	bool told;		/* on stderr, or not to be */
	bool told_limits;	/* nor that nothing is limited */
	char refusal[512];
	char overlay_why[256];	/* it does not work, "" */
	char cgroup_why[128];
	char *bwrap;		/* path, NULL: none */
	struct box *resident[NRESIDENT];
};

/* ---- owner.c: who commands run as, their cache, what they never see ---- */
void owner_find(struct sandboxes *bs);
/* Is what they never see there by now, or another thing in its place?  Then
 * hidden and hidden_as change. */
void owner_look(struct sandboxes *bs);
/* Root as somebody else: drop what they have no way to.  They cannot read it,
 * and bubblewrap, as they, can put nothing over it. */
void owner_reaches(const struct sandboxes *bs, struct texts *t);

/* ---- folders.c ---- */
void folders_open(struct sandboxes *bs);
void folders_close(struct sandboxes *bs);
/* A folder of ours in bs->temp; NULL with errno. */
char *folders_make(const struct sandboxes *bs, const char *name);
/* All of path is removed, whatever it is; links are not followed. */
void folders_remove(const char *path);
/* path is in /tmp and bubblewrap is to put something there: make the way to it
 * beneath ours, of true folders.  It would follow a link that a command left
 * in the way, and that before it has left the host's files behind. */
bool folders_way(const struct sandboxes *bs, const char *path);

/* ---- layers.c: arguments for bubblewrap, each ended by NUL ---- */
/* Why nothing may be started, as things are: NULL mostly. */
const char *layers_refuse(struct sandboxes *bs);
/* False: something in /tmp cannot be reached. */
bool layers_make(struct box *b, const struct box_git *g, struct buf *out);

/* ---- protect.c ---- */
void git_find(const struct sandboxes *bs, struct box_git *g);
/* Make .hamr, and .git where it is missing and must not be made by others;
 * journalled until stubs_remove. */
void stubs_make(struct box *b, const struct box_git *g);
void stubs_remove(struct box *b);
/* What a run that was killed has left. */
void stubs_sweep(struct sandboxes *bs);
/* Move what appeared since look and is guarded; b->notes says so.  True when
 * anything was moved. */
bool quarantine(struct box *b, unsigned look);

/* ---- cgroup.c ---- */
/* Make a group with the limits of [sandbox] memory and pids; a process enters
 * by writing "0" to fds.  bs->cgroup_why says what cannot be limited. */
void cgroup_make(struct box *b, int fds[2]);
void cgroup_remove(struct box *b);

/* ---- box.c ---- */
/* Start the supervisor of b in layer b->layer, and hear that it is well; 0, or
 * -1 with why.  ST_TEMP: that says nothing about the layer. */
int box_start(struct box *b, struct err *why);
/* After a start that failed: as if it had not been tried. */
void box_take_down(struct box *b);
