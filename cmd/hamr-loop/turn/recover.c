/* recover.c - failures that a turn survives, each with its own count. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "internal.h"
#include "texts.h"
#include "base/utf8.h"

#define ALL_MOST 5		/* of the first five scenarios together */
#define COMMAND ((size_t)500)	/* bytes of a command to quote */
#define EXCERPT ((size_t)2000)	/* ... and of its output */

/* How often each may happen in a turn. */
static const int most[SCENARIOS] = {
	[EMPTY_RESPONSE] = 2, [INFINITE_LOOP] = 1, [BASH_FAILURE] = 2,
	[MALFORMED_TOOL_CALL] = 2, [CONTEXT_EXHAUSTION] = 1,
	[PROVIDER_DOWN] = 3, [STAGE_DIED] = 5
};

/* Seconds before the server is asked again: one that broke off in mid-answer is
 * up, one that gave no answer may have to be started. */
static const double waits[2][3] = { { 1, 15, 120 }, { 1, 5, 20 } };

static bool
is_allowed(const struct track *k, enum scenario s)
{
	int all = 0;

	for (int i = EMPTY_RESPONSE; i <= CONTEXT_EXHAUSTION; i++)
		all += k->recovered[i];
	return k->recovered[s] < most[s] &&
	    (s > CONTEXT_EXHAUSTION || all < ALL_MOST);
}

/* ---- what the model is told ---- */

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* A sample call of the tool that a malformed call meant: the first tool named
 * in it, or else in the error. */
static char *
template_of(const struct track *k)
{
	const char *text = k->partial != NULL ? k->partial :
	    k->error_text != NULL ? k->error_text : "", *first = NULL;
	struct slice list = scan_get(slice_of(k->tools), "tools");
	struct slice tool, fn = SLICE(""), key;
	struct buf b = BUF_INIT((size_t)1 << 20);
	const char *comma = "";

	for (struct walk w = walk_of(list); walk_next(&w, NULL, &tool); ) {
		struct slice one = scan_get(tool, "function");
		char *name = scan_text(scan_get(one, "name"));
		size_t n = strlen(name);

		for (const char *p = text; n > 0 && (p = strstr(p, name)) !=
		    NULL && (first == NULL || p < first); p += n)
			if ((p == text || !is_word(p[-1])) && !is_word(p[n])) {
				first = p;
				fn = one;
			}
		free(name);
	}
	if (fn.n == 0)
		return xstrdup("{\"name\":<tool>,\"arguments\":{...}}");
	buf_adds(&b, "{\"name\":");
	buf_slice(&b, scan_get(fn, "name"));
	buf_adds(&b, ",\"arguments\":{");
	struct slice val = scan_get(scan_get(fn, "parameters"), "properties");
	for (struct walk w = walk_of(val); walk_next(&w, &key, &val); ) {
		char *type = scan_strdup(scan_get(val, "type"));

		buf_fmt(&b, "%s\"", comma);
		buf_slice(&b, key);
		buf_fmt(&b, "\":<%s>", type != NULL ? type : "value");
		comma = ",";
		free(type);
	}
	buf_adds(&b, "}}");
	return buf_detach(&b);
}

static int
excerpt(const char *s, size_t most_bytes)
{
	return (int)utf8_cut(s, strlen(s), most_bytes);
}

