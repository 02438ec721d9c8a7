/* musl.h - what we use of glibc and musl 1.2.3 lacks.
 *
 * The compiler's -include puts it before every file where the C library is
 * musl; nobody else includes it.  Each function does what glibc's manual says
 * of it, but where a comment here differs.
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

/* Marks the descriptors of this process, too, to be closed by any exec. */
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *a,
    int from);

const char *sigabbrev_np(int sig);

/* The hook of the error() that libpipeline brings along. */
extern void (*error_print_progname)(void);

/* regexec() on a text that does not end with NUL: it is copied.  The match
 * looked in begins at 0. */
#define REG_STARTEND (1 << 8)
#define regexec musl_regexec
int regexec(const regex_t *re, const char *text, size_t n, regmatch_t m[],
    int flags);
