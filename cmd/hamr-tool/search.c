/* search.c - read with a query: the lines that match, with their context. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"

#include "search_in.h"

#define CONTEXT_DEFAULT 2
#define CONTEXT_MAX 20
#define NOTES_ROOM 300		/* of the room, for what put_notes says */
#define REGEX_MEMORY ((rlim_t)512 << 20)
#define DEPTH 4096		/* folders: as deep as a path can be */

static void
search_all(struct search *s, const struct path *p)
{
	struct ignored *ig;
	bool stopped;

	if (!S_ISDIR(p->st.st_mode)) {
		struct seen one = { p->rel, &p->st, -1, NULL };

		stopped = search_file(s, &one);
	} else {
		ig = ignored_load(s->f, p->rel);
		stopped = tree_walk(s->f, ig, p->rel, DEPTH, search_file, s);
		ignored_free(ig);
	}
	s->found->done = !stopped || s->found->matches >= MATCHES_MAX;
	buf_release(&s->text);
}

/* The part of search_apart that runs in a process of its own. */
static _Noreturn void
search_child(struct search *s, const struct path *p)
{
#ifndef __SANITIZE_ADDRESS__
	struct rlimit memory = { REGEX_MEMORY, REGEX_MEMORY };

	setrlimit(RLIMIT_AS, &memory);
#endif
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* stdin and stdout are the parent's: it looks for a cancel */
	files_stop(s->f, NULL, NULL);
	int e = regcomp(&s->re, s->query.p, REG_EXTENDED);
	if (e != 0) {
		regerror(e, &s->re, s->found->text, 256);
		_exit(ST_NO);
	}
	search_all(s, p);
	_exit(ST_OK);
}

/* A regular expression of the model's may take for ever, eat all memory, or
 * break the C library's matcher, so a process of its own runs it and can be
 * stopped.  Its wait status; -1 when there is none. */
static int
search_apart(struct search *s, const struct path *p)
{
	pid_t pid = fork();
	int fd, status = -1;

	if (pid == 0)
		search_child(s, p);
	if (pid < 0)
		return -1;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	for (;;) {
		struct pollfd w = { fd, POLLIN, 0 };

		if (fd < 0 || poll(&w, 1, 50) > 0)
			break;
		if (files_stopped(s->f, s->deadline + 200)) {
			kill(pid, SIGKILL);
			break;
		}
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (fd >= 0)
		close(fd);
	return status;
}

static bool
search_regex(struct search *s, const struct path *p, struct result *r)
{
	int status = search_apart(s, p);

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return true;	/* out of time: what was found is there */
	if (WIFEXITED(status) && WEXITSTATUS(status) == ST_OK)
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == ST_NO)
		result_error(r, "bad_arguments", "query is no POSIX extended "
		    "expression: %s; without regex it is searched for "
		    "literally", s->found->text);
	else
		result_error(r, "bad_arguments", "the expression is too "
		    "complex; simplify it, or leave regex out");
	return false;
}

/* ---- the call ---- */

static void
put_notes(const struct search *s, const char *where, struct result *r)
{
	const struct found *o = s->found;

	if (o->matches == 0) {
		buf_adds(&r->content, "no match in ");
		path_show(&r->content, where);
		buf_addc(&r->content, '\n');
	}
	if (o->more)
		buf_fmt(&r->content, "[more: %ld%s matches in all; narrow "
		    "the query or give a path]\n", o->matches,
		    o->matches >= MATCHES_MAX ? " or more" : "");
	if (o->skipped > 0)
		buf_fmt(&r->content, "[%ld file%s over 16 MiB not "
		    "searched]\n", o->skipped, o->skipped == 1 ? "" : "s");
	if (o->unread > 0)
		buf_fmt(&r->content, "[%ld file%s or folder%s could not be "
		    "read]\n", o->unread, o->unread == 1 ? "" : "s",
		    o->unread == 1 ? "" : "s");
	if (!o->done)
		buf_adds(&r->content, "[stopped before everything was "
		    "searched; narrow it with a path]\n");
}

void
search_run(struct files *f, const struct path *p, struct slice args,
    struct result *r)
{
	struct buf query = BUF_INIT(BUF_RECORD_MAX);
	struct search s = { .f = f, .regex = arg_bool(args, "regex"),
		.text = BUF_INIT(SEARCH_FILE_MAX + 4) };
	struct found *o = NULL;
	int64_t context = arg_int(args, "context", CONTEXT_DEFAULT);

	arg_str(args, "query", &query);
	s.query = buf_view(&query);
	s.context = context < 0 ? 0 : context > CONTEXT_MAX ? CONTEXT_MAX :
	    (long)context;
	s.deadline = file_now_ms() + WALK_MS;
	s.room = files_room(f);
	s.room -= s.room > NOTES_ROOM ? NOTES_ROOM : s.room;
	s.room = s.room > TEXT_MAX ? TEXT_MAX : s.room;
	o = mmap(NULL, sizeof *o, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (o == MAP_FAILED) {
		o = NULL;
		result_error(r, "spawn_failed", "no memory for the search");
		goto out;
	}
	s.found = o;
	if (!s.regex)
		search_all(&s, p);
	else if (!search_regex(&s, p, r))
		goto out;
	buf_add(&r->content, o->text, o->len);
	put_notes(&s, p->rel, r);
	r->truncated = o->cut || o->more || !o->done;
	r->lossy = o->lossy;
	json_str(r->meta, "op", "search");
	json_slice(r->meta, "query", s.query);
	json_int(r->meta, "matches", o->matches);
out:
	if (o != NULL)
		munmap(o, sizeof *o);
	buf_release(&query);
}
