/* box_in.h - what the files of the sandbox know of each other; for box*.c. */
#ifndef HAMR_TOOL_BOX_IN_H
#define HAMR_TOOL_BOX_IN_H

#include <stdbool.h>
#include <sys/types.h>

#include "box.h"
#include "hide.h"
#include "names.h"
#include "path.h"
#include "secret.h"

#define NRESIDENT 2		/* BOX_READ and BOX_WRITE */

/* How git is kept here (box_git.c). */
struct box_git {
	bool missing;		/* there is no .git */
	bool linked;		/* .git is a link: it cannot be protected */
	struct texts dirs;	/* .git, the git directory, the common one:
				 * absolute, without links */
};

struct boxes {
	const struct conf *conf;
	struct root root;	/* fd -1: it could not be opened */
	bool opened;		/* what follows is known */
	uid_t uid;		/* commands run as */
	gid_t gid;
	bool switched;		/* and that is not who we are */
	char *home, *user;	/* of uid if switched, else HOME and NULL */
	char *temp;		/* our folder for all this, NULL: none to be
				 * had */
	char *tmp;		/* what a command finds as /tmp: in it, or the
				 * session's */
	char *session;		/* its id; NULL: by hand */
	int session_fd;		/* its folder, locked; -1: none of its own */
	bool ended;		/* it has, and may take its folder with it */
	char *cache;		/* XDG_CACHE_HOME of commands */
	int lock;		/* on temp, as long as we are */
	struct texts hidden;	/* outside the root (hide.h) */
	const char **hide_list;	/* patterns: policy.secret, sandbox.mask */
	const char **show_list;
	struct lists hide, show;
	struct names names;
	/* what the machine can do */
	bool probed;
	enum box_layer layer;
	struct err why[LAYER_BWRAP + 1];	/* a layer does not work, "" */
	bool told;		/* on stderr */
	bool told_limits;	/* that there are none, on stderr, too */
	char refusal[512];
	char overlay_why[256];	/* it does not work, "" */
	char cgroup_why[128];
	char *bwrap;		/* path, NULL: none */
	struct box *resident[NRESIDENT];
	struct box *early;	/* one that is going up, NULL: none */
};

struct box {
	struct boxes *bs;
	struct box_want want;
	enum box_layer layer;
	pid_t pid;		/* bwrap, or the supervisor */
	int ctl;
	int said;		/* what it says while it goes up; else -1 */
	bool is_resident, running;
	bool exited, empty, lost;
	int code, number;
	unsigned look;		/* of the names it was put up with */
	char *overlay;		/* its folder, BOX_PRIVATE only */
	bool scratch;		/* no overlay: tmpfs on some names */
	bool no_git;		/* there was no .git when it was put up */
	bool locked;		/* the root is read-only for its .git is a
				 * link */
	char *cgroup[2];	/* folders of ours, to be removed */
	const char *unlimited;	/* box_unlimited */
	struct texts stubs;	/* made by us in the git directory */
	int journal;		/* .hamr/stubs, locked; -1 */
	char *marks;		/* what was protected when it was put up */
	struct buf base;	/* to be told of each of its commands */
	struct buf notes;	/* of what it did since */
};

/* ---- box_place.c: folders, owner, lists; once ---- */
void place_open(struct boxes *bs);
void place_close(struct boxes *bs);

/* ---- box_remove.c ---- */
/* All of path (of name in dirfd) is removed, whatever it is; links are not
 * followed. */
void place_remove(const char *path);
void place_remove_in(int dirfd, const char *name);
/* Is there anything but folders?  What cannot be looked into counts. */
bool place_holds_files(int dirfd, const char *name);

/* ---- box_tmp.c ---- */
void tmp_open(struct boxes *bs);
void tmp_close(struct boxes *bs);
/* A folder of ours in bs->temp; NULL with errno. */
char *place_folder(struct boxes *bs, const char *name);
/* path is in /tmp and bubblewrap is to put something there: make the way to it
 * beneath ours, of true folders.  It would follow a link that a command left
 * in the way, and that before it has left the host's files behind. */
bool tmp_way(const struct boxes *bs, const char *path);

/* ---- box_git.c ---- */
void git_find(const struct boxes *bs, struct box_git *g);
void git_release(struct box_git *g);

/* ---- box_args.c: what bubblewrap is told; texts, each ended by NUL ---- */
/* Why nothing may be started, as things are: NULL mostly. */
const char *args_refuse(struct boxes *bs);
/* False: there is no way to something in /tmp. */
bool args_make(struct box *b, const struct box_git *g, struct buf *out);

/* ---- box_stub.c ---- */
/* .hamr, made if need be and not through a link; an fd or -1. */
int stub_hamr(const struct boxes *bs);
/* Make .hamr, and .git where it is missing and must not be made by others;
 * journalled until stub_end. */
void stub_begin(struct box *b, const struct box_git *g);
void stub_end(struct box *b);
/* What a run that was killed has left. */
void stub_sweep(struct boxes *bs);

/* ---- box_quarantine.c ---- */
/* Move what appeared since look and is guarded; b->notes says so.  True when
 * anything was moved. */
bool quarantine(struct box *b, unsigned look);

/* ---- box_cgroup.c ---- */
/* Make a group with the limits of [sandbox] memory and pids; fds to be
 * written "0" to by who enters.  What cannot be is told in bs->cgroup_why. */
void cgroup_make(struct box *b, int fds[2]);
void cgroup_remove(struct box *b);

/* ---- box_end.c ---- */
/* The supervisor is gone, soon or at once. */
void box_await_end(struct box *b);

/* ---- box_up.c ---- */
/* Is [sandbox] mode this one? */
bool box_mode_is(const struct boxes *bs, const char *word);
/* What stands for the protected things as they are, yours: when it is another,
 * a box must be put up anew. */
char *box_marks(const struct boxes *bs);
/* As boxes_refuse, when the layer is known. */
const char *box_refusal(struct boxes *bs, enum box_kind kind);
/* As box_open, when the names were looked at. */
struct box *box_up(struct boxes *bs, const struct box_want *w,
    struct err *e);
/* The same in two steps.  NULL: not now, and nothing is lost by that; the
 * second frees b when it fails. */
struct box *box_up_begin(struct boxes *bs, const struct box_want *w);
struct box *box_up_end(struct box *b, struct err *e);

/* ---- box_start.c ---- */
/* Start the supervisor of b in layer b->layer and hear that it is well.  0, or
 * -1 with why; ST_TEMP: that says nothing about the layer. */
int start_supervisor(struct box *b, struct err *why);
/* The same in two steps; take_down may come instead of the second. */
int start_begin(struct box *b, struct err *why);
int start_end(struct box *b, struct err *why);

#endif
