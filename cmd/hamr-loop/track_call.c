/* track_call.c - what was called, and what came of it. */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "mem.h"
#include "track_in.h"
#include "utf8.h"

#define OUTPUT_KEPT ((size_t)16 << 10)

void
track_set(char **to, char *owned)
{
	free(*to);
	*to = owned;
}

char *
track_text(struct slice v)
{
	char *s = scan_strdup(v);

	return s != NULL ? s : xstrdup("");
}

void
track_drop_calls(struct track *t)
{
	for (size_t i = 0; i < t->ncalls; i++) {
		free(t->calls[i].id);
		free(t->calls[i].name);
	}
	t->ncalls = 0;
}

void
track_no_failure(struct track *t)
{
	track_set(&t->bash_output, NULL);
	track_set(&t->bash_failed, NULL);
}

void
track_asked(struct track *t, const struct rec *r)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct walk w;
	struct call c;
	bool cut;

	t->unanswered = false;
	track_drop_calls(t);
	walk_in(&w, rec_get(r, "tool_calls"));
	while (msg_next_call(&w, &c)) {
		t->calls = xgrow(t->calls, t->ncalls, &t->capcalls,
		    sizeof *t->calls);
		t->calls[t->ncalls++] = (struct open_call){
			track_text(c.id), track_text(c.name), false,
			false };
	}
	msg_text(rec_get(r, "content"), &text);
	track_set(&t->answer, buf_detach(&text));
	track_set(&t->finish, track_text(rec_get(r, "finish_reason")));
	cut = strcmp(t->finish, "length") == 0;
	t->had_calls = t->ncalls > 0 || msg_meta(r, "dropped_calls").p != NULL;
	t->repeats = msg_meta(r, "repeats").p != NULL;
	t->cut_in_a_row = cut ? t->cut_in_a_row + 1 : 0;
	t->empty_in_a_row = t->ncalls == 0 && !cut && t->answer[strspn(
	    t->answer, " \t\r\n")] == '\0' ? t->empty_in_a_row + 1 : 0;
	t->steps++;
}

void
track_started(struct track *t, const struct rec *r)
{
	char *id = track_text(rec_get(r, "tool_call_id"));

	for (size_t i = 0; i < t->ncalls; i++)
		if (!t->calls[i].started && strcmp(t->calls[i].id, id) == 0) {
			t->calls[i].started = true;
			break;
		}
	t->started++;
	free(id);
}

/* What its commands ran in, the weakest of them. */
void
track_sandbox(struct track *t, struct slice name)
{
	static const char *const names[] = { "none", "seccomp", "landlock",
		"bubblewrap" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (t->sandbox != NULL && strcmp(t->sandbox, names[i]) == 0)
			return;
		if (scan_str_is(name, names[i])) {
			t->sandbox = names[i];
			return;
		}
	}
}

static void
unlimited(struct track *t, struct slice what)
{
	static const char *const names[] = { "memory", "processes",
		"memory and processes" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (scan_str_is(what, names[i]))
			t->unlimited = t->unlimited == NULL || i == 2 ||
			    t->unlimited == names[i] ? names[i] : names[2];
}

static void
result(struct track *t, const struct rec *r)
{
	char *id = track_text(rec_get(r, "tool_call_id"));

	for (size_t i = 0; i < t->ncalls; i++)
		if (!t->calls[i].done && strcmp(t->calls[i].id, id) == 0) {
			t->calls[i].done = true;
			break;
		}
	free(id);
}

static void
add_file(struct track *t, struct slice path)
{
	char *s = scan_strdup(path);

	if (s == NULL)
		return;
	for (size_t i = 0; i < t->nfiles; i++)
		if (strcmp(t->files[i], s) == 0) {
			free(s);
			return;
		}
	t->files = xgrow(t->files, t->nfiles, &t->capfiles,
	    sizeof *t->files);
	t->files[t->nfiles++] = s;
}

static void
changed_files(struct track *t, const struct rec *r)
{
	struct slice el;
	struct walk w;

	walk_in(&w, msg_meta(r, "mutated"));
	while (walk_next(&w, NULL, &el))
		add_file(t, scan_get(el, "path"));
}

/* A change makes what was verified before void, and is progress. */
static void
mutation(struct track *t, const struct rec *r)
{
	struct slice mutated = msg_meta(r, "mutated");

	if (scan_kind(mutated) != SCAN_ARRAY || mutated.n <= 2)
		return;
	changed_files(t, r);
	t->verified = false;
	if (t->last_recovery >= 0)
		t->recovered[t->last_recovery]--;
	t->last_recovery = -1;
}

/* Did a command that ran read-only try to write?  Its own words tell, in the
 * language of the person; Landlock gives another error than a mount. */
static bool
ran_into_it(const struct rec *r)
{
	bool landlock = scan_str_is(msg_meta(r, "sandbox"), "landlock");
	locale_t own = newlocale(LC_MESSAGES_MASK, "", (locale_t)0);
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	const char *text;
	bool yes;

	msg_text(rec_get(r, "content"), &b);
	text = b.len > 0 ? b.p : "";
	yes = strcasestr(text, strerror(EROFS)) != NULL ||
	    (landlock && strcasestr(text, strerror(EACCES)) != NULL);
	if (own != (locale_t)0) {
		yes = yes || strstr(text, strerror_l(EROFS, own)) != NULL ||
		    (landlock && strstr(text, strerror_l(EACCES, own)) !=
		    NULL);
		freelocale(own);
	}
	buf_release(&b);
	return yes;
}

/* Was it a change that somebody had to allow?  False: nothing came of it for
 * want of that. */
static bool
consent(struct track *t, const struct rec *r)
{
	struct slice how = msg_meta(r, "consent");

	if (scan_str_is(how, "refused"))
		t->refused = true;
	if (!scan_str_is(how, "missing") ||
	    !(scan_str_is(msg_meta(r, "error"), "denied") || ran_into_it(r)))
		return true;
	t->no_consent = true;
	return false;
}

/* The last command that failed, until it passes. */
static void
command(struct track *t, const struct rec *r)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice ran = msg_meta(r, "command");
	char *code, *text;

	if (scan_kind(ran) != SCAN_STRING)
		return;
	if (!scan_true(rec_get(r, "is_error"))) {
		if (t->bash_failed != NULL && scan_str_is(ran, t->bash_failed))
			track_no_failure(t);
		text = track_text(ran);
		if (t->verify_command != NULL && command_runs(text,
		    t->verify_command, t->cwd))
			t->verified = true;
		free(text);
		return;
	}
	code = scan_strdup(msg_meta(r, "error"));
	if (code == NULL || strcmp(code, "timeout") == 0) {
		msg_text(rec_get(r, "content"), &b);
		track_set(&t->bash_failed, track_text(ran));
		track_set(&t->bash_output, xmemdup0(buf_view(&b).p, utf8_cut(
		    buf_view(&b).p, b.len, OUTPUT_KEPT)));
	}
	free(code);
	buf_release(&b);
}

void
track_result(struct track *t, const struct rec *r)
{
	result(t, r);
	mutation(t, r);
	if (consent(t, r))
		command(t, r);
	track_sandbox(t, msg_meta(r, "sandbox"));
	unlimited(t, msg_meta(r, "unlimited"));
}
