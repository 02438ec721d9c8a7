/* list.c - read of a folder: list its entries. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#include "internal.h"

#define LIST_MAX 300		/* entries shown */
#define COUNT_MAX 100000	/* entries counted */
#define DEPTH_DEFAULT 2
#define DEPTH_MAX 8		/* of the schema */
#define LIST_TAIL 64		/* room kept for "[n more]" */

struct entry {
	struct slice line;	/* as shown, with its LF */
	int depth;		/* 1: in the folder itself */
};

struct listing {
	struct files *f;
	size_t skip;		/* bytes of a true name before the part
				 * relative to the listed folder */
	int depth;		/* levels to list */
	long long deadline;
	struct entry *v;
	size_t n, cap, unread;
	struct arena lines;
	long long bytes;	/* of them all */
	size_t at_depth[DEPTH_MAX + 1];
};

static enum gitignore_next
see(void *arg, const struct gitignore_seen *s)
{
	struct listing *l = arg;
	struct buf line = BUF_INIT(BUF_RECORD_MAX);
	int depth = 1;
	char target[PATH_TEXT_MAX + 1];

	if (files_skips(l->f, s))
		return GITIGNORE_PASS;
	if (s->st == NULL) {
		l->unread++;
		return GITIGNORE_PASS;
	}
	for (const char *p = s->rel + l->skip; *p != '\0'; p++)
		depth += *p == '/';
	mode_t mode = s->st->st_mode;
	path_show(&line, s->rel + l->skip);
	if (S_ISDIR(mode)) {
		buf_addc(&line, '/');
	} else if (S_ISLNK(mode)) {
		ssize_t n = readlinkat(s->dirfd, s->base, target, sizeof target
		    - 1);
		target[n > 0 ? n : 0] = '\0';
		buf_adds(&line, " -> ");
		path_show(&line, n > 0 ? target : "?");
	} else if (S_ISREG(mode)) {
		buf_fmt(&line, "\t%lld", (long long)s->st->st_size);
	} else {
		buf_fmt(&line, "\t%s", S_ISFIFO(mode) ? "FIFO" :
		    S_ISSOCK(mode) ? "socket" : "device");
	}
	buf_addc(&line, '\n');
	GROW(l->v, l->n, l->cap);
	l->v[l->n++] = (struct entry){ { arena_dup(&l->lines, line.p,
	    line.len), line.len }, depth };
	l->bytes += (long long)line.len;
	l->at_depth[depth]++;
	buf_release(&line);
	return l->n >= COUNT_MAX || files_stopped(l->f, l->deadline) ?
	    GITIGNORE_STOP : depth < l->depth ? GITIGNORE_ENTER :
	    GITIGNORE_PASS;
}

void
list_run(struct files *f, const struct path *p, struct slice args,
    struct result *r)
{
	size_t room = files_room(f), left = LIST_MAX, shown = 0;
	int whole = 0;
	struct listing l = { .f = f, .skip = strlen(p->rel),
		.depth = (int)arg_int(args, "depth", DEPTH_DEFAULT),
		.deadline = file_now_ms() + WALK_MS };

	l.skip += l.skip > 0;
	bool cut = files_walk(f, p->rel, see, &l);
	room -= room > LIST_TAIL ? LIST_TAIL : room;
	/* show the upper levels whole before anything of a lower one, so that
	 * one large folder does not crowd out its neighbors; still in path
	 * order */
	while (whole < DEPTH_MAX && l.at_depth[whole + 1] <= left)
		left -= l.at_depth[++whole];
	for (size_t i = 0; i < l.n; i++) {
		const struct entry *e = &l.v[i];

		if (e->depth > whole + 1 || (e->depth > whole && left == 0))
			continue;
		if (r->content.len + e->line.n > room)
			break;
		left -= e->depth > whole;
		buf_slice(&r->content, e->line);
		shown++;
	}
	if (l.n == 0 && l.unread == 0)
		buf_adds(&r->content, "[nothing to show]\n");
	if (l.unread > 0)
		buf_fmt(&r->content, "[%zu not readable]\n", l.unread);
	if (shown < l.n || cut) {
		buf_fmt(&r->content, "[%zu%s more]\n", l.n - shown,
		    cut ? " or" : "");
		r->truncated = true;
		r->bytes = l.bytes;
	}
	scan_put(&r->meta, "'op':'list',");
	arena_release(&l.lines);
	free(l.v);
}
