/* doctor.c - report what is installed and what is missing, one line each. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "child/child.h"
#include "conf/state.h"
#include "doctor.h"
#include "markdown/markdown.h"
#include "term/term.h"

#define PEER_MS 10000
#define SAID_MAX ((size_t)256 << 10)
#define DISK_LOW ((unsigned long long)64 << 20)	/* bytes */
#define ESCAPE_MS 50		/* tmux: a longer delay is noticeable */
enum state { FINE, NOTE, MISSING };

struct doctor {
	const struct opts *o;
	const struct conf *c;
	const char *root;
	const char *broken;	/* in the configuration; "": nothing */
	int full;		/* errno of a line that could not be written */
	bool bad;
};

/* Print a line at once, as asking a server may take long. */
static void
report(struct doctor *d, enum state s, const char *what,
    const char *fmt, ...)
{
	static const char *const words[] = { "ok", "note", "MISSING" };
	struct buf b = BUF_INIT(1 << 20), out = b;
	va_list ap;

	buf_fmt(&out, "%-8s %-14s ", words[s], what);
	va_start(ap, fmt);
	buf_vfmt(&b, fmt, ap);
	va_end(ap);
	term_escape(&out, buf_view(&b));
	buf_addc(&out, '\n');
	if (file_write_all(STDOUT_FILENO, out.p, out.len) < 0)
		d->full = errno;
	d->bad |= s == MISSING;
	bufs_release(BUFS(&b, &out));
}

/* The first line of a program's stdout or stderr, and its status. */
static char *
first_line(const char *command, const char *const *args, int *status)
{
	struct buf b = BUF_INIT(SAID_MAX);

	*status = child_run(command, args, PEER_MS, CHILD_ERR_OUT, &b, NULL);
	char *line = xmemdup0(buf_view(&b).p, strcspn(buf_view(&b).p, "\n"));
	buf_release(&b);
	return line;
}

/* If no server answers, its own message says best why. */
static void
doctor_server(struct doctor *d)
{
	const struct opts *o = d->o;
	const char *url = o->base_url != NULL ? o->base_url :
	    conf_str(d->c, "provider.base_url"), *why;
	struct argv a = { 0 };
	int status;

	if (o->replay != NULL) {
		report(d, FINE, "model server", "not used: the answers come "
		    "from %s", o->replay);
		return;
	}
	argv_add(&a, "--models", "-q");
	argv_ours(&a, o);
	argv_server(&a, o);
	char *line = first_line("hamr-provider", a.v, &status);
	why = strncmp(line, "hamr-provider: ", 15) == 0 ? line + 15 : line;
	if (status == 0)
		report(d, FINE, "model server", "%s answers; first model: %s",
		    url[0] != '\0' ? url : "one on this machine",
		    line[0] != '\0' ? line : "none");
	else if (status > 128 || why == line)
		report(d, MISSING, "model server", "none answers%s%s; start "
		    "one, or name it: hamr-loop --base-url http://HOST:PORT/v1 "
		    "--model NAME", url[0] != '\0' ? " at " : "", url);
	else if (url[0] != '\0' && status != ST_TEMP)
		report(d, MISSING, "model server", "%s", why);
	else
		report(d, MISSING, "model server", "%s; start one, or name "
		    "another: hamr-loop --base-url http://HOST:PORT/v1 "
		    "--model NAME", why);
	FREE(line, a.v);
}

static void
doctor_sandbox(struct doctor *d)
{
	struct argv a = { 0 };
	struct buf b = BUF_INIT(SAID_MAX);
	struct slice said, line;

	argv_add(&a, "--sandbox-status", "--root", d->root);
	argv_ours(&a, d->o);
	int status = child_run("hamr-tool", a.v, PEER_MS, CHILD_ERR_NONE, &b,
	    NULL);
	if (status != 0)
		buf_reset(&b);
	if (b.len == 0)
		report(d, NOTE, "sandbox", "hamr-tool --sandbox-status printed "
		    "nothing");
	for (said = buf_view(&b); slice_line(&said, &line); )
		report(d, FINE, "sandbox", "%.*s", (int)line.n, line.p);
	buf_release(&b);
	free(a.v);
}

