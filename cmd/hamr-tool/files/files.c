/* files.c - the file tools: setup, what may be read, and shared steps. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "conf/conf_keys.h"
#include "conf/place.h"
#include "json/scan.h"
#include "stage/stage.h"

#include "edit.h"
#include "internal.h"
#include "replace.h"

#define LINKS_MS 1000		/* to look for all names of a file */
#define NEAR_NAMES 4096		/* of a folder, looked at for a near name */

struct files *
files_new(const char *root, struct err *e)
{
	struct files *f = xcalloc(1, sizeof *f);

	if (root_open(&f->root, root, e) < 0) {
		free(f);
		return NULL;
	}
	char *conf = conf_user_path();
	char *dir = conf != NULL ? file_folder(conf) : NULL;
	if (dir != NULL)
		f->skills = xasprintf("%s/skills/", dir);
	FREE(conf, dir);
	return f;
}

void
files_free(struct files *f)
{
	if (f == NULL)
		return;
	texts_release(&f->unsaved);
	files_reset(f);
	root_close(&f->root);
	FREE(f->skills, f);
}

void
files_turn(struct files *f)
{
	f->used = 0;
	proofs_turn(&f->proofs);
}

void
files_reset(struct files *f)
{
	proofs_reset(&f->proofs);
	files_turn(f);
}

bool
files_stopped(const struct files *f, long long deadline)
{
	return file_now_ms() >= deadline ||
	    (f->stage != NULL && stage_wait(f->stage, NULL, 0, 0) != 0);
}

/* ---- arguments ---- */

int64_t
arg_int(struct slice args, const char *key, int64_t def)
{
	struct slice v = scan_get(args, key);
	int64_t n;

	if (scan_int(v, &n))
		return n;
	struct slice s = scan_plain(v);
	return s.p != NULL && num_i64(s.p, s.n, &n) ? n : def;
}

bool
arg_is_search(struct slice args)
{
	struct slice query = scan_get(args, "query");

	return scan_kind(query) == SCAN_STRING && query.n > 2;
}

/* ---- names ---- */

bool
files_hidden(const struct files *f, const char *rel)
{
	char *path = xstrdup(rel), *end = path;
	bool yes = lists_secret(&f->lists, rel);
	struct stat st;

	/* it, or a folder above it, may have had such a name before */
	while (!yes && f->lists.known != NULL && f->lists.known->n > 0 &&
	    *end != '\0') {
		end += strcspn(end + 1, "/") + 1;
		char c = *end;
		*end = '\0';
		yes = fstatat(f->root.fd, path, &st, AT_SYMLINK_NOFOLLOW) ==
		    0 && file_is_known(f->lists.known, f->root.fd, path,
		    st.st_ino);
		*end = c;
	}
	free(path);
	return yes;
}

struct gitignore *
files_rules(struct files *f)
{
	struct stat st;
	struct err e;
	bool own = geteuid() != 0 || (fstat(f->root.fd, &st) == 0 &&
	    st.st_uid == 0);

	/* root's own ignore list does not apply to another owner's files */
	struct gitignore *g = gitignore_new(f->root.real, own, &e);
	/* ST_POLICY: another user owns it, which was reported when the root
	 * was found */
	if (e.text[0] != '\0' && e.status != ST_POLICY && !f->told) {
		f->told = true;
		err_say("%s; nothing is taken as tracked by git", e.text);
	}
	return g;
}

bool
files_walk(struct files *f, const char *rel, gitignore_visit *see, void *arg)
{
	struct gitignore *g = files_rules(f);
	int fd = path_open(&f->root, rel, O_RDONLY | O_DIRECTORY);
	struct gitignore_seen s = { .rel = rel, .dirfd = -1, .error = errno };
	bool stop = false;

	if (fd >= 0)
		stop = gitignore_walk_in(g, f->root.fd, fd, rel, see, arg);
	else if (errno != ENOENT)
		stop = see(arg, &s) == GITIGNORE_STOP;
	gitignore_free(g);
	return stop;
}

bool
files_skips(const struct files *f, const struct gitignore_seen *s)
{
	return s->base != NULL && (replace_is_temporary(s->base) ||
	    lists_secret(&f->lists, s->rel) || (f->lists.known != NULL &&
	    s->st != NULL && file_is_known(f->lists.known, s->dirfd, s->base,
	    s->st->st_ino)));
}

