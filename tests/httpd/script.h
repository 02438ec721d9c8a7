/*
 * script.h - what a script for the server says, and which one answers.
 *
 * A script is lines of one directive each; empty lines and those that start
 * with # are skipped.  The argument is the rest of the line after one space,
 * TEXT verbatim, ESC with \n \r \t \\ \xHH.  PATHs are relative to the script.
 *
 * About the whole answer, anywhere in the script:
 *	path GLOB	only for this request target, with or without ?query
 *	method M	only for this method
 *	always		is never used up (and so comes before all after it)
 *	status N [WORDS]	200 if not given
 *	header NAME: VALUE
 *	chunked [N]	chunked; each directive is a chunk, or chunks of up to N
 *	length N|auto|none	Content-Length, even a wrong one; none: end of
 *			connection ends the answer; auto (default): what
 *			the script holds, and one more if it has a close,
 *			reset or hang, so that the answer is not complete
 *	http10		HTTP/1.0, and length none unless it is given
 *	bare		no header lines of its own
 *	rawhead		no status line and head of its own at all
 *	cut N ACT	after N bytes of body ACT: close, reset, hang, or end (a
 *			clean end of a shorter body).  N may be "each": 0 bytes
 *			at the first use of the script, 1 at the second...
 *	include PATH	the lines of another script
 * The rest is done in order.  The head goes out before the first body byte:
 *	event TEXT	"data: TEXT\n\n"; makes it text/event-stream
 *	line TEXT	"TEXT\n"
 *	body TEXT	the text alone
 *	text ESC	the text with its escapes
 *	file PATH	the bytes of a file
 *	raw ESC		as text, but never framed as a chunk
 *	repeat N|forever DIRECTIVE	one of those six, N times
 *	head		send the head now
 *	split N [MS]	from here N bytes a write, MS apart; 0: no more; "each":
 *			as many as there were uses of the script, this included
 *	sleep MS
 *	close		FIN now, whatever was promised
 *	reset		RST now, once the peer has what was written
 *	hang		send nothing more, keep the connection
 * At the end comes the last chunk, and the connection stays open for the next
 * request unless length is none or the client asked for close.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"

struct req;

enum { EACH = -1, FOREVER = -1, AUTO = -1, NONE = -2, UNSET = -3 };

enum verb { NOTHING, HEAD, BYTES, RAW, SPLIT, SLEEP, RESET, CLOSE, HANG, END };

struct op {
	enum verb verb;
	struct buf data;
	long n, ms;		/* times, or bytes; milliseconds */
};

struct script {
	char *path, *method, *reason;
	const char *kind;	/* Content-Type where no header says it */
	int status;
	bool typed, chunked, http10, bare, rawhead, always, endless, broken;
	size_t chunk, total;
	long length, cut;
	enum verb cut_act;
	struct buf headers;
	struct op *ops;
	size_t nops;
	long uses;
};

struct scripts {
	struct script *v;	/* in the order of the command line */
	size_t n;
	struct script lost, spent;	/* for no script at all, for no more */
	bool once;
};

/* Reads the files; a mistake in one ends the process. */
void scripts_init(struct scripts *ss, char *const *files, size_t n);

/* The script that answers r. */
struct script *scripts_pick(struct scripts *ss, const struct req *r);

/* The place of s on the command line, from 1; 0 for one of our own. */
int scripts_place(const struct scripts *ss, const struct script *s);
