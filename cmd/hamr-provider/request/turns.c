/* turns.c - messages as strict templates want them. */
#include <stdlib.h>

#include "base/mem.h"
#include "view/view.h"

#include "quirks.h"
#include "turns.h"

struct turns {
	unsigned quirks;
	struct buf *out;
	struct slice *group;	/* messages of one role, to be merged */
	size_t ngroup, cap;
	struct slice last;	/* role of the message printed last */
};

/* Print the messages of the group as one. */
static void
flush(struct turns *t)
{
	if (t->ngroup == 0)
		return;
	struct slice role = scan_get(t->group[0], "role");
	buf_slice(t->out, scan_comma(t->out));
	if ((t->quirks & QUIRK_AFTER_TOOL) && scan_str_is(role, "user") &&
	    scan_str_is(t->last, "tool"))
		scan_put(t->out, "{'role':'assistant','content':'(noted)'},");
	if (t->ngroup == 1)
		buf_slice(t->out, t->group[0]);
	else {
		struct slice calls = scan_get(t->group[t->ngroup - 1],
		    "tool_calls");
		for (size_t i = 0; i < t->ngroup; i++)
			t->group[i] = scan_get(t->group[i], "content");
		scan_put(t->out, "{'role':$,'content':", role);
		view_join(t->out, t->group, t->ngroup);
		scan_put(t->out, calls.p != NULL ? ",'tool_calls':$}" : "}",
		    calls);
	}
	t->last = role;
	t->ngroup = 0;
}

void
turns_fit(unsigned quirks, struct slice messages, struct buf *out)
{
	struct turns t = { .quirks = quirks, .out = out };
	struct slice m, none = { NULL, 0 };

	buf_addc(out, '[');
	for (struct walk w = walk_of(messages); walk_next(&w, NULL, &m); ) {
		struct slice role = scan_get(m, "role");
		struct slice last = t.ngroup > 0 ? t.group[t.ngroup - 1] : none;

		/* does it belong to the current group? */
		if (!(quirks & QUIRK_ALTERNATE) ||
		    !slice_eq(role, scan_get(last, "role")) ||
		    !(scan_str_is(role, "user") ||
		    (scan_str_is(role, "assistant") &&
		    scan_get(last, "tool_calls").p == NULL)))
			flush(&t);
		GROW(t.group, t.ngroup, t.cap);
		t.group[t.ngroup++] = m;
	}
	flush(&t);
	buf_addc(out, ']');
	free(t.group);
}
