/* dialect.c - find tool calls that a model writes as text, and pass them on. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

#include "fence.h"
#include "internal.h"

#define PIECE_MIN 5		/* bytes of a tag that count as one if cut */

/* Limits for one answer: blocks that had to be read twice, and bytes that were
 * read for nothing, as a tag was within a value.  More is an attack. */
#define AGAIN_MAX 64
#define VAIN_MAX ((size_t)16 << 20)

/* The most white space in a row within a block's beginning. */
#define WHITE_MAX 4096

/* How a block begins and ends, and how it is read. */
struct block {
	enum dialect_kind kind;
	const char *open;
	const char *inner;	/* what its calls begin with, or NULL */
	const char *close;	/* what ends it, or NULL */
	bool weak;		/* if it cannot be read, it is not a call */
	block_read *read;
};

static const struct block blocks[] = {
	{ DIALECT_HERMES, CALL, .close = CALL_END, .read = read_call },
	{ DIALECT_QWEN3, CALL, .close = CALL_END, .read = read_call },
	{ DIALECT_GLM, CALL, .close = CALL_END, .read = read_call },
	{ DIALECT_MINIMAX, CALL, .close = CALL_END, .read = read_call },
	{ DIALECT_QWEN3, FUNC, .read = read_qwen3 },
	{ DIALECT_LLAMA3, PYTHON_TAG, .read = read_llama3 },
	{ DIALECT_MISTRAL, MISTRAL, MISTRAL_ARGS, .read = read_mistral },
	{ DIALECT_HERMES, "<|tool_call|>", .read = read_list },
	{ DIALECT_HERMES, "<|function_call|>", .read = read_list },
	{ DIALECT_HERMES, "<TOOLCALL>[", .close = "</TOOLCALL>",
	    .read = read_list },
	{ DIALECT_HERMES, "<tool_calls>[", .close = "</tool_calls>",
	    .read = read_list },
	{ DIALECT_HERMES, APERTUS "[", .close = "<|tools_suffix|>",
	    .read = read_list },
	{ DIALECT_HERMES, "<|START_ACTION|>", .close = "<|END_ACTION|>",
	    .read = read_list },
	{ DIALECT_HERMES, "<|action_start|><|plugin|>",
	    .close = "<|action_end|>", .read = read_list },
	{ DIALECT_DEEPSEEK, DS_CALLS, DS_CALL, DS_CALLS_END,
	    .read = read_tagged },
	{ DIALECT_DEEPSEEK, DS_CALL, NULL, DS_END, .read = read_tagged },
	{ DIALECT_DEEPSEEK, DSML "function_calls>", DSML_INVOKE,
	    "</｜DSML｜function_calls>", .read = read_invokes },
	{ DIALECT_DEEPSEEK, DSML "tool_calls>", DSML_INVOKE,
	    "</｜DSML｜tool_calls>", .read = read_invokes },
	{ DIALECT_DEEPSEEK, DSML_INVOKE, NULL, DSML_INVOKE_END,
	    .read = read_invokes },
	{ DIALECT_DEEPSEEK, ASCII_DSML "function_calls>", ASCII_INVOKE,
	    "</|DSML|function_calls>", .read = read_invokes },
	{ DIALECT_DEEPSEEK, ASCII_DSML "tool_calls>", ASCII_INVOKE,
	    "</|DSML|tool_calls>", .read = read_invokes },
	{ DIALECT_KIMI, "<|open|>tools<|sep|>", K3_CALL,
	    "<|close|>tools<|sep|>", .read = read_invokes },
	{ DIALECT_KIMI, KIMI_CALLS, KIMI_CALL, KIMI_CALLS_END,
	    .read = read_tagged },
	{ DIALECT_KIMI, KIMI_CALL, NULL, KIMI_END, .read = read_tagged },
	{ DIALECT_PYTHONIC, "<|tool_call_start|>[", NULL, "<|tool_call_end|>",
	    .read = read_pythonic },
	{ DIALECT_PYTHONIC, "<|python_start|>[", NULL, "<|python_end|>",
	    .read = read_pythonic },
	{ DIALECT_MINIMAX, "<minimax:tool_call>", INVOKE,
	    "</minimax:tool_call>", .read = read_invokes },
	{ DIALECT_MINIMAX, FUNCTIONS, INVOKE, FUNCTIONS_END,
	    .read = read_functions },
	{ DIALECT_PYTHONIC, FUNCTIONS, NULL, FUNCTIONS_END,
	    .read = read_functions },
	{ DIALECT_MINIMAX, INVOKE, NULL, INVOKE_END, .read = read_invokes },
	{ DIALECT_MINIMAX, MINICPM, NULL, FUNC_END, .read = read_invokes },
	{ DIALECT_GEMMA, GEMMA, "call:", GEMMA_END, .read = read_gemma },
	{ DIALECT_GEMMA, GEMMA_FUNCTION, "call:", GEMMA_FUNCTION_END,
	    .read = read_gemma },
	/* marks that only frame what a model says or calls, without a reader:
	 * of Command R, Kimi K3 and Seed */
	{ DIALECT_AUTO, "<|START_RESPONSE|>", .read = NULL },
	{ DIALECT_AUTO, "<|END_RESPONSE|>", .read = NULL },
	{ DIALECT_AUTO, "<|START_TEXT|>", .read = NULL },
	{ DIALECT_AUTO, "<|END_TEXT|>", .read = NULL },
	{ DIALECT_AUTO, "<|open|>response<|sep|>", .read = NULL },
	{ DIALECT_AUTO, "<|close|>response<|sep|>", .read = NULL },
	{ DIALECT_AUTO, "<|close|>message<|sep|>", .read = NULL },
	{ DIALECT_AUTO, "<seed:tool_call>", .read = NULL },
	{ DIALECT_AUTO, "</seed:tool_call>", .read = NULL },
};
/* Blocks whose beginnings are also common in text. */
static const struct block bare = { DIALECT_LLAMA3, "{", .weak = true,
	.read = read_bare };
