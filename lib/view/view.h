/* view.h - the legal message list of a request (chapter 8.3), from records.
 *
 * Whatever the transcript looks like, the view has exactly one result per
 * call, adjacent and in order; one system message, at index 0 (without
 * system_in_place); no two user or assistant messages in a row.  Appending
 * records appends to the view: what was printed before is a prefix of what is
 * printed next, but for the end of the last message.  No "meta", "is_error" or
 * "usage" in it.
 *
 * view_new, view_add and view_print make a request by themselves.  The rest
 * is for hamr-compact, which says how older parts of the list are shown.
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

/* Take a record in; only messages count. */
void view_add(struct view *v, const struct rec *r);

/* Append the messages as a JSON array.  Costs what is new since the last
 * time, and the copy. */
void view_print(struct view *v, struct buf *out);
/* The same into an empty buffer, without the copy; what was written is written
 * anew the next time. */
void view_give(struct view *v, struct buf *out);
/* The same without the brackets and without the copy, until the view is
 * touched again. */
struct slice view_messages(struct view *v);

/* ---- how it is made, and shown otherwise ---- */

enum view_kind { VIEW_SYSTEM, VIEW_USER, VIEW_ASSISTANT };

/* A node: one message, and for an assistant message all its results.  A long
 * row of messages of one role is several nodes, shown as one message. */
struct view_node {
	enum view_kind kind;
	bool slim;		/* shown slim: stubs, no reasoning */
	bool bridged;		/* a message goes before it: "(interrupted)" of
				 * the assistant before a user's behind
				 * results, "(continued)" of the user before an
				 * assistant's that comes first */
	bool person;		/* VIEW_USER: a person wrote some of it */
	bool joins;		/* it goes on in the message before it */
	size_t call, ncalls;	/* its calls, in view.calls */
	size_t answered;	/* of these, with a result */
	size_t piece, npieces;	/* private */
	size_t record;		/* messages read before its first record */
	size_t off;		/* private */
	bool counted;		/* thin is right */
	bool dialect;		/* its calls stand in its text, their results
				 * in a user message */
	uint64_t full, thin;	/* 1/64 tokens, shown in full and slim */
	uint64_t kept;		/* so much more is shown when slim */
	size_t nkept;		/* calls of it that are kept */
	uint64_t notes;		/* of full: the notes folded into its last
				 * result */
	size_t skipped;		/* and so many before these are left out */
};

/* A call and its result.  JSON texts, which live as long as the view. */
struct view_call {
	size_t node;
	char *id;		/* unique, quoted */
	char *json;		/* the element of tool_calls; NULL: the call
				 * stands in the message's text */
	char *result;		/* the content; NULL: none came */
	char *name;		/* of the result, quoted, or NULL */
	uint64_t full, thin;	/* 1/64 tokens of both; thin when counted */
	uint64_t args, text;	/* of full: name and arguments; the result */
	uint64_t slim_args, stub_text;	/* the same of thin, where it differs
				 * (0: not counted) */
	/* for a caller, see struct view_hooks */
	char *slim;		/* instead of json when slim; NULL: the same.
				 * In a text: instead of at_n bytes at `at` */
	size_t at, at_n;
	char *stub;		/* instead of result when slim, quoted */
	char *cut;		/* instead of result in full, see view_cut */
	bool keep;		/* in full, though the node is slim */
	bool lean;		/* slim even then: kept, it does not vanish */
	void *note;		/* the caller's own */
};

/* Arguments: a JSON object, and its members (none when what the model wrote
 * was no object). */
struct view_args {
	struct slice text;
	const struct member *m;
	size_t n;
};

/* Called as messages are taken in; any may be NULL. */
struct view_hooks {
	void *self;		/* of the caller */
	/* A call came, named name (a JSON string, p may be NULL), c->id is
	 * made; args are its arguments.  May set c->note, c->lean, and c->slim
	 * with what it counts; of a call in a text, the arguments only, and
	 * that is counted here. */
	void (*call)(void *self, struct view_call *c, struct slice name,
	    const struct view_args *args);
	/* The result of c came in record r, as this content (a JSON value).
	 * May set c->result (left NULL it is the content),
	 * c->text (left 0 it is counted), and c->stub with what it
	 * counts. */
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
	struct arena arena;	/* all texts but the summary's; a caller's too,
				 * which live as long as the view */
	struct buf body;	/* the messages as they were last shown; so
				 * many bytes of them will be the same */
	/* private */
	struct piece *pieces;
	size_t cap, npieces, cappieces, capcalls;
	struct map ids;		/* ids in use; how often each was repeated */
	struct scan scan;
	struct buf tmp;
	size_t clean;		/* nodes whose bytes in body are right */
	size_t fold;		/* nodes before it are the summary, but for
				 * those with a call that is kept */
	size_t first;		/* the first one behind the summary */
	size_t counted;		/* the thin sums of nodes before it are right */
	struct buf summary;	/* a content value */
	uint64_t sum, summary_sum;
};

/* The call with this id (a JSON string). */
bool view_find_call(const struct view *v, struct slice id, size_t *i);
/* Append the next text of this sort in node i, decoded (nothing of one that is
 * images only); *at (start: 0) counts on.  False when there is none left. */
enum view_text {
	VIEW_SAID,		/* the assistant's own */
	VIEW_PERSON,		/* what persons wrote, message by message */
	VIEW_CONTEXT		/* meta.by "context": rules of the project */
};
bool view_text(const struct view *v, size_t i, enum view_text what,
    size_t *at, struct buf *out);

/* The content value (JSON) of the text that view_text gave last, with its *at;
 * it lives as long as the view. */
struct slice view_value(const struct view *v, size_t i, size_t at);

/* Append content values as one, as those of messages in a row are: strings are
 * joined by a blank line, and become parts when an array is among them. */
void view_join(struct buf *out, const struct slice *values, size_t n);

/* Does an assistant's node say anything? */
bool view_says(const struct view *v, size_t i);

/* Estimate of all messages as shown now, in 1/64 token. */
uint64_t view_sum(const struct view *v);
size_t view_count(const struct view *v);	/* messages shown */

/* Count what the nodes before `upto` are when they are slim. */
void view_count_thin(struct view *v, size_t upto);

/* Show `cut` (a JSON string in the arena; NULL: as it was) instead of the
 * result of call i. */
void view_cut(struct view *v, size_t i, char *cut);

/* How many notes of node i, the first ones, are to be left out so that the
 * others count at most `most`; the newest never is. */
size_t view_notes_over(const struct view *v, size_t i, uint64_t most);
/* Leave them out: a line in front of the others says how many they are. */
void view_skip_notes(struct view *v, size_t i, size_t n);

/* Is it shown itself, not only within the summary? */
bool view_is_shown(const struct view *v, size_t node);

/* Show call i in full, or no longer, when its node is slim.  A folded node
 * with a call that is kept is shown slim behind the summary. */
void view_keep(struct view *v, size_t i, bool keep);
/* How much more a call counts for it. */
uint64_t view_kept_sum(const struct view_call *c);

/* Show nodes before `fold` as one user message with the content `summary` (a
 * JSON value; a system message at index 0 stays as it is), those before `thin`
 * slim but for the calls that are to be kept, and the others in full.
 * fold == 0: nothing is folded. */
void view_show(struct view *v, size_t fold, struct slice summary, size_t thin);

/* Estimates of content values and texts, in 1/64 token. */
uint64_t view_content_sum(enum token_family f, struct slice content);

/* Is this JSON string of white space alone?  Servers refuse such texts. */
bool view_is_blank_string(struct slice checked);