bool
files_ignored(struct files *f, const char *rel)
{
	struct gitignore *g = files_rules(f);
	bool yes = gitignore_path(g, f->root.fd, rel);
	gitignore_free(g);
	return yes;
}

/* Count the names of each file with several in the folder rel ("" is the root),
 * open at name in at, and below it: the number, doubled, and 1 if one is a
 * secret's.  Does not follow symbolic links. */
static void
count_links(const struct files *f, struct map *names, int at, const char *name,
    const char *rel, long long until)
{
	DIR *d = strlen(rel) < PATH_TEXT_MAX ? file_opendir(at, name) : NULL;
	struct dirent *e;
	struct stat st;

	while (d != NULL && file_now_ms() < until &&
	    (e = file_readdir(d)) != NULL) {
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) <
		    0 || !(S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) &&
		    st.st_nlink > 1)))
			continue;
		char *path = xasprintf("%s%s%s", rel, *rel != '\0' ? "/" : "",
		    e->d_name);
		if (S_ISREG(st.st_mode)) {
			uint64_t *n = map_put(names, FILE_KEY(&st), NULL);

			*n = (*n + 2) | lists_secret(&f->lists, path);
		} else {
			count_links(f, names, dirfd(d), e->d_name, path,
			    until);
		}
		free(path);
	}
	file_closedir(d);
}

bool
files_foreign(struct files *f, const char *rel, const struct stat *st,
    struct links *kept)
{
	struct links once = { .rules = NULL }, *l = kept != NULL ? kept : &once;

	if (st->st_nlink <= 1 || !S_ISREG(st->st_mode))
		return false;
	if (l->names.n == 0)
		count_links(f, &l->names, f->root.fd, ".", "", file_now_ms() +
		    LINKS_MS);
	const uint64_t *n = map_get(&l->names, FILE_KEY(st));
	bool foreign = n == NULL || *n / 2 < st->st_nlink;
	if (foreign && l->rules == NULL)
		l->rules = files_rules(f);
	if (foreign)
		foreign = gitindex_find(gitignore_index(l->rules), rel) ==
		    NULL;
	foreign |= n != NULL && (*n & 1) != 0;
	links_release(&once);
	return foreign;
}

void
links_release(struct links *l)
{
	map_release(&l->names);
	gitignore_free(l->rules);
	l->rules = NULL;
}

void
files_fault(struct result *r, const struct fault *fault)
{
	result_error(r, fault->code, "%s", fault->err.text);
}

void
files_missing(const struct files *f, const char *rel, struct fault *fault)
{
	char *missing = xstrdup(rel), *folder, *near = NULL;
	struct dirent *e;
	int fd;

	/* the first part that is missing, and the last folder that is not */
	while (folder = file_folder(missing), (fd = path_open(&f->root, folder,
	    O_RDONLY | O_DIRECTORY)) < 0 && strcmp(folder, ".") != 0) {
		free(missing);
		missing = folder;
	}
	/* the entry there whose name is UTF-8 and spelled most like it: at
	 * most about a fifth of the letters differ */
	const char *name = file_base(missing);
	size_t least = strlen(name) * 3 / 5 + 2;
	DIR *d = fd >= 0 ? file_opendir(fd, ".") : NULL;
	for (int n = 0; n < NEAR_NAMES && (e = file_readdir(d)) != NULL; n++) {
		size_t far = strcasecmp(name, e->d_name) == 0 ? 0 :
		    conf_distance(name, e->d_name);
		char *path = strcmp(folder, ".") == 0 ? xstrdup(e->d_name) :
		    xasprintf("%s/%s", folder, e->d_name);

		if (far < least && !replace_is_temporary(e->d_name) &&
		    utf8_check(path, strlen(path)) == strlen(path) &&
		    !files_hidden(f, path)) {
			least = far;
			xset(&near, path);
		} else
			free(path);
	}
	file_closedir(d);
	file_close(fd);
	char *wanted = path_name(rel);
	char *there = path_name(near != NULL ? near : folder);
	fault_set(fault, "not_found", near != NULL ?
	    "%s does not exist; did you mean %s?" :
	    "%s does not exist; read %s to see what does", wanted, there);
	FREE(there, wanted, near, folder, missing);
}