static const struct block functools = { DIALECT_HERMES, "functools[",
	.weak = true, .read = read_list };
static const struct block pythonic = { DIALECT_PYTHONIC, "[", .weak = true,
	.read = read_pythonic };
static const struct block fence = { DIALECT_JSON, "```", .weak = true,
	.read = read_fence };
static const struct block tool_code = { DIALECT_GEMMA, TOOL_CODE,
	.weak = true, .read = read_tool_code };

struct dialect {
	struct dialect_out out;
	void *ctx;
	struct buf in;		/* what is not passed on yet, from pos */
	size_t marked;		/* bytes of M3_MARK that follow it */
	size_t pos;		/* in a block: where it begins */
	size_t looked;		/* bytes of it searched for its end */
	size_t vain;
	const struct block *block;	/* NULL: in text */
	struct reading reading;	/* with the dialect's kind and the tools */
	unsigned again;
	unsigned dropped;	/* incomplete calls */
	/* the text between calls */
	struct buf ready;	/* to pass on */
	struct buf white;	/* white space at the end of the text so far */
	struct buf apart;	/* the longest such around the last blocks */
	bool after_block, said;	/* said: some text was passed on */
	struct fence fence;
};

enum dialect_kind
dialect_named(const char *name)
{
	static const char *const names[] = { "auto", "none", "hermes",
		"qwen3-coder", "llama3", "mistral", "deepseek", "glm", "kimi",
		"minimax", "pythonic", "gemma" };
	enum dialect_kind i = DIALECT_AUTO;

	while (i < DIALECT_JSON && strcmp(name, names[i]) != 0)
		i++;
	return i;		/* json, or fenced */
}

struct dialect *
dialect_new(enum dialect_kind kind, struct slice tools,
    const struct dialect_out *out, void *ctx)
{
	struct dialect *d = xcalloc(1, sizeof *d);

	*d = (struct dialect){ .reading = { .kind = kind, .tools = tools },
		.out = *out, .ctx = ctx };
	bufs_init(BUFS(&d->in, &d->ready, &d->white, &d->apart),
	    BUF_RECORD_MAX);
	return d;
}

struct block_call *
reading_add_call(struct reading *r)
{
	GROW(r->v, r->n, r->cap);
	struct block_call *c = &r->v[r->n];
	if (r->n < r->made) {
		bufs_reset(BUFS(&c->name, &c->args));
		return c;
	}
	r->made++;
	bufs_init(BUFS(&c->name, &c->args), BUF_RECORD_MAX);
	return c;
}

