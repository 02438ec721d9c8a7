/* report.h - --report: a replay as a table and a chart, or as one SVG. */
#ifndef COMPACT_REPORT_H
#define COMPACT_REPORT_H

#include "replay.h"
#include "screen.h"

/* 1234 as "1.23k": at most five columns. */
void report_number(double v, char out[16]);

/* "131072 (128k)"; only whole thousands of 1024 are given twice. */
void report_window(long window, char out[48]);

/* The tables. */
void report_table(const struct replay *r, const struct screen *t,
    struct buf *out);
/* The chart below them.  (chart.c) */
void report_chart(const struct replay *r, const struct screen *t,
    struct buf *out);

/* Append the picture of a replay, *y down, and move *y behind it; then the
 * document around all pictures.  (svg.c) */
void svg_picture(const struct replay *r, long *y, struct buf *out);
void svg_document(struct slice pictures, long height, struct buf *out);

#endif
