/* systems.c - what five other systems would say, call by call.  Numbers are
 * their defaults. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "internal.h"

#define CALLS_MAX 16		/* calls that a reminder rests on */

/* ---- the original Hamr's limits ----
 *
 * Reads of one path and range, commands since the last edit, reads of a turn,
 * steps without a change. */

#define READ_HALT 5		/* the same path and range */
#define READ_WARN 3
#define BASH_HALT 4
#define READS_WARN 32
#define READS_MAX 64
#define STEPS 8			/* without a change: levels 1, 2, 3 */
#define LEVELS 3

static void
hamr_call(struct foreign *p, struct open_call *c)
{
	bool bash = c->is.bash;
	unsigned long halt = bash ? BASH_HALT : READ_HALT, n;
	struct verdict v = { .rule = RULE_REPEAT, .halt = halt };

	if (!bash && !c->is.looks)
		return;
	struct streak *e = streaks_put(bash ? &p->m.results : &p->m.calls,
	    c->is.sig);
	v.count = n = e->n + 1;
	v.evidence = e->calls.c;
	v.nevidence = e->calls.n;
	if (n >= halt) {
		v.action = ACT_HALT;
		foreign_put(p, c, &v, bash ? A_HAMR_BASH_HALT :
		    A_HAMR_READ_HALT, NULL);
		return;
	}
	if (!bash && p->m.total >= READS_MAX) {
		foreign_put(p, c, &(struct verdict){ .action = ACT_BLOCK,
		    .rule = RULE_READS, .count = p->m.total + 1,
		    .block = READS_MAX }, A_READS_BLOCK, NULL);
		return;
	}
	if (!bash && n >= 2) {
		v.action = ACT_WARN;
		v.level = n >= READ_WARN;
		v.warn = READ_WARN;
		foreign_put(p, c, &v, v.level ? A_HAMR_READ : A_HAMR_CACHED,
		    NULL);
	}
	if (!bash && ++p->m.total == READS_WARN)
		foreign_put(p, c, &(struct verdict){ .action = ACT_WARN,
		    .rule = RULE_READS, .count = p->m.total, .level = 1,
		    .warn = READS_WARN, .block = READS_MAX + 1 },
		    A_HAMR_READS, NULL);
	foreign_count(e, c);
}

static void
hamr_result(struct foreign *p, struct open_call *c,
    const struct foreign_result *res)
{
	if (!c->is.edits || res->failed)
		return;
	streaks_clear(&p->m.results);
	p->m.moved = true;
}

static void
hamr_step(struct foreign *p, struct open_call *last)
{
	struct memory *m = &p->m;
	struct verdict v = { .action = ACT_WARN, .rule = RULE_NO_MUTATION,
		.warn = STEPS };

	m->idle = m->moved ? 0 : m->idle + 1;
	m->moved = false;
	if (m->idle < STEPS || !p->guard->patch)
		return;
	v.count = m->idle;
	v.level = m->idle - STEPS + 1;
	if (v.level > LEVELS)
		v.level = LEVELS;
	foreign_put(p, last, &v, A_HAMR_STEPS_1 + (enum advice)v.level - 1,
	    NULL);
}

const struct system system_hamr = {
	.call = hamr_call, .result = hamr_result, .step = hamr_step };

/* ---- OpenFang's LoopGuard, with its outcome half wired (loop_guard.rs) ----
 *
 * Totals of name and arguments in a turn; a ring of the last calls for
 * ping-pong; a breaker over all calls. */

#define WARNINGS 3		/* of one call; the next one blocks */
#define COMMAND_MAX 50		/* longer commands are not polls */
#define RESULT_MAX 1000		/* bytes of a result that are compared */

enum { OF_WARN, OF_BLOCK, OF_POLL, OF_BREAKER, OF_SAME_WARN, OF_SAME_BLOCK,
	OF_LAPS, OF_RING };

static bool
has_word(const char *text, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strcasestr(text, *words) != NULL)
			return true;
	return false;
}

/* Do the last calls repeat a pattern of 2 or 3 calls, not all the same?
 * Returns its period, or 0. */
