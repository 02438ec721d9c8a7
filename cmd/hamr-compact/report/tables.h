/* tables.h - --report: the results of a simulation. */
#pragma once

#include "layout.h"
#include "simulation.h"

void report_tables(const struct simulation *s, const struct term *t,
    struct buf *out);
/* --report=json: a line for each method at each window. */
void report_json(const struct simulation *s, struct buf *out);
void report_charts(const struct simulation *s, const struct term *t, bool utf8,
    struct buf *out);

/* --report=svg: the picture that share/hamr/report.jq draws of a transcript. */
void report_picture(const struct simulation *s, struct buf *out);
