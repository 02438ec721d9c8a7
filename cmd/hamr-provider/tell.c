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
provider_fail(struct provider *p, struct failure *f, struct json *partial)
{
	struct json *extra = NULL, *o;

	key_redact(p->set->key, &f->message);
	if (strcmp(f->code, "context_overflow") == 0 && f->limit > 0) {
		o = json_object();
		json_str(o, "type", "limit");
		json_int(o, "context_tokens", f->limit);
		json_str(o, "source", "server error");
		stage_put_json(p->stage, R_LIMIT, o);
	}
	if (partial != NULL) {
		extra = json_object();
		json_add(extra, "partial", partial);
	}
	stage_error(p->stage, f->code, f->retryable, f->message.p, extra);
	if (p->stage->mode != STAGE_RESIDENT)
		stage_status(p->stage, f->retryable ? ST_TEMP : ST_PEER);
}
