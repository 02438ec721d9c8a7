/* tell.c - what hamr-provider says of an answer: deltas, a failure. */
#include <string.h>

#include "key.h"
#include "provider.h"

void
provider_delta(void *ctx, const char *kind, struct slice text)
{
	struct provider *p = ctx;
	struct json *o;

	if (p->stage == NULL || (p->stage->mode == STAGE_FILTER &&
	    !p->stage->stream))
		return;
	o = json_object();
	json_str(o, "type", "delta");
	json_str(o, "kind", kind);
	json_slice(o, "text", text);
	stage_put_json(p->stage, R_DELTA, o);
}

void
provider_limit(struct provider *p, long long tokens, const char *source)
{
	struct json *o = json_object();

	p->limit = (long)tokens;
	json_str(o, "type", "limit");
	json_int(o, "context_tokens", tokens);
	json_str(o, "source", source);
	stage_put_json(p->stage, R_LIMIT, o);
}

void
provider_fail(struct provider *p, struct failure *f, struct json *partial)
{
	struct json *extra = NULL;

	key_redact(p->set->key, &f->message);
	if (strcmp(f->code, "context_overflow") == 0 && f->limit > 0)
		provider_limit(p, f->limit, "server error");
	if (partial != NULL) {
		extra = json_object();
		json_add(extra, "partial", partial);
	}
	stage_error(p->stage, f->code, f->retryable, f->message.p, extra);
	if (p->stage->mode != STAGE_RESIDENT)
		stage_status(p->stage, f->retryable ? ST_TEMP : ST_PEER);
}

void
provider_say(struct provider *p, const char *words)
{
	struct json *o;

	if (!p->set->quiet) {
		err_say("%s", words);
	} else if (p->stage != NULL && p->stage->mode == STAGE_RESIDENT) {
		o = json_object();
		json_str(o, "type", "progress");
		json_str(o, "stage", "provider");
		json_str(o, "message", words);
		stage_put_json(p->stage, R_PROGRESS, o);
	}
}
