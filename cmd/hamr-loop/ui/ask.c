/* ask.c - ask a person whether a call may run. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "child/child.h"
#include "json/scan.h"
#include "record/msg.h"
#include "term/term.h"
#include "diff_rows.h"
#include "internal.h"

#define TEXT_MAX ((size_t)512 << 20)
#define ROWS_BELOW 2		/* the input, the status */
#define TITLE_ROWS 3
#define QUIET_MS 500

/* What is asked about; a member that does not apply is NULL. */
struct question {
	char *name, *path, *diff, *command, *args, *why;
	char *key;		/* a lasting answer is kept under it */
	int64_t lines;
	bool made;		/* the file is new */
	bool network;		/* network access may be granted */
	size_t hidden;		/* lines of it that were not shown */
};

struct asking {
	struct ui *u;
	struct question q;
	struct slice confirm;	/* a y/n question instead, or {0} */
	struct ui_call *call;	/* or NULL */
	const char *args;	/* of the call, or NULL: it cannot be edited */
	char sure;		/* a or A: Enter, the next key, makes it
				 * always; else NUL */
	bool unseen;		/* the screen is too small to show anything of
				 * the question */
	bool handed;		/* a message waits, and keys answer */
	bool whole_lines;	/* the last answer was one */
	char *message;		/* that message, while the reason for a no is
				 * typed; else NULL */
	long long quiet_from;	/* ms of the last key */
	bool done;
	struct ui_permission a;
};

/* Append all of what would be done: diff, command or arguments. */
static void
put_text(const struct question *q, struct buf *out)
{
	term_escape(out, slice_of(q->diff != NULL ? q->diff :
	    q->command != NULL ? q->command : q->args != NULL ? q->args : ""));
}

static void
add_lines(struct buf *b, long long n)
{
	buf_fmt(b, "%s line%s", num_grouped(n).s, n == 1 ? "" : "s");
}

/* Append text, already escaped, in at most this many rows of this look.
 * Returns the bytes that fit. */
static size_t
put_rows(const struct ui *u, struct slice text, const char *look, size_t most,
    struct buf *out)
{
	size_t columns = ui_columns(u) - 1, at = 0;

	for (size_t i = 0; i < most && (i == 0 || at < text.n); i++) {
		struct slice rest = slice_from(text, at);
		size_t n = term_fits(rest, columns);

		n += n == 0 && rest.n > 0;	/* wider than the terminal */
		buf_adds(out, u->color ? look : "");
		term_put(out, (struct slice){ rest.p, n }, columns);
		buf_adds(out, u->color ? "\033[0m\n" : "\n");
		at += n;
	}
	return at;
}

/* What is asked about: "write src/a.c  3,012 lines, new".  Size and reason get
 * a row of their own where they do not fit; a changed file shows in the diff.
 */
static void
put_title(const struct ui *u, const struct question *q, struct buf *out)
{
	struct buf what = BUF_INIT(TEXT_MAX), more = BUF_INIT(TEXT_MAX);
	size_t columns = ui_columns(u) - 1;

	term_put(&what, slice_of(q->name), SIZE_MAX);
	if (q->path != NULL) {
		buf_addc(&what, ' ');
		term_put(&what, slice_of(q->path), SIZE_MAX);
	}
	if (q->lines > 1 || (q->lines >= 0 && q->command == NULL)) {
		buf_adds(&more, "  ");
		add_lines(&more, q->lines);
		buf_adds(&more, q->made ? ", new" : q->path != NULL ?
		    " changed" : "");
	}
	if (q->why != NULL && q->diff == NULL) {
		buf_adds(&more, "  (");
		term_put(&more, slice_of(q->why), SIZE_MAX);
		buf_addc(&more, ')');
	}
	size_t n = put_rows(u, buf_view(&what), "\033[1m", TITLE_ROWS, out);
	if (n < what.len)
		buf_adds(&more, "  ... (v shows all)");
	if (more.len > 0 && n == what.len && term_width(buf_view(&what)) +
	    term_width(buf_view(&more)) <= columns)
		out->len--;		/* in the same row */
	if (more.len > 0)
		put_rows(u, buf_view(&more), "\033[2m", TITLE_ROWS, out);
	bufs_release(BUFS(&what, &more));
}

