/* facts.h - facts, put together from their saves: when they were saved, in
 * which slots, and when they were forgotten.
 *
 * A fact is there because of its saves.  Each save stands or falls by itself,
 * by rules that do not ask in which order things became known, so that stores
 * merge to the same:
 *   - it falls when the fact was forgotten at its time or later;
 *   - it falls when it was in a slot (--key) and another fact was saved there
 *     later, also one that fell since.
 * Of what fell in a slot the latest save is kept as a mark, without a text.
 * All of these are called within a transaction.
 */
#pragma once

#include "store.h"

struct save {
	int64_t time;
	const char *slot;	/* "": none */
	struct slice tags;	/* a JSON array; p NULL: none */
};

/* A save became known.  lost gets the keys of facts that it took saves from. */
int saves_add(struct store *st, const char *key, const struct save *s,
    struct texts *lost, struct err *e);

/* It fell elsewhere: another fact has its slot. */
int saves_fell(struct store *st, const char *key, const struct save *s,
    struct texts *lost, struct err *e);

/* Only the mark that an item was forgotten, at the latest time told. */
int saves_mark(struct store *st, const char *key, int64_t time,
    struct err *e);

/* When it was forgotten, and when it was saved last, WHEN_NONE when never. */
int saves_forgotten(struct store *st, const char *key, int64_t *time,
    struct err *e);
int saves_last(struct store *st, const char *key, int64_t *time,
    struct err *e);

/* A forgotten fact was the latest in the slot with this hash. */
int saves_gone(struct store *st, const char *hash, const char *key,
    int64_t time, struct texts *lost, struct err *e);

/* What an export must say besides: the saves as a JSON array, and the latest
 * one that another fact had in each slot; of a forgotten fact (gone) its slots,
 * by their hashes.  Nothing is appended when the item says it all. */
int saves_list(struct store *st, const char *key, bool gone, struct buf *out,
    struct err *e);

/* Make the facts what their saves say.  text is that of key, or p NULL; of two
 * texts for one key the smaller one stays.  gone, if not NULL, counts those
 * that are no longer there. */
int facts_settle(struct store *st, const struct texts *keys, const char *key,
    struct slice text, size_t *gone, struct err *e);

/* Forget one. */
int facts_forget(struct store *st, const char *key, int64_t time,
    size_t *gone, struct err *e);
