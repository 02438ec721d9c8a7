/* user_rules.h - the user's own rules for which calls are equal: jq filters
 * over the arguments ([loop_guard] normalize). */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct user_rules;

/* Compile the filters of list, which apply in this order; NULL with e if one
 * does not compile.  *file: the transcript's name, whenever they are applied,
 * for messages. */
struct user_rules *user_rules_new(const char *const *list, size_t n,
    const char *const *file, struct err *e);

/* The arguments of a call of this tool, a checked JSON object, under canonical
 * names and as the filters leave them; as they came when the filters fail on
 * them or do not return an object.  Valid until the next call.  line: of the
 * record, for the message if the filters' process ends. */
struct slice user_rules_apply(struct user_rules *r, struct slice tool,
    struct slice args, size_t line);

void user_rules_free(struct user_rules *r);