static size_t
ping_pong(const struct call_row *s, unsigned long least, unsigned long *laps)
{
	for (size_t k = 2; k <= 3; k++) {
		const struct call_ref *last = s->c + s->n - 1;
		size_t same = 0, differ = 0;

		while (same + k < s->n && last[-(ptrdiff_t)same].hash ==
		    last[-(ptrdiff_t)(same + k)].hash)
			same++;
		for (size_t i = 1; i < k && s->n >= k; i++)
			differ += last[-(ptrdiff_t)i].hash != last->hash;
		*laps = (same + k) / k;
		if (differ > 0 && *laps >= least)
			return k;
	}
	return 0;
}

static void
judge_count(struct foreign *p, struct open_call *c, struct streak *e)
{
	/* a short shell command that checks something, or any call whose
	 * arguments mention status, poll or wait: substrings, as in the
	 * original */
	static const char *const any[] = { "status", "poll", "wait", NULL };
	static const char *const shell[] = { "status", "poll", "wait",
		"watch", "tail", "ps ", "jobs", "pgrep", "docker ps",
		"kubectl get", NULL };
	const struct call_row *row = &p->m.row;
	const struct seen *s = c->seen;
	bool polls = has_word(s->args, any);
	char *command = NULL;

	if (s->parsed && (c->is.bash || strcmp(c->tool, "shell_exec") == 0))
		command = scan_strdup(scan_get(slice_of(s->args), "command"));
	if (command != NULL && strlen(command) < COMMAND_MAX)
		polls |= has_word(command, shell);
	free(command);
	unsigned long times = polls ? p->limit[OF_POLL] : 1;
	unsigned long least = p->limit[OF_LAPS];
	struct verdict v = { .rule = RULE_REPEAT, .count = e->n + 1ul,
		.warn = times * p->limit[OF_WARN],
		.block = times * p->limit[OF_BLOCK],
		.evidence = e->calls.c, .nevidence = e->calls.n,
		.poll = times > 1, .level = 1 };
	struct facts f = { .wait = 0 };
	enum advice a;

	/* the waits begin with the second check */
	if (e->n > 0)
		f.wait = advice_wait(e->n - 1);
	v.action = ACT_BLOCK;
	if (v.count >= v.block) {
		a = A_OPENFANG_BLOCK;
	} else if (v.count >= v.warn && ++e->warnings > WARNINGS) {
		a = A_OPENFANG_EXHAUSTED;
	} else if (v.count >= v.warn) {
		v.action = ACT_WARN;
		a = v.poll ? A_OPENFANG_POLL : A_OPENFANG_WARN;
	} else {
		v = (struct verdict){ .action = ACT_BLOCK,
			.rule = RULE_CYCLE, .block = least };
		v.period = ping_pong(row, least, &v.laps);
		if (v.period == 0)
			return;
		v.count = v.laps;
		v.nevidence = v.period * least - 1;
		v.evidence = row->c + row->n - 1 - v.nevidence;
		a = A_OPENFANG_PING_PONG;
	}
	foreign_put(p, c, &v, a, &f);
}

static void
openfang_call(struct foreign *p, struct open_call *c)
{
	unsigned long breaker = p->limit[OF_BREAKER];

	if (++p->m.total > breaker) {
		foreign_put(p, c, &(struct verdict){ .action = ACT_HALT,
		    .rule = RULE_CALLS, .count = p->m.total, .halt = breaker },
		    A_OPENFANG_BREAKER, NULL);
		return;
	}
	call_row_add(&p->m.row, p->limit[OF_RING], c->id, c->line)->hash =
	    c->seen->sorted.a;
	struct streak *e = streaks_put(&p->m.calls, c->seen->sorted);
	if (e->stop) {
		foreign_put(p, c, &(struct verdict){ .action = ACT_BLOCK,
		    .rule = RULE_REPEAT, .count = e->n + 1ul,
		    .evidence = e->calls.c, .nevidence = e->calls.n,
		    .block = p->limit[OF_SAME_BLOCK] },
		    A_OPENFANG_SAME_BLOCK, NULL);
		return;
	}
	judge_count(p, c, e);
	foreign_count(e, c);
}

