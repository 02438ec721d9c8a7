/* facts.h - facts, derived from their saves: when they were saved, in which
 * slots, and when they were forgotten.
 *
 * A fact exists because of its saves.  Each save stands or falls by itself, by
 * rules that do not depend on the order in which events become known, so that
 * stores merge to the same result:
 *   - it falls when the fact was forgotten at its time or later;
 *   - it falls when it was in a slot (--key) and another fact was saved there
 *     later, even if that save has fallen since.
 * The latest save that fell in a slot is kept as a mark, without a text.
 * Call all of these within a transaction; they return 0, or -1 with e.
 */
#pragma once

#include "store.h"

struct save {
	int64_t time;
	const char *slot;	/* "": none */
	struct slice tags;	/* a JSON array; p NULL: none */
};

/* The tags of both JSON arrays, or of one: a sorted array, none twice.  The
 * caller frees it. */
char *tags_join(struct slice a, struct slice b);

/* Record a save.  Facts that lose saves to it, here and below, are noted in
 * st->lost. */
int saves_add(struct store *st, const char *key, const struct save *s,
    struct err *e);

/* Record a save that fell in another store: another fact has its slot. */
int saves_add_fallen(struct store *st, const char *key, const struct save *s,
    struct err *e);

/* Only mark an item as forgotten; the latest time counts. */
int saves_mark_forgotten(struct store *st, const char *key, int64_t time,
    struct err *e);

/* When it was forgotten; WHEN_NONE: never. */
int saves_forgotten(struct store *st, const char *key, int64_t *time,
    struct err *e);

/* Record that a forgotten fact was the latest in the slot with this hash.
 * store_end settles all such slots at once, as none is found by its hash. */
int saves_add_gone(struct store *st, const char *hash, const char *key,
    int64_t time, struct err *e);

/* Append what an export must say beyond the item: the saves as a JSON array,
 * with the latest fallen save of another fact in each slot; for a forgotten
 * fact (gone) its slots, by their hashes.  Nothing if the item, unless it is
 * lost, says it all. */
int saves_export(struct store *st, const char *key, bool gone, bool lost,
    struct buf *out, struct err *e);

/* Update this fact ("": none) and those in st->lost from their saves.  text
 * belongs to key (p NULL: none); of two texts for one key the smaller one is
 * kept. */
int facts_update(struct store *st, const char *key, struct slice text,
    struct err *e);

/* Remove the saves that saves_add_gone superseded. */
int facts_drop_gone(struct store *st, struct err *e);

int facts_forget(struct store *st, const char *key, int64_t time,
    struct err *e);
