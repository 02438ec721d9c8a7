/* rules.h - what each rule looks for, in a sentence for people. */
#ifndef HAMR_GUARD_RULES_H
#define HAMR_GUARD_RULES_H

#include "firing.h"

const char *rule_about(enum rule r);

#endif
