/* stage_name.h - what a command of the configuration says, before it runs. */
#ifndef HAMR_LOOP_STAGE_NAME_H
#define HAMR_LOOP_STAGE_NAME_H

#include "err.h"

/* Refuse what libpipeline would guess at: unbalanced quotes, no word. */
int stage_check(const char *command, struct err *e);

/* Our own folder's copy of a bare "hamr-X", yours; or NULL. */
char *stage_beside_us(const char *name);

#endif
