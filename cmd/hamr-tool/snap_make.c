/* snap_make.c - the repository of the snapshots: made, opened. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "state.h"

#include "files_in.h"
#include "snap_in.h"

#define USE_MS 10000

/* What is in force: no filter, no line ends, no helper, nothing collected. */
static const char config[] =
    "[core]\n\trepositoryFormatVersion = %d\n\tbare = true\n"
    "\tfileMode = true\n\tsymlinks = true\n\tignoreCase = false\n"
    "\tprecomposeUnicode = false\n\tautocrlf = false\n"
    "\tprotectNTFS = false\n\tprotectHFS = false\n\tsplitIndex = false\n"
    "\tuntrackedCache = false\n\tfsmonitor = false\n\tcompression = 1\n"
    "\tlogAllRefUpdates = false\n[gc]\n\tauto = 0\n[index]\n\tsparse = "
    "false\n%s";
static const char attributes[] = "* -text -crlf -ident -filter !eol "
    "!working-tree-encoding\n";
static const char note[] = "Snapshots of hamr-tool, for hamr-tool undo. "
    "It may be removed; then nothing before that can be undone.\n";

static int
put_folder(const struct snap *s, const char *name)
{
	int fd;

	if (mkdirat(s->dirfd, name, 0700) < 0 && errno != EEXIST)
		return -1;
	fd = openat(s->dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd < 0)
		return -1;
	snap_give(s, fd);
	return close(fd);
}

/* ---- making it ---- */

#define SHA256 "[extensions]\n\tobjectFormat = sha256\n"

static char *
config_text(bool sha256)
{
	return xasprintf(config, sha256, sha256 ? SHA256 : "");
}

static int
make(struct snap *s, struct err *e)
{
	static const char *const folders[] = { "objects", "objects/info",
		"objects/pack", "refs", "refs/heads", "info" };
	char *text;
	int r = 0;

	s->sha256 = snap_seed_is_sha256(s);
	text = config_text(s->sha256);
	for (size_t i = 0; r == 0 && i < sizeof folders / sizeof folders[0];
	    i++)
		r = put_folder(s, folders[i]);
	if (r < 0 || snap_put_file(s, "config", text) < 0 ||
	    snap_put_file(s, "description", note) < 0 ||
	    snap_put_file(s, "HEAD.part", "ref: refs/heads/none\n") < 0 ||
	    renameat(s->dirfd, "HEAD.part", s->dirfd, "HEAD") < 0)
		r = err_sys(e, ST_SYSTEM, "%s", s->dir);
	if (r == 0)
		snap_seed(s);
	/* last, as check-attr must not see it: its presence says "made" */
	if (r == 0 && snap_put_file(s, "info/attributes", attributes) < 0)
		r = err_sys(e, ST_SYSTEM, "%s", s->dir);
	free(text);
	return r;
}

/* ---- one that is there: whoever gave us the folder may have made it ---- */

/* Nothing that git would follow elsewhere. */
static bool
is_plain(const struct snap *s)
{
	static const char *const files[] = { "HEAD", "config", "index",
		"index.lock", "hamr-undo", "hamr-next", "hamr-lock",
		SNAP_USE, "hamr-pruned",
		"info/attributes", "objects/info/alternates" };
	static const char *const folders[] = { "info", "refs", "refs/heads",
		"objects", "objects/info", "objects/pack" };
	struct stat st;

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		if (fstatat(s->dirfd, folders[i], &st, AT_SYMLINK_NOFOLLOW) <
		    0 || !S_ISDIR(st.st_mode))
			return false;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		if (fstatat(s->dirfd, files[i], &st, AT_SYMLINK_NOFOLLOW) ==
		    0 && (!S_ISREG(st.st_mode) || st.st_nlink != 1))
			return false;
	return faccessat(s->dirfd, "commondir", F_OK, AT_SYMLINK_NOFOLLOW) <
	    0 && snap_files_are_plain(s->dirfd, "objects", SNAP_DEPTH);
}

/* The file shall say just this. */
static int
set_file(const struct snap *s, const char *name, const struct buf *is,
    const char *text)
{
	if (is->len == strlen(text) && memcmp(is->p, text, is->len) == 0)
		return 0;
	return snap_put_file(s, name, text);
}

