/* think.c - reasoning that a server leaves in the content, split off. */
#include <stdlib.h>
#include <string.h>

#include "fence.h"
#include "mem.h"
#include "think.h"

enum state {
	AT_START,		/* of the content, or behind a closing tag */
	IN_CONTENT,
	IN_REASONING,
	IN_DOUBT		/* behind <think> amidst a line of content: it
				 * is a tag if there is a closing one */
};

enum tag { T_THINK, T_END, T_CALL, T_CALL_END, T_FUNC, T_FUNC_END, NTAGS };

static const char *const tags[NTAGS] = { "<think>", "</think>", "<tool_call>",
	"</tool_call>", "<function=", "</function>" };

/* Tags within a call that is written as text are its text. */
enum block { NO_BLOCK, BLOCK_SOON, IN_BLOCK };

struct think {
	think_fn *emit;
	void *ctx;
	enum state state;
	bool closed;		/* AT_START: behind a closing tag */
	bool settled;		/* a tag has counted */
	bool content, reasoning;	/* something of it was handed on */
	bool fresh;		/* IN_REASONING: nothing of this one yet */
	enum block block;
	struct fence fence;
	struct buf tag;		/* what may become a tag */
	struct buf white;	/* white space that may be dropped */
	struct buf doubt;	/* IN_DOUBT: all since the opening tag */
	struct buf out;		/* to be handed on */
	enum think_kind kind;	/* what out is */
};

struct think *
think_new(think_fn *emit, void *ctx)
{
	struct think *t = xcalloc(1, sizeof *t);

	t->emit = emit;
	t->ctx = ctx;
	buf_init(&t->tag, 64);
	buf_init(&t->white, BUF_RECORD_MAX);
	buf_init(&t->doubt, BUF_RECORD_MAX);
	buf_init(&t->out, BUF_RECORD_MAX);
	return t;
}

void
think_free(struct think *t)
{
	if (t == NULL)
		return;
	buf_release(&t->tag);
	buf_release(&t->white);
	buf_release(&t->doubt);
	buf_release(&t->out);
	free(t);
}

void
think_reset(struct think *t)
{
	buf_reset(&t->tag);
	buf_reset(&t->white);
	buf_reset(&t->doubt);
	buf_reset(&t->out);
	t->state = AT_START;
	t->closed = t->settled = t->content = t->reasoning = false;
	t->block = NO_BLOCK;
	t->fence = (struct fence){ 0 };
}

/* ---- handing on ---- */

static void
flush(struct think *t)
{
	if (t->out.len > 0)
		t->emit(t->ctx, t->kind, buf_view(&t->out));
	buf_reset(&t->out);
}

static void
put(struct think *t, enum think_kind kind, struct slice s)
{
	if (s.n == 0)
		return;
	if (t->kind != kind)
		flush(t);
	t->kind = kind;
	if (kind == THINK_CONTENT)
		t->content = true;
	else
		t->reasoning = true;
	buf_slice(&t->out, s);
}

