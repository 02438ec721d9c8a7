/* command.c - run a command, and turn it into the text for the model. */
#include <string.h>

#include "base/mem.h"

#include "command.h"

#define NOTES 512		/* bytes of the cap for our own lines */
#define TIMEOUT_MAX 600		/* seconds, of bash */
#define GRACE_MS 2000
#define COMMAND_MAX 131000	/* the kernel's limit for one argument */

/* Is its status reported?  A plug-in's only if it ended by itself. */
static bool
is_known(const struct command *r)
{
	return r->command != NULL ? r->prog.exited :
	    r->prog.end == PROG_ENDED;
}

static void
put_meta(const struct command *r, struct buf *meta)
{
	const struct prog *p = &r->prog;

	if (r->command != NULL)
		scan_put(meta, "'command':@,", slice_of(r->command));
	if (is_known(r) && p->signalled) {
		buf_adds(meta, "\"signal\":\"");
		prog_signal_name(meta, "SIG", p->number);
		buf_adds(meta, "\",");
	} else if (is_known(r)) {
		scan_put(meta, "'exit':$,", SCAN_INT(p->number));
	}
	scan_put(meta, "'stdout_bytes':$,'stderr_bytes':$,",
	    SCAN_INT((long long)p->out->raw),
	    SCAN_INT((long long)p->err->raw));
	if (r->command != NULL) {
		scan_put(meta, "'cwd':");
		path_quote(meta, r->root->real);
		buf_addc(meta, ',');
	}
	scan_put(meta, "'sandbox':@,", slice_of(p->sandbox));
	if (r->unlimited && p->unlimited != NULL)
		scan_put(meta, "'unlimited':@,", slice_of(p->unlimited));
}

static void
put_stream(const struct output *o, size_t share, const char *where,
    struct buf *out)
{
	struct slice head = output_head(o), tail = output_tail(o);
	struct buf whole = BUF_INIT(2 * o->cap);

	if (o->total <= share) {
		buf_slice(out, head);
		buf_slice(out, tail);
		return;
	}
	/* what is whole is cut as one piece */
	if (o->total <= 2 * (unsigned long long)o->cap) {
		buf_slice(&whole, head);
		buf_slice(&whole, tail);
		head = tail = buf_view(&whole);
	}
	result_join(out, head, tail, o->total, share, where);
	buf_release(&whole);
}

static void
put_streams(const struct output *out, const struct output *err, size_t nout,
    size_t nerr, const char *where, struct buf *b)
{
	if (out->total + err->total > 0 && b->len > 0)
		buf_addc(b, '\n');
	put_stream(out, nout, where, b);
	if (err->total == 0)
		return;
	if (b->len > 0 && b->p[b->len - 1] != '\n')
		buf_addc(b, '\n');
	buf_adds(b, "[stderr]\n");
	put_stream(err, nerr, where, b);
}

static void
put_cut(const struct output *out, const struct output *err, int rootfd,
    size_t cap, struct result *r)
{
	size_t room = cap > 2 * NOTES ? cap - NOTES : cap / 2;
	size_t nerr = room / 5 * 2;
	char *path = output_save(rootfd, out, err), *where;

	if (path == NULL)
		where = xstrdup("the whole could not be kept");
	else
		where = xasprintf("%s in %s", out->total + err->total >
		    OUTPUT_SPOOL_MAX - 16 ? "the first 64 MiB are" :
		    "the whole is", path);
	/* a short stream leaves the rest of its share to the other */
	if (err->total < nerr)
		nerr = (size_t)err->total;
	size_t nout = room - nerr;
	if (out->total < nout) {
		nout = (size_t)out->total;
		nerr = room - nout;
	}
	put_streams(out, err, nout, nerr, where, &r->content);
	if (path != NULL)
		scan_put(&r->meta, "'output_file':@,", slice_of(path));
	r->truncated = true;
	FREE(where, path);
}

void
command_text(const struct output *out, const char *notes, int rootfd,
    size_t cap, struct result *r)
{
	const struct output none = { .spool = -1 };

	r->bytes = (long long)out->total;
	if (out->total <= cap)
		put_streams(out, &none, cap, 0, "", &r->content);
	else
		put_cut(out, &none, rootfd, cap, r);
	if (notes[0] != '\0')
		buf_fmt(&r->content, "%s[%s]", r->content.len > 0 &&
		    r->content.p[r->content.len - 1] != '\n' ? "\n" : "",
		    notes);
	r->lossy = r->lossy || out->clean.lossy;
}