void
dialect_free(struct dialect *d)
{
	if (d == NULL)
		return;
	bufs_release(BUFS(&d->in, &d->ready, &d->white, &d->apart));
	for (size_t i = 0; i < d->reading.made; i++)
		bufs_release(BUFS(&d->reading.v[i].name,
		    &d->reading.v[i].args));
	free(d->reading.v);
	scan_release(&d->reading.scan);
	free(d);
}

/* ---- the text between calls ---- */

static void
flush(struct dialect *d)
{
	if (d->ready.len > 0)
		d->out.text(d->ctx, buf_view(&d->ready));
	buf_reset(&d->ready);
}

static void
keep_longest(struct dialect *d)
{
	if (d->white.len > d->apart.len) {
		buf_reset(&d->apart);
		buf_slice(&d->apart, buf_view(&d->white));
	}
	buf_reset(&d->white);
}

/* The next n bytes are text. */
static void
say(struct dialect *d, size_t n)
{
	struct slice s = { d->in.p + d->pos, n };
	size_t lead = skip_white(s, 0), end = n;

	d->pos += n;
	d->block = NULL;
	fence_feed(&d->fence, s.p, n);
	buf_add(&d->white, s.p, lead);
	if (lead == n)
		return;
	while (is_whitespace(s.p[end - 1]))
		end--;
	if (d->after_block) {
		keep_longest(d);
		if (d->said)
			buf_slice(&d->ready, buf_view(&d->apart));
		buf_reset(&d->apart);
		d->after_block = false;
	} else
		buf_slice(&d->ready, buf_view(&d->white));
	buf_reset(&d->white);
	d->said = true;
	buf_slice(&d->ready, slice_part(s, lead, end));
	buf_slice(&d->white, slice_from(s, end));
}

/* The next n bytes are a block, not text. */
static void
leave(struct dialect *d, size_t n)
{
	flush(d);
	keep_longest(d);
	d->after_block = true;
	/* a fence begins at the start of a line */
	d->fence.begun = true;
	d->fence.last = '>';
	d->pos += n;
	d->block = NULL;
}

/* ---- which blocks are meant ---- */

/* The bytes that are not passed on yet. */
static struct slice
rest(const struct dialect *d)
{
	return slice_from(buf_view(&d->in), d->pos);
}

bool
reading_includes(const struct reading *r, enum dialect_kind kind)
{
	return r->kind == DIALECT_AUTO || r->kind == kind;
}

bool
reading_lifts(const struct reading *r, struct slice name)
{
	return r->kind != DIALECT_AUTO || tools_find(r->tools, name).p != NULL;
}

static bool
has_tools(const struct reading *r)
{
	return r->kind != DIALECT_AUTO || tools_any(r->tools);
}

/* Was this block, which cannot be read, meant as a call? */
static bool
is_meant(const struct reading *r, struct slice block)
{
	static const char key[] = "\"name\"";
	size_t at = begins(block, 0, CALL) ?
	    skip_white(block, strlen(CALL)) : 0, n;

	if (qwen3_opening(slice_from(block, at), &n) == 1)
		return reading_lifts(r, slice_part(block, at + strlen(FUNC),
		    at + n - 1));
	if (begins(block, at, INVOKE)) {
		struct slice name = slice_trim_start(slice_from(block,
		    at + strlen(INVOKE)), "\"'");

		name.n = slice_find(name, 0, "\"");
		return reading_lifts(r, slice_trim_end(name, "'"));
	}
	/* find the name in a broken object as well as possible */
	size_t name = slice_find(block, 0, key);
	name += name < block.n ? strlen(key) : 0;
	while (name < block.n && (is_whitespace(block.p[name]) ||
	    block.p[name] == ':'))
		name++;
	if (begins(block, name, "\"")) {
		size_t end = slice_find(block, ++name, "\"");

		if (end < block.n)
			return reading_lifts(r, slice_part(block, name, end));
	}
	/* a mention: "within <tool_call></tool_call> tags" */
	return !begins(block, at, CALL_END) && has_tools(r);
}

/* ---- blocks ---- */

