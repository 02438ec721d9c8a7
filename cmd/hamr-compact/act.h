/* act.h - what hamr-compact does at `go`: the callbacks of the stage. */
#ifndef COMPACT_ACT_H
#define COMPACT_ACT_H

#include "compact.h"
#include "stage.h"

enum act_mode { ACT_REQUEST, ACT_VIEW, ACT_CHECK, ACT_BUDGET };

struct act {
	struct compact compact;
	enum act_mode mode;
	bool fits;
};

/* The callbacks; stage.self is a struct act. */
const struct stage_ops *act_ops(enum act_mode mode);

#endif
