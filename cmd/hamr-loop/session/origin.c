/* origin.c - was a session file written here, by this user's hamr-loop? */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utc.h"
#include "base/utf8.h"
#include "conf/place.h"
#include "origin.h"
#include "record/rec.h"
#include "json/sha.h"

#define KEY_BYTES 32

char *
origin_dir(void)
{
	char *dir = conf_home("XDG_STATE_HOME", ".local/state", "");

	if (dir == NULL || file_mkdirs(dir, NULL) == 0)
		return dir;
	free(dir);
	return NULL;
}

static bool
read_key(const char *path, unsigned char key[KEY_BYTES])
{
	struct stat st;
	int fd = file_open_regular(AT_FDCWD, path, &st);
	bool yes = fd >= 0 && st.st_uid == geteuid() &&
	    read(fd, key, KEY_BYTES) == KEY_BYTES;

	file_close(fd);
	return yes;
}

/* The mark of a header, or NULL.  The key is hashed in twice, the second time
 * about the first hash, so that a mark once seen cannot be extended. */
static char *
mark_of(const char *id, const char *cwd, const char *created)
{
	const char *part[] = { id, cwd, created };
	unsigned char key[KEY_BYTES], raw[KEY_BYTES];
	char hex[SHA_HEX], *dir = origin_dir();

	if (dir == NULL)
		return NULL;
	char *path = xasprintf("%s/key", dir);
	bool have = read_key(path, key);
	if (!have && errno == ENOENT) {
		/* Several processes may create it at once: the first wins. */
		char *mine = xasprintf("%s.%ld", path, (long)getpid());
		int fd = open(mine, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0600);

		if (fd >= 0 && getrandom(raw, sizeof raw, 0) == sizeof raw &&
		    file_write_all(fd, (char *)raw, sizeof raw) == 0 &&
		    fsync(fd) == 0 && link(mine, path) < 0)
			errno = 0;		/* another process made one */
		if (fd >= 0) {
			close(fd);
			unlink(mine);
		}
		free(mine);
		have = read_key(path, key);
	}
	FREE(path, dir);
	if (!have)
		return NULL;
	struct sha *s = sha_new();
	sha_add(s, key, sizeof key);
	for (size_t i = 0; i < 3; i++)
		sha_add(s, part[i], strlen(part[i]) + 1);
	sha_hex(s, hex);
	sha_add(s, key, sizeof key);
	sha_add(s, hex, SHA_HEX - 1);
	sha_hex(s, hex);
	sha_free(s);
	return xstrdup(hex);
}

char *
origin_cwd(const char *cwd)
{
	struct buf b = BUF_INIT(1 << 20);

	utf8_clean(&b, cwd, strlen(cwd));
	return buf_detach(&b);
}

char *
origin_begin(struct buf *out, const char *id, const char *root)
{
	char created[UTC_SIZE], *cwd = origin_cwd(root);

	utc_print_now(created);
	scan_put(out, "{'type':'hamr','v':1,'session':@,'cwd':@,'created':@",
	    slice_of(id), slice_of(cwd), slice_of(created));
	free(cwd);
	return mark_of(id, root, created);
}

bool
origin_is_here(int fd, const char *id, const char *root)
{
	char *created = NULL, *mark = NULL, *cwd = NULL;
	struct rec_in in;
	const struct rec *r;
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	    st.st_uid != geteuid() || lseek(fd, 0, SEEK_SET) < 0)
		return false;
	rec_in_init(&in, fd, "session", REC_MAX);
	bool yes = rec_next(&in, &r, NULL) > 0;
	if (yes) {
		created = scan_text(rec_get(r, "created"));
		mark = mark_of(id, root, created);
		cwd = origin_cwd(root);
		yes = r->kind == R_HAMR && rec_str_is(r, "session", id) &&
		    rec_str_is(r, "cwd", cwd) &&
		    (mark == NULL || rec_str_is(r, "mark", mark));
	}
	FREE(created, mark, cwd);
	rec_in_release(&in);
	return yes;
}