void
files_put_state(struct buf *list, const char *rel, const char *sha)
{
	scan_put(list, "${'path':", scan_comma(list));
	path_quote(list, rel);
	scan_put(list, ",'sha256':?}", slice_of(*sha != '\0' ? sha : NULL));
}

void
files_path_meta(struct result *r, const char *rel)
{
	if (rel == NULL)
		return;
	buf_adds(&r->meta, "\"path\":");
	path_quote(&r->meta, *rel != '\0' ? rel : ".");
	buf_addc(&r->meta, ',');
}

int
files_find(struct files *f, struct slice text, struct path *p,
    struct fault *fault)
{
	if (path_find(&f->root, text, p, fault) < 0)
		return -1;
	const char *rel = files_hidden(f, p->rel) ? p->rel : NULL;
	for (size_t i = 0; rel == NULL && i < p->links.n; i++)
		if (lists_secret(&f->lists, p->links.v[i]))
			rel = p->links.v[i];
	if (rel == NULL)
		return 0;
	char *name = path_name(rel);
	fault_set(fault, "denied", "%s is protected from reading and writing",
	    name);
	free(name);
	return -1;
}

bool
is_refusal(const char *code)
{
	return strcmp(code, "denied") == 0 ||
	    strcmp(code, "bad_arguments") == 0;
}

/* ---- contents ---- */

bool
files_load(int fd, const char *rel, struct stat *st, struct buf *text,
    struct fault *fault)
{
	char *name = path_name(rel);
	struct err e;

	fault->code = NULL;
	if (fstat(fd, st) < 0)
		fault_sys(fault, "cannot be read", rel);
	else if (!S_ISREG(st->st_mode))
		fault_set(fault, "denied", "%s is not a regular file", name);
	else if (st->st_size > (off_t)FILE_MAX)
		fault_set(fault, "too_large", "%s is larger than 64 MiB; use "
		    "bash", name);
	else if (file_read_fd(fd, name, text, &e) < 0)
		fault_set(fault, e.status == ST_DATA ? "too_large" : "denied",
		    "%s", e.text);
	free(name);
	return fault->code == NULL;
}

void
files_note_unsaved(struct files *f, const char *rel, bool is)
{
	struct texts *t = &f->unsaved;
	size_t i = 0;

	while (i < t->n && strcmp(t->v[i], rel) != 0)
		i++;
	if (is && i == t->n) {
		texts_add(t, xstrdup(rel));
	} else if (!is && i < t->n) {
		free(t->v[i]);
		t->v[i] = t->v[--t->n];
	}
}

char *
files_ask_editor(struct files *f, const char *rel, const char *text)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (utf8_check(rel, strlen(rel)) < strlen(rel))
		return NULL;
	char *path = xasprintf("%s/%s", f->root.real, rel);
	char *id = xasprintf("f%zu", ++f->nasked);
	scan_put(&b, "{'type':'file','id':@,'op':@,'path':@", slice_of(id),
	    slice_of(text != NULL ? "write" : "read"), slice_of(path));
	if (text != NULL)
		scan_put(&b, ",'content':@", slice_of(text));
	buf_addc(&b, '}');
	char *line = stage_ask(f->stage, R_FILE, buf_view(&b), R_FILE, id);
	char *content = line == NULL ? NULL :
	    scan_strdup(scan_get(slice_of(line), "content"));
	buf_release(&b);
	FREE(path, id, line);
	return content;
}

bool
files_load_shown(struct files *f, int fd, const char *rel, struct stat *st,
    struct buf *text, struct buf *disk, bool *unsaved, struct fault *fault)
{
	struct buf shown = BUF_INIT(FILE_MAX);

