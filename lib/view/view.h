/* view.h - builds the legal message list of a request (chapter 8.3) from
 * records.
 *
 * Whatever the transcript looks like, the view has exactly one result per
 * call, adjacent and in order; one system message, at index 0 (unless
 * system_in_place is set); no two user or assistant messages in a row; no
 * "meta", "is_error" or "usage".  Adding records only appends to the view: what
 * was printed before is a prefix of what is printed next, except for the end
 * of the last message.
 *
 * view_new, view_add and view_take_messages suffice to make a request.  The
 * rest is for hamr-compact, which decides how older parts of the list are
 * shown.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/mem.h"
#include "record/msg.h"
#include "tokens/token.h"

struct view;

struct view *view_new(void);
void view_free(struct view *v);

/* Take in a record; only messages matter. */
void view_add(struct view *v, const struct rec *r);

/* The messages, with commas between them; valid until the view changes.  The
 * cost is that of what is new since the last time. */
struct slice view_messages(struct view *v);
/* The same, walked. */
struct walk view_walk(struct view *v);
/* Move them into an empty buffer, as a JSON array; the next call writes all of
 * it again. */
void view_take_messages(struct view *v, struct buf *out);

/* ---- how it is made, and shown differently ---- */

#define VIEW_PER_MESSAGE (8 * 64)	/* in 1/64 tokens, beside its text */

enum view_kind { VIEW_SYSTEM, VIEW_USER, VIEW_ASSISTANT };

/* A node: one message, and for an assistant message all its results.  A long
 * row of messages of one role is several nodes, shown as one message. */
struct view_node {
	enum view_kind kind;
	bool slim;		/* shown slim: stubs, no reasoning */
	bool bridged;		/* a message is put before it: the assistant's
				 * "(interrupted)" before a user message that
				 * follows results, the user's "(continued)"
				 * before a leading assistant message */
	bool person;		/* VIEW_USER: a person wrote some of it */
	bool joins;		/* it continues the message before it */
	size_t call, ncalls;	/* its calls, in view.calls */
	size_t answered;	/* of these, with a result */
	size_t piece, npieces;	/* private */
	size_t record;		/* messages read before its first record */
	size_t off, before;	/* private: its place in the body, and the
				 * messages before it there */
	bool dialect;		/* its calls are in its text, their results in
				 * a user message */
	uint64_t full, thin;	/* 1/64 tokens, shown in full and slim (with
				 * its kept calls in full) */
	size_t nkept;		/* how many of its calls are kept */
	uint64_t notes;		/* of full: the notes folded into its last
				 * result */
	size_t skipped;		/* how many earlier notes are left out */
};

/* A call and its result.  JSON texts, which live as long as the view. */
struct view_call {
	size_t node;
	char *id;		/* unique, quoted */
	char *json;		/* the element of tool_calls; NULL: the call
				 * stands in the message's text */
	char *result;		/* the content; NULL: none came */
	char *name;		/* of the result, quoted, or NULL */
	uint64_t full, thin;	/* 1/64 tokens of both */
	uint64_t args, text;	/* of full: name and arguments; the result */
	uint64_t slim_args, stub_text;	/* the same for thin, if different */
	/* for a caller, see struct view_hooks */
	char *slim;		/* instead of json when slim; NULL: json.  In
				 * a text: instead of at_n bytes at `at` */
	size_t at, at_n;
	char *stub;		/* instead of result when slim, quoted */
	char *cut;		/* instead of result in full, see view_cut */
	bool keep;		/* in full, though the node is slim */
	bool lean;		/* slim even if kept: it is only kept from
				 * being folded */
	void *note;		/* the caller's own */
};

/* Arguments: a JSON object, and its members (none if what the model wrote was
 * not an object). */
struct view_args {
	struct slice text;
	const struct member *m;
	size_t n;
};

