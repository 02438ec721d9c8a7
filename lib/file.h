/* file.h - files: read whole, replaced at once, appended under a lock.
 *
 * All of these retry on EINTR and short reads and writes.
 */
#ifndef HAMR_FILE_H
#define HAMR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "buf.h"
#include "err.h"

/* Append all of the file to out.  A missing file is ST_NOINPUT, anything else
 * ST_SYSTEM; e names the file.  Reaching out's ceiling is an error. */
int file_read(const char *path, struct buf *out, struct err *e);
int file_read_fd(int fd, const char *name, struct buf *out, struct err *e);

/* Write all n bytes; 0 or -1 with errno. */
int file_write_all(int fd, const void *p, size_t n);

/* Replace path: a temporary file beside it (O_EXCL), fsync, rename, fsync of
 * the folder.  The file is the old one or the new one, never between. */
int file_replace(const char *path, const void *p, size_t n, mode_t mode,
    struct err *e);

/* mkdir -p: every missing folder of path, with mode. */
int file_mkdirs(const char *path, mode_t mode, struct err *e);

/* Take the exclusive advisory lock of fd within ms milliseconds (0: one try);
 * 0, or -1 with errno EWOULDBLOCK when somebody else kept it. */
int file_lock(int fd, int ms);

/* Milliseconds of CLOCK_MONOTONIC. */
long long file_now_ms(void);

#endif
