/* lane.c - one way of making requests, followed through a transcript. */
#include <stdlib.h>

#include "mem.h"

#include "lane.h"

static bool
is_ours(const struct lane *l)
{
	return l->rule == LANE_OURS || l->rule == LANE_EVERY;
}

void
lane_init(struct lane *l, enum lane_rule rule, const struct conf *conf,
    const char *strategy, long window)
{
	*l = (struct lane){ .rule = rule };
	if (is_ours(l))
		seam_init(&l->seam, conf, strategy, window);
	if (rule == LANE_EVERY)
		seam_every_call(&l->seam);
	ruled_init(&l->ruled);
	shot_init(&l->shot, TOK_MODERN);
}

/* What a transcript left behind; the seam is another matter. */
static void
forget(struct lane *l)
{
	ruled_release(&l->ruled);
	shot_release(&l->shot);
	kept_release(&l->kept);
	free(l->steps);
}

void
lane_release(struct lane *l)
{
	if (is_ours(l))
		seam_release(&l->seam);
	forget(l);
}

void
lane_reset(struct lane *l)
{
	struct seam seam = l->seam;

	forget(l);
	*l = (struct lane){ .rule = l->rule, .seam = seam };
	if (is_ours(l))
		seam_reset(&l->seam);
	ruled_init(&l->ruled);
	shot_init(&l->shot, TOK_MODERN);
}

void
lane_plain(struct lane *l, size_t first, size_t same)
{
	ruled_changed(&l->ruled, first, same);
}

/* ---- step by step ---- */

static struct step *
new_step(struct lane *l)
{
	l->steps = xgrow(l->steps, l->n, &l->cap, sizeof *l->steps);
	l->steps[l->n] = (struct step){ 0 };
	return &l->steps[l->n++];
}

static void
count(struct lane *l, struct step *step, const struct shot_news *news,
    uint64_t sum, uint64_t tools)
{
	sum += tools;
	step->tokens = (long)(sum / 64);
	if (step->tokens > l->largest)
		l->largest = step->tokens;
	l->tokens += (double)step->tokens;
	l->fresh += news->fresh + (l->requests == 0 ? tools : 0);
	l->bytes += (double)news->bytes;
	l->same += (double)news->same;
	l->breaks += l->requests > 0 && news->broke;
	l->requests++;
}

static void
go_ours(struct lane *l, struct step *step, const struct shot *plain,
    const struct needs *needs, uint64_t tools)
{
	struct buf out = BUF_INIT((size_t)1 << 40);
	struct shot_news news;
	enum seam_answer answer = seam_go(&l->seam, &out, &step->epoch);

	if (answer == SEAM_CLOSED) {
		step->closed = true;
		l->closed++;
	}
	if (answer == SEAM_REQUEST) {
		l->shot.family = plain->family;
		shot_take(&l->shot, (struct slice){ out.p + 1, out.len - 2 },
		    0, &news);
		l->asked = l->shot.n;
		count(l, step, &news, l->shot.sum, tools);
		l->epochs += step->epoch;
		kept_look(&l->kept, needs, &l->shot);
	}
	buf_release(&out);
}

void
lane_go(struct lane *l, const struct shot *plain, const struct needs *needs,
    uint64_t tools)
{
	struct step *step = new_step(l);
	struct shot_news news;
	uint64_t sum;

	if (is_ours(l)) {
		go_ours(l, step, plain, needs, tools);
		return;
	}
	sum = ruled_go(&l->ruled, l->rule, plain, &news);
	count(l, step, &news, sum, tools);
	kept_plain(&l->kept, needs, l->ruled.from);
}

void
lane_reply(struct lane *l, const struct shot *plain, size_t i)
{
	if (l->n == 0 || l->steps[l->n - 1].tokens == 0)
		return;		/* it was not asked */
	if (is_ours(l)) {
		shot_cut(&l->shot, l->asked);
		shot_append(&l->shot, shot_message(plain, i));
	} else {
		ruled_reply(&l->ruled, plain, i);
	}
}

void
lane_edit(struct lane *l, const struct shot *plain, struct slice old,
    size_t place)
{
	const struct slice words = buf_view(is_ours(l) ? &l->shot.words :
	    &plain->words);

	l->kept.edits++;
	if (is_ours(l))
		place = last_place(words, words.n, old);
	else
		while (place > 0 && !ruled_shows(&l->ruled, plain, place - 1))
			place = last_place(words, place - 1, old);
	l->kept.supported += place > 0;
}

/* ---- figures ---- */

const char *
lane_name(const struct lane *l)
{
	switch (l->rule) {
	case LANE_RAW: return "raw";
	case LANE_LAST5: return "last-5 masking";
	case LANE_TURN10: return "10-turn masking";
	case LANE_EVERY: return "every_call";
	default: return "hamr";
	}
}

size_t
lane_over(const struct lane *l, long room)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += room > 0 && l->steps[i].tokens > room;
	return n;
}

double
lane_mean(const struct lane *l)
{
	return l->requests > 0 ? l->tokens / (double)l->requests : 0;
}

double
lane_reuse(const struct lane *l)
{
	return l->bytes > 0 ? 100 * l->same / l->bytes : 100;
}