/* The keys, each with what it does, never split across rows; brief: keys
 * only. */
static void
put_keys(const struct asking *k, bool brief, struct buf *out)
{
	const struct question *q = &k->q;
	bool keeps = q->command != NULL || q->path != NULL;
	struct buf yes = BUF_INIT(1 << 12);
	const char *between = brief ? " " : ";  ";
	size_t columns = ui_columns(k->u) - 1, at = 0;

	buf_adds(&yes, q->hidden > 0 ? "yes, with " : "yes");
	if (q->hidden > 0) {
		add_lines(&yes, (long long)q->hidden);
		buf_adds(&yes, " not shown");
	}
	const struct {
		bool there;
		const char *key, *does;
	} keys[] = {
		{ true, "y", yes.p },
		{ true, "v", q->hidden > 0 ? "view all" : "view" },
		{ keeps, "a", "always in this session" },
		{ keeps && k->u->root != NULL, "A",
		    "always in this repository" },
		{ q->network, "w", "yes, with the network" },
		{ true, "n", "no" }, { true, "r", "no, and say why" },
		{ k->args != NULL, "e", "edit first" },
		{ true, "Esc", "no, and stop" },
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t w = strlen(keys[i].key) +
		    (brief ? 0 : 1 + strlen(keys[i].does));

		if (!keys[i].there)
			continue;
		if (at > 0 && at + strlen(between) + w > columns) {
			buf_adds(out, brief ? "\n" : ";\n");
			at = 0;
		} else if (at > 0) {
			buf_adds(out, between);
			at += strlen(between);
		}
		buf_fmt(out, brief ? "%s" : "%s %s", keys[i].key,
		    keys[i].does);
		at += w;
	}
	buf_release(&yes);
}

/* On a small screen the keys are not explained, to leave room for what is asked
 * about.  True: they are not. */
static bool
put_key_rows(const struct asking *k, struct buf *out)
{
	put_keys(k, false, out);
	if (k->u->dumb ||
	    slice_newlines(buf_view(out)) + 1 < ui_height(k->u) / 3)
		return false;
	buf_reset(out);
	put_keys(k, true, out);
	return true;
}

/* The question without its keys, fitted to the terminal above them and the
 * queued messages: as many lines of the diff or text as there is room for. */
static void
put_question_rows(struct asking *k, struct buf *out)
{
	struct question *q = &k->q;
	size_t height = ui_height(k->u) - 1;
	struct buf keys = BUF_INIT(1 << 16), text = BUF_INIT(TEXT_MAX);
	struct buf row = BUF_INIT(TEXT_MAX);
	struct diff d = { .names = false };
	struct slice line;

	put_title(k->u, q, out);
	q->hidden = 1000;		/* their rows, at worst */
	put_key_rows(k, &keys);
	size_t below = ROWS_BELOW + ui_queued_rows(k->u) + 2 +
	    slice_newlines(buf_view(&keys)) + slice_newlines(buf_view(out));
	/* where there is room for one row only, the command or the path */
	size_t rows = height > below ? height - below : q->command != NULL;
	q->hidden = 0;
	if (q->diff == NULL)
		put_text(q, &text);
	struct slice rest = q->diff != NULL ? slice_of(q->diff) :
	    buf_view(&text);
	/* after the names of a diff's file all that is left is hidden */
	while ((rows > 0 || !d.any) && slice_line(&rest, &line)) {
		size_t had = slice_newlines(buf_view(out));

		if (q->diff != NULL) {
			if (!diff_line(&d, line, &row))
				continue;
			line = buf_view(&row);
		}
		q->hidden += rows == 0 || put_rows(k->u, line, q->diff != NULL ?
		    d.look : "", rows, out) < line.n;
		rows -= slice_newlines(buf_view(out)) - had;
	}
	q->hidden += slice_lines(rest);
	bufs_release(BUFS(&keys, &text, &row));
}

