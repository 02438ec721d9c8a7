/* remarks.c - what hamr tells the model or does by itself, for a person. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "remarks.h"

struct words {
	const char *name, *text;
};

static const struct words rules[] = {
	{ "repeat", "the same call gave the same result again" },
	{ "repeat-weak", "the same call gave much the same result again" },
	{ "same-answer", "many calls have the same short answer" },
	{ "retry", "a call that failed was made again as it was" },
	{ "same-error", "the same error keeps coming back" },
	{ "cycle", "the same few calls keep repeating" },
	{ "stall", "the last calls found nothing new" },
	{ "futile-edits", "the command fails as before, whatever is edited" },
	{ "revisit", "a file is back at what it was before" },
	{ "no-mutation", "many steps, and no file changed yet" },
	{ "reads", "it has read a lot; it is time to act" },
	{ "calls", "it has made a great many calls" },
	{ "batch", "identical calls in one message share a result" },
	{ "plan-prose", "it announced what comes next instead of doing it" },
	{ "status-only", "its message was a status, not an answer" },
	{ "premature", "it said that tests pass, and ran none" },
	{ "monologue", "it said the same for the third time" },
};

static const struct words recoveries[] = {
	{ "empty_response", "the answer was empty; asking again" },
	{ "infinite_loop", "the model repeated itself; told it "
	    "to try another way" },
	{ "bash_failure", "the last command failed; told the model to "
	    "fix that" },
	{ "malformed_tool_call", "a tool call could not be read; asking "
	    "again" },
	{ "context_exhaustion", "the conversation was too long; "
	    "shortening it" },
	{ "stage_died", "a part of hamr stopped and was restarted" },
};

static const char *
find(const struct words *w, size_t n, const char *name)
{
	for (size_t i = 0; name != NULL && i < n; i++)
		if (strcmp(w[i].name, name) == 0)
			return w[i].text;
	return NULL;
}

char *
words_for(const struct rec *r)
{
	char *name = NULL, *more = NULL, *all = NULL;
	const char *text;

	if (r->kind == R_VERDICT) {
		const char *lead = rec_str_is(r, "action", "halt") ?
		    "stopped the model" : rec_str_is(r, "action", "block") ?
		    "did not run a call" : "told the model";

		name = rec_strdup(r, "rule");
		more = rec_strdup(r, "message");
		text = find(rules, sizeof rules / sizeof *rules, name);
		if (text == NULL)
			text = more != NULL ? more : name != NULL ? name : "";
		all = xasprintf("%s: %.*s", lead, (int)strcspn(text, "\n"),
		    text);
	} else if (r->kind == R_RECOVERY) {
		name = rec_strdup(r, "scenario");
		text = find(recoveries, sizeof recoveries /
		    sizeof *recoveries, name);
		all = text != NULL ? xstrdup(text) : NULL;
	} else if (r->kind == R_VERIFICATION) {
		name = rec_strdup(r, "status");
		more = rec_strdup(r, "command");
		all = xasprintf("checked with %s: %s", more != NULL ? more :
		    "the project's command", name != NULL ? name : "?");
	}
	free(name);
	free(more);
	return all;
}
