/* records.c - a conversation with a program: records in, records out. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/msg.h"
#include "chat.h"
#include "internal.h"

/* The image parts of a content, as a JSON array; NULL: there are none. */
static char *
images_of(struct slice content)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	struct slice part;

	for (struct walk w = walk_elements(content);
	    walk_next(&w, NULL, &part); ) {
		if (!scan_str_is(scan_get(part, "type"), "image_url"))
			continue;
		buf_addc(&b, b.len == 0 ? '[' : ',');
		buf_slice(&b, part);
	}
	if (b.len == 0)
		return NULL;
	buf_addc(&b, ']');
	return buf_detach(&b);
}

static void
message(struct chat *c, const struct rec *r)
{
	struct slice content = rec_get(r, "content");
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	struct run *run = c->run;
	bool done;

	msg_text(content, &text);
	if (msg_by(r, "context")) {
		struct buf all = BUF_INIT(BUF_RECORD_MAX);

		buf_fmt(&all, "%s%s%s", run->o.piped != NULL ? run->o.piped :
		    "", run->o.piped != NULL ? "\n" : "", buf_view(&text).p);
		free(run->o.piped);
		run->o.piped = buf_detach(&all);
	} else {
		c->failed |= run_begin(run, buf_view(&text).p, &c->err) < 0;
		/* a stage that failed is told by the turn */
		if (run->hub.failed && !run->hub.stage_failed) {
			c->failed = true;
			c->err = run->hub.err;
		}
		done = c->failed;
		/* a command's words are records of progress */
		if (!done && buf_view(&text).p[0] == '/') {
			run->ui.telling = true;
			done = chat_command_served(c, buf_view(&text).p);
			if (c->failed)
				err_report(&c->err);
			run->ui.telling = false;
		}
		if (!done) {
			run->images = images_of(content);
			chat_run_turn(c, buf_view(&text).p);
		}
	}
	buf_release(&text);
}

/* ---- the conversation ---- */

/* Wait for what it says next; false: the conversation is over. */
static bool
wait_for_more(struct chat *c)
{
	struct child *models = c->asked[ASKED_SERVER];
	struct ui *u = &c->run->ui;
	struct pollfd p[4] = { { STDIN_FILENO, POLLIN, 0 },
		{ u->signals, POLLIN, 0 }, { STDOUT_FILENO, 0, 0 },
		{ models != NULL ? models->out : -1, POLLIN, 0 } };

	ui_flush(u);
	if (poll(p, 4, -1) < 0)
		return true;
	if (p[0].revents != 0)
		ui_read_peer(u);
	if (models != NULL && p[3].revents != 0)
		opening_read(c, ASKED_SERVER);
	u->interrupted = false;		/* there is no turn to end */
	return p[2].revents == 0 && !u->leaving &&
	    (p[1].revents == 0 || !chat_interrupted(c));
}

int
chat_records(struct run *r, struct err *e)
{
	struct chat c = { .run = r };
	struct scan scan = { 0 };
	struct rec said;
	char *line;

	ui_take_signals(&r->ui);
	ui_open_peer(&r->ui);
	if (run_open(r, e) < 0)
		return -1;
	r->hub.listen = r->hub.chat = c.open = true;
	if (setup_header(&r->setup, &r->hub) < 0) {
		*e = r->hub.err;
		return -1;
	}
	chat_tell_session(&c);
	opening_ask_server(&c);
	while (!c.quit && !c.failed) {
		line = ui_take_said(&r->ui);
		if (line == NULL && !wait_for_more(&c))
			break;
		if (line == NULL || rec_parse(&scan, line, strlen(line),
		    &said) < 0) {
			;
		} else if (said.kind == R_USER) {
			message(&c, &said);
		} else if (said.kind == R_CONFIG) {
			hub_set(&r->hub, rec_get(&said, "set"));
			hub_sync(&r->hub, SLOT_GUARD);
		} else if (said.kind == R_SYNC) {
			ui_passing(&r->ui, &said);
		}
		free(line);
	}
	scan_release(&scan);
	opening_end(&c);
	if (c.failed)
		*e = c.err;
	return c.failed ? -1 : ST_OK;
}
