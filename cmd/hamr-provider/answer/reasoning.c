/* reasoning.c - split off the reasoning that a server leaves in the content. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dialect/fence.h"
#include "dialect/match.h"

#include "reasoning.h"

enum state {
	AT_START,		/* of the content, or after a closing tag */
	IN_CONTENT,
	IN_REASONING,
	IN_DOUBT		/* after an opening tag within a line of
				 * content: it counts if a closing tag
				 * follows */
};

/* Opening tags have even numbers, and the next tag closes them. */
static const char *const tags[] = {
	"<think>", "</think>",
	"[THINK]", "[/THINK]",			/* Mistral */
	"<|channel>thought", "<channel|>",	/* Gemma 4 */
	"<seed:think>", "</seed:think>",
	"<mm:think>", "</mm:think>",		/* MiniMax M3 */
	"<|START_THINKING|>", "<|END_THINKING|>",	/* Command R */
	"<|open|>think<|sep|>", "<|close|>think<|sep|>",	/* Kimi K3 */
	"<|inner_prefix|>", "<|inner_suffix|>",	/* Apertus */
};

#define NTAGS (sizeof tags / sizeof *tags)

struct reasoning {
	reasoning_fn *emit;
	reasoning_call_fn *in_call;
	void *ctx;
	enum state state;
	bool closed;		/* AT_START: after a closing tag */
	bool settled;		/* a tag has counted, or none is needed */
	bool content, reasoning;	/* some of it was passed on */
	bool fresh;		/* IN_REASONING: no text of this one yet */
	size_t open;		/* the tag that opened it */
	struct fence fence;
	struct buf tag;		/* what may become a tag */
	struct buf white;	/* white space that may be dropped */
	struct buf doubt;	/* IN_DOUBT: all since the opening tag */
	struct buf out;		/* to be passed on */
	enum reasoning_kind kind;	/* what out is */
};

struct reasoning *
reasoning_new(reasoning_fn *emit, reasoning_call_fn *in_call, void *ctx)
{
	struct reasoning *t = xcalloc(1, sizeof *t);

	*t = (struct reasoning){ .emit = emit, .in_call = in_call, .ctx = ctx };
	buf_init(&t->tag, 64);
	bufs_init(BUFS(&t->white, &t->doubt, &t->out), BUF_RECORD_MAX);
	return t;
}

void
reasoning_free(struct reasoning *t)
{
	bufs_release(BUFS(&t->tag, &t->white, &t->doubt, &t->out));
	free(t);
}

void
reasoning_is_apart(struct reasoning *t)
{
	t->settled = true;
}

/* ---- passing on ---- */

static void
flush(struct reasoning *t)
{
	if (t->out.len > 0)
		t->emit(t->ctx, t->kind, buf_view(&t->out));
	buf_reset(&t->out);
}

static void
put(struct reasoning *t, enum reasoning_kind kind, struct slice s)
{
	if (s.n == 0)
		return;
	if (t->kind != kind)
		flush(t);
	t->kind = kind;
	if (kind == SPLIT_CONTENT) {
		t->content = true;
		fence_feed(&t->fence, s.p, s.n);
	} else
		t->reasoning = true;
	buf_slice(&t->out, s);
}

/* White space is held until other text follows it. */
static void
put_reasoning(struct reasoning *t, struct slice s)
{
	put(t, SPLIT_REASONING, buf_view(&t->white));
	buf_reset(&t->white);
	t->fresh = false;
	put(t, SPLIT_REASONING, s);
}

static void
begin_reasoning(struct reasoning *t, size_t tag)
{
	t->open = tag;
	t->state = IN_REASONING;
	t->settled = t->fresh = true;
	buf_reset(&t->white);
	if (t->reasoning)
		buf_adds(&t->white, "\n\n");
}

static void
end_reasoning(struct reasoning *t)
{
	t->state = AT_START;
	t->closed = t->settled = true;
	buf_reset(&t->white);
}

