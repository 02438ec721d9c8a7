/* report_text.h - --report: a simulation as tables and charts of characters. */
#pragma once

#include "layout.h"
#include "simulation.h"

/* 1234 as "1.23k": at most five columns. */
void report_number(double v, char out[16]);

/* "131072 (128k)"; only whole thousands of 1024 are given twice. */
void report_window(long window, char out[48]);

void report_tables(const struct simulation *s, const struct screen *t,
    struct buf *out);
/* --report=json: a line for each method at each window. */
void report_json(const struct simulation *s, struct buf *out);
/* The size of the requests over the steps. */
void report_charts(const struct simulation *s, const struct screen *t,
    struct buf *out);
