/* tables.h - --report: what a simulation comes to. */
#pragma once

#include "layout.h"
#include "simulation.h"

void report_tables(const struct simulation *s, const struct screen *t,
    struct buf *out);
/* --report=json: a line for each method at each window. */
void report_json(const struct simulation *s, struct buf *out);
/* The size of the requests over the steps. */
void report_charts(const struct simulation *s, const struct screen *t,
    struct buf *out);

/* --report=svg: the picture of a simulation, *y down; *y is moved behind it.
 * It needs nothing else (no script, no font, no link), and what comes from a
 * transcript is escaped. */
void svg_picture(const struct simulation *s, long *y, struct buf *out);
/* The document around all pictures. */
void svg_document(struct slice pictures, long height, struct buf *out);
