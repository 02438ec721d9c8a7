/* doctor.c - what is there and what is missing, one line each. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "doctor.h"
#include "file.h"
#include "mem.h"
#include "peer.h"
#include "state.h"

#define PEER_MS 10000
#define SAID_MAX ((size_t)256 << 10)
#define DISK_LOW ((unsigned long long)64 << 20)	/* bytes */

enum state { FINE, NOTE, MISSING };

struct doctor {
	const struct opts *o;
	const struct conf *c;
	const char *root;
	struct buf out;
	bool bad;
};

static void
say(struct doctor *d, enum state s, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void
say(struct doctor *d, enum state s, const char *what, const char *fmt, ...)
{
	static const char *const words[] = { "ok", "note", "MISSING" };
	va_list ap;

	buf_fmt(&d->out, "%-8s %-14s ", words[s], what);
	va_start(ap, fmt);
	buf_vfmt(&d->out, fmt, ap);
	va_end(ap);
	buf_addc(&d->out, '\n');
	d->bad |= s == MISSING;
}

/* The first line a program says, and its status; NULL if it cannot run. */
static char *
first_line(const char *command, const char *const *args, size_t n,
    int *status)
{
	struct buf b = BUF_INIT(SAID_MAX);
	struct err e;
	char *line;

	*status = peer_run(command, args, n, PEER_MS, true, &b, &e);
	line = xmemdup0(buf_view(&b).p, strcspn(buf_view(&b).p, "\n"));
	buf_release(&b);
	return line;
}

/* On PATH? */
static bool
is_installed(const char *name)
{
	const char *path = getenv("PATH");
	bool found = false;

	while (path != NULL && *path != '\0' && !found) {
		size_t n = strcspn(path, ":");
		char *file = xasprintf("%.*s/%s", (int)n, path, name);

		found = n > 0 && access(file, X_OK) == 0;
		free(file);
		path += n + (path[n] == ':');
	}
	return found;
}

static void
stages(struct doctor *d)
{
	static const char *const names[] = { "hamr-compact", "hamr-guard",
		"hamr-provider", "hamr-tool", "hamr-mem" };
	const char *const version[] = { "-V" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int status;
		char *line = first_line(names[i], version, 1, &status);

		if (status != 0)
			say(d, MISSING, names[i], "does not run; install hamr "
			    "again");
		else if (strcmp(line, "hamr " HAMR_VERSION) != 0)
			say(d, NOTE, names[i], "is \"%s\", hamr-loop is hamr "
			    HAMR_VERSION "; install both from one place",
			    line);
		else
			say(d, FINE, names[i], "%s", line);
		free(line);
	}
}

static void
programs(struct doctor *d)
{
	static const struct { const char *name, *why; enum state s; } all[] = {
		{ "bash", "runs commands; apt install bash", MISSING },
		{ "git", "search and snapshots need it; apt install git",
		    NOTE },
		{ "bwrap", "the sandbox is weaker without it; apt install "
		    "bubblewrap", NOTE },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (is_installed(all[i].name))
			say(d, FINE, all[i].name, "installed");
		else
			say(d, all[i].s, all[i].name, "not installed: %s",
			    all[i].why);
}

/* Flags of ours that the provider must see to find the same server. */
static size_t
provider_args(const struct opts *o, const char **a)
{
	const struct { const char *flag, *value; } all[] = {
		{ "--provider", o->provider }, { "--model", o->model },
		{ "--base-url", o->base_url }, { "--replay", o->replay } };
	size_t n = 0;

	a[n++] = "--models";
	a[n++] = "-q";
	if (o->no_config)
		a[n++] = "--no-config";
	for (size_t i = 0; i < 4; i++)
		if (all[i].value != NULL) {
			a[n++] = all[i].flag;
			a[n++] = all[i].value;
		}
	return n;
}

static void
server(struct doctor *d)
{
	const char *args[16];
	size_t n = provider_args(d->o, args);
	const char *url = d->o->base_url != NULL ? d->o->base_url :
	    conf_str(d->c, "provider.base_url");
	int status;
	char *line = first_line("hamr-provider", args, n, &status);

	if (status == 0)
		say(d, FINE, "model server", "%s answers; first model: %s",
		    url[0] != '\0' ? url : "one on this machine",
		    line[0] != '\0' ? line : "none");
	else
		say(d, MISSING, "model server", "none answers%s%s; start one, "
		    "or name it: hamr-loop --base-url http://HOST:PORT/v1 "
		    "--model NAME", url[0] != '\0' ? " at " : "", url);
	free(line);
}

static void
sandbox(struct doctor *d)
{
	const char *args[] = { "--sandbox-status", "--root", d->root };
	struct buf b = BUF_INIT(SAID_MAX);
	struct err e;
	int status = peer_run("hamr-tool", args, 3, PEER_MS, true, &b, &e);
	const char *p = buf_view(&b).p;

	if (status != 0 || *p == '\0')
		say(d, NOTE, "sandbox", "hamr-tool --sandbox-status says "
		    "nothing");
	while (status == 0 && *p != '\0') {
		size_t n = strcspn(p, "\n");

		say(d, FINE, "sandbox", "%.*s", (int)n, p);
		p += n + (p[n] == '\n');
	}
	buf_release(&b);
}

static void
configuration(struct doctor *d)
{
	char *user = conf_user_path();
	char *repo = xasprintf("%s/.hamr/config.toml", d->root);

	if (user != NULL && access(user, R_OK) == 0)
		say(d, FINE, "configuration", "%s", user);
	else
		say(d, FINE, "configuration", "no file of yours; defaults are "
		    "in force (%s would be read)", user != NULL ? user :
		    "$XDG_CONFIG_HOME/hamr/config.toml");
	if (access(repo, R_OK) == 0)
		say(d, NOTE, "configuration", "%s is the repository's; "
		    "hamr-loop --print-config shows what is in force, --trust "
		    "trusts it", repo);
	free(user);
	free(repo);
}

/* Logs are for who looks into a run that failed. */
static void
logs(struct doctor *d, const char *state)
{
	char *path = xasprintf("%s/runs", state);
	DIR *dir = opendir(path);
	struct dirent *de;
	size_t n = 0;

	while (dir != NULL && (de = readdir(dir)) != NULL)
		n += de->d_name[0] != '.';
	if (dir != NULL)
		say(d, FINE, "logs", "%zu in %s", n, path);
	else
		say(d, FINE, "logs", "none yet; they go to %s", path);
	if (dir != NULL)
		closedir(dir);
	free(path);
}

/* Can the folder be made, or written? */
static bool
can_be_made(const char *path)
{
	char *at = xstrdup(path), *slash;
	bool yes;

	while (access(at, F_OK) < 0 && (slash = strrchr(at, '/')) != NULL &&
	    slash > at)
		*slash = '\0';
	yes = access(at, W_OK) == 0;
	free(at);
	return yes;
}

/* Sessions of a repository that cannot be written. */
static void
elsewhere(struct doctor *d)
{
	const char *x = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *dir = x != NULL && x[0] == '/' ? xasprintf("%s/hamr", x) :
	    home != NULL && home[0] == '/' ?
	    xasprintf("%s/.local/state/hamr", home) : NULL;

	if (dir != NULL && can_be_made(dir))
		say(d, NOTE, "sessions", "%s cannot be written; they go to %s",
		    d->root, dir);
	else
		say(d, MISSING, "sessions", "neither %s nor %s can be written; "
		    "make one writable, or set XDG_STATE_HOME", d->root,
		    dir != NULL ? dir : "a folder in HOME");
	free(dir);
}

static void
disk(struct doctor *d)
{
	struct err e;
	char *dir = state_dir(d->root, false, &e);
	const char *at = dir != NULL ? dir : d->root;
	struct statvfs s;
	unsigned long long left;

	if (statvfs(at, &s) < 0) {
		say(d, MISSING, "disk", "%s cannot be read", at);
		free(dir);
		return;
	}
	left = (unsigned long long)s.f_bavail * s.f_frsize;
	if (dir == NULL && access(d->root, W_OK) < 0)
		elsewhere(d);
	else
		say(d, FINE, "sessions", "in %s%s", at, dir == NULL ?
		    "/.hamr, made by the first run" : "");
	if (dir != NULL)
		logs(d, dir);
	if (left < DISK_LOW)
		say(d, MISSING, "disk", "only %llu MiB are free there; make "
		    "room, or work is lost", left >> 20);
	else
		say(d, FINE, "disk", "%llu MiB free", left >> 20);
	free(dir);
}

int
doctor(const struct opts *o, const struct conf *c, const char *root,
    struct err *e)
{
	struct doctor d = { .o = o, .c = c, .root = root,
		.out = BUF_INIT((size_t)1 << 20) };
	int r;

	say(&d, FINE, "hamr-loop", "hamr " HAMR_VERSION);
	stages(&d);
	programs(&d);
	server(&d);
	sandbox(&d);
	configuration(&d);
	disk(&d);
	r = file_write_all(STDOUT_FILENO, d.out.p, d.out.len) < 0 ?
	    err_sys(e, ST_SYSTEM, "stdout") : d.bad ? ST_NO : ST_OK;
	buf_release(&d.out);
	return r;
}
