/* box.h - the sandbox: commands are started here and nowhere else.
 *
 * A struct sandboxes holds all that hamr-tool knows about sandboxing: one root,
 * a private /tmp for each session, and what the machine can do (a self-test
 * finds out once, when the first is opened).  A struct box is one that is up: a
 * supervisor of ours in its own namespaces (bubblewrap), else under Landlock
 * and seccomp, else bare.  It runs one command at a time, ends every process of
 * that command, and may stay up between commands.  bash keeps one up for each
 * kind (sandboxes_resident); each plug-in or MCP server gets its own
 * (box_open), so several can run at once.
 *
 * All fds handed out are close-on-exec and non-blocking.  The caller ignores
 * SIGPIPE while it writes to a command.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "conf/conf.h"
#include "supervisor/wire.h"

/* What a command may do to the root. */
enum box_kind {
	BOX_READ,		/* read it */
	BOX_WRITE,		/* change it, except .git and .hamr */
	BOX_PRIVATE		/* change a copy that is dropped (verify) */
};

struct box_spec {
	enum box_kind kind;
	bool network;		/* and with it AF_UNIX */
	bool unix_sockets;
	bool bare;		/* no sandbox ([mcp.NAME] sandbox = false) */
	bool stays;		/* it may write, and runs on between calls:
				 * names that other programs obey are reported
				 * on stderr if they appear then.  Used by
				 * box_open only */
	/* Programs and files, absolute, that the command needs.  Those in /tmp,
	 * /var/tmp or /run, which the box replaces by folders of its own, are
	 * made readable, with their folder.  Used by box_open only. */
	char *const *show;
	size_t nshow;
	/* Folders, absolute, that it may change whatever its kind is.  Used by
	 * box_open only. */
	char *const *write;
	size_t nwrite;
};

struct sandboxes;

/* One that is up.  To be read, not written: */
struct box {
	const char *name;	/* "bubblewrap", "landlock", "seccomp" or
				 * "none" */
	const char *unlimited;	/* what is not limited in it: "memory",
				 * "processes", "memory and processes"; NULL:
				 * both are, or nothing is confined at all */
	int fd;			/* readable when box_update has news; -1 when
				 * lost */
	/* as of the last box_update */
	bool exited;		/* the command has ended: CLD_EXITED and an
				 * exit status, or another code and a signal */
	int code, number;
	bool empty;		/* and so have all processes it started */
	bool lost;		/* the supervisor is gone: all has ended, there
				 * will be no status */
	/* private */
	struct sandboxes *bs;
	struct box_spec spec;
	enum box_layer layer;
	pid_t pid;		/* bwrap, or the supervisor */
	bool running;
	struct box *next;	/* that stays, too */
	bool bare_root;		/* nothing is put into the root, to see if
				 * bubblewrap works at all */
	struct texts mounts;	/* what is put there, see wire.h */
	char *overlay;		/* its folder, BOX_PRIVATE only */
	bool scratch;		/* no overlay: tmpfs on some names */
	const char *locked;	/* why the root is read-only although its kind
				 * may write, NULL: it is not */
	char *cgroup[2];	/* folders we made, to be removed */
	struct texts stubs;	/* git's folders, where we make stubs; empty:
				 * .git may be one itself */
	int stubs_lock;		/* that, or the first of them, locked; -1:
				 * there are no stubs */
	bool modeless;		/* no mode tells what we made in them */
	char *marks;		/* what was protected when it started */
	struct buf base;	/* notes for each of its commands */
};

/* root: absolute.  Nothing is started yet.  Never fails; c is borrowed.
 * quiet: do not report on stderr what a sandbox cannot do here. */
struct sandboxes *sandboxes_new(const struct conf *c, const char *root,
    bool quiet);
void sandboxes_free(struct sandboxes *bs);	/* ends all that is up */

/* The secrets that commands did not see, which stay secrets under any name
 * (lists.known).  bs owns it. */
struct map *sandboxes_known(struct sandboxes *bs);

