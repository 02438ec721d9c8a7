/* memid.c - the ids of memory items (chapter 6), without the memory. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "memid.h"
#include "msg.h"

/* SHA-256 of the parts, separated by NULs. */
static void
hash_parts(const struct slice *part, size_t n, char hex[SHA_HEX])
{
	struct sha *s = sha_new();

	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			sha_add(s, "", 1);
		if (part[i].n > 0)
			sha_add(s, part[i].p, part[i].n);
	}
	sha_hex(s, hex);
	sha_free(s);
}

static void
id_of(const struct slice *part, size_t n, char id[MEMID_SIZE])
{
	char hex[SHA_HEX];

	hash_parts(part, n, hex);
	snprintf(id, MEMID_SIZE, "m:%.12s", hex);
}

void
memid_result(struct slice session, struct slice call_id, char id[MEMID_SIZE])
{
	id_of((struct slice[]){ session, call_id }, 2, id);
}

void
memid_message(struct slice session, struct slice role, struct slice text,
    char id[MEMID_SIZE])
{
	id_of((struct slice[]){ session, role, text }, 3, id);
}

void
memid_fact(struct slice text, char id[MEMID_SIZE])
{
	id_of((struct slice[]){ SLICE("fact"), text }, 2, id);
}

char *
memid_session(const struct rec *first)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);
	char *role = rec_strdup(first, "role"), hex[SHA_HEX];

	msg_text(rec_get(first, "content"), &text);
	hash_parts((struct slice[]){ slice_of(role), buf_view(&text) }, 2,
	    hex);
	buf_release(&text);
	free(role);
	return xstrdup(hex);
}
