/* update.c - turn a session's records into updates for an editor. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utc.h"
#include "base/utf8.h"
#include "record/msg.h"
#include "ui/ui.h"
#include "internal.h"

#define CHUNK ((size_t)128 << 10)	/* of a text; escaped it is longer */
#define MODELS_SHOWN (ACP_MESSAGE_MAX / 2)
#define TITLE_SHOWN ((size_t)80)

/* ---- sending ---- */

void
update_begin(const struct worker *s, struct buf *out)
{
	*out = BUF_INIT(BUF_RECORD_MAX);
	scan_put(out, "{'jsonrpc':'2.0','method':'session/update','params':{"
	    "'sessionId':@,'update':{'sessionUpdate':", slice_of(s->id));
}

bool
update_send(struct worker *s, struct buf *update)
{
	buf_adds(update, "}}}");
	return acp_send(s->acp, update);
}

void
update_put_slices(struct worker *s, const char *form,
    const struct slice *from1)
{
	struct buf b;

	update_begin(s, &b);
	scan_put_slices(&b, form, from1);
	update_send(s, &b);
}

void
update_text(struct worker *s, const char *kind, struct slice text)
{
	bool gap = s->said_text && strcmp(kind, "agent_message_chunk") == 0;

	/* two messages of the model in a row */
	if (gap && text.n > 0) {
		s->said_text = false;
		update_text(s, kind, SLICE("\n\n"));
	}
	while (text.n > 0) {
		size_t n = utf8_cut(text.p, text.n, CHUNK);

		update_put(s, kind[0] == 'a' ? "@,'content':{'type':'text',"
		    "'text':@},'messageId':'m$'" :
		    "@,'content':{'type':'text','text':@}", slice_of(kind),
		    slice_part(text, 0, n),
		    SCAN_INT((long long)s->messages + 1));
		text = slice_from(text, n);
	}
}

/* The text of a JSON string. */
static void
send_string(struct worker *s, const char *kind, struct slice value)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (scan_str(value, &b))
		update_text(s, kind, buf_view(&b));
	buf_release(&b);
}

/* ---- modes and models ---- */

static const struct {
	const char *id, *name, *about;
} modes[] = {
	{ "read-only", "Read only", "Look and answer; nothing is changed" },
	{ "patch", "Patch", "Change files to carry out the task" },
	{ "verify", "Verify", "Run the project's check; change nothing" },
	{ "docs", "Docs", "Change documentation only" },
};

static void
put_modes(struct buf *out, const char *key)
{
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		scan_put(out, "${'$':@,'name':@,'description':@}",
		    scan_comma(out), slice_of(key), slice_of(modes[i].id),
		    slice_of(modes[i].name), slice_of(modes[i].about));
}

static void
put_model(struct buf *out, const char *value, const char *name)
{
	scan_put(out, "${'value':@,'name':@}", scan_comma(out),
	    slice_of(value), slice_of(name));
}

void
update_put_options(const struct worker *s, struct buf *out)
{
	bool seen = false;

	scan_put(out, "'configOptions':[{'type':'select','id':'mode',"
	    "'name':'Mode','category':'mode','currentValue':@,'options':[",
	    slice_of(s->mode));
	put_modes(out, "value");
	scan_put(out, "]},{'type':'select','id':'model','name':'Model',"
	    "'category':'model','currentValue':@,'options':[",
	    slice_of(s->model));
	/* those of a long list that fit in a message */
	for (size_t i = 0; i < s->models.n && out->len < MODELS_SHOWN; i++) {
		put_model(out, s->models.v[i], s->models.v[i]);
		seen |= strcmp(s->models.v[i], s->model) == 0;
	}
	if (!seen)
		put_model(out, s->model, s->model[0] != '\0' ? s->model :
		    "the server's own");
	buf_adds(out, "]}]");
}

void
update_put_modes(const struct worker *s, struct buf *out)
{
	scan_put(out, ",'modes':{'currentModeId':@,'availableModes':[",
	    slice_of(s->mode));
	put_modes(out, "id");
	buf_adds(out, "]}");
}

