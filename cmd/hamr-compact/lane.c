/* lane.c - one way of making requests, followed through a transcript. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "msg.h"

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
	shot_init(&l->shot, TOK_MODERN);
}

/* What a transcript left behind; the seam is another matter. */
static void
forget(struct lane *l)
{
	lane_plain(l, 0);
	shot_release(&l->shot);
	kept_release(&l->kept);
	free(l->masks);
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
	shot_init(&l->shot, TOK_MODERN);
}

/* ---- the named rules ---- */

void
lane_plain(struct lane *l, size_t first)
{
	while (l->nmasks > first)
		free(l->masks[--l->nmasks]);
}

/* What stands for a result that is masked: the words of SWE-agent. */
static char *
mask(struct slice m)
{
	struct slice id = scan_get(m, "tool_call_id");
	struct buf text = BUF_INIT(BUF_RECORD_MAX), out = text;
	size_t lines = 1;

	msg_text(scan_get(m, "content"), &text);
	for (size_t i = 0; i + 1 < text.len; i++)
		lines += text.p[i] == '\n';
	buf_adds(&out, "{\"role\":\"tool\",\"tool_call_id\":");
	buf_slice(&out, id);
	buf_fmt(&out, ",\"content\":\"Old environment output: (%zu lines "
	    "omitted)\"}", lines);
	buf_release(&text);
	return buf_detach(&out);
}

static const char *
masked(struct lane *l, const struct shot *plain, size_t i)
{
	while (l->nmasks <= i) {
		l->masks = xgrow(l->masks, l->nmasks, &l->capmasks,
		    sizeof *l->masks);
		l->masks[l->nmasks++] = NULL;
	}
	if (l->masks[i] == NULL)
		l->masks[i] = mask(shot_message(plain, i));
	return l->masks[i];
}

/* The first message from which results are shown. */
static size_t
border(const struct lane *l, const struct shot *plain)
{
	size_t i = plain->n, n = 0, want = l->rule == LANE_LAST5 ? 5 : 10;

	if (l->rule == LANE_RAW)
		return 0;
	while (i > 0 && n < want) {
		i--;
		if (l->rule == LANE_LAST5)
			n += plain->m[i].role == 't';
		else
			n += plain->m[i].role == 'a' && i + 1 < plain->n &&
			    plain->m[i + 1].role == 't';
	}
	return i;
}

static void
by_rule(struct lane *l, const struct shot *plain, struct buf *out)
{
	size_t at = l->from > 0 ? plain->m[l->from - 1].end : 0;

	buf_addc(out, '[');
	for (size_t i = 0; i < l->from; i++) {
		if (i > 0)
			buf_addc(out, ',');
		if (plain->m[i].role == 't')
			buf_adds(out, masked(l, plain, i));
		else
			buf_slice(out, shot_message(plain, i));
	}
	buf_add(out, plain->bytes.p + at, plain->bytes.len - at);
	buf_addc(out, ']');
}

/* ---- step by step ---- */

static struct step *
new_step(struct lane *l)
{
	l->steps = xgrow(l->steps, l->n, &l->cap, sizeof *l->steps);
	l->steps[l->n] = (struct step){ 0 };
	return &l->steps[l->n++];
}

static enum seam_answer
messages_of(struct lane *l, const struct shot *plain, struct buf *out,
    bool *epoch)
{
	if (is_ours(l))
		return seam_go(&l->seam, out, epoch);
	l->from = border(l, plain);
	by_rule(l, plain, out);
	return SEAM_REQUEST;
}

static void
count(struct lane *l, struct step *step, const struct shot_news *news,
    uint64_t tools)
{
	uint64_t sum = l->shot.sum + tools;

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

void
lane_go(struct lane *l, const struct shot *plain, const struct needs *needs,
    uint64_t tools)
{
	struct buf out = BUF_INIT((size_t)1 << 40);
	struct step *step = new_step(l);
	struct shot_news news;
	enum seam_answer answer = messages_of(l, plain, &out, &step->epoch);

	if (answer == SEAM_CLOSED) {
		step->closed = true;
		l->closed++;
	}
	if (answer == SEAM_REQUEST) {
		l->shot.family = plain->family;
		shot_take(&l->shot, buf_view(&out), &news);
		l->asked = l->shot.n;
		count(l, step, &news, tools);
		l->epochs += step->epoch;
		kept_look(&l->kept, needs, &l->shot);
	}
	buf_release(&out);
}

void
lane_reply(struct lane *l, struct slice message)
{
	if (l->n == 0 || l->steps[l->n - 1].tokens == 0)
		return;		/* it was not asked */
	shot_cut(&l->shot, l->asked);
	shot_append(&l->shot, message);
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
