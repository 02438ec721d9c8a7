/* db_lock.c - the file of a database and the lock beside it. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

#include "db_in.h"

#define LOCK_MS (10 * 60 * 1000)

bool
dblock_is_remote(const char *path)
{
	struct statfs s;

	if (statfs(path, &s) < 0)
		return false;
	switch ((unsigned long)s.f_type) {
	case 0x6969:		/* NFS */
	case 0xff534d42:	/* CIFS */
	case 0xfe534d42:	/* SMB2 */
	case 0x517b:		/* SMB */
	case 0x01021997:	/* 9p */
	case 0x65735546:	/* FUSE: sshfs and its kin */
	case 0x5346414f:	/* AFS */
	case 0x00c36400:	/* Ceph */
		return true;
	default:
		return false;
	}
}

int
dblock_open(struct db *db, struct err *e)
{
	char *p = xasprintf("%s-lock", db->path);

	db->lock = open(p, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (db->lock < 0)
		err_sys(e, ST_SYSTEM, "%s", p);
	free(p);
	return db->lock < 0 ? -1 : 0;
}

int
dblock_take(struct db *db, struct err *e)
{
	if (db->lock < 0)
		return err_set(e, ST_BUG, "%s: opened for reading", db->path);
	if (file_lock(db->lock, LOCK_MS) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return err_sys(e, ST_SYSTEM, "%s-lock", db->path);
	return err_set(e, ST_TEMP, "%s: another process has been writing for "
	    "ten minutes; try again later", db->path);
}

void
dblock_drop(struct db *db)
{
	if (db->lock >= 0)
		flock(db->lock, LOCK_UN);
}

/* ---- which file it is ---- */

void
dblock_note(struct db *db)
{
	struct stat st;

	if (stat(db->path, &st) == 0) {
		db->dev = st.st_dev;
		db->ino = st.st_ino;
	}
}

bool
db_is_stale(const struct db *db)
{
	struct stat st;

	return stat(db->path, &st) < 0 || st.st_dev != db->dev ||
	    st.st_ino != db->ino;
}

static int
sync_folder(const char *path, struct err *e)
{
	char *copy = xstrdup(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 || fsync(fd) < 0 ? err_sys(e, ST_SYSTEM, "%s", path) :
	    0;

	if (fd >= 0)
		close(fd);
	free(copy);
	return r;
}

/* What belongs to the old file and is empty goes first: who opens the new one
 * must not find it. */
int
dblock_rename(const struct db *db, const char *by, struct err *e)
{
	static const char *const ends[] = { "-wal", "-shm" };

	for (size_t i = 0; i < 2; i++) {
		char *p = xasprintf("%s%s", db->path, ends[i]);
		int r = unlink(p) < 0 && errno != ENOENT ? err_sys(e,
		    ST_SYSTEM, "%s", p) : 0;

		free(p);
		if (r < 0)
			return r;
	}
	if (rename(by, db->path) < 0)
		return err_sys(e, ST_SYSTEM, "%s", db->path);
	return sync_folder(db->path, e);
}
