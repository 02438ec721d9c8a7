/* path.c - fuzz: what a path from outside means stays beneath the root. */
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "fuzz.h"
#include "root/path.h"

static void
put(const char *name, const char *text)
{
	int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	HOLDS(fd >= 0 && write(fd, text, strlen(text)) ==
	    (ssize_t)strlen(text));
	close(fd);
}

static void
forget(void)
{
	HOLDS(system("rm -rf \"$HAMR_FUZZ_ROOT\"") == 0);
}

/* A folder with files, folders, links of every kind; one outside of it. */
static const struct root *
root(void)
{
	static struct root r;
	static char dir[] = "/tmp/hamr-fuzz.XXXXXX";
	struct err e;
	int here;

	if (r.real != NULL)
		return &r;
	HOLDS(mkdtemp(dir) != NULL);
	setenv("HAMR_FUZZ_ROOT", dir, 1);
	atexit(forget);
	here = open(".", O_RDONLY | O_DIRECTORY);
	HOLDS(here >= 0 && chdir(dir) == 0 && mkdir("in", 0700) == 0 &&
	    mkdir("in/d", 0700) == 0 && mkdir("in/d/e", 0700) == 0);
	put("secret", "outside");
	put("in/f", "f");
	put("in/d/g", "g");
	HOLDS(symlink("d", "in/l") == 0 && symlink("../f", "in/d/u") == 0 &&
	    symlink("..", "in/d/p") == 0 && symlink("loop", "in/loop") == 0 &&
	    symlink("../secret", "in/out") == 0 && symlink("/etc", "in/abs")
	    == 0 && symlink("d/e/../g", "in/round") == 0 &&
	    symlink("none", "in/dangling") == 0 && symlink("../in/f",
	    "in/back") == 0);
	HOLDS(root_open(&r, "in", &e) == 0);
	HOLDS(fchdir(here) == 0);
	close(here);
	return &r;
}

/* A true name has no empty part, no "." and no "..". */
static void
is_true(const char *rel)
{
	const char *p = rel;

	while (*p != '\0') {
		size_t n = strcspn(p, "/");

		HOLDS(n > 0 && !(n == 1 && p[0] == '.') &&
		    !(n == 2 && p[0] == '.' && p[1] == '.'));
		p += n;
		HOLDS(*p == '\0' || p[1] != '\0');
		p += *p == '/';
	}
}

/* What is opened lies where its name says, beneath the root. */
static void
leads_beneath(const struct root *r, const char *rel)
{
	char link[64], where[PATH_MAX], want[PATH_MAX];
	int fd = path_open(r, rel, O_PATH | O_NOFOLLOW);
	ssize_t n;

	HOLDS(fd >= 0);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, where, sizeof where - 1);
	HOLDS(n > 0);
	where[n] = '\0';
	snprintf(want, sizeof want, "%s%s%s", r->real, *rel != '\0' ? "/" :
	    "", rel);
	HOLDS(strcmp(where, want) == 0);
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct root *r = root();
	char *p = fuzz_copy(data, n);
	struct fault f = { 0 };
	struct path path = { 0 };

	if (path_find(r, (struct slice){ p, n }, &path, &f) == 0) {
		HOLDS(path.rel != NULL);
		is_true(path.rel);
		if (path.exists) {
			HOLDS(!S_ISLNK(path.st.st_mode));
			leads_beneath(r, path.rel);
		}
	} else {
		HOLDS(f.code != NULL && f.err.text[0] != '\0');
	}
	path_release(&path);
	free(p);
	return 0;
}
