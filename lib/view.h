/* view.h - the legal message list of a request (chapter 8.3), from records.
 *
 * Whatever the transcript looks like, the view has exactly one result per
 * call, adjacent and in order; one system message, at index 0; no two user or
 * assistant messages in a row.  Appending records appends to the view: what
 * was printed before is a prefix of what is printed next, but for the end of
 * the last message.  No "meta", "is_error" or "usage" in it.
 *
 * view_new, view_add and view_print make a request by themselves.  The rest
 * is for hamr-compact, which says how older parts of the list are shown.
 */
#ifndef HAMR_VIEW_H
#define HAMR_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "rec.h"
#include "token.h"

struct view;

struct view *view_new(void);
void view_free(struct view *v);

/* Take a record in; only messages count. */
void view_add(struct view *v, const struct rec *r);

/* Append the messages as a JSON array.  Costs what is new since the last
 * time, and the copy. */
void view_print(struct view *v, struct buf *out);

/* ---- how it is made, and shown otherwise ---- */

enum view_kind { VIEW_SYSTEM, VIEW_USER, VIEW_ASSISTANT };

/* A node: one message, and for an assistant message all its results. */
struct view_node {
	enum view_kind kind;
	bool slim;		/* shown slim: stubs, no reasoning */
	bool interrupted;	/* a user message behind results: an assistant
				 * message "(interrupted)" goes before it */
	bool person;		/* VIEW_USER: a person wrote some of it */
	size_t call, ncalls;	/* its calls, from view_call_at */
	size_t answered;	/* of these, with a result */
	size_t piece, npieces;	/* private */
	size_t record;		/* messages read before its first record */
	size_t off;		/* private */
	uint64_t full, thin;	/* 1/64 tokens, shown in full and slim */
};

/* A call and its result.  JSON texts, owned by the view, "" where absent. */
struct view_call {
	size_t node;
	char *id;		/* unique, quoted */
	char *json;		/* the element of tool_calls */
	char *result;		/* the content; NULL: none came */
	char *name;		/* of the result, quoted, or NULL */
	/* for a caller, see struct view_hooks */
	char *slim;		/* instead of json when slim; NULL: the same */
	char *stub;		/* instead of result when slim, quoted */
	void *note;		/* the caller's own */
};

/* Called as messages are taken in; either may be NULL. */
struct view_hooks {
	void *self;
	/* A call came, c->json is made; args is its arguments' text, a JSON
	 * object.  May set c->slim (malloc'ed) and c->note. */
	void (*call)(void *self, struct view_call *c, struct slice args);
	/* The result of c came in record r.  May set c->result and c->stub
	 * (malloc'ed); a result left NULL is the record's own content. */
	void (*result)(void *self, struct view_call *c, const struct rec *r);
};

void view_set_hooks(struct view *v, const struct view_hooks *h);
void view_set_family(struct view *v, enum token_family f);

size_t view_nodes(const struct view *v);
const struct view_node *view_node(const struct view *v, size_t i);
struct view_call *view_call_at(const struct view *v, size_t i);
/* Append the next text of this sort in node i, decoded; *at (start: 0) counts
 * on.  False when there is none left. */
enum view_text {
	VIEW_SAID,		/* the assistant's own */
	VIEW_PERSON,		/* what persons wrote, message by message */
	VIEW_CONTEXT		/* meta.by "context": rules of the project */
};
bool view_text(const struct view *v, size_t i, enum view_text what,
    size_t *at, struct buf *out);

/* Estimate of all messages as shown now, in 1/64 token. */
uint64_t view_sum(const struct view *v);
size_t view_open_calls(const struct view *v);	/* without a result */
size_t view_records(const struct view *v);	/* messages read */
size_t view_count(const struct view *v);	/* messages shown */

/* Show nodes before `fold` as one user message with the text `summary`
 * (decoded; a system message at index 0 stays as it is), those before `thin`
 * slim and the others in full.  fold == 0: nothing is folded. */
void view_show(struct view *v, size_t fold, struct slice summary, size_t thin);

/* Estimates of content values and texts, in 1/64 token. */
uint64_t view_content_sum(enum token_family f, struct slice content);

#endif