/* Run another program, as the shell expands its name, on the terminal with a
 * file that holds text; store what it leaves in the file in `after`, unless
 * that is NULL.  False: it did not run. */
static bool
run_on_file(struct ui *u, const char *program, struct slice text,
    const char *suffix, struct buf *after)
{
	char *name = xasprintf("/tmp/hamr-text.XXXXXX%s", suffix);
	/* "LESS=-N less"; it replaces the shell, so it can be stopped alone */
	char *line = xasprintf("eval \"exec env %s\" '\"$@\"'", program);
	int fd = mkostemps(name, (int)strlen(suffix), O_CLOEXEC);
	struct err e;

	ui_suspend(u);
	bool ran = fd >= 0 && file_write_all(fd, text.p, text.n) == 0 &&
	    child_run_tty("sh", ARGS("-c", line, "sh", name), u->signals,
	    &e) == 0 &&
	    (after == NULL || file_read(name, after, &e) == 0);
	if (fd >= 0) {
		close(fd);
		unlink(name);
	}
	ui_resume(u);
	FREE(line, name);
	return ran;
}

char *
ui_edit(struct ui *u, struct slice text, const char *suffix, const char **why)
{
	struct buf b = BUF_INIT(TEXT_MAX), clean = BUF_INIT(4 * TEXT_MAX);
	char *got = NULL;

	*why = "the editor failed; check $VISUAL and $EDITOR";
	if (run_on_file(u, "${VISUAL:-${EDITOR:-vi}}", text, suffix, &b)) {
		utf8_clean(&clean, buf_view(&b).p, b.len);
		got = buf_detach(&clean);
	}
	buf_release(&b);
	return got;
}

static bool
is_object(const char *text)
{
	struct slice s = slice_of(text);

	return scan_is_json(s) && scan_kind(slice_trim(s)) == SCAN_OBJECT;
}

/* Let a person edit the arguments, or (command) only the command in them. */
static char *
edit_call(struct ui *u, const char *args, bool command, const char **why)
{
	char *text = command && is_object(args) ?
	    scan_strdup(scan_get(slice_of(args), "command")) : NULL;
	struct slice before = slice_of(text != NULL ? text : args), key, val;
	char *got = ui_edit(u, before, text != NULL ? ".sh" : ".json", why);
	struct buf b = BUF_INIT(TEXT_MAX);

	if (got != NULL) {
		/* An editor adds an LF to the last line, which had none. */
		size_t n = strlen(got);

		if (n > 0 && got[n - 1] == '\n' &&
		    (before.n == 0 || before.p[before.n - 1] != '\n'))
			got[n - 1] = '\0';
		*why = strcmp(got, before.p) == 0 ? "nothing was changed" :
		    text == NULL && !is_object(got) ?
		    "the arguments are not a JSON object any more" :
		    got[strspn(got, " \t\n")] == '\0' ? "nothing is left" :
		    NULL;
	}
	if (*why == NULL && text == NULL) {
		buf_adds(&b, got);
	} else if (*why == NULL) {
		buf_addc(&b, '{');
		for (struct walk w = walk_of(slice_of(args));
		    walk_next(&w, &key, &val); ) {
			scan_put(&b, "$'$':", scan_comma(&b), key);
			if (slice_is(key, "command"))
				scan_put(&b, "@", slice_of(got));
			else
				buf_slice(&b, val);
		}
		buf_addc(&b, '}');
	}
	FREE(got, text);
	return *why == NULL ? buf_detach(&b) : NULL;
}

/* ---- the row where it is answered ---- */

/* What exactly Enter would allow; only its beginning if it is too long for the
 * screen, as it is shown above. */
