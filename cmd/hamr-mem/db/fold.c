/* fold.c - words as the full-text index folds them, by its own tokenizer. */
#include "internal.h"

struct folded {
	struct slice left;	/* of the text */
	size_t at;		/* how much of the text is before it */
	struct buf *out;
};

/* What is between two words stays as it is. */
static int
add_word(void *ctx, int flags, const char *word, int n, int from, int to)
{
	struct folded *f = ctx;

	(void)flags;
	buf_add(f->out, f->left.p, (size_t)from - f->at);
	buf_add(f->out, word, (size_t)n);
	f->left = slice_from(f->left, (size_t)to - f->at);
	f->at = (size_t)to;
	return SQLITE_OK;
}

void
db_fold(struct db *db, struct slice text, struct buf *out)
{
	struct folded f = { .left = text, .out = out };

	db->fts5.xTokenize(db->tokenizer, &f, FTS5_TOKENIZE_DOCUMENT, text.p,
	    (int)text.n, add_word);
	buf_slice(out, f.left);
}
