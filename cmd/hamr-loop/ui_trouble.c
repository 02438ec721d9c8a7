/* ui_trouble.c - a model server that does not answer, told once and calmly. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "remedy.h"
#include "ui_in.h"

/* A server that is busy comes back by itself. */
static bool
is_busy(const char *code)
{
	return strcmp(code, "overloaded") == 0 ||
	    strcmp(code, "rate_limited") == 0;
}

/* What was told before goes to the status line. */
static void
tell(struct ui *u, const char *code, const char *words, bool begun)
{
	const char *remedy = begun ? "it broke off in its answer" :
	    is_busy(code) ? "waiting for it" : remedy_of(code, words);

	if (u->trouble != NULL && strcmp(u->trouble, words) == 0)
		return;
	free(u->trouble);
	u->trouble = xstrdup(words);
	ui_note(u, "  %.1000s%s%s", words, remedy != NULL ? "; " : "",
	    remedy != NULL ? remedy : "");
}

/* A wait that is not counted as a try. */
static bool
is_loading(const struct rec *r)
{
	int64_t n;

	return r->kind == R_PROGRESS && !rec_int(r, "attempt", &n);
}

bool
ui_trouble(struct ui *u, const struct rec *r)
{
	char *code = rec_strdup(r, "code"), *words = rec_strdup(r, "message");
	bool ours = code != NULL && words != NULL &&
	    rec_str_is(r, "stage", "provider");

	if (ours && r->kind == R_ERROR && !scan_true(rec_get(r, "retryable"))) {
		/* if it ends the run, the end of the run tells it */
		ours = strcmp(code, "context_overflow") != 0 &&
		    strcmp(code, "malformed_tool_call") != 0;
	} else if (ours) {
		tell(u, code, words, rec_get(r, "partial").p != NULL);
		ui_status_doing(u, is_loading(r) ? "the server is loading its model" :
		    "trying the model server again");
	}
	free(code);
	free(words);
	return ours;
}

bool
ui_waiting(struct ui *u, const struct rec *r)
{
	char *words = rec_strdup(r, "message");
	int64_t ms;
	bool ours = words != NULL && u->live && rec_str_is(r, "stage",
	    "loop") && rec_int(r, "wait_ms", &ms);

	if (ours)
		ui_status_doing(u, words);
	free(words);
	return ours;
}

void
ui_trouble_over(struct ui *u)
{
	free(u->trouble);
	u->trouble = NULL;
}