static void
put_always(const struct asking *k, struct buf *out)
{
	struct buf safe = BUF_INIT(TEXT_MAX), rows = BUF_INIT(TEXT_MAX);
	size_t left = ui_height(k->u) / 3 + 2, had = out->len;
	struct slice line;

	buf_adds(&safe, k->sure == 'A' ? "always allow here, for good: " :
	    "always allow: ");
	buf_adds(&safe, k->q.command != NULL ? "" : "edit and write ");
	term_escape(&safe, slice_of(k->q.command != NULL ? k->q.command :
	    k->q.path));
	buf_adds(&safe, "  (Enter)");
	struct slice rest = buf_view(&safe);
	while (slice_newlines(buf_view(&rows)) <= left &&
	    slice_line(&rest, &line))
		put_rows(k->u, line, "", left + 1, &rows);
	for (rest = buf_view(&rows); left > 0 && slice_line(&rest, &line);
	    left--) {
		buf_adds(out, out->len > had ? "\n" : "");
		if (left == 1 && rest.n > 0)
			buf_adds(out, "...  (Enter)");
		else
			buf_slice(out, line);
	}
	bufs_release(BUFS(&safe, &rows));
}

/* Is there no room for a row of the question above this many of its own? */
static bool
is_unseen(const struct asking *k, size_t rows)
{
	return !k->u->dumb && ui_height(k->u) <= 1 + rows + ROWS_BELOW +
	    ui_queued_rows(k->u);
}

/* The keys, and in the last row what they answer. */
static void
put_answer_row(struct asking *k, struct buf *out, struct buf *last)
{
	struct buf keys = BUF_INIT(1 << 12), hidden = BUF_INIT(64);
	bool brief = put_key_rows(k, &keys);
	struct slice rest = buf_view(&keys), line;

	k->unseen = is_unseen(k, slice_lines(rest) +
	    (brief && k->q.hidden > 0));
	if (k->unseen) {
		buf_adds(last, "v view; n no; Esc stop (too small to ask)");
		rest.n = 0;
	} else if (!brief) {
		buf_fmt(last, "allow this %s? ", k->q.command != NULL ?
		    "command" : k->q.name);
	} else if (k->q.hidden > 0) {
		add_lines(&hidden, (long long)k->q.hidden);
		buf_adds(&hidden, " not shown");
		put_rows(k->u, buf_view(&hidden), "\033[2m", 1, out);
	}
	if (brief && slice_lines(rest) == 1 && sizeof "allow? " + rest.n <=
	    ui_columns(k->u))
		buf_adds(last, "allow? ");
	while (slice_line(&rest, &line))
		if (brief && rest.n == 0)
			buf_slice(last, line);
		else
			put_rows(k->u, line, "\033[2m", 1, out);
	bufs_release(BUFS(&keys, &hidden));
}

static void
put_row(struct asking *k)
{
	struct ui *u = k->u;
	struct buf *b = &u->question, safe = BUF_INIT(1 << 20);

	buf_reset(b);
	if (k->confirm.n > 0) {
		put_rows(u, k->confirm, "", SIZE_MAX, b);
		k->unseen = is_unseen(k, slice_newlines(buf_view(b)) - 1);
	} else if (!u->dumb) {
		put_question_rows(k, b);
	}
	if (k->sure != '\0')
		put_always(k, b);
	else if (k->message != NULL)
		buf_adds(&safe, "the reason, for the model (Enter):");
	else if (!editor_is_empty(u->editor) && !k->handed)
		buf_adds(&safe, "(Tab: to the question; Enter queues the "
		    "message)");
	else if (k->confirm.n > 0 && k->unseen)
		buf_adds(&safe, "n no; Esc stop (too small to ask)");
	else if (k->confirm.n > 0)
		b->len--;	/* its LF */
	else
		put_answer_row(k, b, &safe);
	term_put(b, buf_view(&safe), ui_columns(u) - 1);
	buf_release(&safe);
	ui_redraw(u);
}

/* ---- what keys do ---- */

/* Without live rows, print the question again. */
static void
ask_again(struct asking *k, const char *said)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	if (said != NULL)
		ui_lines(k->u, slice_of(said));
	if (k->u->dumb) {
		put_question_rows(k, &b);
		ui_print(k->u, &b);
	}
	k->quiet_from = file_now_ms();
}

