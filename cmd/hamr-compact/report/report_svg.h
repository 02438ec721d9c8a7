/* report_svg.h - --report=svg: a simulation as one picture that needs nothing
 * else: no script, no font, no link; what comes from a transcript is escaped.
 */
#pragma once

#include "simulation.h"

/* Append the picture of a simulation, *y down, and move *y behind it. */
void svg_picture(const struct simulation *s, long *y, struct buf *out);
/* The document around all pictures. */
void svg_document(struct slice pictures, long height, struct buf *out);
