/* gitignore.c - what git ignores, by its own rules and without git.
 *
 * Our own reader of gitignore(5): git itself would wait on a FIFO in place of
 * a .gitignore, and takes a process for each question.  fnmatch(3) reads sets
 * and classes differently.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wctype.h>

#include "base/file.h"
#include "gitignore.h"
#include "gitrepo.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"

#define DEPTH_MAX 500	/* folders held open at once */
#define SPECIAL "*?[\\"
#define RULES_MAX ((size_t)16 << 20)	/* bytes of one file */

struct rule {
	char *pattern;
	size_t base;		/* bytes of a path before what it applies to */
	bool negated, dir_only;
	bool whole;		/* for the path from its folder on, not for
				 * the last name alone */
	size_t plain;		/* bytes before the first *, ?, [ or \: git
				 * looks at a pattern from there on only */
	const char *end;	/* for "*END" with a literal END: END */
};

struct gitignore {
	struct gitindex index;
	char *prefix;		/* of the root in the top level: "", "a/" */
	struct rule *v;		/* the least important first */
	size_t n, cap;
	bool none;		/* nothing is ignored in this walk */
	struct map *note;	/* where to note what is ignored; or NULL */
	struct texts folders;
};

/* ---- patterns ---- */

/* A set in brackets, with p after the '[': is c in it?  Returns the place after
 * its ']'; NULL: no ']', or a class that git does not know. */
static const char *
set_end(const char *p, unsigned char c, bool *is_in)
{
	bool not = *p == '!' || *p == '^', known = true, in = false;
	const char *first = p + not, *close = p;
	int low = -1;		/* where a range may begin */

	for (p = first; known && (p == first || *p != ']'); p++) {
		bool range = *p == '-' && low >= 0 && p[1] != ']';

		/* the next ']', searched for once for all before it */
		if (close != NULL && close <= p)
			close = strchr(p, ']');
		if (p[0] == '[' && p[1] == ':' && close != NULL &&
		    close > p + 2 && close[-1] == ':') {
			char name[8] = "";	/* longer than any */

			memcpy(name, p + 2, num_min((size_t)(close - p) - 3,
			    sizeof name - 1));
			wctype_t class = wctype(name);
			known = class != 0;
			in |= c < 0x80 && iswctype(c, class) != 0;
			p = close;
			low = -1;
			continue;
		}
		p += range;
		p += *p == '\\';
		if (*p == '\0')
			return NULL;
		in |= c == (unsigned char)*p && !range;
		in |= range && c >= low && c <= (unsigned char)*p;
		low = range ? -1 : (unsigned char)*p;
	}
	*is_in = in != not;
	return known ? p + 1 : NULL;
}

/* The place after the first character of a pattern if that matches c, else
 * NULL.  Bytes are compared, as in git, whatever the locale. */
static const char *
matches_one(const char *p, char c)
{
	bool in = true;

	if (*p == '[' || *p == '?') {
		p = *p == '?' ? p + 1 : set_end(p + 1, (unsigned char)c, &in);
		return c != '/' && in ? p : NULL;
	}
	p += *p == '\\';
	return *p == c ? p + 1 : NULL;
}

/* Match a pattern with a path, or with a name.  Only the last star need be
 * retried, and the last "**": what comes before has matched as early as it
 * can. */
static bool
matches_path(const char *pattern, const char *path)
{
	const char *p = pattern, *star = NULL, *from = NULL, *next;
	const char *deep = NULL, *part = NULL;

	for (;;) {
		size_t stars = strspn(p, "*");
		/* a part made only of two or more stars */
		bool all = stars > 1 && (p == pattern || p[-1] == '/') &&
		    (p[stars] == '/' || p[stars] == '\0');

		p += stars;
		if (all && *p == '\0')
			return true;
		if (all) {
			deep = ++p;
			part = path;
			star = NULL;
		} else if (stars > 0) {
			star = p;
			from = path;
		} else if (*path == '\0' && *p == '\0') {
			return true;
		} else if (*path != '\0' &&
		    (next = matches_one(p, *path)) != NULL) {
			p = next;
			path++;
		} else if (star != NULL && *from != '\0' && *from != '/') {
			p = star;
			path = ++from;
		} else if (deep != NULL && (part = strchr(part, '/')) != NULL) {
			p = deep;
			path = ++part;
			star = NULL;
		} else {
			return false;
		}
	}
}

