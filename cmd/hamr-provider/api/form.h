/* form.h - tools and messages in the form of an API.
 *
 * Messages become turns of one role each, which hold parts.  The strings are
 * scan_put formats; those of parts lack the closing brace.
 */
#pragma once

#include "request/body.h"

struct writer;

struct form {
	/* before the tools; for each its name, description and schema; after */
	const char *tools, *tool, *tools_end;
	const char *turn;	/* with its role, up to its parts */
	const char *assistant;	/* this role's name, quoted; the other: user */
	bool flat;		/* a message is a turn; calls and results are
				 * items beside it */
	/* a text part (JSON); the assistant's, if it differs */
	const char *text, *said;
	/* an image by its media type and data, or by its URL; without
	 * image_data each URL is written unchanged */
	const char *image_data, *image_url;
	/* types of what a call carries that are sent back before what it led
	 * to: parts or, if flat, items of their own; or NULL */
	const char *const *carried;
	void (*call)(struct writer *w, struct slice call);
	void (*result)(struct writer *w, struct slice message);
	const char *result_head;	/* for writer_result: a result with its
					 * call's id, up to its content */
};

struct writer {
	const struct form *form;
	struct buf *out;
	struct slice role;	/* of the open turn; {NULL, 0}: none */
	bool no_carry;		/* do not send what calls carry */
	bool signs;		/* calls need a signature */
	size_t turns;
	struct slice calls;	/* of the last assistant message */
	size_t end;		/* where the last part ends, before its } */
};

/* Append the tools as a field; false: there are none. */
bool form_tools(const struct form *form, const struct body *b,
    struct buf *out);

/* Append legal messages (messages.h), except a system message that the API
 * takes separately.  What an assistant's first call carries is before the
 * content, what others carry right before them. */
void writer_messages(struct writer *w, struct slice messages);

/* Append the text of the system message, which can only be the first message;
 * false: there is no text. */
bool system_text(struct slice messages, struct buf *out);

/* For the callbacks: begin a part in a turn of this role (quoted), or an item;
 * end it after everything but its closing brace is written. */
void writer_part(struct writer *w, struct slice role);
void writer_item(struct writer *w);
void writer_end(struct writer *w);
/* Write a result as most APIs have it: a user's part, or an item, with the
 * content in it. */
void writer_result(struct writer *w, struct slice message);
void writer_image(struct writer *w, struct slice role, struct slice part);

/* The name of the call of this id, or {NULL, 0}. */
struct slice name_of_call(struct slice calls, struct slice id);

/* Append a model's name to a URL path; a slash in it is not encoded. */
void put_path_name(const char *name, struct buf *out);

/* Split a data: URL; false if url is not one. */
bool data_url(struct slice url, struct slice *mime, struct slice *data);
