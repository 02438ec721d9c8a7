/* git.c - fuzz: any bytes as git's index, as rules of what is ignored. */
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "fuzz.h"
#include "git/gitignore.h"

/* One for the process, left in /tmp. */
static const char *
folder(void)
{
	static char dir[] = "/tmp/hamr-fuzz.XXXXXX";
	static bool made;

	if (!made)
		HOLDS(mkdtemp(dir) != NULL);
	made = true;
	return dir;
}

static void
put(const char *name, const void *p, size_t n)
{
	char path[64];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	HOLDS(fd >= 0 && file_write_all(fd, p, n) == 0);
	close(fd);
}

/* What we write is what we read. */
static void
as_written(struct gitindex *ix)
{
	struct buf b = BUF_INIT((size_t)1 << 30);
	static const char sum[32];
	struct gitindex is;
	struct err e = { 0 };

	gitindex_print(ix->v, ix->n, ix->oid_len, &b);
	buf_add(&b, sum, ix->oid_len);
	put("index", b.p, b.len);
	HOLDS(gitindex_read(&is, folder(), &e) == 0 && is.n == ix->n);
	for (size_t i = 0; i < is.n; i++)
		HOLDS(strcmp(is.v[i].path, ix->v[i].path) == 0 &&
		    is.v[i].mode == ix->v[i].mode &&
		    memcmp(is.v[i].oid, ix->v[i].oid, is.oid_len) == 0);
	gitindex_release(&is);
	buf_release(&b);
}

static void
as_index(const uint8_t *data, size_t n)
{
	struct gitindex ix;
	struct err e = { 0 };

	put("index", data, n);
	if (gitindex_read(&ix, folder(), &e) < 0)
		HOLDS(ix.n == 0 && e.text[0] != '\0');
	for (size_t i = 0; i < ix.n; i++) {
		HOLDS(i == 0 || strcmp(ix.v[i - 1].path, ix.v[i].path) <= 0);
		HOLDS(gitindex_find(&ix, ix.v[i].path) != NULL);
		HOLDS(gitindex_has(&ix, ix.v[i].path));
	}
	if (ix.n > 0)
		as_written(&ix);
	gitindex_release(&ix);
}

/* Rules, and behind a NUL a path. */
static void
as_rules(const uint8_t *data, size_t n)
{
	char *p = fuzz_copy(data, n);
	size_t len = strnlen(p, n);
	char *path = len < n ? strndup(p + len + 1, n - len - 1) : strdup("a");
	int fd = open(folder(), O_RDONLY | O_DIRECTORY);
	struct gitignore *g;
	struct err e;

	HOLDS(path != NULL && fd >= 0);
	put(".gitignore", p, len);
	g = gitignore_new(folder(), false, &e);
	if (path[0] != '\0' && path[0] != '/')
		gitignore_path(g, fd, path);
	gitignore_free(g);
	close(fd);
	free(path);
	free(p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (fuzz_byte(&data, &n) % 2 == 0)
		as_index(data, n);
	else
		as_rules(data, n);
	return 0;
}