static bool
matches(const struct rule *r, const char *path, struct slice name)
{
	if (r->end != NULL)
		return slice_ends(name, r->end);
	if (!r->whole)
		return matches_path(r->pattern, name.p);
	path += r->base;
	return strncmp(r->pattern, path, r->plain) == 0 &&
	    matches_path(r->pattern + r->plain, path + r->plain);
}

/* ---- files of rules ---- */

/* Trailing spaces do not count, unless escaped. */
static void
trim_spaces(char *line)
{
	char *first = NULL;

	for (char *p = line; *p != '\0'; p++) {
		if (*p == ' ') {
			first = first != NULL ? first : p;
			continue;
		}
		if (*p == '\\' && *++p == '\0')
			return;
		first = NULL;
	}
	if (first != NULL)
		*first = '\0';
}

static void
add_rule(struct gitignore *g, size_t base, char *line)
{
	struct rule r = { .base = base, .negated = *line == '!' };
	char *p = line + r.negated;
	size_t n = strlen(p);
	bool in;

	if (n > 0 && p[n - 1] == '/') {
		r.dir_only = true;
		p[--n] = '\0';
	}
	if (n == 0)
		return;
	r.whole = strchr(p, '/') != NULL;
	p += *p == '/';
	/* a set that does not end matches nothing; one of 1 MB is not to be
	 * read for each file */
	for (const char *at = p; *at != '\0'; ) {
		at = *at == '[' ? set_end(at + 1, 0, &in) :
		    at + 1 + (*at == '\\' && at[1] != '\0');
		if (at == NULL)
			return;
	}
	r.pattern = xstrdup(p);
	r.plain = strcspn(p, SPECIAL);
	if (*p == '*' && !r.whole && strpbrk(p + 1, SPECIAL) == NULL)
		r.end = r.pattern + 1;
	GROW(g->v, g->n, g->cap);
	g->v[g->n++] = r;
}

/* Add the rules of a file; a missing one has none. */
static void
read_rules(struct gitignore *g, size_t base, int dirfd, const char *name)
{
	struct buf b = BUF_INIT(RULES_MAX);

	if (gitrepo_read(dirfd, name, &b, NULL) < 0)
		b.len = 0;
	char *p = b.p;
	char *end = b.len > 0 ? b.p + b.len : b.p;
	if (slice_starts(buf_view(&b), "\xef\xbb\xbf"))
		p += 3;
	while (p < end) {
		char *lf = memchr(p, '\n', (size_t)(end - p));
		char *stop = lf != NULL ? lf : end;

		*stop = '\0';		/* a buffer has room for one more */
		if (stop > p && stop[-1] == '\r')
			stop[-1] = '\0';
		trim_spaces(p);
		if (*p != '\0' && *p != '#')
			add_rule(g, base, p);
		p = stop + 1;
	}
	buf_release(&b);
}

/* ---- the user's own list ---- */

/* core.excludesFile from one of the user's configuration files. */
static char *
excludes_in(const char *path, const char *home)
{
	char *real = realpath(path, NULL), *found = NULL, *save = NULL;
	struct buf b = BUF_INIT(RULES_MAX);
	bool core = false;

	if (real == NULL || gitrepo_read(AT_FDCWD, real, &b, NULL) < 0)
		b.len = 0;
	for (char *p = b.len > 0 ? strtok_r(b.p, "\n", &save) : NULL;
	    p != NULL; p = strtok_r(NULL, "\n", &save)) {
		p += strspn(p, " \t");
		if (*p == '[')
			core = strncasecmp(p, "[core]", 6) == 0;
		if (!core || strncasecmp(p, "excludesfile", 12) != 0)
			continue;
		p += 12;
		p += strspn(p, " \t");
		if (*p != '=')
			continue;
		p++;
		p += strspn(p, " \t\"");
		p[strcspn(p, "\"\r#;")] = '\0';
		trim_spaces(p);
		free(found);
		found = strncmp(p, "~/", 2) == 0 ? xasprintf("%s%s", home,
		    p + 1) : xstrdup(p);
	}
	buf_release(&b);
	free(real);
	return found;
}

static void
read_own(struct gitignore *g)
{
	const char *global = getenv("GIT_CONFIG_GLOBAL");
	const char *x = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (home == NULL || home[0] != '/')
		return;
	char *config = x != NULL && x[0] == '/' ? xasprintf("%s/git", x) :
	    xasprintf("%s/.config/git", home);
	char *own = global != NULL ? xstrdup(global) :
	    xasprintf("%s/.gitconfig", home);
	char *path = excludes_in(own, home);
	free(own);
	if (path == NULL && global == NULL) {
		own = xasprintf("%s/config", config);
		path = excludes_in(own, home);
		free(own);
	}
	if (path == NULL)
		path = xasprintf("%s/ignore", config);
	char *real = realpath(path, NULL);
	if (real != NULL)
		read_rules(g, 0, AT_FDCWD, real);
	FREE(real, path, config);
}

