/* show.h - how hits, items and briefs look. */
#pragma once

#include "find/find.h"
#include "record/rec.h"
#include "term/term.h"

/* A hit as a record; partial: of a search that did not rank all that
 * matches. */
void show_hit(struct rec_out *out, const struct hit *h, bool partial);
/* Append it as a row of a table that fits the terminal, the match bold. */
void show_hit_row(struct buf *row, const struct hit *h, struct term t);
void show_listed(struct rec_out *out, const struct listed *l);
void show_stats(struct rec_out *out, const struct store *st,
    const struct stats *n);
/* The same for people. */
void show_stats_page(struct buf *page, const struct store *st,
    const struct stats *n);

/* Append text on one line: white space is a blank, control and invisible
 * direction characters are '?'; cut with "…" behind max characters. */
void show_line(struct slice text, size_t max, struct buf *out);
