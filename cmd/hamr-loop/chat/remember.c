/* remember.c - /remember and /forget: facts that the person keeps. */
#include <string.h>

#include "child/child.h"

#include "internal.h"

#define ASK_MS 60000		/* it may wait for the lock */
#define OUTPUT_MAX ((size_t)1 << 20)

/* Run hamr-mem and show its output.  Returns its status. */
static int
ask(struct chat *c, const char *const *args)
{
	struct buf b = BUF_INIT(OUTPUT_MAX);
	struct err e;
	int status = child_run("hamr-mem", args, ASK_MS, CHILD_ERR_OUT, &b, &e);

	if (status < 0)
		err_report(&e);
	struct slice said = slice_trim_end(buf_view(&b), "\n");
	if (slice_starts(said, "hamr-mem: "))
		said = slice_from(said, 10);
	if (said.n > 0)
		ui_lines(&c->run->ui, said);
	else if (status == 0 && strcmp(args[0], "brief") == 0)
		ui_note(&c->run->ui, "no facts yet; /remember FACT keeps one "
		    "for all sessions");
	buf_release(&b);
	return status;
}

/* The length of the id at the start of arg, 0: not an id. */
static size_t
id_length(const char *arg)
{
	if (strncmp(arg, "m:", 2) != 0)
		return 0;
	size_t n = 2 + strspn(arg + 2, "0123456789abcdef");
	return n >= 6 && (arg[n] == '\0' || arg[n] == ' ') ? n : 0;
}

void
chat_remember(struct chat *c, const char *arg)
{
	char id[16] = "";
	size_t n = id_length(arg);
	const char *text = arg + n + strspn(arg + n, " ");

	if (n < sizeof id)
		memcpy(id, arg, n);
	int status = ask(c, arg[0] == '\0' ? ARGS("brief", "-n", "100") :
	    n == 0 ? ARGS("save", "--", arg) :
	    text[0] == '\0' ? ARGS("show", id) :
	    ARGS("save", "--replace", id, "--", text));
	if (status == 0 && n == 0 && arg[0] != '\0')
		ui_note(&c->run->ui, "kept for all sessions; /remember lists "
		    "what is");
	if (status == 1)
		ui_note(&c->run->ui, "there is no %s; /remember lists what "
		    "there is", id);
}

void
chat_forget(struct chat *c, const char *arg)
{
	if (id_length(arg) == 0)
		ui_note(&c->run->ui, "usage: /forget m:ID; /remember lists "
		    "what there is");
	else if (ask(c, ARGS("forget", arg)) == 0)
		ui_note(&c->run->ui, "forgotten");
	else
		ui_note(&c->run->ui, "there is no %s", arg);
}
