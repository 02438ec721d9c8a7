/* take.c - the calls of an assistant message, one after the other. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "take.h"

_Static_assert(sizeof(struct taken) % 8 == 0, "what is made ahead is aligned");

static bool
is_listed(struct slice name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is(name, list[i]))
			return true;
	return false;
}

char *
take_tool(const struct policy *p, struct slice json)
{
	char *s = scan_strdup(json), *to;
	struct slice name;

	if (s == NULL)
		return xstrdup("");
	name = policy_tool(p, slice_of(s));
	if (name.p == s)
		return s;
	to = xmemdup0(name.p, name.n);
	free(s);
	return to;
}

/* c->call is there: the rest of it. */
static void
read_call(const struct policy *p, struct sign *s, struct taken *c)
{
	struct slice name = c->call.name;
	char *tool = take_tool(p, name.p != NULL ? name : SLICE("\"\""));

	/* an object may stand in place of its text */
	sign_call(s, slice_of(tool), c->call.given, &c->about);
	/* what has no name is no call that could run */
	c->exempt = name.p == NULL ||
	    is_listed(slice_of(tool), p->exempt, p->nexempt);
	if (is_listed(slice_of(tool), p->poll_tools, p->npoll))
		c->about.poll = true;
	free(tool);
}

void
take_ahead(const struct policy *p, struct sign *s, struct slice calls,
    struct buf *out)
{
	static const char zeros[8];
	struct taken c;
	struct walk w;

	walk_in(&w, calls);
	while (msg_next_call(&w, &c.call)) {
		sign_step(s);
		read_call(p, s, &c);
		buf_add(out, &c, sizeof c);
		buf_slice(out, sign_bytes(s, &c.about));
		buf_add(out, zeros, -out->len % 8);
	}
}

static bool
next_made(struct taking *t, struct taken *c)
{
	struct slice m = t->made;
	size_t n;

	if (m.n == 0)
		return false;
	memcpy(c, m.p, sizeof *c);
	n = (sizeof *c + c->about.n + 7) / 8 * 8;
	sign_adopt(t->sign, &c->about, (struct slice){ m.p + sizeof *c,
	    c->about.n });
	t->made = (struct slice){ m.p + n, m.n - n };
	t->alone = !t->any && m.n == n;
	t->any = true;
	return true;
}

void
take_begin(struct taking *t, const struct policy *p, struct sign *s,
    struct slice calls, struct slice made)
{
	*t = (struct taking){ .policy = p, .sign = s, .made = made };
	walk_in(&t->calls, calls);
	sign_step(s);
}

bool
take_next(struct taking *t, struct taken *c)
{
	struct walk ahead;

	if (t->made.p != NULL)
		return next_made(t, c);
	if (!msg_next_call(&t->calls, &c->call))
		return false;
	ahead = t->calls;
	t->alone = !t->any && !walk_key(&ahead, NULL);
	t->any = true;
	read_call(t->policy, t->sign, c);
	return true;
}