/* ---- the repository ---- */

struct gitignore *
gitignore_new(const char *root, bool own, struct err *e)
{
	struct gitignore *g = xcalloc(1, sizeof *g);
	struct gitrepo repo = { NULL, NULL };
	struct gitindex *ix = &g->index;
	const char *rest = "";

	*e = (struct err){ .status = ST_OK };
	char *top = gitrepo_find(root, e);
	if (top != NULL)
		rest = root + strlen(top);
	rest += *rest == '/';
	g->prefix = *rest != '\0' ? xasprintf("%s/", rest) : xstrdup("");
	/* Python leaves it wherever it runs: no change that anybody made */
	char pycache[] = "__pycache__/";
	add_rule(g, 0, pycache);
	if (own)
		read_own(g);
	if (top != NULL && gitrepo_open(&repo, *top != '\0' ? top : "/",
	    e) > 0) {
		size_t n = strlen(g->prefix), to = 0;

		/* only entries beneath the prefix, with it taken off */
		gitindex_read(ix, repo.dir, e);
		for (size_t i = 0; i < ix->n; i++)
			if (strncmp(ix->v[i].path, g->prefix, n) == 0 &&
			    ix->v[i].path[n] != '\0') {
				ix->v[to] = ix->v[i];
				ix->v[to++].path += n;
			}
		ix->n = to;
		texts_add(&g->folders, xstrdup(repo.dir));
		char *path = xasprintf("%s/info", repo.common);
		if (access(path, F_OK) == 0)
			texts_add(&g->folders, xstrdup(path));
		free(path);
		path = xasprintf("%s/info/exclude", repo.common);
		read_rules(g, 0, AT_FDCWD, path);
		free(path);
	}
	/* the rules of the folders above the root */
	for (size_t i = 0; top != NULL && g->prefix[i] != '\0'; i++) {
		if (i > 0 && g->prefix[i - 1] != '/')
			continue;
		char *dir = xasprintf("%s/%.*s", top, (int)i, g->prefix);
		int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0) {
			read_rules(g, i, fd, ".gitignore");
			close(fd);
		}
		texts_add(&g->folders, dir);
	}
	gitrepo_release(&repo);
	free(top);
	return g;
}

/* Forget all but the first n rules. */
static void
leave(struct gitignore *g, size_t n)
{
	while (g->n > n)
		free(g->v[--g->n].pattern);
}

void
gitignore_free(struct gitignore *g)
{
	if (g == NULL)
		return;
	leave(g, 0);
	gitindex_release(&g->index);
	texts_release(&g->folders);
	FREE(g->prefix, g->v, g);
}

const struct gitindex *
gitignore_index(const struct gitignore *g)
{
	return &g->index;
}

const struct texts *
gitignore_folders(const struct gitignore *g)
{
	return &g->folders;
}

/* ---- the question ---- */

/* The last rule that matches decides. */
static bool
is_out(const struct gitignore *g, const char *rel, bool is_dir)
{
	char *full = g->prefix[0] != '\0' ? xasprintf("%s%s", g->prefix,
	    rel) : NULL;
	const char *path = full != NULL ? full : rel;
	struct slice name = slice_of(file_base(path));
	size_t i = g->n;

	while (i > 0 && ((g->v[i - 1].dir_only && !is_dir) ||
	    !matches(&g->v[i - 1], path, name)))
		i--;
	free(full);
	return i > 0 && !g->v[i - 1].negated;
}

/* Read the rules of the folder rel, open as dirfd, which is not kept. */
static void
enter(struct gitignore *g, int dirfd, const char *rel)
{
	size_t base = strlen(g->prefix) + strlen(rel) + (*rel != '\0');
	char all[] = "*";

	/* nothing in an ignored folder can be taken out of that */
	if (*rel != '\0' && is_out(g, rel, true))
		add_rule(g, base, all);
	else
		read_rules(g, base, dirfd, ".gitignore");
}

/* Is this entry of the most recently entered folder ignored?  A folder that
 * holds something tracked is not. */
static bool
is_ignored(const struct gitignore *g, const char *rel, bool is_dir)
{
	return !g->none && is_out(g, rel, is_dir) &&
	    !gitindex_has(&g->index, rel);
}

