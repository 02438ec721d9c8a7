/* transcript.h - the stage: what was read, and when to answer. */
#pragma once

#include "server/provider.h"

extern const struct stage_ops provider_ops;

void provider_init(struct provider *p, struct settings *set);
void provider_release(struct provider *p);
