/* fold.c - words as the full-text index folds them, by its own tokenizer. */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/mem.h"

#include "internal.h"

struct db_folder {
	fts5_tokenizer is;
	Fts5Tokenizer *made;
};

struct folded {
	struct slice left;	/* of the text */
	size_t at;		/* how much of the text is before it */
	struct buf *out;
};

static struct db_folder *
folder_new(struct db *db)
{
	static const char *options[] = { "remove_diacritics", "2" };
	struct db_folder *f = xcalloc(1, sizeof *f);
	fts5_api *api = db_fts5(db, NULL);
	void *context;

	/* it was opened with FTS5, so only memory can be missing */
	if (api == NULL || api->xFindTokenizer(api, "unicode61", &context,
	    &f->is) != SQLITE_OK || f->is.xCreate(context, options, 2,
	    &f->made) != SQLITE_OK)
		mem_none();
	return f;
}

void
db_folder_free(struct db_folder *f)
{
	if (f != NULL)
		f->is.xDelete(f->made);
	free(f);
}

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

	if (db->folder == NULL)
		db->folder = folder_new(db);
	db->folder->is.xTokenize(db->folder->made, &f, FTS5_TOKENIZE_DOCUMENT,
	    text.p, (int)text.n, add_word);
	buf_slice(out, f.left);
}
