/* landlock.c - which files may be touched, by the kernel's Landlock. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#include "landlock.h"

/* <linux/landlock.h> of Debian 12 ends with version 2. */
enum {
	FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2,
	FS_REMOVE_DIR = 1 << 4, FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_CHAR = 1 << 6, FS_MAKE_DIR = 1 << 7, FS_MAKE_REG = 1 << 8,
	FS_MAKE_SOCK = 1 << 9, FS_MAKE_FIFO = 1 << 10,
	FS_MAKE_BLOCK = 1 << 11, FS_MAKE_SYM = 1 << 12,
	FS_REFER = 1 << 13,		/* version 2 */
	FS_TRUNCATE = 1 << 14,		/* version 3 */
	NET_BIND_TCP = 1 << 0, NET_CONNECT_TCP = 1 << 1,	/* version 4 */
	SCOPE_ABSTRACT_UNIX = 1 << 0, SCOPE_SIGNAL = 1 << 1	/* version 6 */
};

#define CREATE_VERSION 1
#define RULE_PATH_BENEATH 1
#define FILE_RIGHTS (FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE)

struct attr {
	uint64_t fs, net, scoped;
};

struct path_rule {
	uint64_t rights;
	int32_t fd;
} __attribute__((packed));

int
landlock_version(void)
{
	long v = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

	return v > 0 ? (int)v : 0;
}

const char *
landlock_lacks(int v)
{
#define LACKS(what) "it cannot protect .git and .hamr inside a writable " \
	"root, hide the secrets in it, nor stop files elsewhere from being " \
	what "chmod'ed or touched; and there are no pseudo-terminals and no " \
	"System V IPC"
	return v < 3 ? LACKS("truncated, ") : LACKS("");
}

static uint64_t
write_rights(int v)
{
	uint64_t r = FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE |
	    FS_MAKE_CHAR | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SOCK |
	    FS_MAKE_FIFO | FS_MAKE_BLOCK | FS_MAKE_SYM;

	if (v >= 2)
		r |= FS_REFER;
	if (v >= 3)
		r |= FS_TRUNCATE;
	return r;
}

static void
allow(int rules, const char *path, uint64_t rights, int flags)
{
	struct path_rule rule = { rights, open(path,
	    O_PATH | O_CLOEXEC | flags) };
	struct stat st;

	if (rule.fd < 0)
		return;
	if (fstat(rule.fd, &st) == 0 && !S_ISLNK(st.st_mode)) {
		if (!S_ISDIR(st.st_mode))
			rule.rights &= FILE_RIGHTS;
		syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &rule,
		    0);
	}
	close(rule.fd);
}

/* A rule is for all beneath it and cannot be taken back, so what holds
 * something hidden gets none itself, only what else is in it. */
static void
allow_reading(int rules, const struct landlock *l, const char *dir)
{
	DIR *d = file_opendir(AT_FDCWD, dir[0] != '\0' ? dir : "/");
	struct dirent *e;

	while ((e = file_readdir(d)) != NULL) {
		char *path = xasprintf("%s/%s", dir, e->d_name);
		size_t n = strlen(path);
		bool is_hidden = false, holds_hidden = false;

		for (size_t i = 0; i < l->nhidden; i++) {
			bool near = strncmp(l->hidden[i], path, n) == 0;

			is_hidden |= near && l->hidden[i][n] == '\0';
			holds_hidden |= near && l->hidden[i][n] == '/';
		}
		if (!is_hidden && !holds_hidden)
			allow(rules, path, FS_READ_FILE, O_NOFOLLOW);
		else if (!is_hidden && e->d_type != DT_LNK)
			allow_reading(rules, l, path);
		free(path);
	}
	file_closedir(d);
}

int
landlock_apply(const struct landlock *l)
{
	int v = landlock_version(), rules, got;
	struct attr a = { .fs = write_rights(v) };

	if (l->nhidden > 0)
		a.fs |= FS_READ_FILE;
	if (v >= 4 && !l->network)
		a.net = NET_BIND_TCP | NET_CONNECT_TCP;
	if (v >= 6)
		a.scoped = SCOPE_SIGNAL |
		    (l->unix_sockets ? 0 : SCOPE_ABSTRACT_UNIX);
	rules = (int)syscall(SYS_landlock_create_ruleset, &a, v >= 6 ?
	    sizeof a : v >= 4 ? 16 : 8, 0);
	if (rules < 0)
		return -1;
	if (l->nhidden > 0)
		allow_reading(rules, l, "");
	for (size_t i = 0; i < l->nwritable; i++)
		allow(rules, l->writable[i], write_rights(v) |
		    (l->nhidden > 0 ? FS_READ_FILE : 0), 0);
	got = (int)syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
	return got;
}
