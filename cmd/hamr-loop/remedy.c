/* remedy.c - what a person can do about a model server that failed. */
#include <string.h>

#include "err.h"
#include "remedy.h"

/* The first that fits; words: NULL or a piece of the server's text. */
static const struct {
	const char *code, *words, *remedy;
} remedies[] = {
	{ "auth", NULL, "is the key right? it is read from OPENAI_API_KEY "
	    "(or what api_key_env or api_key_command under [provider] name)" },
	{ "bad_request", "tool", "a model without tools of its own is told "
	    "them as text with -o provider.tool_dialect=hermes" },
	{ "server", "tool", "a model without tools of its own is told them "
	    "as text with -o provider.tool_dialect=hermes" },
	{ "bad_request", "image", "a model that sees no images is shown none "
	    "with -o provider.vision=false, in a new session" },
	{ "server", "image", "a model that sees no images is shown none with "
	    "-o provider.vision=false, in a new session" },
	{ "bad_request", "model", "hamr-provider --models lists what the "
	    "server has; name one with --model" },
	{ "bad_request", "HTTP 404", "is the URL right? it often ends in "
	    "/v1" },
	{ "network", NULL, "is the server running? --base-url names another, "
	    "hamr-loop --doctor looks for one" },
	{ "tls", NULL, "is it https there, and its certificate known? "
	    "[provider] ca_file names another authority" },
	{ "context_overflow", NULL, "[context] window tells how much the "
	    "model can hold" },
	{ "rate_limited", NULL, "go on later with --resume" },
	{ "overloaded", NULL, "go on later with --resume" },
};

void
remedy_say(const struct track *t)
{
	/* no address at all: two lines */
	if (strcmp(t->error_code, "network") == 0 && !t->error_retryable &&
	    !t->has_partial) {
		err_say("%s", t->error_text);
		err_say("start one, or point at yours: --base-url "
		    "http://HOST:PORT/v1 --model NAME (or base_url and model "
		    "under [provider] in config.toml)");
		return;
	}
	for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
		if (strcmp(remedies[i].code, t->error_code) == 0 &&
		    (remedies[i].words == NULL || strcasestr(t->error_text,
		    remedies[i].words) != NULL)) {
			err_say("%.1000s; %s", t->error_text,
			    remedies[i].remedy);
			return;
		}
	err_say("%s", t->error_text);
}
