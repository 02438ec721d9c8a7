/* box.h - the kernel sandbox: commands are started here and nowhere else.
 *
 * A struct boxes is what hamr-tool knows of sandboxing for its life: one root,
 * a private /tmp for each session, what the machine can do (found out once, by a
 * self-test, when the first box is opened).  A struct box is one sandbox that is up: a
 * supervisor of ours in namespaces of its own (bubblewrap), else under
 * Landlock and seccomp, else bare.  It runs one command at a time and ends
 * every process of it; it may stay up between commands.  bash keeps one up for
 * each kind (boxes_resident); a plug-in or an MCP server gets one of its own
 * (box_open), so several can run at once.
 *
 * All fds handed out are close-on-exec and non-blocking.  SIGPIPE is to be
 * ignored by the caller while it writes to a command.
 */
#ifndef HAMR_TOOL_BOX_H
#define HAMR_TOOL_BOX_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "conf.h"
#include "err.h"
#include "json.h"

/* What a command may do to the root. */
enum box_kind {
	BOX_READ,		/* read it */
	BOX_WRITE,		/* change it, but .git and .hamr */
	BOX_PRIVATE		/* change a copy that is dropped (verify) */
};

/* What keeps it from the rest, best last. */
enum box_layer {
	LAYER_NONE,		/* nothing does */
	LAYER_SECCOMP,		/* no network, no mounts; files are open */
	LAYER_LANDLOCK,		/* and files by Landlock */
	LAYER_BWRAP		/* namespaces: all of chapter 5.3 */
};

struct box_want {
	enum box_kind kind;
	bool network;		/* and with it AF_UNIX */
	bool unix_sockets;
	bool bare;		/* no sandbox ([mcp.NAME] sandbox = false) */
	/* Programs and files, absolute, that it is about: what stands in /tmp,
	 * /var/tmp or /run, where it has folders of its own, is there to be
	 * read with the folder it is in.  Looked at by box_open only. */
	char *const *show;
	size_t nshow;
};

struct boxes;
struct box;

/* root: absolute.  Nothing is started yet.  Never fails; conf is borrowed. */
struct boxes *boxes_new(const struct conf *c, const char *root);
void boxes_free(struct boxes *bs);	/* ends all that is up */

/* The private /tmp is that of this session from now on (NULL: a new one, of this
 * process), and what stayed up is ended.  It is found again by a later process
 * with the same root and id, within a day.  ended: when this one is done with
 * it, it goes.  True when anything was up for another before. */
bool boxes_session(struct boxes *bs, const char *id);
void boxes_session_ended(struct boxes *bs, bool ended);

/* [sandbox] network and unix_sockets as configured. */
struct box_want boxes_want(const struct boxes *bs, enum box_kind kind);

/* May commands of this kind run here?  NULL, or in one line why not.  Asks the
 * machine, once.  A kind that cannot be enforced (BOX_READ without Landlock,
 * and anything then where [sandbox] mode is "require") must not: box_open
 * refuses it (ST_POLICY), unless bare. */
const char *boxes_refuse(struct boxes *bs, enum box_kind kind);
/* The lines of --sandbox-status; every layer is tried.  And then: is there one
 * that keeps files? */
void boxes_status(struct boxes *bs, struct buf *out);
bool boxes_enforce(const struct boxes *bs);

/* ---- one box ---- */

/* A new one, up when this returns; NULL with e (ST_POLICY: refused, ST_SYSTEM:
 * it could not be started). */
struct box *box_open(struct boxes *bs, const struct box_want *w,
    struct err *e);
/* End all that runs in it and the box itself. */
void box_close(struct box *b);

/* The one that stays up for this want, opened if need be, and put up anew when
 * what must be masked has changed.  The boxes' own: box_done, not box_close.
 * BOX_PRIVATE is a new one each time. */
struct box *boxes_resident(struct boxes *bs, const struct box_want *w,
    struct err *e);

/* A command with this want comes soon: the one that stays up for it begins to go
 * up meanwhile, if it is not.  Takes no time but for what is done here. */
void boxes_prepare(struct boxes *bs, const struct box_want *w);

/* After box_end: look what the command left.  Names that other programs obey
 * (.git, .envrc, .vscode and kin) and that appeared in the root are moved to
 * .hamr/quarantine.  What a model should be told of it, and of what could not
 * be protected, is appended ("a; b", nothing mostly).  For an MCP server after
 * each call; box_done does it too. */
void box_settle(struct box *b, struct buf *notes);
/* The command is over: box_end, box_settle, and box_close unless it stays up.
 * notes may be NULL. */
void box_done(struct box *b, struct buf *notes);

/* Nothing could be started in it: it is not used again. */
void box_drop(struct box *b);

/* The environment of chapter 5.3 for a command in b, and more entries
 * "NAME=value" or names to pass on (may be NULL); NULL-terminated, for
 * env_free (env.h). */
char **box_env(const struct box *b, const char *const *more, size_t nmore);
/* "bubblewrap", "landlock", "seccomp" or "none": what b is. */
const char *box_name(const struct box *b);
/* What is not limited in it: "memory", "processes", "memory and processes";
 * NULL: both are, or nothing is confined at all. */
const char *box_unlimited(const struct box *b);

struct box_cmd {
	char *const *argv;	/* argv[0] is found on env's PATH */
	char *const *env;
	const char *dir;	/* absolute; NULL: the root */
	bool piped;		/* stdin is a pipe of ours, else /dev/null */
};

/* Our ends of what a command reads and writes; -1 when closed or not there. */
struct box_io {
	int in, out, err;
};

/* THE SEAM: start a command in a session of its own, with fds 0 to 2 only and
 * default signals.  0, or -1 with errno: nothing runs then. */
int box_spawn(struct box *b, const struct box_cmd *cmd, struct box_io *io);
void box_io_close(struct box_io *io);

/* Readable when something is to be learnt by box_learn, which never waits. */
int box_fd(const struct box *b);
void box_learn(struct box *b);

/* As of the last box_learn. */
bool box_exited(const struct box *b);	/* the command has ended */
bool box_empty(const struct box *b);	/* and so has all it started */
bool box_lost(const struct box *b);	/* the supervisor is gone: all ended,
					 * no status will come */
/* The raw facts, once exited: CLD_EXITED and an exit status, or another code
 * and a signal. */
void box_status(const struct box *b, int *code, int *number);

/* A signal for every process of the command. */
void box_signal(struct box *b, int sig);
/* End every process of the command, now, and wait until they are gone; the
 * names of those that still ran ("sleep 30, x", "" for none) are appended
 * unless names is NULL.  What was written is still in the pipes. */
void box_end(struct box *b, struct buf *names);

#endif