static void
view(struct asking *k)
{
	struct pollfd told = { k->u->signals, POLLIN, 0 };
	struct buf text = BUF_INIT(TEXT_MAX);

	if (k->q.path != NULL) {
		term_escape(&text, slice_of(k->q.path));
		buf_addc(&text, '\n');
	}
	put_text(&k->q, &text);
	buf_end_line(&text);
	bool shown = run_on_file(k->u, "${PAGER:-less}", buf_view(&text), "",
	    NULL);
	ui_break(k->u);
	/* a pager that a signal to us ended has shown it */
	if (!shown && poll(&told, 1, 0) == 0)
		ui_emit(k->u, buf_view(&text));
	buf_release(&text);
	ask_again(k, NULL);
}

static void
end_reason(struct asking *k)
{
	editor_set(k->u->editor, slice_of(k->message));
	editor_prompt(k->u->editor, "> ");
	xset(&k->message, NULL);
}

/* False: the key is not an answer. */
static bool
answer(struct asking *k, char c)
{
	const char *why = NULL;

	if ((k->confirm.n > 0 && c != 'y' && c != 'n') ||
	    (k->unseen && c != 'v' && c != 'n'))
		return false;
	switch (c) {
	case 'y':
		k->a.yes = k->done = true;
		return true;
	case 'n':
		k->done = true;
		return true;
	case 'r':
		/* set aside the message while a reason is typed */
		k->message = editor_text(k->u->editor);
		editor_set(k->u->editor, SLICE(""));
		editor_prompt(k->u->editor, "no, because: ");
		return true;
	case 'v':
		view(k);
		return true;
	case 'a':
	case 'A':
		if ((k->q.command == NULL && k->q.path == NULL) ||
		    (c == 'A' && k->u->root == NULL))
			return false;
		k->sure = c;
		return true;
	case 'w':
		k->a.yes = k->a.network = k->done = k->q.network;
		return k->q.network;
	case 'e':
		if (k->args == NULL)
			return false;
		k->a.args = edit_call(k->u, k->args, k->q.command != NULL,
		    &why);
		if (k->a.args == NULL)
			ask_again(k, why);
		else
			k->a.yes = k->done = true;
		return true;
	default:
		return false;
	}
}

/* With its line end, from a terminal that sends whole lines, a key looks like a
 * paste. */
static bool
is_whole_line(const struct asking *k, const struct key *key)
{
	return key->name == KEY_PASTE && k->u->keys.held;
}

/* Was the key for the reason of a no that is typed, as its end? */
static bool
take_reason(struct asking *k, const struct key *key, bool quiet)
{
	bool line = k->whole_lines && is_whole_line(k, key);
	bool empty = editor_is_empty(k->u->editor);

	/* who is used to lines types Enter after the r, too */
	if (key->name == KEY_ENTER && empty && !quiet)
		return true;
	if (line)
		editor_key(k->u->editor, key);
	else if (key->name != KEY_ESC && key->name != KEY_ENTER)
		return false;
	k->done = key->name != KEY_ESC;
	/* an empty one is a plain no */
	if (k->done && (line || !empty))
		k->a.reason = editor_text(k->u->editor);
	end_reason(k);
	keys_drop_line_end(&k->u->keys);
	return true;
}

/* Was the key for the question?  If not, it goes to the input. */
static bool
take_key(struct asking *k, const struct key *key)
{
	const char sure = k->sure;
	const struct key typed = { .name = KEY_TEXT, .text = { &sure, 1 } };
	long long now = file_now_ms();
	bool quiet = now - k->quiet_from >= QUIET_MS;
	struct err e;

	k->quiet_from = now;
	if (sure != '\0') {
		k->sure = '\0';
		if (key->name == KEY_ESC)
			return true;
		/* only Enter confirms; another key began a message */
		if (key->name != KEY_ENTER) {
			editor_key(k->u->editor, &typed);
			return false;
		}
		*map_put(&k->u->always, slice_of(k->q.key), NULL) = 1;
		if (sure == 'A' && conf_allow(k->u->root, k->q.key, &e) < 0)
			ui_note(k->u, "allowed for this session only: %s",
			    e.text);
		k->a.yes = k->a.session = k->done = true;
		return true;
	}
	if (k->message != NULL)
		return take_reason(k, key, quiet);
	bool draft = !editor_is_empty(k->u->editor);
	if (key->name == KEY_TAB && draft) {
		k->handed = !k->handed;
		return true;
	}
	if (key->name == KEY_ESC && (!draft || k->handed)) {
		if (quiet || k->confirm.n > 0)
			k->a.stop = k->done = true;
		return true;
	}
	bool whole_line = is_whole_line(k, key);
	bool one = key->text.n == 1 && (key->name == KEY_TEXT || whole_line);
	if (!one || !quiet || (draft && !k->handed) ||
	    !answer(k, key->text.p[0]))
		return false;
	k->whole_lines = whole_line;
	keys_drop_line_end(&k->u->keys);
	return true;
}

