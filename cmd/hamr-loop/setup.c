/* setup.c - from options and configuration to slots and first records. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "context.h"
#include "contract.h"
#include "file.h"
#include "mem.h"
#include "mention.h"
#include "origin.h"
#include "setup.h"

#define SYSTEM_MAX ((size_t)1 << 20)

static void
flag(struct setup *s, enum slot_id id, const char *text)
{
	s->flags[id] = xrealloc(s->flags[id],
	    (s->nflags[id] + 1) * sizeof *s->flags[id]);
	s->flags[id][s->nflags[id]++] = xstrdup(text);
}

static void
flag_value(struct setup *s, enum slot_id id, const char *name,
    const char *value)
{
	if (value == NULL || value[0] == '\0')
		return;
	flag(s, id, name);
	flag(s, id, value);
}

static void
flags_of(struct setup *s, enum slot_id id)
{
	const struct opts *o = s->o;

	flag(s, id, "-r");
	flag(s, id, "-q");	/* warnings were said by us, once */
	if (o->no_config)
		flag(s, id, "--no-config");
	for (size_t i = 0; i < o->nset; i++)
		flag_value(s, id, "-o", o->set[i]);
	switch (id) {
	case SLOT_COMPACT:
		flag_value(s, id, "--strategy", o->strategy);
		break;
	case SLOT_PROVIDER:
		flag_value(s, id, "--provider", o->provider);
		flag_value(s, id, "--model", o->model);
		flag_value(s, id, "--base-url", o->base_url);
		flag_value(s, id, "--replay", o->replay);
		break;
	case SLOT_TOOL:
		flag_value(s, id, "--mode", s->mode);
		flag_value(s, id, "--root", s->root);
		if (o->yes)
			flag(s, id, "--yes");
		if (s->unattended)
			flag(s, id, "--no-ask");
		break;
	default:
		break;
	}
}

static void
add_secret(struct setup *s, const char *name)
{
	if (name[0] == '\0')
		return;
	s->secrets = xgrow(s->secrets, s->nsecrets, &s->capsecrets,
	    sizeof *s->secrets);
	s->secrets[s->nsecrets++] = xstrdup(name);
}

/* Keys are the provider's alone (chapter 4.1). */
static void
find_secrets(struct setup *s)
{
	static const char *const customary[] = { "OPENAI_API_KEY",
		"ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OLLAMA_API_KEY" };
	const char *const *names;
	size_t n;

	for (size_t i = 0; i < sizeof customary / sizeof *customary; i++)
		add_secret(s, customary[i]);
	add_secret(s, conf_str(s->conf, "provider.api_key_env"));
	/* also those of servers that this run does not ask */
	names = conf_names(s->conf, "provider", &n);
	for (size_t i = 0; i < n; i++) {
		char *key = xasprintf("provider.%s.api_key_env", names[i]);

		add_secret(s, conf_str(s->conf, key));
		free(key);
	}
}

/* Read before anything is committed: a run that cannot begin leaves no
 * session behind. */
static int
read_system(struct setup *s, struct err *e)
{
	char *name = xasprintf("system/%s.txt", s->mode);
	char *path = conf_share(name);
	int r;

	buf_init(&s->system, SYSTEM_MAX);
	r = file_read(path, &s->system, NULL);
	if (r < 0)
		err_set(e, ST_NOINPUT, "%s is missing; install hamr again, or "
		    "set HAMR_SHARE to its share/hamr", path);
	free(path);
	free(name);
	return r;
}

int
setup_slots(struct setup *s, struct hub *h, struct err *e)
{
	static const char *const keys[SLOTS] = { "stages.guard",
		"stages.compact", "stages.provider", "stages.tool",
		"stages.mem" };

	if (read_system(s, e) < 0)
		return -1;
	find_secrets(s);
	for (int i = 0; i < SLOTS; i++) {
		struct child_opts *c = &h->slot[i].cmd;

		h->slot[i].used = i != SLOT_MEM ||
		    conf_bool(s->conf, "memory.enabled");
		if (!h->slot[i].used)
			continue;
		c->commands = conf_list(s->conf, keys[i], &c->n);
		if (c->n == 0)
			return err_set(e, ST_CONFIG, "%s is empty; name at "
			    "least one command", keys[i]);
		flags_of(s, (enum slot_id)i);
		c->flags = (const char *const *)s->flags[i];
		c->nflags = s->nflags[i];
		if (i != SLOT_PROVIDER) {
			c->unset = (const char *const *)s->secrets;
			c->nunset = s->nsecrets;
		}
	}
	return 0;
}

void
setup_release(struct setup *s)
{
	for (int i = 0; i < SLOTS; i++) {
		for (size_t k = 0; k < s->nflags[i]; k++)
			free(s->flags[i][k]);
		free(s->flags[i]);
	}
	for (size_t i = 0; i < s->nsecrets; i++)
		free(s->secrets[i]);
	free(s->secrets);
	buf_release(&s->system);
}