/* The first n bytes are a block that cannot be read. */
static void
broken(struct dialect *d, size_t n)
{
	struct slice block = { rest(d).p, n };

	if (is_meant(&d->reading, block)) {
		leave(d, n);
		d->out.malformed(d->ctx, block);
	} else
		say(d, n);
}

static bool
all_tools(const struct reading *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!reading_lifts(r, buf_view(&r->v[i].name)))
			return false;
	return true;
}

/* Pass on the calls that were read; they are the first n bytes. */
static void
hand_on(struct dialect *d, size_t n)
{
	const struct reading *r = &d->reading;

	leave(d, n);
	for (size_t i = 0; i < r->n; i++)
		d->out.call(d->ctx, buf_view(&r->v[i].name),
		    buf_view(&r->v[i].args));
}

/* The content was cut within this block: drop the incomplete block, rather
 * than keep it as text? */
static bool
is_cut_off(const struct reading *r, const struct block *f,
    enum block_result said)
{
	struct slice s = r->s;
	bool weak = f->weak;

	if (said == BLOCK_NONE) {
		/* only begun: its opening, and a part of what comes first in
		 * it (for mistral, a name) */
		size_t at = skip_white(s, strlen(f->open));
		if (f->kind == DIALECT_MISTRAL)
			at = skip_name(s, at);
		return !weak && has_tools(r) && (at == s.n ||
		    (f->inner != NULL &&
		    tag_match(slice_from(s, at), f->inner) < 0));
	}
	return (said == BLOCK_OPEN || (said == BLOCK_BROKEN && !weak &&
	    !r->ended)) && all_tools(r) && is_meant(r, s);
}

/* Did a closing tag of the block arrive? */
static bool
may_end(struct dialect *d)
{
	const char *close = d->block->close;
	struct slice s = rest(d);

	if (close == NULL || d->vain >= VAIN_MAX)
		return false;
	size_t at = slice_find(s, d->looked, close), n = strlen(close);
	d->looked = at < s.n ? at + n : s.n > n ? s.n - n : 0;
	return at < s.n;
}

/* Read a block and pass on what it is; false: more bytes are needed. */
static bool
in_block(struct dialect *d, enum block_end e)
{
	const struct block *f = d->block;
	struct reading *r = &d->reading;
	struct slice s = rest(d);
	const char *close = f->close != NULL ? f->close : "";
	size_t end;

	if (e == BLOCK_GROWS && !may_end(d))
		return false;
	r->s = s;
	r->e = e;
	r->weak = f->weak && r->kind == DIALECT_AUTO;
	r->open = strlen(f->open) - (f->open[strlen(f->open) - 1] == '[');
	r->at = r->n = 0;
	r->again = r->ended = false;
	enum block_result said = f->read(r);
	d->again += r->again;
	end = skip_white(s, r->at);
	bool shut = slice_ends(slice_part(s, 0, num_min(r->at, s.n)), close);
	int more = shut ? 0 : tag_match(slice_from(s, num_min(end, s.n)),
	    close);
	if (said == BLOCK_CALLS && (more > 0 || (more < 0 &&
	    e != BLOCK_GROWS))) {	/* the answer may end within it */
		r->at = num_min(end + strlen(close), s.n);
		shut = true;
	}
	if (e == BLOCK_GROWS && (said != BLOCK_CALLS || f->weak ||
	    !(shut || r->ended))) {
		d->vain += s.n;		/* that tag was within a value */
		return false;
	}
	bool cut = e == BLOCK_CUT && (said == BLOCK_OPEN ||
	    said == BLOCK_UNCLOSED || *close == '\0' || !slice_has(s, close));
	if (said == BLOCK_UNCLOSED) {
		r->n -= cut;
		said = cut ? BLOCK_OPEN : BLOCK_CALLS;
	}
	if (said == BLOCK_CALLS && all_tools(r))
		hand_on(d, r->at);
	else if (cut && is_cut_off(r, f, said)) {
		hand_on(d, s.n);
		d->dropped++;
	} else if (said == BLOCK_NONE || f->weak || (said == BLOCK_BROKEN &&
	    begins(s, 0, FUNC) && !is_meant(r, s))) {
		say(d, 1);	/* text that mentions its tag */
		d->again++;
	} else if (said == BLOCK_CALLS)
		say(d, r->at);
	else if (said == BLOCK_BROKEN && r->ended)
		broken(d, r->at);
	else {
		/* with an extra quote, the block still ends at its closing
		 * tag */
		end = *close != '\0' && d->again++ < AGAIN_MAX ?
		    slice_find(s, 0, close) : s.n;
		broken(d, end < s.n ? end + strlen(close) : s.n);
	}
	return true;
}