static void
fill(const struct command *cmd, struct result *r)
{
	const struct prog *p = &cmd->prog;
	const struct output *out = p->out, *err = p->err;

	r->is_error = p->end == PROG_TIMEOUT || p->end == PROG_CANCEL ||
	    !is_known(cmd) || p->signalled || p->number != 0;
	if (cmd->command == NULL && !r->is_error) {
		command_text(out, p->notes.len > 0 ? p->notes.p : "",
		    cmd->root->fd, cmd->cap, r);
		put_meta(cmd, &r->meta);
		return;
	}
	struct buf *text = &r->content;
	if (p->end == PROG_TIMEOUT) {
		buf_fmt(text, "timed out after %d s", p->ms / 1000);
	} else if (p->end == PROG_CANCEL) {
		buf_adds(text, "interrupted");
	} else if (!is_known(cmd)) {
		buf_adds(text, "interrupted: the sandbox was ended while it "
		    "ran");
	} else if (p->signalled) {
		buf_adds(text, "killed by ");
		prog_signal_name(text, "SIG", p->number);
	} else if (!cmd->bare || p->ended.len + p->notes.len > 0) {
		buf_fmt(text, "exit %d", p->number);
	}
	if (p->ended.len > 0)
		buf_fmt(text, "; ended: %s", p->ended.p);
	if (p->notes.len > 0)
		buf_fmt(text, "; %s", p->notes.p);
	if (cmd->clamped)
		buf_fmt(text, "; timeout clamped to %d s", p->ms / 1000);
	unsigned long long whole = text->len + out->total + err->total;
	if (text->len > 0 && out->total + err->total > 0)
		whole++;
	if (err->total > 0)
		whole += strlen("[stderr]\n") + (out->total > 0 &&
		    out->last != '\n');
	r->bytes = (long long)whole;
	put_meta(cmd, &r->meta);
	if (whole <= cmd->cap)
		put_streams(out, err, cmd->cap, cmd->cap, "", text);
	else
		put_cut(out, err, cmd->root->fd, cmd->cap, r);
	r->lossy = out->clean.lossy || err->clean.lossy;
	if (p->end == PROG_TIMEOUT)
		r->code = "timeout";
	else if (p->end == PROG_CANCEL || !is_known(cmd))
		r->code = "interrupted";
}

bool
command_run(struct command *cmd, struct stage *s, struct result *r)
{
	struct prog *p = &cmd->prog;
	struct output out, err;

	output_init(&out, cmd->cap);
	output_init(&err, cmd->cap);
	p->out = &out;
	p->err = &err;
	prog_run(p, s);
	if (p->ran)
		fill(cmd, r);
	prog_release(p);
	output_release(&out);
	output_release(&err);
	return p->ran;
}

void
bash_run(struct stage *s, struct command *cmd, int64_t seconds,
    struct result *res)
{
	const char *command = cmd->command;
	/* a command may begin with '-' */
	bool dashes = command[0] == '-' || command[0] == '+';
	const char *argv[] = { "bash", "--noprofile", "--norc", "-c",
		dashes ? "--" : command, dashes ? command : NULL, NULL };
	struct prog *p = &cmd->prog;

	/* what is not limited goes into the end record, which the loop
	 * writes */
	cmd->unlimited = s->mode == STAGE_RESIDENT;
	cmd->clamped = seconds < 1 || seconds > TIMEOUT_MAX;
	p->resident = true;
	p->argv = (char *const *)(void *)argv;
	p->ms = 1000 * (seconds < 1 ? 1 : seconds > TIMEOUT_MAX ? TIMEOUT_MAX :
	    (int)seconds);
	p->grace = GRACE_MS;
	if (s->mode == STAGE_FILTER && !s->stream)
		p->id = NULL;
	if (strlen(command) > COMMAND_MAX)
		result_error(res, "too_large", "the command is longer than "
		    "%d bytes; write a script with write and run that",
		    COMMAND_MAX);
	else if (command_run(cmd, s, res))
		;
	else if (p->e.status == ST_POLICY)
		result_error(res, "denied", "denied: %s, so no command is "
		    "run; use the other tools", p->e.text);
	else
		result_error(res, "spawn_failed", "%s; %s", p->e.text,
		    p->e.status == ST_INTERRUPTED ?
		    "look at what it did before you run it again" :
		    "nothing was run");
}
