/* settings_api.c - which API is spoken: ours, an adapter, a replay. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapter.h"
#include "api.h"
#include "mem.h"
#include "num.h"
#include "plugin.h"
#include "settings_api.h"

static int
load_chunk(struct settings *s, const struct flags *f, struct err *e)
{
	int64_t n;

	if (f->replay_chunk == NULL)
		return 0;
	if (!num_i64(f->replay_chunk, strlen(f->replay_chunk), &n) || n < 1)
		return err_set(e, ST_USAGE, "--replay-chunk %s: not a number "
		    "of bytes", f->replay_chunk);
	s->replay_chunk = (size_t)n;
	return 0;
}

/* A path in a file is relative to the file's folder, for a repository that one
 * happens to be in is not to lend the program.  Yours to free. */
static char *
path_in_file(const char *path, const char *origin)
{
	const char *slash = *origin == '/' ? strrchr(origin, '/') : NULL;

	if (*path == '/' || slash == NULL)
		return xstrdup(path);
	return xasprintf("%.*s/%s", (int)(slash - origin), origin, path);
}

static int
unknown_api(const char *api, bool flag, struct err *e)
{
	if (adapter_is_path(api) || *api == '/')
		return err_set(e, flag ? ST_NOINPUT : ST_CONFIG, "api %s: "
		    "there is no such program", api);
	return err_set(e, flag ? ST_USAGE : ST_CONFIG, "api %.100s: not known; "
	    "there are %s, adapters (FILE.jq, or NAME for NAME.jq in the folder "
	    "providers beside config.toml), and programs hamr-provider-NAME on "
	    "PATH", api, api_names);
}

/* None of ours: an adapter, or a program on PATH. */
static int
load_own(struct settings *s, struct lookup *l, const struct flags *f,
    const char *name, struct err *e)
{
	const char *key = lookup_key(l, "max_response_bytes");
	size_t max = (size_t)conf_int(l->conf, key);
	bool flag = f->api != NULL;
	char *api = path_in_file(name, flag || !adapter_is_path(name) ? "" :
	    conf_origin(l->conf, lookup_key(l, "api")));
	char *path = adapter_path(api);
	int r = -1;

	if (path == NULL) {
		s->api = &api_openai;	/* never spoken */
		s->program = plugin_find("provider", api, e);
		r = s->program != NULL ? 0 : unknown_api(api, flag, e);
	} else if (access(path, F_OK) < 0)
		unknown_api(api, flag, e);
	else
		s->adapter = adapter_open(path, max, e);
	if (s->adapter != NULL) {
		s->api = adapter_api(s->adapter);
		r = 0;
	} else if (r < 0 && e->status == ST_USAGE && !flag)
		e->status = ST_CONFIG;
	free(path);
	free(api);
	return r;
}

static int
load_replay(struct settings *s, const struct flags *f, const char *api,
    struct err *e)
{
	if (s->replay && f->replay == NULL)
		return err_set(e, ST_USAGE, "--api replay needs --replay FILE; "
		    "give it a script or a transcript");
	if (!s->replay && f->replay != NULL && s->adapter == NULL)
		return err_set(e, ST_USAGE, "--replay FILE and --api %s do "
		    "not go together; leave one out", api);
	s->replay |= f->replay != NULL;	/* an adapter reads a cassette */
	s->replay_file = f->replay;
	if (f->replay_speed != NULL && (!num_double(f->replay_speed,
	    strlen(f->replay_speed), &s->replay_speed) ||
	    s->replay_speed < 0))
		return err_set(e, ST_USAGE, "--replay-speed %s: not a number "
		    "of tokens a second", f->replay_speed);
	return load_chunk(s, f, e);
}

int
settings_load_api(struct settings *s, struct lookup *l, const struct flags *f,
    struct err *e)
{
	const char *api = f->api != NULL ? f->api : f->replay != NULL ?
	    "replay" : lookup_str(l, "api");

	s->replay = strcmp(api, "replay") == 0;
	s->api = api_named(s->replay ? "openai" : api);
	if (s->api == NULL && load_own(s, l, f, api, e) < 0)
		return -1;
	return load_replay(s, f, api, e);
}
