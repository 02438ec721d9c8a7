/* remarks.c - what hamr tells the model or does by itself, for a person. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "remarks.h"

/* Of the guard's rules, and of recoveries. */
static const struct {
	const char *name, *text;
} words[] = {
	{ "repeat", "the same call gave the same result again" },
	{ "repeat-weak", "the same call gave much the same result again" },
	{ "same-answer", "many calls got the same short answer" },
	{ "retry", "a call that failed was made again unchanged" },
	{ "same-error", "the same error keeps coming back" },
	{ "cycle", "the same few calls keep repeating" },
	{ "stall", "the last calls found nothing new" },
	{ "futile-edits", "the command fails as before, whatever it edits" },
	{ "revisit", "a file is back to what it was before" },
	{ "no-mutation", "many steps, and no file changed yet" },
	{ "reads", "it has read a lot; it is time to act" },
	{ "calls", "it has made a great many calls" },
	{ "batch", "identical calls in one message share a result" },
	{ "plan-prose", "it announced what comes next instead of doing it" },
	{ "status-only", "its message was a status, not an answer" },
	{ "premature", "it said that tests pass, but none ran since the last "
	    "change" },
	{ "monologue", "it said the same thing for the third time" },
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

char *
words_for(const struct rec *r)
{
	bool verdict = r->kind == R_VERDICT;
	char *name = rec_strdup(r, verdict ? "rule" :
	    r->kind == R_RECOVERY ? "scenario" : "status");
	char *more = rec_strdup(r, verdict ? "message" : "command");
	char *all = NULL;
	const char *text = NULL;
	int64_t code = 0;

	for (size_t i = 0; name != NULL && i < sizeof words / sizeof *words;
	    i++)
		if (strcmp(words[i].name, name) == 0)
			text = words[i].text;
	if (verdict) {
		const char *lead = rec_str_is(r, "action", "halt") ?
		    "stopped the model" : rec_str_is(r, "action", "block") ?
		    "did not run a call" : "told the model";

		if (text == NULL)
			text = more != NULL ? more : name != NULL ? name : "";
		all = xasprintf("%s: %.*s", lead, (int)strcspn(text, "\n"),
		    text);
	} else if (r->kind == R_RECOVERY) {
		all = text != NULL ? xstrdup(text) : NULL;
	} else if (r->kind == R_VERIFICATION) {
		char exit[32] = "";

		if (rec_int(r, "exit", &code) && code != 0)
			snprintf(exit, sizeof exit, ", exit %lld",
			    (long long)code);
		all = xasprintf("checked with %s: %s%s", more != NULL ? more :
		    "the project's command", name != NULL ? name : "?", exit);
	}
	free(name);
	free(more);
	return all;
}