static int
get_file(const struct snap *s, const char *name, struct buf *out)
{
	int fd = openat(s->dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int r = fd >= 0 ? file_read_fd(fd, name, out, NULL) : -1;

	if (fd >= 0)
		close(fd);
	return r;
}

/* Its settings are ours, whatever they were. */
static int
claim(struct snap *s, struct err *e)
{
	struct buf conf = BUF_INIT(1 << 20), attr = BUF_INIT(1 << 20);
	char *text = NULL;
	int r = -1;

	if (is_plain(s) && get_file(s, "config", &conf) == 0 &&
	    get_file(s, "info/attributes", &attr) == 0) {
		s->sha256 = conf.len > 0 && memmem(conf.p, conf.len, SHA256,
		    strlen(SHA256)) != NULL;
		text = config_text(s->sha256);
		r = set_file(s, "config", &conf, text);
		if (r == 0)
			r = set_file(s, "info/attributes", &attr, attributes);
	}
	free(text);
	buf_release(&conf);
	buf_release(&attr);
	return r == 0 ? 0 : err_set(e, ST_POLICY, "%s is not as hamr-tool "
	    "made it; move it away", s->dir);
}

/* The loop's answer or records may go to a file in the root, too. */
static void
note_streams(struct snap *s)
{
	for (int i = 0; i < 3; i++) {
		char theirs[64];

		snprintf(theirs, sizeof theirs, "/proc/%ld/fd/%d",
		    (long)getppid(), i);
		if (fstat(i, &s->streams[i]) < 0)
			s->streams[i].st_ino = 0;
		if (stat(theirs, &s->streams[3 + i]) < 0)
			s->streams[3 + i].st_ino = 0;
	}
}

/* Who forgets what is old has it for less than a tenth of a second.  Where a
 * file system has no locks nothing is forgotten. */
static int
take_use(struct snap *s, struct err *e)
{
	long long until = file_now_ms() + USE_MS;
	struct timespec nap = { .tv_nsec = 5000000 };

	s->use = snap_file(s, SNAP_USE, O_RDWR);
	while (s->use >= 0 && flock(s->use, LOCK_SH | LOCK_NB) < 0 &&
	    (errno == EWOULDBLOCK || errno == EINTR)) {
		if (file_now_ms() > until)
			return err_set(e, ST_TEMP, "%s is in use by another "
			    "hamr-tool", s->dir);
		nanosleep(&nap, NULL);
	}
	return 0;
}

struct snap *
snap_open(struct files *f, bool create, struct err *e)
{
	struct snap *s = xcalloc(1, sizeof *s);
	struct stat st;

	s->f = f;
	s->dirfd = s->use = -1;
	if (fstat(f->root.fd, &st) == 0)
		s->owner = st.st_uid;
	note_streams(s);
	s->dir = state_folder(f->root.real, "snap.git", create, e);
	if (s->dir == NULL)
		goto fail;
	s->dirfd = open(s->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (s->dirfd < 0) {
		err_sys(e, ST_SYSTEM, "%s", s->dir);
		goto fail;
	}
	snap_give(s, s->dirfd);
	if (faccessat(s->dirfd, "info/attributes", F_OK,
	    AT_SYMLINK_NOFOLLOW) == 0) {
		if (claim(s, e) == 0 && take_use(s, e) == 0) {
			if (!snap_objects_are_plain(s))
				snap_unseed(s);
			return s;
		}
		goto fail;
	}
	if (!create) {
		err_set(e, ST_NOINPUT, "%s holds no snapshot", s->dir);
		goto fail;
	}
	if (make(s, e) == 0 && take_use(s, e) == 0)
		return s;
fail:
	snap_free(s);
	return NULL;
}

void
snap_free(struct snap *s)
{
	if (s == NULL)
		return;
	map_release(&s->clean);
	map_release(&s->modes);
	map_release(&s->modes_before);
	if (s->use >= 0)
		close(s->use);
	if (s->dirfd >= 0)
		close(s->dirfd);
	free(s->dir);
	free(s);
}

const char *
snap_dir(const struct snap *s)
{
	return s->dir;
}