void
update_modes(struct worker *s, bool mode)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	if (mode)
		update_put(s, "'current_mode_update','currentModeId':@",
		    slice_of(s->mode));
	update_put_options(s, &b);
	update_put(s, "'config_option_update',$", buf_view(&b));
	buf_release(&b);
}

void
update_commands(struct worker *s)
{
	struct walk w = walk_elements(slice_of(s->commands));
	struct slice el;
	struct buf b;

	update_begin(s, &b);
	scan_put(&b, "'available_commands_update','availableCommands':[");
	while (walk_next(&w, NULL, &el)) {
		scan_put(&b, "${'name':$,'description':$", scan_comma(&b),
		    scan_get(el, "name"), scan_get(el, "description"));
		struct slice hint = scan_get(el, "hint");
		if (hint.p != NULL)
			scan_put(&b, ",'input':{'hint':$}", hint);
		buf_addc(&b, '}');
	}
	buf_addc(&b, ']');
	update_send(s, &b);
}

/* ---- messages ---- */

static void
on_assistant(struct worker *s, const struct rec *r)
{
	struct call call;

	if (!s->thought)
		send_string(s, "agent_thought_chunk", rec_get(r, "reasoning"));
	if (!s->streamed)
		send_string(s, "agent_message_chunk", rec_get(r, "content"));
	s->said_text |= s->streamed || scan_kind(rec_get(r,
	    "content")) == SCAN_STRING;
	s->thought = s->streamed = false;
	s->messages++;
	if (msg_count_calls(rec_get(r, "tool_calls")) == 0)
		return;
	calls_clear(s);
	s->said_text = false;
	for (struct walk w = walk_of(rec_get(r, "tool_calls"));
	    msg_next_call(&w, &call); )
		calls_add(s, &call);
}

static void
on_user(struct worker *s, const struct rec *r, bool replay)
{
	struct walk w = walk_elements(rec_get(r, "content"));
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	bool known = s->title != NULL;
	struct slice part;
	char at[UTC_SIZE];

	if (!msg_is_person(r))
		return;
	msg_text(rec_get(r, "content"), &b);
	if (replay)
		update_text(s, "user_message_chunk", buf_view(&b));
	while (replay && walk_next(&w, NULL, &part)) {
		/* data:image/png;base64,AAAA */
		char *url = scan_strdup(scan_get(scan_get(part, "image_url"),
		    "url"));
		char *semi = url != NULL ? strchr(url, ';') : NULL;
		char *comma = url != NULL ? strchr(url, ',') : NULL;

		if (semi != NULL && comma > semi &&
		    strncmp(url, "data:", 5) == 0) {
			*semi = '\0';
			update_put(s, "'user_message_chunk','content':{"
			    "'type':'image','mimeType':@,'data':@}",
			    slice_of(url + 5), slice_of(comma + 1));
		}
		free(url);
	}
	if (!known) {	/* title it by its first message */
		struct slice text = slice_trim(buf_view(&b));

		s->title = xmemdup0(text.p, utf8_cut(text.p, text.n,
		    TITLE_SHOWN));
		for (char *p = s->title; *p != '\0'; p++)
			*p = (unsigned char)*p < ' ' ? ' ' : *p;
	}
	utc_print_now(at);
	if (!replay && known)
		update_put(s, "'session_info_update','updatedAt':@",
		    slice_of(at));
	else if (!replay)
		update_put(s, "'session_info_update','title':@,'updatedAt':@",
		    slice_of(s->title), slice_of(at));
	s->said_text = false;
	buf_release(&b);
}

/* ---- the rest ---- */

static void
send_usage(struct worker *s)
{
	if (s->window > 0 && s->used > 0)
		update_put(s, "'usage_update','used':$,'size':$",
		    SCAN_INT(s->used), SCAN_INT(s->window));
}

