/* dialect_objects.h - blocks that hold JSON objects, and their marks. */
#ifndef PROVIDER_DIALECT_OBJECTS_H
#define PROVIDER_DIALECT_OBJECTS_H

#include "dialect_region.h"

#define DS_CALLS "<｜tool▁calls▁begin｜>"
#define DS_CALL "<｜tool▁call▁begin｜>"
#define DS_SEP "<｜tool▁sep｜>"
#define DS_END "<｜tool▁call▁end｜>"
#define KIMI_CALL "<|tool_call_begin|>"
#define KIMI_ARGS "<|tool_call_argument_begin|>"
#define KIMI_END "<|tool_call_end|>"
#define PYTHON_TAG "<|python_tag|>"
#define FUNCTIONS "<function_calls>"
#define FUNCTIONS_END "</function_calls>"
#define MISTRAL "[TOOL_CALLS]"
#define INVOKE "<invoke name="

enum region_said read_llama3(struct slice s, struct slice tools,
    struct scan *sc, struct region_calls *calls, size_t *used);
enum region_said read_bare(struct slice s, struct slice tools,
    struct scan *sc, struct region_calls *calls, size_t *used);
enum region_said read_mistral(struct slice s, struct slice tools,
    struct scan *sc, struct region_calls *calls, size_t *used);
enum region_said read_deepseek(struct slice s, struct slice tools,
    struct scan *sc, struct region_calls *calls, size_t *used);
enum region_said read_kimi(struct slice s, struct slice tools,
    struct scan *sc, struct region_calls *calls, size_t *used);
enum region_said read_fence(struct slice s, struct slice tools,
    struct scan *sc, struct region_calls *calls, size_t *used);
enum region_said read_functions(struct slice s, struct slice tools,
    struct scan *sc, struct region_calls *calls, size_t *used);

#endif
