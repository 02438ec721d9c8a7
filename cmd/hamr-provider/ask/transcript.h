/* transcript.h - the stage: what it reads, and when it answers. */
#pragma once

#include "server/provider.h"

extern const struct stage_ops provider_ops;

void provider_init(struct provider *p, struct settings *set);
void provider_release(struct provider *p);
