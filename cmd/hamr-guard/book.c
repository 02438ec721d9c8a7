/* book.c - counts by key, with the last calls that were counted. */
#include <stdlib.h>
#include <string.h>

#include "book.h"
#include "mem.h"

struct page *
book_page(struct book *b, struct slice key)
{
	uint64_t *at;

	if (b->n >= BOOK_MAX && map_get(&b->index, key) == NULL)
		book_clear(b);
	at = map_put(&b->index, key, NULL);
	if (*at == 0) {
		b->page = xgrow(b->page, b->n, &b->cap, sizeof *b->page);
		b->page[b->n++] = (struct page){ .n = 0 };
		*at = b->n;
	}
	return &b->page[*at - 1];
}

void
page_count(struct page *p, const char *id, size_t line)
{
	p->n++;
	if (p->nid == BOOK_IDS) {
		free(p->id[0]);
		free(p->note[0]);
		memmove(p->note, p->note + 1,
		    (BOOK_IDS - 1) * sizeof *p->note);
		memmove(p->id, p->id + 1, (BOOK_IDS - 1) * sizeof *p->id);
		memmove(p->line, p->line + 1,
		    (BOOK_IDS - 1) * sizeof *p->line);
		p->nid--;
	}
	p->note[p->nid] = NULL;
	p->id[p->nid] = xstrdup(id);
	p->line[p->nid++] = line;
}

void
book_clear(struct book *b)
{
	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < b->page[i].nid; k++) {
			free(b->page[i].id[k]);
			free(b->page[i].note[k]);
		}
		free(b->page[i].text);
	}
	free(b->page);
	map_release(&b->index);
	*b = (struct book){ .n = 0 };
}