bool
recover(struct turn *t, enum scenario s)
{
	struct hub *h = t->hub;
	const struct track *k = h->track;
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	char *text = NULL, *template;

	if (!is_allowed(k, s) || h->failed)
		return false;
	switch (s) {
	case EMPTY_RESPONSE:
		text = xstrdup(TEXT_EMPTY);
		break;
	case INFINITE_LOOP:
		text = xasprintf(TEXT_LOOP, k->halt_text);
		break;
	case BASH_FAILURE:
		text = xasprintf(TEXT_BASH, excerpt(k->bash_failed, COMMAND),
		    k->bash_failed, excerpt(k->bash_output, EXCERPT),
		    k->bash_output);
		break;
	case MALFORMED_TOOL_CALL:
		template = template_of(k);
		text = xasprintf(TEXT_MALFORMED, k->error_text != NULL ?
		    k->error_text : "", template);
		free(template);
		break;
	case CONTEXT_EXHAUSTION:
		/* add nothing after a message without an answer: that would
		 * move it to where it is cut, and nothing was read for it */
		text = k->unanswered ? NULL : xstrdup(TEXT_CONTEXT);
		break;
	default:
		break;		/* say nothing, ask again */
	}
	/* in one write: a resume finds both or neither */
	scan_put(&b, "{'type':'recovery','scenario':@,'attempt':$}",
	    slice_of(track_scenarios[s]), SCAN_INT(k->recovered[s] + 1));
	if (text != NULL)
		scan_put(&b, "\n{'role':'user','content':@,"
		    "'meta':{'by':'loop'}}", slice_of(text));
	free(text);
	return hub_commit(h, &b) == 0 && !h->failed &&
	    hub_sync(h, SLOT_GUARD) == 0;
}

/* ---- the model server ---- */

/* The scenario of an error that the model is told about; SCENARIOS: none. */
static enum scenario
told_of(const char *code)
{
	return strcmp(code, "context_overflow") == 0 ||
	    strcmp(code, "budget_exhausted") == 0 ? CONTEXT_EXHAUSTION :
	    strcmp(code, "malformed_tool_call") == 0 ? MALFORMED_TOOL_CALL :
	    SCENARIOS;
}

bool
recover_resumed(struct turn *t)
{
	const struct track *k = t->hub->track;
	enum scenario s = k->error_code != NULL && !k->ended ?
	    told_of(k->error_code) : SCENARIOS;

	return s != SCENARIOS && recover(t, s);
}

bool
recover_asking(struct turn *t)
{
	const struct track *k = t->hub->track;
	const char *code = k->error_code;
	struct buf b = BUF_INIT(1 << 16);

	if (t->hub->failed || t->hub->interrupts > 0 || code == NULL)
		return false;
	if (told_of(code) != SCENARIOS)
		return recover(t, told_of(code));
	if (t->end != END_MODEL)
		return false;
	/* an answer that broke off is worth a retry, whatever the error says */
	if (!k->error_retryable && strcmp(code, "truncated") != 0 &&
	    (strcmp(code, "network") != 0 || !k->has_partial))
		return false;
	if (!is_allowed(k, PROVIDER_DOWN))
		return false;
	/* wait, with progress, before asking again */
	double left = conf_num(t->conf, "agent.provider_wait") -
	    (double)t->waited_ms / 1000;
	int n = k->recovered[PROVIDER_DOWN];
	double s = waits[k->has_partial][n];
	long long wall = turn_wall_end(t);
	if (wall != 0 && left > (double)(wall - file_now_ms()) / 1000)
		left = (double)(wall - file_now_ms()) / 1000;
	/* an earlier retry would only get the same answer */
	if (k->retry_after > 0 && (double)k->retry_after > left)
		return false;
	if ((double)k->retry_after > s)
		s = (double)k->retry_after;
	if (s > left)
		s = left > 0 ? left : 0;
	char *text = xasprintf("no answer (%s); asking the server again in "
	    "%.0f s (%d of %d)", t->reason, s, n + 1, most[PROVIDER_DOWN]);
	scan_put(&b, "{'type':'progress','stage':'loop','attempt':$,'of':$,"
	    "'wait_ms':$,'message':@}", SCAN_INT(n + 1),
	    SCAN_INT(most[PROVIDER_DOWN]), SCAN_INT((long long)(s * 1000)),
	    slice_of(text));
	free(text);
	hub_show(t->hub, &b);
	t->waited_ms += (long long)(s * 1000);
	return hub_pause(t->hub, (int)(s * 1000)) == 0 &&
	    recover(t, PROVIDER_DOWN);
}