/* Count the same call with the same result, anywhere in the turn. */
static void
openfang_result(struct foreign *p, struct open_call *c,
    const struct foreign_result *res)
{
	size_t n = utf8_cut(res->text.p, res->text.n, RESULT_MAX);
	unsigned long warn = p->limit[OF_SAME_WARN];
	unsigned long block = p->limit[OF_SAME_BLOCK];
	struct sig key = c->seen->sorted;

	key.a = hash_both(key.a, hash_bytes(res->text.p, n));
	struct streak *e = streaks_put(&p->m.results, key);
	/* one warning a call: judge_count may have warned already */
	if (e->n + 1 >= warn && c->seen->nheld == 0)
		foreign_put(p, c, &(struct verdict){ .action = ACT_WARN,
		    .rule = RULE_REPEAT, .count = e->n + 1ul, .level = 1,
		    .warn = warn, .block = block + 1, .evidence = e->calls.c,
		    .nevidence = e->calls.n }, A_OPENFANG_SAME, NULL);
	foreign_count(e, c);
	if (e->n >= block)
		streaks_put(&p->m.calls, c->seen->sorted)->stop = true;
}

const struct system system_openfang = {
	.limits = { [OF_WARN] = { "loop_guard.warn_threshold", 3 },
	    [OF_BLOCK] = { "loop_guard.block_threshold", 5 },
	    [OF_POLL] = { "loop_guard.poll_multiplier", 3 },
	    [OF_BREAKER] = { "loop_guard.global_circuit_breaker", 30 },
	    [OF_SAME_WARN] = { "loop_guard.outcome_warn_threshold", 2 },
	    [OF_SAME_BLOCK] = { "loop_guard.outcome_block_threshold", 3 },
	    [OF_LAPS] = { "loop_guard.ping_pong_min_repeats", 3 },
	    [OF_RING] = { "loop_guard.window_size", 30 } },
	.call = openfang_call, .result = openfang_result };

/* ---- the loop guard that Hermes' issue 481 asks for ----
 *
 * A window of the last calls; a run of one call, two that alternate, three
 * that form a cycle; first a warning, then advice to wait, then a block. */

#define LAPS 2			/* A-B-A-B, A-B-C-A-B-C */

enum { HERMES_REPEATS, HERMES_WARNINGS, HERMES_WINDOW, HERMES_EXEMPT };

/* Do the last calls repeat a pattern of k different calls? */
static bool
goes_round(const struct call_row *r, size_t k)
{
	const struct call_ref *end = r->c + r->n;

	if (r->n < k * LAPS)
		return false;
	for (size_t i = 1; i <= k * (LAPS - 1); i++)
		if (end[-(ptrdiff_t)i].hash != end[-(ptrdiff_t)(i + k)].hash)
			return false;
	for (size_t i = 1; i <= k; i++)
		for (size_t j = i + 1; j <= k; j++)
			if (end[-(ptrdiff_t)i].hash ==
			    end[-(ptrdiff_t)j].hash)
				return false;
	return true;
}

static void
hermes_call(struct foreign *p, struct open_call *c)
{
	unsigned long repeats = p->limit[HERMES_REPEATS];
	unsigned long warnings = p->limit[HERMES_WARNINGS];
	const struct policy *policy = p->guard->policy;
	uint64_t h = c->seen->sorted.a;
	struct memory *m = &p->m;
	struct call_row *row = &m->row;
	struct verdict v = { .action = ACT_WARN, .level = 1 };
	enum advice a = A_HERMES_BLOCK;

	if (conf_is_set(policy->conf,
	    p->system->limits[HERMES_EXEMPT].key) ?
	    slice_in(slice_of(c->tool), policy->exempt) :
	    strcmp(c->tool, "process") == 0)
		return;
	m->run = row->n > 0 && row->c[row->n - 1].hash == h ? m->run + 1 : 1;
	call_row_add(row, p->limit[HERMES_WINDOW], c->id, c->line)->hash = h;
	if (m->run >= repeats)
		v.period = 1;
	else if (goes_round(row, 2))
		v.period = 2;
	else if (goes_round(row, 3))
		v.period = 3;
	if (v.period == 0) {
		m->warnings = 0;
		return;
	}
	v.rule = v.period == 1 ? RULE_REPEAT : RULE_CYCLE;
	v.count = v.laps = v.period == 1 ? m->run : LAPS;
	v.warn = v.period == 1 ? repeats : LAPS;
	v.nevidence = v.period == 1 ? m->run - 1 : v.period * LAPS - 1;
	if (v.nevidence > row->n - 1)
		v.nevidence = row->n - 1;
	v.evidence = row->c + row->n - 1 - v.nevidence;
	if (m->warnings >= warnings) {
		v.action = ACT_BLOCK;
		/* laps are not counted on */
		v.block = v.period == 1 ? v.warn + warnings : 0;
	} else {
		a = m->warnings++ == 0 ? A_HERMES_WARN : A_HERMES_WAIT;
		v.level = m->warnings;
	}
	foreign_put(p, c, &v, a, &(struct facts){ .wait = advice_wait(0) });
}