/* ---- the first records ---- */

static int
header(const struct setup *s, struct hub *h)
{
	struct json *o = json_object();
	const char *model = s->o->model != NULL ? s->o->model :
	    conf_str(s->conf, "provider.model");
	time_t now = time(NULL);
	struct tm tm;
	char at[32], *mark;

	gmtime_r(&now, &tm);
	strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_str(o, "type", "hamr");
	json_int(o, "v", 1);
	json_str(o, "session", h->session->id);
	json_str(o, "cwd", s->root);
	json_str(o, "created", at);
	json_str(o, "mode", s->mode);
	if (model[0] != '\0')
		json_str(o, "model", model);
	mark = origin_mark(h->session->id, s->root, at);
	if (mark != NULL)
		json_str(o, "mark", mark);
	free(mark);
	return hub_commit(h, o);
}

static struct json *
message(const char *role, const char *text)
{
	struct json *o = json_object();

	json_str(o, "role", role);
	json_str(o, "content", text);
	return o;
}

static int
put_context(struct hub *h, const char *text, bool piped, bool lossy)
{
	struct json *o = message("user", text), *meta = json_object();

	json_str(meta, "by", "context");
	if (piped)
		json_str(meta, "from", "stdin");
	if (lossy)
		json_bool(meta, "lossy", true);
	json_add(o, "meta", meta);
	return hub_commit(h, o);
}

int
setup_piped(struct hub *h, const char *text, bool lossy)
{
	return put_context(h, text, true, lossy);
}

static int
context_message(const struct setup *s, struct hub *h, struct child *memory)
{
	struct buf b = BUF_INIT(1 << 20);
	int r = 0;

	context_files(s->root, s->dir, &b);
	context_memory(memory, &b);
	if (b.len > 0)
		r = put_context(h, b.p, false, false);
	buf_release(&b);
	return r;
}

int
setup_config(struct hub *h, const char *key, const char *value)
{
	struct json *o = json_object(), *set = json_object();

	json_str(o, "type", "config");
	json_str(set, key, value);
	json_add(o, "set", set);
	return hub_commit(h, o);
}

/* A flag that says otherwise than the session did: from here on it counts. */
static int
changed_settings(const struct setup *s, struct hub *h)
{
	const struct track *k = h->track;
	const struct opts *o = s->o;

	if (o->mode != NULL && (k->mode == NULL ||
	    strcmp(o->mode, k->mode) != 0) &&
	    setup_config(h, "agent.mode", o->mode) < 0)
		return -1;
	return o->model != NULL && (k->model == NULL ||
	    strcmp(o->model, k->model) != 0) ?
	    setup_config(h, "provider.model", o->model) : 0;
}

int
setup_session(struct setup *s, struct hub *h, struct err *e)
{
	struct child *memory = NULL;

	if ((h->track->has_header ? changed_settings(s, h) :
	    header(s, h)) < 0)
		goto failed;
	/* while tool and provider say what they offer */
	if (!h->track->has_system && (s->task != NULL ||
	    s->o->chat) && conf_bool(s->conf, "memory.enabled"))
		memory = context_ask(s->root, s->task,
		    (const char *const *)s->secrets, s->nsecrets);
	hub_ask(h, SLOT_TOOL, false);
	hub_ask(h, SLOT_PROVIDER, false);
	if (hub_wait(h, 0) < 0)
		goto failed;
	if (!h->track->has_system && hub_commit(h, message("system",
	    buf_view(&s->system).p)) < 0)
		goto failed;
	if (h->track->last == R_SYSTEM && context_message(s, h, memory) < 0) {
		memory = NULL;
		goto failed;
	}
	memory = NULL;
	if (hub_sync(h, SLOT_GUARD) < 0)
		goto failed;
	return 0;
failed:
	if (memory != NULL)
		child_end(memory, 100);
	return err_set(e, ST_BUG, "%s", h->failed ? h->err.text :
	    "interrupted");
}

int
setup_task(struct hub *h, const struct conf *conf, const char *task,
    bool steering)
{
	struct json *o = json_object(), *meta = json_object();
	const char *contract = contract_of(conf, h->track->mode, h->chat,
	    task);

	json_str(o, "role", "user");
	mention_content(o, task, conf_bool(conf, "provider.vision"), h->chat,
	    h->ui);
	json_str(meta, "by", "user");
	if (steering)
		json_bool(meta, "steering", true);
	else if (contract != NULL)
		json_str(meta, "contract", contract);
	json_add(o, "meta", meta);
	if (hub_commit(h, o) < 0)
		return -1;
	return hub_sync(h, SLOT_GUARD);
}