/* ---- the terminal ---- */

bool
ui_is_late(const struct ui *u)
{
	return u->until != 0 && file_now_ms() >= u->until;
}

int
ui_wait_ms(const struct ui *u, int ms)
{
	long long left = u->until - file_now_ms();

	if (u->until == 0 || (ms >= 0 && ms < left))
		return ms;
	return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

static void
wait_for_answer(struct asking *k)
{
	struct ui *u = k->u;
	struct key key;

	while (!k->done) {
		struct pollfd p[3] = { { ui_keys_fd(u), POLLIN, 0 },
			{ u->signals, POLLIN, 0 }, { u->job, POLLIN, 0 } };

		put_row(k);
		ui_redraw_now(u);
		int left = ui_wait_ms(u, ui_tick(u));
		if (poll(p, 3, left) < 0 && errno != EINTR)
			break;
		u->leaving |= p[0].revents != 0 && !ui_read_keys(u);
		if (p[1].revents != 0 || u->leaving)
			k->a.stop = k->done = true;
		else if (p[2].revents != 0)
			ui_job(u);
		k->done |= ui_is_late(u);
		while (!k->done && keys_next(&u->keys, file_now_ms(), &key)) {
			/* such a terminal may end a line with an LF */
			if (u->dumb && key.name == KEY_NEWLINE)
				key.name = KEY_ENTER;
			if (ui_handle_reply(u, &key) || take_key(k, &key))
				continue;
			k->handed = false;
			enum editor_event event = editor_key(u->editor, &key);
			if (event == EDITOR_INTERRUPT || event == EDITOR_QUIT)
				k->a.stop = k->done = true;
			if (event != EDITOR_ESC && event != EDITOR_INTERRUPT)
				ui_event(u, event);
		}
		if (editor_is_empty(u->editor))
			k->handed = false;
	}
}

/* Start reading keys before anything is shown, so that what is typed from here
 * on can be told from what was typed before. */
static void
put_question(struct asking *k)
{
	struct ui *u = k->u;
	struct editor_options plain = { .prompt = "> ", .colour = u->color };
	bool listened = u->listening, edited = u->editor != NULL;
	char part[4096];
	struct key key;
	ssize_t n;

	ui_break(u);
	ui_listen(u, true);
	if (!edited) {
		term_open_clusters();
		u->editor = editor_new(&plain);
		if (u->draft != NULL)
			editor_set(u->editor, slice_of(u->draft));
	}
	buf_adds(&u->question, "?");
	/* What was typed before the question was shown is a draft, but a
	 * Ctrl-C counts as one all the same. */
	struct pollfd p = { ui_keys_fd(u), POLLIN, 0 };
	while (poll(&p, 1, 0) > 0 &&
	    (n = read(STDIN_FILENO, part, sizeof part)) > 0)
		keys_add(&u->keys, (struct slice){ part, (size_t)n },
		    file_now_ms());
	while (!k->done && keys_next(&u->keys, file_now_ms(), &key)) {
		if (key.name == KEY_ENTER)
			key.name = KEY_NEWLINE;
		if (ui_handle_reply(u, &key))
			continue;
		enum editor_event event = editor_key(u->editor, &key);
		if (event == EDITOR_INTERRUPT || event == EDITOR_QUIT)
			k->a.stop = k->done = true;
	}
	ask_again(k, NULL);
	ui_alert(u, "a question");
	wait_for_answer(k);
	if (k->message != NULL)
		end_reason(k);
	buf_reset(&u->question);
	if (k->call != NULL)
		k->call->refused = !k->a.yes && !ui_is_late(u);
	if (k->call != NULL && k->a.reason != NULL)
		xset(&k->call->reason, xstrdup(k->a.reason));
	if (!edited) {
		xset(&u->draft, editor_text(u->editor));
		editor_free(u->editor);
		u->editor = NULL;
	}
	if (!listened)
		ui_listen(u, false);
	if (!u->live) {
		screen_live(u->screen, SLICE(""), 0, 0);
		screen_flush(u->screen, -1, 0);
	}
	ui_redraw_now(u);
}

struct ui_permission
ui_ask(struct ui *u, const struct rec *ask)
{
	uint64_t *at = map_get(&u->calls, rec_get(ask, "tool_call_id"));
	struct ui_call *call = at != NULL && *at != 0 ? &u->seen[*at - 1] :
	    NULL;
	struct asking k = { .u = u, .call = call,
		.args = call != NULL ? call->args : NULL };
	struct question *q = &k.q;
	struct scan scan = { 0 };
	struct rec said;

	*q = (struct question){ .name = rec_strdup(ask, "name"),
		.path = rec_strdup(ask, "path"),
		.diff = rec_strdup(ask, "diff"),
		.command = rec_strdup(ask, "command"),
		.args = msg_arguments(rec_get(ask, "arguments")),
		.why = rec_strdup(ask, "why"), .lines = -1,
		.made = scan_true(rec_get(ask, "new")),
		.network = scan_true(rec_get(ask, "network")) };
	rec_int(ask, "lines", &q->lines);
	if (q->name == NULL)
		q->name = xstrdup("call");
	q->key = q->command != NULL ? xasprintf("command %s", q->command) :
	    q->path != NULL ? xasprintf("path %s", q->path) :
	    q->args != NULL ? xasprintf("call %s %s", q->name, q->args) : NULL;
	at = q->key != NULL ? map_get(&u->always, slice_of(q->key)) : NULL;
	if (at != NULL || (q->key != NULL &&
	    conf_allows(u->conf, u->root, q->key))) {
		k.a.yes = at == NULL || *at == 1;
		k.a.session = true;
	} else if (u->peer != NULL) {	/* a program in a person's place */
		ui_json_line(u, ask->line);
		char *line = ui_await(u, R_ANSWER, rec_get(ask, "id"));
		if (line != NULL &&
		    rec_parse(&scan, line, strlen(line), &said) == 0) {
			k.a.yes = scan_true(rec_get(&said, "allow"));
			k.a.args = msg_arguments(rec_get(&said, "arguments"));
			/* what was changed was not allowed as it is */
			k.a.session = k.a.args == NULL &&
			    rec_str_is(&said, "scope", "session");
			k.a.network = scan_true(rec_get(&said, "network"));
			k.a.stop = scan_true(rec_get(&said, "stop"));
			k.a.reason = rec_strdup(&said, "reason");
		}
		if (k.a.session && q->key != NULL)
			*map_put(&u->always, slice_of(q->key), NULL) =
			    k.a.yes ? 1 : 2;
		scan_release(&scan);
		free(line);
	} else if (u->tty_err && isatty(STDIN_FILENO) == 1) {
		put_question(&k);
	}
	if (call != NULL && k.a.args != NULL)
		ui_describe_call(call, slice_of(q->name), slice_of(k.a.args));
	FREE(q->key, q->name, q->path, q->diff, q->command, q->args, q->why);
	return k.a;
}

bool
ui_confirm(struct ui *u, const char *question)
{
	struct buf safe = BUF_INIT(1 << 20);
	struct asking k = { .u = u };

	if (u->editor == NULL)
		return false;
	term_escape(&safe, slice_of(question));
	k.confirm = buf_view(&safe);
	put_question(&k);
	buf_release(&safe);
	return k.a.yes;
}