/* Report what is installed besides the programs, and what a chat needs. */
static void
doctor_installed(struct doctor *d)
{
	static const struct { const char *name, *why; enum state s; } all[] = {
		{ "bash", "runs commands; apt install bash", MISSING },
		{ "git", "undo and snapshots need it; apt install git",
		    NOTE },
		{ "bwrap", "the sandbox is weaker without it; apt install "
		    "bubblewrap", NOTE },
	};
	char *path = conf_share("system/patch.txt");
	int64_t ms;
	int status;

	if (access(path, R_OK) < 0)
		report(d, MISSING, "data files", "%s is missing; "
		    "reinstall hamr, or set HAMR_SHARE to its share/hamr",
		    path);
	free(path);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char *at = which_program(all[i].name, NULL);

		if (at != NULL)
			report(d, FINE, all[i].name, "installed");
		else
			report(d, all[i].s, all[i].name, "not installed: %s",
			    all[i].why);
		free(at);
	}

	if (!markdown_open())
		report(d, NOTE, "md4c", "not installed: answers are shown as "
		    "they come, not as Markdown; apt install libmd4c0");
	if (!term_open_clusters())
		report(d, NOTE, "utf8proc", "not installed: some emoji and "
		    "accents may shift a line; apt install libutf8proc-dev");
	if (getenv("TMUX") == NULL)
		return;
	char *line = first_line("tmux", ARGS("show-options", "-sv",
	    "escape-time"), &status);
	if (status == 0 && num_i64(line, strlen(line), &ms) && ms > ESCAPE_MS)
		report(d, NOTE, "tmux", "holds back Esc for %lld ms; put "
		    "\"set -s escape-time 10\" into ~/.tmux.conf",
		    (long long)ms);
	free(line);
}

static void
configuration(struct doctor *d)
{
	char *user = conf_user_path();
	char *repo = xasprintf("%s/.hamr/config.toml", d->root);

	if (d->broken[0] != '\0')
		report(d, MISSING, "configuration", "%s; nothing runs until it "
		    "is fixed, and the lines below are for the defaults",
		    d->broken);
	else if (user != NULL && access(user, R_OK) == 0)
		report(d, FINE, "configuration", "%s", user);
	else
		report(d, FINE, "configuration", "no configuration file; "
		    "the defaults apply (%s would be read)",
		    user != NULL ? user :
		    "$XDG_CONFIG_HOME/hamr/config.toml");
	if (access(repo, R_OK) == 0)
		report(d, NOTE, "configuration", "%s is the repository's; "
		    "hamr-loop --print-config shows what is in force, --trust "
		    "trusts it", repo);
	FREE(user, repo);
}

/* Report where sessions go.  Returns that folder; the caller frees it. */
static char *
sessions(struct doctor *d)
{
	struct err e;
	char *dir = state_where(d->root, &e), *slash;
	char *at = xstrdup(dir != NULL ? dir : "");
	bool there = dir != NULL && access(dir, F_OK) == 0;

	/* the folder itself, or the closest one that exists above it */
	while (access(at, F_OK) < 0 && (slash = strrchr(at, '/')) != NULL &&
	    slash > at)
		*slash = '\0';
	if (dir == NULL)
		report(d, MISSING, "sessions", "%s", e.text);
	else if (access(at, W_OK) < 0)
		report(d, MISSING, "sessions", "neither %s/.hamr nor %s can be "
		    "written; make one writable, or set XDG_STATE_HOME",
		    d->root, dir);
	else if (!is_beneath(dir, d->root))
		report(d, NOTE, "sessions", "in %s: %s/.hamr cannot be "
		    "written, or git tracks files in it", dir, d->root);
	else
		report(d, FINE, "sessions", "in %s%s", dir, there ? "" :
		    ", made by the first run");
	free(at);
	return dir;
}

int
doctor(const struct opts *o, const struct conf *c, const char *root,
    const char *broken, struct err *e)
{
	static const char *const names[] = { "hamr-compact", "hamr-guard",
		"hamr-provider", "hamr-tool", "hamr-mem" };
	struct doctor d = { .o = o, .c = c, .root = root,
		.broken = broken };
	struct statvfs s;

	report(&d, FINE, "hamr-loop", "hamr " HAMR_VERSION);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int status;
		char *line = first_line(names[i], ARGS("-V"), &status);

		if (status != 0)
			report(&d, MISSING, names[i], "does not run; reinstall "
			    "hamr");
		else if (strcmp(line, "hamr " HAMR_VERSION) != 0)
			report(&d, NOTE, names[i], "is \"%s\", and hamr-loop "
			    "hamr " HAMR_VERSION "; install both from the "
			    "same place", line);
		else
			report(&d, FINE, names[i], "%s", line);
		free(line);
	}
	doctor_installed(&d);
	doctor_server(&d);
	doctor_sandbox(&d);
	configuration(&d);
	char *dir = sessions(&d);
	const char *at = dir != NULL && access(dir, F_OK) == 0 ? dir : root;
	int rc = statvfs(at, &s);
	unsigned long long left = rc < 0 ? 0 :
	    (unsigned long long)s.f_bavail * s.f_frsize;
	if (rc < 0)
		report(&d, MISSING, "disk", "%s cannot be read", at);
	else if (left < DISK_LOW)
		report(&d, MISSING, "disk", "only %llu MiB free; make room, or "
		    "work may be lost", left >> 20);
	else
		report(&d, FINE, "disk", "%llu MiB free", left >> 20);
	free(dir);
	errno = d.full;
	return d.full != 0 ? err_sys(e, ST_SYSTEM, "stdout") :
	    d.bad ? ST_NO : ST_OK;
}
