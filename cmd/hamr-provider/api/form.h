/* form.h - tools and messages written as an API has them.
 *
 * Messages are turns of one role each, which hold parts.  The strings are
 * forms of scan_put; those of parts lack their last brace.
 */
#pragma once

#include "request/body.h"

struct writer;

struct form {
	/* before, for each its name, description and schema, and behind */
	const char *tools, *tool, *tools_end;
	const char *turn;	/* with its role, up to its parts */
	const char *assistant;	/* that role, quoted; the other is user */
	bool flat;		/* a message is a turn; calls and results are
				 * items beside it */
	/* a part with a text (JSON); one of the assistant's, if another */
	const char *text, *said;
	/* an image by its media type and data, by its URL; without image_data
	 * each URL is written as it is */
	const char *image_data, *image_url;
	void (*carry)(struct writer *w, struct slice call);	/* or NULL */
	void (*call)(struct writer *w, struct slice call);
	void (*result)(struct writer *w, struct slice message);
};

struct writer {
	const struct form *form;
	struct buf *out;
	struct slice role;	/* of the turn in hand; {NULL, 0}: none */
	bool no_carry;		/* what calls carry is not sent */
	size_t turns;
	struct slice calls;	/* of the last assistant message */
	size_t end;		/* where the last part ends, before its } */
};

/* The tools as a field; false: there are none. */
bool form_tools(const struct form *form, const struct body *b,
    struct buf *out);

/* Append legal messages (messages.h), but a system message where it stands
 * beside the others.  For each call of an assistant message carry is called
 * before its content is written, and call behind it. */
void writer_messages(struct writer *w, struct slice messages);

/* Append the text of the system message, which is the first or none; false:
 * there is no text. */
bool system_text(struct slice messages, struct buf *out);

/* For the callbacks: a part of a turn of this role (quoted), or an item, is
 * to be written; it was, but for its last brace. */
void writer_part(struct writer *w, struct slice role);
void writer_item(struct writer *w);
void writer_end(struct writer *w);
/* A message's content within a part: parts in brackets, or what it is. */
void writer_inside(struct writer *w, struct slice content);
void writer_image(struct writer *w, struct slice role, struct slice part);

/* The arguments of a call's function as JSON. */
void put_arguments(struct slice fn, struct buf *out);
/* The name of the call of this id, or {NULL, 0}. */
struct slice name_of_call(struct slice calls, struct slice id);

/* Append a model's name as a part of a path; a slash in it stays one. */
void put_path_name(const char *name, struct buf *out);

/* A data: URL taken apart; false if url is not one. */
bool data_url(struct slice url, struct slice *mime, struct slice *data);
