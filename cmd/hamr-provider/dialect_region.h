/* dialect_region.h - the dialects that are read when all of a block is there.
 *
 *	llama3		<|python_tag|>{"name":N,"parameters":{...}}; also an
 *			answer that is nothing but such objects
 *	mistral		[TOOL_CALLS][{"name":N,"arguments":{...}}], and
 *			[TOOL_CALLS]N[ARGS]{...}
 *	deepseek	<|tool_calls_begin|> with its own wide marks
 *	glm		<tool_call>N <arg_key>K</arg_key><arg_value>V
 *			</arg_value></tool_call>
 *	kimi		<|tool_call_begin|>functions.N:0
 *			<|tool_call_argument_begin|>{...}<|tool_call_end|>
 *	minimax		<invoke name="N"><parameter name="K">V</parameter>
 *			</invoke>
 *	pythonic	[N(K="V"), N()]; <function_calls>N(K="V")...
 *	json		```json {"name":N,"arguments":{...}} ```
 */
#ifndef PROVIDER_DIALECT_REGION_H
#define PROVIDER_DIALECT_REGION_H

#include "dialect.h"
#include "dialect_in.h"

struct region_calls {
	struct block_call *v;
	size_t n, cap;
};

enum region_said {
	REGION_NONE,		/* no call begins here: it is text */
	REGION_CALLS,		/* calls, up to *used */
	REGION_UNCLOSED,	/* the same, but the last one's end is missing */
	REGION_OPEN,		/* calls, and one that is not whole */
	REGION_BROKEN		/* a call that cannot be read */
};

/* A block that began: how it ends, and how it is read. */
struct region {
	enum dialect_kind kind;
	const char *open;
	const char *inner;	/* what its calls begin with, or NULL */
	const char *close;	/* NULL: with the answer */
	const char *before;	/* where guard stands in the block, its close
				 * counts only behind this */
	const char *guard;
	bool weak;		/* what cannot be read was no call */
	enum region_said (*read)(struct slice s, struct slice tools,
	    struct scan *sc, struct region_calls *calls, size_t *used);
};

/* What is known where a block may begin. */
struct region_place {
	enum dialect_kind kind;
	struct slice tools;
	bool first;		/* nothing was said before */
	bool line;		/* at the beginning of a line */
};

/* Does s begin a block?  1 and *r; -1: it may; 0: no. */
int region_opening(const struct region_place *at, struct slice s,
    const struct region **r);
/* Behind <tool_call>: the block of glm, s its inside. */
int region_glm(const struct region_place *at, struct slice s,
    const struct region **r);

/* Is the block only begun: its opening, and a piece of what stands first in
 * it? */
bool region_is_stub(const struct region *r, struct slice block);

/* The end of the block in s, looked at from byte from on; 0: not there. */
size_t region_end(const struct region *r, struct slice s, size_t from);

/* ---- how they are written ---- */

/* The form of a call, for the model. */
const char *form_how(enum dialect_kind kind);
/* A call with these arguments, a JSON object; name is a JSON string. */
void form_call(enum dialect_kind kind, struct slice name, struct slice args,
    struct buf *t);

/* ---- for the readers ---- */

struct block_call *region_add(struct region_calls *calls);
void region_drop(struct region_calls *calls);		/* the last one */
void region_calls_release(struct region_calls *calls);

size_t skip_white(struct slice s, size_t at);
bool begins(struct slice s, size_t at, const char *tag);
/* tag from byte at on, or s.n */
size_t find(struct slice s, size_t at, const char *tag);
/* Behind the name that begins at byte at (letters, digits, _ - . :) */
size_t skip_name(struct slice s, size_t at);
/* Behind the JSON object or array that begins at byte at; 0: it is open. */
size_t skip_json(struct slice s, size_t at);

enum region_said read_glm(struct slice s, struct slice tools, struct scan *sc,
    struct region_calls *calls, size_t *used);
enum region_said read_minimax(struct slice s, struct slice tools,
    struct scan *sc, struct region_calls *calls, size_t *used);
enum region_said read_pythonic(struct slice s, struct slice tools,
    struct scan *sc, struct region_calls *calls, size_t *used);
/* One N(K=V) at byte *at, which is set behind it. */
enum region_said python_call(struct slice s, size_t *at, struct scan *sc,
    struct region_calls *calls);

#endif