	*unsaved = false;
	if (!files_load(fd, rel, st, text, fault))
		return false;
	char *content = f->editor_reads ? files_ask_editor(f, rel, NULL) : NULL;
	struct slice file = buf_view(text);
	f->hides_bom = content != NULL && slice_starts(file, BOM) &&
	    !slice_starts(slice_of(content), BOM);
	if (f->hides_bom)
		buf_adds(&shown, BOM);
	if (content != NULL && buf_adds(&shown, content) == 0) {
		/* editors hold lines: take the line endings, and whether the
		 * last line has one, from the file */
		if (shown.len > 0 && shown.p[shown.len - 1] != '\n' &&
		    slice_ends(file, "\n"))
			buf_addc(&shown, '\n');
		if (is_crlf(file) && !slice_has(buf_view(&shown), "\r"))
			text_to_crlf(&shown);
		*unsaved = !shown.over &&
		    !slice_eq(buf_view(&shown), buf_view(text));
		files_note_unsaved(f, rel, *unsaved);
	}
	if (*unsaved) {
		if (disk != NULL)
			buf_slice(disk, buf_view(text));
		buf_reset(text);
		buf_slice(text, buf_view(&shown));
	}
	free(content);
	buf_release(&shown);
	return true;
}

bool
is_binary(struct slice text)
{
	size_t n = text.n < BINARY_LOOK ? text.n : BINARY_LOOK;

	return n > 0 && memchr(text.p, '\0', n) != NULL;
}

bool
is_crlf(struct slice text)
{
	const char *end = text.p + text.n;
	struct slice line;
	bool any = false;

	while (slice_line(&text, &line) && line.p + line.n < end) {
		if (line.n == 0 || line.p[line.n - 1] != '\r')
			return false;
		any = true;
	}
	return any;
}

bool
files_judge(struct files *f, const char *tool, struct slice args,
    struct result *r)
{
	int64_t first = arg_int(args, "first", 1);
	int64_t last = arg_int(args, "last", INT64_MAX);
	struct fault fault = { 0 };
	struct path p = { 0 };
	bool search = arg_is_search(args);

	if (strcmp(tool, "read") != 0 && strcmp(tool, "view_image") != 0)
		return files_judge_change(f, strcmp(tool, "edit") == 0, args,
		    r);
	char *path = arg_path(f, args);
	struct slice text = slice_of(path);
	if (path == NULL && !search) {
		result_error(r, "bad_arguments",
		    "read needs a path or a query");
	} else if (text.n == 0 || slice_is(text, "/dev/null") ||
	    (tool[0] == 'r' && !search && files_is_skill(f, text))) {
		;
	} else if (files_find(f, text, &p, &fault) < 0) {
		/* other errors are reported by the call itself */
		if (is_refusal(fault.code))
			files_fault(r, &fault);
	} else if (!search && last < first && p.exists &&
	    S_ISREG(p.st.st_mode)) {
		files_path_meta(r, p.rel);
		result_error(r, "bad_arguments", "last (%lld) is before first "
		    "(%lld)", (long long)last, (long long)first);
	}
	path_release(&p);
	free(path);
	return r->code == NULL;
}

/* ---- the budget of a turn ---- */

bool
files_over_budget(struct files *f, struct slice args, struct result *r)
{
	if (files_budget_left(f) >= ROOM_MIN || repeated_by(f, args) != NULL)
		return false;
	buf_fmt(&r->content, "not read: this turn's reads have used up their "
	    "budget; %s%s\n", f->may_write ?
	    "make the change with edit" : "answer from what was read",
	    f->memory ? ", or look up what was read with search_memory" :
	    "");
	return true;
}

void
files_known(struct files *f, struct slice args, struct result *r)
{
	struct cached *e = repeated_by(f, args);

	if (e == NULL || e->from == 0)
		return;
	buf_end_line(&r->content);
	repeated_line(e, &r->content);
}

size_t
files_budget_left(const struct files *f)
{
	return f->turn_cap - num_min(f->used, f->turn_cap);
}

size_t
files_room(const struct files *f)
{
	return num_min(f->result_cap, files_budget_left(f));
}

bool
files_read_is_sure(const struct files *f, size_t n)
{
	size_t left = files_budget_left(f);

	return f->turn_cap == SIZE_MAX || n == 0 || (left >= ROOM_MIN &&
	    (left - ROOM_MIN) / n >= f->result_cap);
}

/* ---- before a call ---- */

bool
files_walks(struct files *f, struct slice args)
{
	char *path = scan_strdup(scan_get(args, "path"));
	struct path p = { 0 };
	bool slow = scan_kind(scan_get(args, "query")) == SCAN_STRING;

	if (!slow && path != NULL &&
	    path_find(&f->root, slice_of(path), &p, NULL) == 0)
		slow = p.exists && S_ISDIR(p.st.st_mode);
	path_release(&p);
	free(path);
	return slow;
}