/* Called as messages are taken in; any may be NULL. */
struct view_hooks {
	void *self;		/* of the caller */
	/* A call came, named name (a JSON string, p may be NULL); c->id is
	 * set.  May set c->note, c->lean, and c->slim with its count.  For a
	 * call in a text, c->slim is the arguments only, and the view counts
	 * them. */
	void (*call)(void *self, struct view_call *c, struct slice name,
	    const struct view_args *args);
	/* The result of c came in record r, with this content (a JSON value).
	 * May set c->result (if left NULL, it is the content), c->text (if
	 * left 0, it is counted), and c->stub with its count. */
	void (*result)(void *self, struct view_call *c, const struct rec *r,
	    struct slice content);
};

struct view {
	/* set by the caller; family may change */
	enum token_family family;
	bool system_in_place;	/* else later ones are marked user messages */
	struct view_hooks hooks;
	/* to be read */
	struct view_node *nodes;
	struct view_call *calls;
	size_t n, ncalls;
	size_t records;		/* messages read */
	struct pairing pairing;	/* .open: calls without a result */
	struct arena arena;	/* all texts but the summary's; callers may put
				 * texts here that live as long as the view */
	struct buf body;	/* the messages as last shown, up to where they
				 * will stay the same */
	/* private */
	struct piece *pieces;
	size_t cap, npieces, cappieces, capcalls;
	struct map ids;		/* ids in use; how often each was repeated */
	struct scan scan;
	struct buf tmp;
	size_t clean;		/* nodes whose bytes in body are right */
	size_t shown;		/* messages in body */
	size_t fold;		/* nodes before it are the summary, but for
				 * those with a call that is kept */
	size_t first;		/* the first one after the summary */
	struct buf summary;	/* a content value */
	uint64_t sum, summary_sum;
};

/* Find the call with this id (a JSON string): *i is its index. */
bool view_find_call(const struct view *v, struct slice id, size_t *i);
/* Append the next text of this kind in node i, decoded (nothing if it has only
 * images), and advance *at, which is 0 at first.  False: none is left. */
enum view_text {
	VIEW_SAID,		/* the assistant's own */
	VIEW_PERSON,		/* what people wrote, message by message */
	VIEW_CONTEXT		/* meta.by "context": rules of the project */
};
bool view_text(const struct view *v, size_t i, enum view_text what,
    size_t *at, struct buf *out);

/* The content value (JSON) of the text that view_text returned last; at is the
 * *at it left.  Lives as long as the view. */
struct slice view_value(const struct view *v, size_t i, size_t at);

/* Append several content values as one, as for consecutive messages: strings
 * are joined by a blank line, and become parts if one value is an array. */
void view_join(struct buf *out, const struct slice *values, size_t n);

bool view_says(const struct view *v, size_t i);

/* The estimate of all messages as currently shown, in 1/64 token. */
uint64_t view_sum(const struct view *v);
size_t view_count(struct view *v);	/* messages shown */

/* Show `cut` (a content value in the arena; NULL: undo it) instead of the
 * result of call i. */
void view_cut(struct view *v, size_t i, char *cut);

/* How many of node i's oldest notes to leave out so that the others count at
 * most `most`; the newest one always stays. */
size_t view_notes_over(const struct view *v, size_t i, uint64_t most);
/* Leave out the first n notes: a line before the others says how many. */
void view_skip_notes(struct view *v, size_t i, size_t n);

/* Is it shown itself, not only within the summary? */
bool view_is_shown(const struct view *v, size_t node);

/* Show call i in full, or no longer, when its node is slim.  A folded node
 * with a kept call is shown slim after the summary. */
void view_keep(struct view *v, size_t i, bool keep);
/* How much more a call counts when it is kept. */
uint64_t view_kept_sum(const struct view_call *c);

/* Show nodes before `fold` as one user message with the content `summary` (a
 * JSON value; a system message at index 0 stays as it is), those before `thin`
 * slim except for kept calls, and the others in full.  fold == 0: nothing is
 * folded. */
void view_show(struct view *v, size_t fold, struct slice summary, size_t thin);

/* Estimates of content values and their parts, in 1/64 token. */
uint64_t view_part_sum(enum token_family f, struct slice part);
uint64_t view_content_sum(enum token_family f, struct slice content);

/* Is this JSON string only white space?  Servers refuse such texts. */
bool view_is_blank_string(struct slice checked);
