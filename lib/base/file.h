/* file.h - files: read whole, replaced at once, appended under a lock; programs
 * on PATH.
 *
 * All of these retry on EINTR and short reads and writes.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "buf.h"
#include "err.h"

/* Append all of the file to out.  A missing file is ST_NOINPUT, anything else
 * ST_SYSTEM; e names the file.  Reaching out's ceiling is an error. */
int file_read(const char *path, struct buf *out, struct err *e);
int file_read_fd(int fd, const char *name, struct buf *out, struct err *e);

/* Open name in the folder dir (AT_FDCWD: the working directory) to be read if
 * it is a regular file: not by a symbolic link, and without waiting for what a
 * FIFO or a device may bring.  *st is its status, and may be NULL.  -1 with
 * errno, EINVAL where it is something else. */
int file_open_regular(int dir, const char *name, struct stat *st);

/* The folder that path lies in: what stands before its last slash, "/" or
 * ".".  Yours. */
char *file_folder(const char *path);

/* What stands behind the last slash of path. */
const char *file_base(const char *path);

/* Close fd; nothing where it is -1.  errno stays. */
void file_close(int fd);

/* Write all n bytes; 0 or -1 with errno. */
int file_write_all(int fd, const void *p, size_t n);

/* Replace path: a temporary file beside it (O_EXCL), fsync, rename, fsync of
 * the folder.  The file is the old one or the new one, never between. */
int file_replace(const char *path, const void *p, size_t n, mode_t mode,
    struct err *e);

/* The folder that path lies in is on the disk; -1 with errno. */
int file_sync_folder(const char *path);

/* mkdir -p: every missing folder of path, for the user alone. */
int file_mkdirs(const char *path, struct err *e);

/* The folder name beneath at, opened to be read; never through a link.  NULL
 * with errno. */
DIR *file_opendir(int at, const char *name);
/* Its next entry but "." and ".."; NULL at the end, or for a NULL folder. */
struct dirent *file_readdir(DIR *d);
void file_closedir(DIR *d);	/* may be NULL */

/* A close-on-exec description of our own of the terminal fd, whose writes never
 * wait: O_NONBLOCK on fd itself would be the shell's and our children's, too.
 * fd where there is none. */
int file_unblocked(int fd);

/* Take the exclusive advisory lock of fd within ms milliseconds (0: one try);
 * 0, or -1 with errno EWOULDBLOCK when another process holds it. */
int file_lock(int fd, int ms);

/* An empty file that nobody else can open, in TMPDIR, /var/tmp or /tmp: on disk
 * where it can be, as /tmp may be memory.  A close-on-exec fd, or -1 with
 * errno. */
int file_unnamed(void);

/* An unnamed file in memory that holds these bytes, to be read from its start:
 * a close-on-exec fd, or -1 with errno. */
int file_memory(const void *p, size_t n);

/* name in an absolute folder of PATH (a relative one could be the
 * repository's) that is not root or beneath it, where root is not NULL; NULL
 * when there is none.  Yours. */
char *which_program(const char *name, const char *root);

/* The same, but first of all the one that lies beside our own program. */
char *which_beside(const char *name, const char *root);

/* Is path a regular file that we may execute? */
bool which_is_program(const char *path);

/* Milliseconds of CLOCK_MONOTONIC. */
long long file_now_ms(void);