/* Enter the folders above rel, "" first. */
static void
enter_above(struct gitignore *g, int rootfd, const char *rel)
{
	enter(g, rootfd, "");
	for (size_t i = 0; rel[i] != '\0'; i++) {
		if (rel[i] != '/')
			continue;
		char *dir = xmemdup0(rel, i);
		int fd = openat(rootfd, dir, O_PATH | O_DIRECTORY | O_NOFOLLOW |
		    O_CLOEXEC);
		enter(g, fd, dir);
		file_close(fd);
		free(dir);
	}
}

bool
gitignore_path(struct gitignore *g, int rootfd, const char *rel)
{
	size_t n = g->n;

	enter_above(g, rootfd, rel);
	bool out = is_ignored(g, rel, false);
	leave(g, n);
	return out;
}

/* ---- all there is ---- */

static bool walk(struct gitignore *g, int fd, const char *rel, int depth,
    gitignore_visit *see, void *arg);

static bool
walk_one(struct gitignore *g, int dir, const char *base, const char *rel,
    int depth, gitignore_visit *see, void *arg)
{
	struct gitignore_seen s = { .rel = rel, .base = base, .dirfd = dir };
	struct stat st;

	if (fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno == ENOENT)
			return false;
		s.error = errno;
		return see(arg, &s) == GITIGNORE_STOP;
	}
	if (is_ignored(g, rel, S_ISDIR(st.st_mode))) {
		if (g->note != NULL)
			map_put(g->note, slice_of(rel), NULL);
		return false;
	}
	s.st = &st;
	enum gitignore_next next = see(arg, &s);
	if (next != GITIGNORE_ENTER || !S_ISDIR(st.st_mode))
		return next == GITIGNORE_STOP;
	errno = ELOOP;
	int fd = depth < DEPTH_MAX ? openat(dir, base, O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC) : -1;
	return walk(g, fd, rel, depth + 1, see, arg);
}

void
gitignore_note(struct gitignore *g, struct map *m)
{
	g->note = m;
}

/* Closes fd; -1: it could not be opened, see errno.  True: stopped. */
static bool
walk(struct gitignore *g, int fd, const char *rel, int depth,
    gitignore_visit *see, void *arg)
{
	struct gitignore_seen s = { .rel = rel, .dirfd = -1 };
	struct texts names = { .n = 0 };
	size_t n = g->n;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (d == NULL) {
		s.error = errno;
		file_close(fd);
		return s.error != ENOENT && see(arg, &s) == GITIGNORE_STOP;
	}
	enter(g, fd, rel);
	while (errno = 0, (e = file_readdir(d)) != NULL)
		if (strcasecmp(e->d_name, ".git") != 0)
			texts_add(&names, xstrdup(e->d_name));
	s.error = errno;	/* 0: it was read to its end */
	if (names.n > 0)
		qsort(names.v, names.n, sizeof *names.v, text_order);
	bool stop = s.error != 0 && see(arg, &s) == GITIGNORE_STOP;
	for (size_t i = 0; i < names.n && !stop; i++) {
		char *name = *rel != '\0' ? xasprintf("%s/%s", rel,
		    names.v[i]) : xstrdup(names.v[i]);

		stop = walk_one(g, fd, names.v[i], name, depth, see, arg);
		free(name);
	}
	texts_release(&names);
	leave(g, n);
	closedir(d);
	return stop;
}

bool
gitignore_walk(struct gitignore *g, int rootfd, gitignore_visit *see, void *arg)
{
	int fd = openat(rootfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return walk(g, fd, "", 0, see, arg);
}

bool
gitignore_walk_in(struct gitignore *g, int rootfd, int fd, const char *rel,
    gitignore_visit *see, void *arg)
{
	size_t n = g->n;

	if (*rel != '\0') {
		enter_above(g, rootfd, rel);
		g->none = is_ignored(g, rel, true);
	}
	bool stop = walk(g, fd, rel, 0, see, arg);
	g->none = false;
	leave(g, n);
	return stop;
}

bool
gitignore_is_nested(int dirfd, const char *base)
{
	char *dot = xasprintf("%s/.git", base);
	char *head = xasprintf("%s/HEAD", dot);
	struct stat st;
	bool yes = fstatat(dirfd, dot, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (!S_ISDIR(st.st_mode) ||
	    fstatat(dirfd, head, &st, AT_SYMLINK_NOFOLLOW) == 0);

	FREE(head, dot);
	return yes;
}