/* Begin content; what came before is content only if there was no tag. */
static void
begin_content(struct reasoning *t)
{
	if (!t->closed)
		put(t, SPLIT_CONTENT, buf_view(&t->white));
	buf_reset(&t->white);
	t->state = IN_CONTENT;
}

/* ---- tags ---- */

static bool
is_think(size_t tag)
{
	return tag % 2 == 0;
}

static void
content_tag(struct reasoning *t, size_t tag)
{
	flush(t);
	bool text = fence_in(&t->fence) || fence_inline(&t->fence) ||
	    t->in_call(t->ctx);

	if (!is_think(tag) && !text && !t->settled) {
		/* without an opening tag: all text so far was reasoning */
		if (t->content) {
			t->emit(t->ctx, SPLIT_RECLASSIFY, SLICE(""));
			t->reasoning = true;
		}
		t->content = false;
		t->fence = (struct fence){ 0 };
		end_reasoning(t);
	} else if (!is_think(tag) || text || fence_example(&t->fence))
		put(t, SPLIT_CONTENT, buf_view(&t->tag));
	else if (!t->fence.begun)
		begin_reasoning(t, tag);
	else {
		t->open = tag;
		t->state = IN_DOUBT;
	}
}

/* Add text that does not begin a tag. */
static void
plain(struct reasoning *t, struct slice s)
{
	if (t->state == IN_REASONING) {
		put_reasoning(t, s);
		return;
	}
	if (t->state == AT_START)
		begin_content(t);
	put(t, SPLIT_CONTENT, s);
}

static void
byte(struct reasoning *t, char c)
{
	if (t->tag.len > 0 || c == '<' || c == '[') {
		buf_addc(&t->tag, c);
		for (size_t i = 0; i < NTAGS; i++) {
			int m = tag_match(buf_view(&t->tag), tags[i]);

			if (m < 0)
				return;
			if (m == 0)
				continue;
			if (t->state == IN_REASONING ? i == t->open + 1 :
			    t->state == AT_START && !is_think(i))
				end_reasoning(t);
			else if (t->state == IN_REASONING)
				put_reasoning(t, buf_view(&t->tag));
			else if (t->state == AT_START && is_think(i))
				begin_reasoning(t, i);
			else {
				if (t->state == AT_START)
					begin_content(t);
				content_tag(t, i);
			}
			buf_reset(&t->tag);
			return;
		}
		/* it is not a tag, but c may begin one */
		t->tag.len--;
		plain(t, buf_view(&t->tag));
		buf_reset(&t->tag);
		byte(t, c);
		return;
	}
	if (!is_whitespace(c) || t->state == IN_CONTENT)
		plain(t, (struct slice){ &c, 1 });
	else if (t->state == AT_START || !t->fresh)
		buf_addc(&t->white, c);
}

void
reasoning_feed(struct reasoning *t, struct slice text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (t->state != IN_DOUBT) {
			byte(t, text.p[i]);
			continue;
		}
		buf_addc(&t->doubt, text.p[i]);
		struct slice in = buf_view(&t->doubt);
		const char *end = tags[t->open + 1];
		if (!slice_ends(in, end))
			continue;
		in.n -= strlen(end);
		in = slice_trim(in);
		begin_reasoning(t, t->open);
		if (in.n > 0)
			put_reasoning(t, in);
		buf_reset(&t->doubt);
		end_reasoning(t);
	}
	flush(t);
}

bool
reasoning_end(struct reasoning *t)
{
	if (t->state == IN_DOUBT) {
		t->state = IN_CONTENT;
		put(t, SPLIT_CONTENT, slice_of(tags[t->open]));
		put(t, SPLIT_CONTENT, buf_view(&t->doubt));
		buf_reset(&t->doubt);
	}
	if (t->tag.len > 0)
		plain(t, buf_view(&t->tag));
	buf_reset(&t->tag);
	if (t->state == AT_START)
		begin_content(t);
	buf_reset(&t->white);
	flush(t);
	return t->state == IN_REASONING;
}