/* From now on commands use the private /tmp of this session (NULL: a new one of
 * this process); boxes that stayed up are ended.  A later process with the same
 * root and id finds the same /tmp within a day.  ended: remove it when this
 * process is done with it.  True if a box may have been up for another
 * session. */
bool sandboxes_session(struct sandboxes *bs, const char *id);
void sandboxes_session_ended(struct sandboxes *bs, bool ended);

/* A box of this kind, with [sandbox] network and unix_sockets as configured. */
struct box_spec sandboxes_spec(const struct sandboxes *bs, enum box_kind kind);

/* Make a path of the configuration absolute: "~/x" is in the home, any other
 * relative path in the root.  The caller frees it. */
char *sandboxes_path(const struct sandboxes *bs, const char *text);
/* Is path in the root, or in a folder that an MCP server may change ([mcp.NAME]
 * writable)?  Then its content cannot be trusted. */
bool sandboxes_may_change(const struct sandboxes *bs, const char *path);

/* May commands of this kind run here?  NULL, or one line that says why not.
 * Probes the machine, once.  box_open refuses (ST_POLICY) a kind that cannot be
 * enforced, unless bare: without Landlock every kind but BOX_WRITE, and that
 * too if [sandbox] mode is "require". */
const char *sandboxes_why_not(struct sandboxes *bs, enum box_kind kind);
/* Append the lines of --sandbox-status; tries every layer.  True if one of them
 * protects files. */
bool sandboxes_status(struct sandboxes *bs, struct buf *out);

/* ---- one box ---- */

/* A new one, up when this returns; NULL with e (ST_POLICY: refused, ST_SYSTEM:
 * it could not be started). */
struct box *box_open(struct sandboxes *bs, const struct box_spec *w,
    struct err *e);
/* End everything that runs in the box, and the box itself. */
void box_close(struct box *b);

/* The resident box for this spec, opened if needed, and reopened if what must
 * be masked has changed.  bs owns it: call box_done, or box_close if it cannot
 * be used again.  BOX_PRIVATE is a new one each time. */
struct box *sandboxes_resident(struct sandboxes *bs, const struct box_spec *w,
    struct err *e);

/* The command is over: box_end, and box_close unless it stays up.  New names it
 * left in the root that other programs obey (.git, .envrc, .vscode and the
 * like) are moved to .hamr/quarantine.  Appends what the model should know
 * about that, and about what could not be protected ("a; b", mostly
 * nothing). */
void box_done(struct box *b, struct buf *notes);

/* The same for a process that stays up in a writable box: note which of those
 * names exist now (false: the root cannot be opened); then move those that have
 * appeared since, as box_done does. */
bool sandboxes_note_existing(struct sandboxes *bs);
void sandboxes_quarantine_new(struct sandboxes *bs, struct buf *notes);

/* The environment of chapter 5.3 for a command in b, and more entries
 * "NAME=value" or names to pass on (may be NULL); the last text is NULL. */
struct texts box_env(const struct box *b, const char *const *more,
    size_t nmore);

/* Overwrite, where other processes could read it (/proc/PID/environ), every
 * value of ours that is not on the allow-list.  What looks like a secret is
 * gone for us too, unless the configuration names it for a command. */
void env_scrub(const struct conf *c);

/* Our ends of a command's pipes; -1 if closed or absent. */
struct box_io {
	int in, out, err;
};

/* Start a command in the root: in a session of its own, with fds 0 to 2 only
 * and default signals.  argv[0] is found on env's PATH; stdin is a pipe of ours
 * if piped, else /dev/null.  0, or -1 with errno: nothing runs then. */
int box_spawn(struct box *b, char *const *argv, char *const *env, bool piped,
    struct box_io *io);
void box_io_close(struct box_io *io);

/* Update b's state from the supervisor's messages; never waits. */
void box_update(struct box *b);

/* Send a signal to every process of the command. */
void box_signal(struct box *b, int sig);
/* End every process of the command, now, and wait until they are gone; the
 * names of those that still ran ("sleep 30, x", "" for none) are appended
 * unless names is NULL.  Unread output stays in the pipes. */
void box_end(struct box *b, struct buf *names);
