/* term.h - text for a person's terminal: shows characters that would control it
 * or be invisible (ctrl.h) instead of sending them, and measures columns.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Where text goes. */
struct term {
	size_t columns;		/* COLUMNS, the terminal's, or 0: unknown */
	bool tty;
	bool colour;		/* a terminal, and neither NO_COLOR nor
				 * TERM=dumb is set */
};

struct term term_of(int fd);

/* ---- clusters: what a person sees as one character ----
 *
 * After term_open_clusters(), by utf8proc, loaded at run time: grapheme
 * clusters, as wide as their widest code point plus the marks that wcwidth
 * gives columns; 2 with VS16 and for a flag.  Before that, or without the
 * library: a character and the zero-width marks after it, by wcwidth.
 */

/* Use a UTF-8 locale for the characters of this thread, for the widths. */
void term_init(void);

/* Load utf8proc, and call term_init().  False: it is not installed. */
bool term_open_clusters(void);

/* The length in bytes of the first cluster of text, 0 at its end.  A byte that
 * is not UTF-8, or a character that controls a terminal, is a cluster of its
 * own, of one column. */
size_t term_cluster(struct slice text, size_t *columns);

/* Do terminals disagree about its columns (joined emoji, flags, skin tones,
 * VS16)?  Then set the column absolutely after it. */
bool term_cluster_differs(struct slice cluster);

/* ---- escaped ---- */

/* Append text with LF and TAB as they are, and with bytes that are not UTF-8
 * and characters on the list (ctrl.h) as \x1b or \u{202e}.  A joiner between
 * two emoji stays. */
void term_escape(struct buf *out, struct slice text);

/* Append JSON with characters on the list as \u escapes: the same value. */
void term_json(struct buf *out, struct slice json);

/* Write text to stdout, escaped on a terminal (JSON as JSON).  0, or -1 with
 * e. */
int term_write(struct slice text, bool json, struct err *e);

/* ---- one line ---- */

/* Columns of a text.  Here and below LF, TAB and CR count as one blank, and a
 * character on the list as one '?'. */
size_t term_width(struct slice text);

/* How many bytes of text fit into this many columns. */
size_t term_fits(struct slice text, size_t columns);

/* Append text, cut to at most max columns (the last one then "…"); returns
 * the columns taken. */
size_t term_put(struct buf *out, struct slice text, size_t max);

/* The same, cut at its beginning. */
size_t term_put_end(struct buf *out, struct slice text, size_t max);

/* Append n blanks; append text with tabs expanded to blanks. */
void term_pad(struct buf *out, size_t n);
void term_tabs(struct buf *out, struct slice text);

/* Append text in lines of at most `columns`, each after `indent` blanks; the
 * first one starts at column `at`.  A word that is wider is not cut, so that a
 * path can be copied; blanks stay, but not where a line ends. */
void term_wrap(struct buf *out, struct slice text, size_t at, size_t indent,
    size_t columns);
