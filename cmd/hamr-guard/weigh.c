/* weigh.c - small things that the parts of the guard share: what is said, what
 * counts how much. */
#include "guard.h"

char *
guard_words(enum word w, const struct facts *f)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	words_say(w, f, &b);
	return buf_detach(&b);
}

int
guard_weight(bool poll, bool transient)
{
	if (poll)
		return POINT / 3;
	return transient ? POINT / 2 : POINT;
}

void
step_weigh(struct step *s, int weight)
{
	if (weight > s->weight)
		s->weight = weight;
}