/* Take the session's state as its process reports it. */
static void
on_progress(struct worker *s, const struct rec *r)
{
	struct slice commands = rec_get(r, "commands"), el;
	struct slice models = rec_get(r, "models");

	if (!rec_str_is(r, "stage", "loop"))
		return;
	if (commands.p != NULL) {
		if (s->id == NULL)
			s->id = rec_strdup(r, "session");
		xset(&s->root, rec_strdup(r, "root"));
		xset(&s->mode, rec_strdup(r, "mode"));
		xset(&s->model, rec_strdup(r, "model"));
		xset(&s->commands, xmemdup0(commands.p, commands.n));
		rec_int(r, "window", &s->window);
	} else if (models.p != NULL) {
		texts_release(&s->models);
		for (struct walk w = walk_elements(models);
		    walk_next(&w, NULL, &el); )
			texts_add(&s->models, scan_strdup(el));
		if (s->mode != NULL && (s->work == IDLE || s->work == PROMPTED))
			update_modes(s, false);
	} else {
		struct buf b = BUF_INIT(BUF_RECORD_MAX);

		if (scan_str(rec_get(r, "text"), &b))
			buf_addc(&b, '\n');
		update_text(s, "agent_message_chunk", buf_view(&b));
		buf_release(&b);
	}
}

/* Handle records that are passed on but never committed. */
static void
update_passing(struct worker *s, const struct rec *r)
{
	bool write = rec_str_is(r, "op", "write");
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	int64_t n = 0;

	switch (r->kind) {
	case R_DELTA:
		if (rec_str_is(r, "kind", "content")) {
			s->streamed = true;
			send_string(s, "agent_message_chunk",
			    rec_get(r, "text"));
		} else if (rec_str_is(r, "kind", "reasoning")) {
			s->thought = true;
			send_string(s, "agent_thought_chunk",
			    rec_get(r, "text"));
		}
		break;
	case R_OUTPUT: calls_output(s, r); break;
	case R_ASK: calls_ask(s, r); break;
	case R_FILE:	/* a file the editor may have open */
		scan_put(&b, "{'sessionId':@,'path':$", slice_of(s->id),
		    rec_get(r, "path"));
		if (write)
			scan_put(&b, ",'content':$", rec_get(r, "content"));
		buf_addc(&b, '}');
		if (!acp_ask(s, write ? "fs/write_text_file" :
		    "fs/read_text_file", &b, r))
			acp_send_file(s, rec_get(r, "id"), SLICE("null"));
		break;
	case R_PROGRESS: on_progress(s, r); break;
	case R_SYNC:
		rec_int(r, "n", &n);
		if (n == s->sync && s->work != IDLE)
			acp_finish_work(s, false);
		break;
	default: break;
	}
}

void
update_record(struct worker *s, const struct rec *r, bool replay)
{
	int64_t in = 0, out = 0;
	char *words, *line;

	if (rec_is_passing(r->kind)) {
		if (!replay)
			update_passing(s, r);
		return;
	}
	switch (r->kind) {
	case R_ASSISTANT: on_assistant(s, r); break;
	case R_USER: on_user(s, r, replay); break;
	case R_TOOL: calls_result(s, r, replay); break;
	case R_START:
		if (!replay)
			calls_start(s, r);
		break;
	case R_USAGE:
		rec_int(r, "prompt_tokens", &in);
		rec_int(r, "completion_tokens", &out);
		s->used = in + out;
		if (!replay)
			send_usage(s);
		break;
	case R_LIMIT: rec_int(r, "context_tokens", &s->window); break;
	case R_VERIFICATION:
		words = plain_words(r);
		if (words == NULL)
			break;
		line = xasprintf("%s\n", words);
		update_text(s, "agent_message_chunk", slice_of(line));
		s->messages++;	/* the next answer is another one */
		FREE(line, words);
		break;
	case R_ERROR:
		xset(&s->error, rec_strdup(r, "message"));
		/* an answer that broke off is a message, too */
		s->said_text |= s->streamed;
		s->messages += s->streamed || s->thought;
		s->streamed = s->thought = false;
		break;
	case R_END:
		xset(&s->status, scan_text(rec_get(r, "status")));
		xset(&s->reason, scan_text(rec_get(r, "reason")));
		if (replay)
			send_usage(s);
		break;
	default: break;
	}
}