/* ---- where a block begins ---- */

/* -1: more bytes are needed; 0: there was too much white space already. */
static int
unsure(size_t at)
{
	return at < WHITE_MAX ? -1 : 0;
}

/* Does {"name", or another key of a call's object, begin here?  This and the
 * functions below return 1: a block begins here; -1: it may; 0: no. */
static int
opens_object(struct slice s, size_t at)
{
	static const char *const keys[] = { "\"name\"", "\"type\"",
		"\"function\"", "\"arguments\"", "\"parameters\"" };
	int m = 0;

	at = skip_white(s, at);
	if (begins(s, at, "["))
		at = skip_white(s, at + 1);
	if (at == s.n)
		return unsure(at);
	if (s.p[at] != '{')
		return 0;
	at = skip_white(s, at + 1);
	for (size_t i = 0; i < sizeof keys / sizeof *keys && m != 1; i++) {
		int k = tag_match(slice_from(s, at), keys[i]);

		m = k != 0 ? k : m;
	}
	return m;
}

static int
opens_block(const struct dialect *d, struct slice s, const struct block **f)
{
	const struct reading *r = &d->reading;
	bool line = !d->fence.begun;
	int may = 0, weak = 0;
	size_t at;

	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		int m = reading_includes(r, blocks[i].kind) ?
		    tag_match(s, blocks[i].open) : 0;

		*f = &blocks[i];
		if (m == 1)
			return 1;
		may = m < 0 ? -1 : may;
	}
	if (line && (r->kind == DIALECT_GEMMA ||
	    (r->kind == DIALECT_AUTO && !d->said))) {
		int m = tag_match(s, TOOL_CODE);

		*f = &tool_code;
		if (m == 1)
			return 1;
		may = m < 0 ? -1 : may;
	}
	/* blocks that begin like other text */
	if (*s.p == '[' && reading_includes(r, DIALECT_PYTHONIC) && line) {
		*f = &pythonic;		/* [NAME( */
		size_t name = skip_white(s, 1);
		at = skip_name(s, name);
		weak = at == s.n ? unsure(at) : at > name &&
		    s.p[at] == '(' && reading_lifts(r, slice_part(s, name, at));
	}
	if (*s.p == 'f' && reading_includes(r, DIALECT_HERMES) && !d->said) {
		*f = &functools;
		weak = tag_match(s, functools.open);
	} else if (weak == 0 && !d->said && (*s.p == '{' ?
	    reading_includes(r, DIALECT_LLAMA3) :
	    *s.p == '[' && r->kind == DIALECT_AUTO)) {
		*f = &bare;
		weak = opens_object(s, 0);
	} else if (*s.p == '`' && (r->kind == DIALECT_JSON ? line :
	    r->kind == DIALECT_AUTO && !d->said)) {
		*f = &fence;
		weak = tag_match(s, "```");
		at = skip_name(s, 3);
		while (at < s.n && (s.p[at] == ' ' || s.p[at] == '\r'))
			at++;
		if (weak == 1)
			weak = at == s.n ? unsure(at) : s.p[at] == '\n' ?
			    opens_object(s, at) : 0;
	}
	return weak == 1 || may == 0 ? weak : may;
}

/* Something that may begin a block is here.  False: more bytes are needed. */
static bool
opening(struct dialect *d, enum block_end e)
{
	bool code = fence_in(&d->fence) || fence_inline(&d->fence) ||
	    fence_example(&d->fence);
	struct slice s = rest(d);
	const struct block *f = NULL;
	int block = 0;

	if (!code && d->again <= AGAIN_MAX)
		block = opens_block(d, s, &f);
	if (block == 1 && f->read == NULL)
		leave(d, strlen(f->open));
	else if (block == 1) {
		d->block = f;
		d->looked = 0;
	} else if (block < 0 && e == BLOCK_GROWS)
		return false;
	else if (block < 0 && e == BLOCK_CUT && s.n >= PIECE_MIN &&
	    has_tools(&d->reading)) {
		/* a tag that was cut is not part of the answer */
		leave(d, s.n);
		d->dropped++;
	} else
		say(d, 1);
	return true;
}

