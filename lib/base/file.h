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

/* Open name in the folder dir (AT_FDCWD: the working directory) for reading if
 * it is a regular file; does not follow a symbolic link, nor wait on a FIFO or
 * a device.  Fills *st, which may be NULL.  -1 with errno, which is EINVAL if
 * it is not a regular file. */
int file_open_regular(int dir, const char *name, struct stat *st);

/* The folder that path is in: the part before its last slash, "/" or ".".  The
 * caller frees it. */
char *file_folder(const char *path);

/* The part of path after its last slash. */
const char *file_base(const char *path);

/* Close fd unless it is -1; keeps errno. */
void file_close(int fd);

/* Write all n bytes; 0 or -1 with errno. */
int file_write_all(int fd, const void *p, size_t n);

/* Replace path: write a temporary file beside it (O_EXCL), fsync, rename, fsync
 * the folder.  The file is always either the old one or the new one. */
int file_replace(const char *path, const void *p, size_t n, mode_t mode,
    struct err *e);

/* If we run as root, give fd, which we have just made in the open folder dir,
 * to that folder's owner. */
void file_give_owner(int dir, int fd);
/* openat, never through a link, and mkdirat, which fails with EEXIST: what
 * these make is the folder owner's.  An fd and 0, or -1 with errno. */
int file_create(int at, const char *path, int flags, mode_t mode);
int file_mkdir(int at, const char *path, mode_t mode);

/* fsync the folder that path is in.  0, or -1 with errno. */
int file_sync_folder(const char *path);

/* mkdir -p: create every missing folder of path, for the user only. */
int file_mkdirs(const char *path, struct err *e);

/* Open the folder name beneath at for reading; does not follow a link.  NULL
 * with errno. */
DIR *file_opendir(int at, const char *name);
/* Its next entry except "." and ".."; NULL at the end, or if d is NULL. */
struct dirent *file_readdir(DIR *d);
void file_closedir(DIR *d);	/* may be NULL */

/* Open the terminal fd again, close-on-exec and with writes that never block:
 * O_NONBLOCK on fd itself would affect the shell and our children, too.
 * Returns fd if that fails. */
int file_unblocked(int fd);

/* Take the exclusive advisory lock of fd within ms milliseconds (0: one try);
 * 0, or -1 with errno EWOULDBLOCK when another process holds it. */
int file_lock(int fd, int ms);

/* Create an empty file that nobody else can open, in TMPDIR, /var/tmp or /tmp:
 * on disk if possible, as /tmp may be memory.  A close-on-exec fd, or -1 with
 * errno. */
int file_unnamed(void);

/* Create an unnamed file in memory with these bytes, positioned at its start: a
 * close-on-exec fd, or -1 with errno. */
int file_memory(const void *p, size_t n);

/* Is path dir itself, or in it?  Compares the strings only. */
bool is_beneath(const char *path, const char *dir);

/* The path of the program name in an absolute folder of PATH (a relative one
 * could be the repository's), and, unless root is NULL, outside root.  NULL if
 * there is none.  The caller frees it. */
char *which_program(const char *name, const char *root);

/* The same, but prefers a program beside our own. */
char *which_beside(const char *name, const char *root);

/* Is path a regular file we may execute? */
bool which_is_program(const char *path);

/* Milliseconds of CLOCK_MONOTONIC. */
long long file_now_ms(void);
