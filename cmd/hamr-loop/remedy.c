/* remedy.c - what a person can do about a model server that failed. */
#include <string.h>

#include "err.h"
#include "remedy.h"

/* The first that fits; words: NULL or a piece of the server's text. */
static const struct {
	const char *code, *words, *remedy;
} remedies[] = {
	{ "auth", NULL, "api_key_env or api_key_command, beside base_url "
	    "under [provider], names the key to send" },
	{ "bad_request", "tool", "a model without tools of its own is told "
	    "them as text with -o provider.tool_dialect=hermes" },
	{ "server", "jinja", "start llama-server with --jinja, or tell it "
	    "the tools as text with -o provider.tool_dialect=hermes" },
	{ "server", "tool", "a model without tools of its own is told them "
	    "as text with -o provider.tool_dialect=hermes" },
	{ "bad_request", "image", "a model that sees no images is shown none "
	    "with -o provider.vision=false" },
	{ "server", "image", "a model that sees no images is shown none "
	    "with -o provider.vision=false" },
	{ "bad_request", "model", "hamr-provider --models lists what the "
	    "server has; name one with --model" },
	{ "bad_request", "HTTP 404", "is the URL right? it often ends in "
	    "/v1" },
	{ "network", "reset by peer", "is the port right, and is it http:// "
	    "there? --base-url names another" },
	{ "network", "resolve host", "is the URL right? --base-url names "
	    "another" },
	{ "network", NULL, "is the server running? --base-url names another, "
	    "hamr-loop --doctor looks for one" },
	{ "context_overflow", NULL, "[context] window tells how much the "
	    "model can hold" },
	{ "rate_limited", NULL, "go on later with --resume" },
	{ "overloaded", NULL, "go on later with --resume" },
};

const char *
remedy_of(const char *code, const char *words)
{
	for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
		if (strcmp(remedies[i].code, code) == 0 &&
		    (remedies[i].words == NULL || strcasestr(words,
		    remedies[i].words) != NULL))
			return remedies[i].remedy;
	return NULL;
}

void
remedy_say(const struct track *t)
{
	const char *remedy = t->has_partial ? "it broke off in its answer; go "
	    "on later with --resume" : remedy_of(t->error_code, t->error_text);

	/* no address at all: two lines */
	if (strcmp(t->error_code, "network") == 0 && !t->error_retryable &&
	    !t->has_partial) {
		err_say("%s", t->error_text);
		err_say("start one, or point at yours: --base-url "
		    "http://HOST:PORT/v1 --model NAME (or base_url and model "
		    "under [provider] in config.toml)");
	} else if (remedy != NULL)
		err_say("%.1000s; %s", t->error_text, remedy);
	else
		err_say("%s", t->error_text);
}
