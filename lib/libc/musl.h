/* musl.h - what we use of glibc that musl 1.2.3 lacks.
 *
 * With musl as the C library, the compiler's -include puts it before every
 * file; no file includes it itself.  Each function does what glibc's manual
 * says, unless a comment here differs.
 */
#pragma once
#define HAMR_MUSL	/* for musl.c */

#include <regex.h>
#include <spawn.h>
#include <sys/stat.h>

#define CLOSE_RANGE_CLOEXEC (1U << 2)
int close_range(unsigned from, unsigned to, int flags);

#define RENAME_NOREPLACE (1U << 0)
#define RENAME_EXCHANGE (1U << 1)
#define renameat2 musl_renameat2	/* later versions have their own */
int renameat2(int from, const char *old, int to, const char *new,
    unsigned flags);

#ifndef STATX_BTIME
#include <linux/stat.h>
int statx(int dir, const char *path, int flags, unsigned mask,
    struct statx *st);
#endif

/* Also marks this process's own descriptors close-on-exec. */
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *a,
    int from);

const char *sigabbrev_np(int sig);

/* The hook of the error() that libpipeline brings along. */
extern void (*error_print_progname)(void);

/* regexec() on a text that does not end with NUL; it is copied.  The range to
 * search must start at 0. */
#define REG_STARTEND (1 << 8)
#define regexec musl_regexec
int regexec(const regex_t *re, const char *text, size_t n, regmatch_t m[],
    int flags);
