/* doctor.c - what is there and what is missing, one line each. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "doctor.h"
#include "doctor_in.h"
#include "file.h"
#include "mem.h"
#include "state.h"

#define DISK_LOW ((unsigned long long)64 << 20)	/* bytes */

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
programs(struct doctor *d)
{
	static const struct { const char *name, *why; enum state s; } all[] = {
		{ "bash", "runs commands; apt install bash", MISSING },
		{ "git", "undo and snapshots need it; apt install git",
		    NOTE },
		{ "bwrap", "the sandbox is weaker without it; apt install "
		    "bubblewrap", NOTE },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (is_installed(all[i].name))
			dr_say(d, FINE, all[i].name, "installed");
		else
			dr_say(d, all[i].s, all[i].name, "not installed: %s",
			    all[i].why);
}

static void
configuration(struct doctor *d)
{
	char *user = conf_user_path();
	char *repo = xasprintf("%s/.hamr/config.toml", d->root);

	if (d->broken[0] != '\0')
		dr_say(d, MISSING, "configuration", "%s; until that is mended "
		    "nothing runs, and the lines here hold for the defaults",
		    d->broken);
	else if (user != NULL && access(user, R_OK) == 0)
		dr_say(d, FINE, "configuration", "%s", user);
	else
		dr_say(d, FINE, "configuration", "no file of yours; defaults "
		    "are in force (%s would be read)", user != NULL ? user :
		    "$XDG_CONFIG_HOME/hamr/config.toml");
	if (access(repo, R_OK) == 0)
		dr_say(d, NOTE, "configuration", "%s is the repository's; "
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
		dr_say(d, FINE, "logs", "%zu in %s", n, path);
	else
		dr_say(d, FINE, "logs", "none yet; they go to %s", path);
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

/* Where sessions go; that folder, yours. */
static char *
sessions(struct doctor *d)
{
	struct err e;
	char *dir = state_where(d->root, &e);
	size_t top = strlen(d->root);
	bool there = dir != NULL && access(dir, F_OK) == 0;

	if (dir == NULL)
		dr_say(d, MISSING, "sessions", "%s", e.text);
	else if (!can_be_made(dir))
		dr_say(d, MISSING, "sessions", "neither %s/.hamr nor %s can be "
		    "written; make one writable, or set XDG_STATE_HOME",
		    d->root, dir);
	else if (strncmp(dir, d->root, top) != 0 || dir[top] != '/')
		dr_say(d, NOTE, "sessions", "in %s: %s/.hamr cannot be "
		    "written, or git tracks files in it", dir, d->root);
	else
		dr_say(d, FINE, "sessions", "in %s%s", dir, there ? "" :
		    ", made by the first run");
	if (there)
		logs(d, dir);
	return dir;
}

static void
disk(struct doctor *d)
{
	char *dir = sessions(d);
	const char *at = dir != NULL && access(dir, F_OK) == 0 ? dir : d->root;
	struct statvfs s;
	unsigned long long left;

	if (statvfs(at, &s) < 0) {
		dr_say(d, MISSING, "disk", "%s cannot be read", at);
		free(dir);
		return;
	}
	left = (unsigned long long)s.f_bavail * s.f_frsize;
	if (left < DISK_LOW)
		dr_say(d, MISSING, "disk", "only %llu MiB are free there; make "
		    "room, or work is lost", left >> 20);
	else
		dr_say(d, FINE, "disk", "%llu MiB free", left >> 20);
	free(dir);
}

/* What is installed beside the programs. */
static void
data(struct doctor *d)
{
	char *path = conf_share("system/patch.txt");

	if (access(path, R_OK) < 0)
		dr_say(d, MISSING, "data files", "%s is not there; install "
		    "hamr again, or set HAMR_SHARE to its share/hamr", path);
	free(path);
}

int
doctor(const struct opts *o, const struct conf *c, const char *root,
    const char *broken, struct err *e)
{
	struct doctor d = { .o = o, .c = c, .root = root,
		.broken = broken,
		.out = BUF_INIT((size_t)1 << 20) };
	int r;

	dr_say(&d, FINE, "hamr-loop", "hamr " HAMR_VERSION);
	doctor_stages(&d);
	data(&d);
	programs(&d);
	doctor_server(&d);
	doctor_sandbox(&d);
	configuration(&d);
	disk(&d);
	r = file_write_all(STDOUT_FILENO, d.out.p, d.out.len) < 0 ?
	    err_sys(e, ST_SYSTEM, "stdout") : d.bad ? ST_NO : ST_OK;
	buf_release(&d.out);
	return r;
}