static bool
is_white(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void
watch_block(struct think *t, char c)
{
	if (t->block == BLOCK_SOON && !is_white(c) && c != '<')
		t->block = c == '{' ? IN_BLOCK : NO_BLOCK;
}

static void
put_content(struct think *t, struct slice s)
{
	fence_feed(&t->fence, s.p, s.n);
	put(t, THINK_CONTENT, s);
}

/* Reasoning: white space waits for what follows it. */
static void
put_reasoning(struct think *t, struct slice s)
{
	put(t, THINK_REASONING, buf_view(&t->white));
	buf_reset(&t->white);
	t->fresh = false;
	put(t, THINK_REASONING, s);
}

/* ---- tags ---- */

static void
begin_reasoning(struct think *t)
{
	t->state = IN_REASONING;
	t->settled = t->fresh = true;
	buf_reset(&t->white);
	if (t->reasoning)
		buf_adds(&t->white, "\n\n");
}

static void
end_reasoning(struct think *t)
{
	t->state = AT_START;
	t->closed = t->settled = true;
	buf_reset(&t->white);
}

static void
take_back(struct think *t)
{
	if (t->content) {
		flush(t);
		t->emit(t->ctx, THINK_TAKE_BACK, SLICE(""));
		t->reasoning = true;
	}
	t->content = false;
	t->fence = (struct fence){ 0 };
	end_reasoning(t);
}

/* Content begins; what stood before it is content only without a tag. */
static void
begin_content(struct think *t)
{
	if (!t->closed)
		put_content(t, buf_view(&t->white));
	buf_reset(&t->white);
	t->state = IN_CONTENT;
}

static void
content_tag(struct think *t, enum tag tag)
{
	bool text = fence_in(&t->fence) || fence_inline(&t->fence) ||
	    t->block == IN_BLOCK;

	if (tag == T_END && !text && !t->settled) {
		take_back(t);
		return;
	}
	if (tag == T_THINK && !text) {
		if (fence_line_start(&t->fence))
			begin_reasoning(t);
		else
			t->state = IN_DOUBT;
		return;
	}
	if (!fence_in(&t->fence)) {
		if (tag == T_CALL && t->block == NO_BLOCK)
			t->block = BLOCK_SOON;
		else if (tag == T_FUNC)
			t->block = IN_BLOCK;
		else if (tag == T_CALL_END || tag == T_FUNC_END)
			t->block = NO_BLOCK;
	}
	put_content(t, buf_view(&t->tag));
}

/* t->tag is a whole tag. */
static void
whole_tag(struct think *t, enum tag tag)
{
	if (t->state == IN_REASONING) {
		if (tag == T_END)
			end_reasoning(t);
		else
			put_reasoning(t, buf_view(&t->tag));
		return;
	}
	if (t->state == AT_START) {
		if (tag == T_THINK) {
			begin_reasoning(t);
			return;
		}
		if (tag == T_END) {
			end_reasoning(t);
			return;
		}
		begin_content(t);
	}
	content_tag(t, tag);
}

/* Text, and not the beginning of a tag. */
static void
plain(struct think *t, struct slice s)
{
	if (t->state == IN_REASONING) {
		put_reasoning(t, s);
		return;
	}
	if (t->state == AT_START)
		begin_content(t);
	put_content(t, s);
}

/* How t->tag goes on: NTAGS when it is no tag, -1 when it may become one. */
static int
tag_state(const struct think *t)
{
	for (int i = 0; i < NTAGS; i++)
		if (strncmp(tags[i], t->tag.p, t->tag.len) == 0)
			return tags[i][t->tag.len] == '\0' ? i : -1;
	return NTAGS;
}

static void
in_doubt(struct think *t, char c)
{
	struct slice in;

	buf_addc(&t->doubt, c);
	in = buf_view(&t->doubt);
	if (c != '>' || in.n < 8 || memcmp(in.p + in.n - 8, "</think>", 8) != 0)
		return;
	begin_reasoning(t);
	in.n -= 8;
	while (in.n > 0 && is_white(in.p[in.n - 1]))
		in.n--;
	while (in.n > 0 && is_white(*in.p))
		in.p++, in.n--;
	if (in.n > 0)
		put_reasoning(t, in);
	buf_reset(&t->doubt);
	end_reasoning(t);
}

static void
byte(struct think *t, char c)
{
	if (t->tag.len > 0 || c == '<') {
		int tag;

		watch_block(t, c);
		buf_addc(&t->tag, c);
		tag = tag_state(t);
		if (tag < 0)
			return;
		if (tag < NTAGS) {
			whole_tag(t, (enum tag)tag);
			buf_reset(&t->tag);
			return;
		}
		t->tag.len--;
		plain(t, buf_view(&t->tag));
		buf_reset(&t->tag);
		byte(t, c);
		return;
	}
	watch_block(t, c);
	if (is_white(c) && t->state != IN_CONTENT) {
		if (t->state == AT_START || !t->fresh)
			buf_addc(&t->white, c);
		return;
	}
	plain(t, (struct slice){ &c, 1 });
}

void
think_feed(struct think *t, struct slice text)
{
	for (size_t i = 0; i < text.n; i++)
		if (t->state == IN_DOUBT)
			in_doubt(t, text.p[i]);
		else
			byte(t, text.p[i]);
	flush(t);
}

void
think_end(struct think *t)
{
	if (t->state == IN_DOUBT) {
		t->state = IN_CONTENT;
		put_content(t, SLICE("<think>"));
		put_content(t, buf_view(&t->doubt));
		buf_reset(&t->doubt);
	}
	if (t->tag.len > 0)
		plain(t, buf_view(&t->tag));
	buf_reset(&t->tag);
	if (t->state == AT_START)
		begin_content(t);
	buf_reset(&t->white);
	flush(t);
}
