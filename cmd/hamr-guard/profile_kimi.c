/* profile_kimi.c - the ProgressDetector proposed for kimi-code.
 *
 * A step is idle when no file changed, no background task was started or
 * moved, and nothing of 60 characters came that this turn had not seen.
 * After 8 of them a reminder, and one step without tools.
 */
#include <string.h>

#include "hset.h"
#include "ids.h"
#include "mem.h"
#include "profile.h"
#include "text_hash.h"
#include "utf8.h"

#define STALL 8
#define GAIN 60			/* characters */
#define SEEN_OUTPUTS 65536

struct kimi {
	struct hset outputs;	/* whole ones, as there */
	struct map dirty;	/* paths that commands changed */
	struct book tasks;	/* by call: n is a hash of its last output */
	bool moved;		/* in this step */
	unsigned long idle;
	struct ids last;	/* calls of these steps */
};

static const char *const keys[] = {
	"loop_control.progress_stall_threshold",
	"loop_control.progress_min_info_gain_length", NULL };

static void
idle_end(struct kimi *s)
{
	ids_clear(&s->last);
	s->idle = 0;
}

static void
turn(struct profile *p)
{
	struct kimi *s = profile_self(p);

	idle_end(s);
	hset_release(&s->outputs);
	map_release(&s->dirty);
	book_clear(&s->tasks);
	*s = (struct kimi){ .outputs = { .max = SEEN_OUTPUTS } };
}

/* What `git status --porcelain` would show: an edit or a write always counts
 * (they said so themselves), a command only with a file it had not changed
 * before. */
static bool
changed_files(struct kimi *s, const struct pcall *c,
    const struct presult *res)
{
	struct slice m = msg_meta(res->r, "mutated"), el;
	bool fresh, any = false;
	struct walk w;

	if (c->about.edits)
		return !res->failed;
	if (!res->mutated || scan_kind(m) != SCAN_ARRAY)
		return res->mutated;
	walk_in(&w, m);
	while (walk_next(&w, NULL, &el)) {
		struct slice path = scan_get(el, "path");

		if (path.p == NULL || s->dirty.n >= BOOK_MAX)
			continue;
		map_put(&s->dirty, path, &fresh);
		any |= fresh;
	}
	return any;
}

/* A command put into the background, or a look at a task that has moved. */
static bool
moved_task(struct kimi *s, const struct pcall *c, const struct presult *res,
    uint64_t hash)
{
	static const char *const looks[] = { "TaskOutput", "TaskList",
		"TaskStop", "BashOutput", "KillShell", "process", NULL };
	unsigned long now = (unsigned long)(hash | 1);
	struct page *e;
	bool moved;

	if (!res->failed && c->background)
		return true;
	for (size_t i = 0; looks[i] != NULL; i++)
		if (strcmp(c->tool, looks[i]) == 0) {
			e = book_page(&s->tasks, slice_of(c->sorted));
			moved = e->n != now;
			e->n = now;
			return moved;
		}
	return false;
}

static struct slice
trimmed(struct slice t)
{
	while (t.n > 0 && strchr(" \t\r\n", t.p[t.n - 1]) != NULL)
		t.n--;
	while (t.n > 0 && strchr(" \t\r\n", *t.p) != NULL)
		t = (struct slice){ t.p + 1, t.n - 1 };
	return t;
}

static void
result(struct profile *p, struct pcall *c, const struct presult *res)
{
	struct kimi *s = profile_self(p);
	struct slice text = trimmed(res->text);
	uint64_t hash = text_hash(text.p, text.n, 0);

	s->moved |= changed_files(s, c, res);
	s->moved |= moved_task(s, c, res, hash);
	if (!res->failed && utf8_count(text.p, text.n) >=
	    profile_key(p, keys[1], GAIN) && hset_add(&s->outputs, hash))
		s->moved = true;
}

static void
step(struct profile *p, struct pcall *last)
{
	struct kimi *s = profile_self(p);
	unsigned long stall = profile_key(p, keys[0], STALL);
	bool moved = s->moved;

	s->moved = false;
	if (moved) {
		idle_end(s);
		return;
	}
	ids_add(&s->last, last->id, last->line, 0);
	if (++s->idle < stall)
		return;
	profile_say(p, last, &(struct remark){ .action = ACT_WARN,
	    .rule = RULE_STALL, .count = s->idle, .level = 1, .warn = stall,
	    .id = s->last.id, .line = s->last.line, .nid = s->last.n,
	    .word = PW_KIMI_STALL });
	profile_text_only(p, RULE_STALL);
	idle_end(s);
}

const struct profile_ops profile_kimi = { .name = "kimi",
	.about = "8 steps without a change or news: one step of text",
	.keys = keys, .size = sizeof(struct kimi), .turn = turn, .result = result,
	.step = step };
