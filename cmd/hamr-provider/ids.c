/* ids.c - ids of calls: never empty, never twice in one transcript. */
#include "ids.h"
#include "msg.h"
#include "scan.h"

#define ID_MAX ((size_t)80 << 10)

void
ids_note(struct ids *s, struct slice tool_calls)
{
	struct buf b = BUF_INIT(REC_MAX);
	struct walk w;
	struct call c;

	walk_in(&w, tool_calls);
	while (msg_next_call(&w, &c)) {
		buf_reset(&b);
		if (scan_str(c.id, &b) && b.len > 0)
			map_put(&s->seen, buf_view(&b), NULL);
	}
	buf_release(&b);
}

void
ids_note_all(struct ids *s, struct slice messages, size_t known)
{
	struct slice key, val;
	struct walk w;

	walk_in(&w, messages);
	if (known > 0)
		w.p = messages.p + known;
	while (walk_next(&w, &key, &val))
		ids_note(s, scan_get(val, "tool_calls"));
}

void
ids_reset(struct ids *s)
{
	map_release(&s->seen);
}

void
ids_make(const struct ids *s, struct ids *fresh, struct slice wanted,
    struct buf *out)
{
	struct buf b = BUF_INIT(ID_MAX);
	uint64_t *tried = map_get(&s->seen, wanted), *again;
	size_t n = wanted.n > 0 ? 1 : s->seen.n + fresh->seen.n;

	if (tried != NULL && *tried > 0)
		n = *tried;
	again = map_get(&fresh->seen, wanted);
	if (again != NULL && *again > n)
		n = *again;
	buf_slice(&b, wanted);
	while (b.len == 0 || map_get(&s->seen, buf_view(&b)) != NULL ||
	    map_get(&fresh->seen, buf_view(&b)) != NULL) {
		buf_reset(&b);
		n++;
		if (wanted.n == 0)
			buf_fmt(&b, "call_%zu", n);
		else
			buf_fmt(&b, "%.*s_%zu", (int)wanted.n, wanted.p, n);
	}
	if (tried != NULL && fresh->seen.n == 0)
		*tried = n - 1;
	if (again != NULL)
		*again = n;
	map_put(&fresh->seen, buf_view(&b), NULL);
	buf_slice(out, buf_view(&b));
	buf_release(&b);
}