static void
walk(struct dialect *d, enum block_end e)
{
	bool more = true;
	size_t n;

	while (more && d->pos < d->in.len) {
		if (d->block != NULL) {
			more = in_block(d, e);
			continue;
		}
		struct slice s = rest(d);
		size_t marks = d->said ? 4 : 5;
		for (n = 0; n < s.n && memchr("<[{`f", s.p[n], marks) == NULL;
		    n++)
			;
		if (n > 0)
			say(d, n);
		more = n < s.n && opening(d, e);
	}
	buf_drop(&d->in, d->pos);
	d->pos = 0;
}

/* Add text without MiniMax M3's marks; a part of one at its end waits. */
static void
add(struct dialect *d, struct slice text)
{
	size_t n = strlen(M3_MARK), at = d->in.len, to = at, next;

	buf_add(&d->in, M3_MARK, d->marked);
	buf_slice(&d->in, text);
	d->marked = 0;
	if (!reading_includes(&d->reading, DIALECT_MINIMAX))
		return;
	struct slice s = buf_view(&d->in);
	for (; (next = slice_find(s, at, M3_MARK)) < s.n; at = next + n) {
		memmove(d->in.p + to, s.p + at, next - at);
		to += next - at;
	}
	memmove(d->in.p + to, s.p + at, s.n - at);
	d->in.len = to + s.n - at;
	s = slice_part(s, to, d->in.len);
	while (n > 0 && (n > s.n || memcmp(s.p + s.n - n, M3_MARK, n) != 0))
		n--;
	d->in.len -= n;
	d->marked = n;
}

void
dialect_feed(struct dialect *d, struct slice text)
{
	if (d->reading.kind == DIALECT_NONE) {
		if (text.n > 0)
			d->out.text(d->ctx, text);
		return;
	}
	add(d, text);
	walk(d, BLOCK_GROWS);
	flush(d);
}

/* Is a bracket open at the end of s and the part of M3_MARK that follows it?
 * Brackets in strings do not count. */
static bool
in_brackets(struct slice s, size_t marked)
{
	size_t depth = 0;
	char quote = '\0';

	for (size_t i = 0; i < s.n + marked; i++) {
		char c = i < s.n ? s.p[i] : M3_MARK[i - s.n];

		if (quote != '\0' && c == '\\')
			i++;
		else if (quote != '\0')
			quote = c == quote ? '\0' : quote;
		else if (depth > 0 && (c == '"' || c == '\''))
			quote = c;
		else if (c == '[' || c == '{' || c == '(')
			depth++;
		else if (depth > 0 && (c == ']' || c == '}' || c == ')'))
			depth--;
	}
	return depth > 0;
}

bool
dialect_in_call(struct dialect *d)
{
	/* around a value, or a call */
	static const char *const tags[][2] = { { FUNC, FUNC_END },
		{ "<arg_value>", "</arg_value>" }, { INVOKE, INVOKE_END } };
	const struct block *f = d->block;
	struct slice s = rest(d);
	size_t at = skip_white(s, strlen(CALL));
	bool in = false;

	if (f == NULL || d->vain >= VAIN_MAX)
		return f != NULL;
	d->vain += s.n;
	/* <tool_call> may be a word of the text; a call that no tag ends, or
	 * one of Qwen, is a block until the answer ends */
	if (f->read != read_qwen3 && (f->read != read_call ||
	    begins(s, at, "{") || begins(s, at, "[")))
		return f->close != NULL || in_brackets(s, d->marked);
	for (at = 0; at < s.n; at = slice_find(s, at + 1, "<"))
		for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
			in ^= begins(s, at, tags[i][in]);
	return in;
}

unsigned
dialect_end(struct dialect *d, bool cut)
{
	if (d->reading.kind == DIALECT_NONE)
		return 0;
	buf_add(&d->in, M3_MARK, d->marked);
	walk(d, cut ? BLOCK_CUT : BLOCK_STOPS);
	if (!d->after_block)
		buf_slice(&d->ready, buf_view(&d->white));
	buf_reset(&d->white);
	flush(d);
	return d->dropped;
}