const struct system system_hermes = {
	.limits = { [HERMES_REPEATS] = { "loop_guard.warn_threshold", 3 },
	    [HERMES_WARNINGS] = { "loop_guard.max_warnings_before_block", 2 },
	    [HERMES_WINDOW] = { "loop_guard.window_size", 10 },
	    [HERMES_EXEMPT] = { "loop_guard.exempt_tools", 0 } },
	.call = hermes_call };

/* ---- nanobot's LoopDetectHook and ReflectRetryHook ----
 *
 * It only warns: when a message's calls come for the 3rd and the 5th time in a
 * row, and at every failure of a call. */

#define TRIED 80		/* bytes shown of a call */
#define CAME_BACK 160		/* bytes shown of its result */

enum { NANOBOT_WARN, NANOBOT_STOP, NANOBOT_RETRIES };

/* Sort calls by name; those of the same name stay in order. */
static int
by_tool(const void *a, const void *b)
{
	const struct open_call *x = *(const struct open_call *const *)a;
	const struct open_call *y = *(const struct open_call *const *)b;
	int d = strcmp(x->tool, y->tool);

	return d != 0 ? d : (x > y) - (x < y);
}

static void
nanobot_message(struct foreign *p, struct open_call *c, size_t n)
{
	struct memory *m = &p->m;
	const struct open_call **all = xcalloc(n, sizeof(struct open_call *));
	struct verdict v = { .action = ACT_WARN, .rule = RULE_REPEAT };
	struct sig batch = { 0, 0 };

	for (size_t i = 0; i < n; i++)
		all[i] = &c[i];
	qsort(all, n, sizeof(struct open_call *), by_tool);
	for (size_t i = 0; i < n; i++) {
		batch.a = hash_both(batch.a, all[i]->seen->sorted.a);
		batch.b = hash_both(batch.b, all[i]->seen->sorted.b);
	}
	free(all);
	v.count = m->run = sig_is(batch, m->batch) ? m->run + 1 : 1;
	m->batch = batch;
	if (m->run == p->limit[NANOBOT_WARN]) {
		v.level = 1;
		v.warn = m->run;
		foreign_put(p, &c[n - 1], &v, A_NANOBOT_WARN, NULL);
	} else if (m->run >= p->limit[NANOBOT_STOP] && !m->stopped) {
		m->stopped = true;	/* said once, and never again */
		v.level = 2;
		v.warn = p->limit[NANOBOT_STOP];
		foreign_put(p, &c[n - 1], &v, A_NANOBOT_STOP, NULL);
	}
}

/* A text as one line, cut to max bytes: the first of its lines may only be an
 * exit status. */
static void
put_line(struct buf *b, struct slice text, size_t max)
{
	size_t at = b->len;

	text = slice_trim(text);
	buf_add(b, text.p, utf8_cut(text.p, text.n, max));
	for (char *p = b->p; at < b->len; at++)
		if (p[at] == '\n')
			p[at] = ' ';
	if (utf8_cut(text.p, text.n, max) < text.n)
		buf_adds(b, "...");
}

/* Note the call, for its history if it fails. */
static void
nanobot_call(struct foreign *p, struct open_call *c)
{
	struct streak *e = streaks_put(&p->m.results, c->seen->sorted);
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (e->text != NULL)
		return;
	put_line(&b, slice_of(c->tool), TRIED);
	buf_addc(&b, ' ');
	put_line(&b, slice_of(c->seen->args), TRIED);
	e->text = buf_detach(&b);
}

/* In nanobot a failure begins with "Error"; is_error means the same where a
 * transcript has it. */
static void
nanobot_result(struct foreign *p, struct open_call *c,
    const struct foreign_result *res)
{
	unsigned long retries = p->limit[NANOBOT_RETRIES];
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct verdict v = { .action = ACT_WARN, .rule = RULE_RETRY,
		.warn = retries + 1 };

	if (!res->failed && !slice_starts(res->text, "Error"))
		return;
	struct streak *e = streaks_put(&p->m.results, c->seen->sorted);
	foreign_count(e, c);
	size_t n = e->calls.n;
	put_line(&b, res->text, CAME_BACK);
	e->calls.c[n - 1].note = buf_detach(&b);
	/* a line for each attempt: what was tried, what came back */
	for (size_t i = 0; i < n; i++)
		buf_fmt(&b, "\n%zu. %s -> %s", e->n - n + i + 1,
		    e->text != NULL ? e->text : "", e->calls.c[i].note);
	v.evidence = e->calls.c;	/* the earlier attempts */
	v.nevidence = n - 1;
	v.count = e->n;
	v.level = e->n > retries;
	foreign_put(p, c, &v, v.level ? A_NANOBOT_OTHER_WAY :
	    A_NANOBOT_RETRY, &(struct facts){ .attempts = b.p });
	buf_release(&b);
}

const struct system system_nanobot = {
	.limits = { [NANOBOT_WARN] = { "loop_guard.warn_threshold", 3 },
	    [NANOBOT_STOP] = { "loop_guard.halt_threshold", 5 },
	    [NANOBOT_RETRIES] = { "loop_guard.max_retries", 2 } },
	.message = nanobot_message, .call = nanobot_call,
	.result = nanobot_result };

/* ---- the ProgressDetector proposed for kimi-code ----
 *
 * A step is idle if no file changed, no background task was started or made
 * progress, and no output of 60 characters or more was new in this turn.  After
 * 8 such steps comes a reminder, and one step without tools. */

enum { KIMI_STALL, KIMI_GAIN };

static void
kimi_result(struct foreign *p, struct open_call *c,
    const struct foreign_result *res)
{
	static const char *const looks[] = { "TaskOutput", "TaskList",
		"TaskStop", "BashOutput", "KillShell", "process", NULL };
	const struct seen *s = c->seen;
	struct slice args = slice_of(s->args);
	struct slice text = slice_trim(res->text), el;
	struct slice files = msg_meta(res->r, "mutated");
	uint64_t hash = hash_bytes(text.p, text.n);
	bool moved = c->is.mutates && !res->failed;

	/* what `git status --porcelain` would show: an edit or a write always
	 * counts, a command only if it changes a file that no command in this
	 * turn changed before, as far as meta says */
	if (!c->is.edits && scan_kind(rec_get(res->r, "meta")) == SCAN_OBJECT)
		moved = scan_kind(files) != SCAN_ARRAY && scan_kind(msg_meta(
		    res->r, "sha256_after")) == SCAN_STRING;
	for (struct walk w = walk_elements(files);
	    !c->is.edits && walk_next(&w, NULL, &el); )
		moved |= hash_set_add(&p->m.paths,
		    sign_value(scan_get(el, "path")));
	/* a command put into the background, or a look at a task */
	if (!res->failed && s->parsed &&
	    (scan_true(scan_get(args, "run_in_background")) ||
	    scan_true(scan_get(args, "background")))) {
		moved = true;
	} else if (slice_in(slice_of(c->tool), looks)) {
		/* 0: there was no output before */
		struct streak *e = streaks_put(&p->m.calls, s->sorted);
		moved |= e->d.hash != (hash | 1);
		e->d.hash = hash | 1;
	}
	if (!res->failed &&
	    utf8_count(text.p, text.n) >= p->limit[KIMI_GAIN])
		moved |= hash_set_add(&p->m.outputs, hash);
	p->m.moved |= moved;
}

static void
kimi_step(struct foreign *p, struct open_call *last)
{
	struct memory *m = &p->m;
	unsigned long stall = p->limit[KIMI_STALL];

	if (!m->moved) {
		if (strlen(last->id) <= ID_MAX)
			call_row_add(&m->row, CALLS_MAX, last->id, last->line);
		if (++m->idle < stall)
			return;
		foreign_put(p, last, &(struct verdict){ .action = ACT_WARN,
		    .rule = RULE_STALL, .count = m->idle, .level = 1,
		    .warn = stall, .evidence = m->row.c,
		    .nevidence = m->row.n }, A_KIMI_STALL, NULL);
		p->text_only = true;
	}
	m->moved = false;
	call_row_clear(&m->row);
	m->idle = 0;
}

const struct system system_kimi = {
	.limits = {
	    [KIMI_STALL] = { "loop_control.progress_stall_threshold", 8 },
	    [KIMI_GAIN] =
	    { "loop_control.progress_min_info_gain_length", 60 } },
	.result = kimi_result, .step = kimi_step };
