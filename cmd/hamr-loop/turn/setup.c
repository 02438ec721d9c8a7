/* setup.c - from options and configuration to slots and first records. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/image.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "conf/place.h"
#include "conf/state.h"
#include "contract.h"
#include "session/origin.h"
#include "run.h"
#include "skills.h"
#include "texts.h"

#define FILES_MAX ((size_t)32 << 10)	/* of all AGENTS.md files */
#define MENTION_MAX ((size_t)32 << 10)	/* of a file after an @ */
#define READ_MS 2000
#define BRIEF_MAX ((size_t)64 << 10)
#define BRIEF_MS 1000
#define TASK_MAX ((size_t)4096)		/* of the task, as a query */
#define IMAGES_MAX 8
#define BLANK " \t\n"
#define BEFORE BLANK "([{<\"'"	/* may come before an @ */
#define ENDS ".,;:!?)]}>\"'"	/* may follow a path in a sentence */
#define SYSTEM_MAX ((size_t)1 << 20)

/* Add what of a text of size bytes, which begins with got, has room. */
static void
put_cut(struct buf *out, struct slice got, off_t size, size_t room,
    const char *name)
{
	size_t n = utf8_cut(got.p, got.n, room);

	buf_add(out, got.p, n);
	if ((off_t)n < size)
		buf_fmt(out, "\n[%lld more bytes in %s]\n",
		    (long long)size - (long long)n, name);
}

/* ---- the memory ---- */

/* Start asking the memory; NULL: there is none. */
static struct child *
context_ask(const char *root, const char *task, const char *const *unset)
{
	struct err e;
	char *dir = state_dir(root, false, &e);
	char *paths[] = { dir != NULL ? xasprintf("%s/memory.db", dir) : NULL,
		conf_home("XDG_DATA_HOME", ".local/share", "/memory.db") };
	bool any = false;
	char *words = task == NULL ? NULL : xmemdup0(task, utf8_cut(task,
	    strlen(task), TASK_MAX));
	struct child_opts o = { .commands = ARGS("hamr-mem brief"),
		.flags = ARGS(words != NULL ? "--" : NULL, words),
		.unset = unset };
	struct child *c = NULL;

	for (int i = 0; i < 2; i++) {
		any |= paths[i] != NULL && access(paths[i], R_OK) == 0;
		free(paths[i]);
	}
	if (any)
		c = child_start(&o, NULL);
	if (c != NULL)
		child_close_in(c);
	FREE(words, dir);
	return c;
}

/* ---- messages ---- */

int
setup_context(struct hub *h, struct slice text, const char *from, bool lossy)
{
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	/* neither files nor names of folders need be UTF-8 */
	lossy |= utf8_clean(&clean, text.p, text.n);
	scan_put(&b, "{'role':'user','content':@,'meta':{'by':'context'",
	    buf_view(&clean));
	buf_release(&clean);
	if (from != NULL)
		scan_put(&b, ",'from':@", slice_of(from));
	scan_put(&b, lossy ? ",'lossy':true}}" : "}}");
	return hub_commit(h, &b);
}

struct mentions {
	struct hub *hub;
	struct buf images;	/* parts, a comma before each */
	size_t n;		/* of them */
	struct map named;	/* what was mentioned already */
};

static bool
sees_images(const struct hub *h)
{
	return conf_bool(h->ui->conf, "provider.vision");
}

/* Open the regular file that a name stands for, whose path is set; without a
 * person, one below the root.  -1: none. */
static int
open_named(const struct hub *h, const char *name, char **path)
{
	const char *home = getenv("HOME");
	struct stat st;
	int fd = -1;

	/* a person's ~ is the home folder */
	xset(path, h->chat && strncmp(name, "~/", 2) == 0 && home != NULL ?
	    xasprintf("%s%s", home, name + 1) : xstrdup(name));
	char *real = realpath(*path, NULL);
	if (h->chat || (real != NULL && is_beneath(real, h->ui->root)))
		fd = open(*path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	free(real);
	return fd;
}

static void
add_image(struct mentions *f, const char *name, int fd)
{
	struct buf b = BUF_INIT(IMAGE_BYTES_MAX);
	struct ui *u = f->hub->ui;
	struct image im;

	if (!sees_images(f->hub))
		ui_note(u, "  %s is not shown: the model sees no images "
		    "(provider.vision)", name);
	else if (f->n == IMAGES_MAX)
		ui_note(u, "  %s is not shown: a message holds at most "
		    "%d images", name, IMAGES_MAX);
	else if (file_read_fd(fd, name, &b, NULL) < 0)
		ui_note(u, "  %s is not shown: it is larger than %zu "
		    "bytes; name a smaller copy", name, IMAGE_BYTES_MAX);
	else if (image_probe(&im, buf_view(&b))) {
		scan_put(&f->images, ",{'type':'image_url','image_url':{'url':"
		    "'data:$;base64,", slice_of(im.mime));
		base64_add(&f->images, b.p, b.len);
		buf_adds(&f->images, "\"}}");
		f->n++;
		ui_note(u, "  %s is shown to the model: %s, %lu x %lu",
		    name, im.name, im.width, im.height);
	}
	buf_release(&b);
}

/* May hamr-tool show it to the model?  If not, tell the person why. */
static bool
may_be_read(struct ui *u, const char *path, const char *name)
{
	struct buf args = BUF_INIT(1 << 16), said = BUF_INIT(1 << 20);
	struct rec_text t = { 0 };
	bool may = false;

	scan_put(&args, "{'path':@,'first':1,'last':1}", slice_of(path));
	child_run("hamr-tool", ARGS("--json", "--mode", "read-only", "read",
	    args.p), READ_MS, CHILD_ERR_NONE, &said, NULL);
	t.rest = buf_view(&said);
	if (rec_text_next(&t)) {
		char *why = scan_strdup(rec_get(&t.rec, "content"));

		may = !scan_true(rec_get(&t.rec, "is_error"));
		if (!may)
			ui_note(u, "  not sent: %s", why != NULL ? why : name);
		free(why);
	}
	scan_release(&t.scan);
	bufs_release(BUFS(&args, &said));
	return may;
}

/* Commit the text of a file, which begins with head, or that of its buffer in
 * an editor that has it open, before the message. */
static void
add_text(struct hub *h, const char *path, const char *name, struct slice head,
    off_t size)
{
	struct buf id = BUF_INIT(1 << 16), ask = BUF_INIT(1 << 17);
	struct buf b = BUF_INIT(8 * MENTION_MAX);
	char *said = NULL, *open = NULL;
	size_t n;
	const char *const *op = conf_list(h->ui->conf, "tools.buffers", &n);

	if (h->ui->peer != NULL && n > 0 && slice_in(SLICE("read"), op)) {
		char *whole = path[0] == '/' ? xstrdup(path) :
		    xasprintf("%s/%s", h->ui->root, path);

		scan_put(&id, "@", slice_of(whole));
		scan_put(&ask, "{'type':'file','id':$,'op':'read','path':$}",
		    buf_view(&id), buf_view(&id));
		hub_show(h, &ask);
		said = ui_await(h->ui, R_FILE, buf_view(&id));
		free(whole);
	}
	if (said != NULL)
		open = scan_strdup(scan_get(slice_of(said), "content"));
	struct slice text = open != NULL ? slice_of(open) : head;
	buf_fmt(&b, open != NULL ? "%s, as it is in the editor:\n\n" :
	    "%s, which the user mentions:\n\n", name);
	put_cut(&b, text, open != NULL ? (off_t)text.n : size, MENTION_MAX,
	    name);
	if (setup_context(h, buf_view(&b), "mention", false) == 0)
		ui_note(h->ui, head.n > MENTION_MAX ? "  sent along: %s, its "
		    "first 32 KiB" : "  sent along: %s", name);
	bufs_release(BUFS(&id, &b));
	FREE(said, open);
}

/* Add the file of this name, or of the name without a sentence's end. */
static void
add_mention(struct mentions *f, char *name)
{
	char raw[65536], *path = NULL;	/* tells an image from text */
	struct slice head = { raw, 0 };
	struct hub *h = f->hub;
	size_t n = strlen(name);
	int fd = open_named(h, name, &path);
	struct stat st = { .st_size = 0 };
	struct image im;

	while (fd < 0 && n > 1 && strchr(ENDS, name[n - 1]) != NULL) {
		name[--n] = '\0';
		fd = open_named(h, name, &path);
	}
	bool again = (*map_put(&f->named, slice_of(name), NULL))++ > 0;
	if (fd >= 0 && fstat(fd, &st) == 0) {
		ssize_t got = pread(fd, raw, sizeof raw, 0);
		head.n = got > 0 ? (size_t)got : 0;
	}
	if (again)
		;	/* once is enough */
	else if (head.n > 0 && image_probe(&im, head))
		add_image(f, name, fd);
	else if (fd < 0 && h->chat && n > 0)
		ui_note(h->ui, "  @%s is not a file here; only the word is "
		    "sent", name);
	else if (fd >= 0 && h->chat && memchr(raw, '\0', num_min(head.n,
	    MENTION_MAX + 1)) != NULL)
		ui_note(h->ui, "  %s is not text; only its name is sent", name);
	else if (fd >= 0 && h->chat && may_be_read(h->ui, path, name))
		add_text(h, path, name, head, st.st_size);
	free(path);
	file_close(fd);
}

static void
put_content(struct buf *out, const char *text, const char *images,
    struct hub *h)
{
	struct mentions f = { .hub = h, .images = BUF_INIT(BUF_RECORD_MAX) };
	struct walk given = walk_elements(slice_of(images));
	size_t unseen = 0;	/* images from the message not shown */
	struct slice part;

	while (walk_next(&given, NULL, &part))
		if (sees_images(h) && f.n < IMAGES_MAX) {
			scan_put(&f.images, ",$", part);
			f.n++;
		} else {
			unseen++;
		}
	char *all = unseen == 0 ? xstrdup(text) : xasprintf("%s\n[%zu image%s "
	    "attached that you cannot see]", text, unseen, unseen == 1 ?
	    " is" : "s are");
	for (const char *p = text; (p = strchr(p, '@')) != NULL; ) {
		bool begins = p == text || strchr(BEFORE, p[-1]) != NULL;
		size_t n = 0;

		p++;
		if (!begins)
			continue;
		/* the word after it, without its backslashes */
		char *name = xmalloc(strlen(p) + 1);
		while (*p != '\0' && strchr(BLANK, *p) == NULL) {
			if (*p == '\\' && p[1] != '\0')
				p++;
			name[n++] = *p++;
		}
		name[n] = '\0';
		add_mention(&f, name);
		free(name);
	}
	if (f.n > 0 && all[0] == '\0')
		scan_put(out, "[$]", slice_from(buf_view(&f.images), 1));
	else
		scan_put(out, f.n > 0 ? "[{'type':'text','text':@}$]" : "@",
		    slice_of(all), buf_view(&f.images));
	buf_release(&f.images);
	map_release(&f.named);
	free(all);
}

static void
flags_of(struct run *r, enum slot_id id)
{
	const struct opts *o = &r->o;
	struct argv *a = &r->hub.slot[id].flags;

	argv_add(a, "-r", "-q");	/* we have already warned, once */
	argv_ours(a, o);
	if (id == SLOT_COMPACT) {
		argv_option(a, "--strategy", o->strategy);
	} else if (id == SLOT_PROVIDER) {
		argv_server(a, o);
		argv_option(a, "--replay", o->replay);
	} else if (id == SLOT_TOOL) {
		argv_option(a, "--mode", r->mode);
		argv_option(a, "--root", r->root);
		if (o->yes)
			argv_add(a, "--yes");
		if (r->hub.unattended)
			argv_add(a, "--no-ask");
	}
}

static int
read_system(struct run *r, const char *mode, struct err *e)
{
	char *name = xasprintf("system/%s.txt", mode);
	char *path = conf_share(name);

	buf_release(&r->system);
	buf_init(&r->system, SYSTEM_MAX);
	int rc = file_read(path, &r->system, e);
	if (rc < 0 && e->status == ST_NOINPUT)
		err_set(e, ST_NOINPUT, "%s is missing; reinstall hamr, or "
		    "set HAMR_SHARE to its share/hamr", path);
	FREE(path, name);
	return rc;
}

/* Refuse a command of [stages] that is malformed, or whose program does not
 * exist: that would be found out too late, as a stage that died. */
static int
check_program(const struct conf *c, const char *key, const char *command,
    struct err *e)
{
	size_t n = strcspn(command, " \t\"'\\");
	char *name, *path = NULL, quote = '\0';
	const char *fault = NULL;
	bool there = true;

	/* at words that are not whole libpipeline would guess */
	for (const char *p = command; fault == NULL && *p != '\0'; p++)
		if (*p == '\\' && quote != '\'') {
			if (*++p == '\0')
				fault = " ends in a backslash";
		} else if (quote != '\0') {
			if (*p == quote)
				quote = '\0';
		} else if (*p == '"' || *p == '\'') {
			quote = *p;
		}
	if (fault == NULL && quote != '\0')
		fault = " has an unclosed quote";
	if (fault != NULL)
		return err_set(e, ST_CONFIG, "%s: %s: command \"%s\"%s",
		    conf_origin(c, key), key, command, fault);
	if (command[strspn(command, " \t")] == '\0')
		return err_set(e, ST_CONFIG, "%s: %s: a command is empty",
		    conf_origin(c, key), key);
	name = xmemdup0(command, n);
	if (command[n] == '"' || command[n] == '\'' || command[n] == '\\')
		;	/* libpipeline splits it */
	else if (*name == '/')
		there = which_is_program(name);
	else if (*name != '\0' && strchr(name, '/') == NULL)
		there = (path = which_beside(name, NULL)) != NULL;
	if (!there)
		err_set(e, ST_CONFIG, "%s: %s: no program %s%s",
		    conf_origin(c, key), key, name, *name == '/' ? "" :
		    " in PATH");
	FREE(path, name);
	return there ? 0 : -1;
}

int
setup_slots(struct run *r, struct err *e)
{
	static const char *const keys[SLOTS] = { "stages.guard",
		"stages.compact", "stages.provider", "stages.tool",
		"stages.mem" };
	struct argv *secrets = &r->secrets;

	/* Before anything is committed: a run that cannot begin leaves no
	 * session behind. */
	if (read_system(r, r->mode, e) < 0)
		return -1;

	/* Only the provider gets the keys (chapter 4.1). */
	size_t n;
	const char *const *names = conf_names(r->conf, "provider", &n);
	const char *one = conf_str(r->conf, "provider.api_key_env");

	argv_add(secrets, "OPENAI_API_KEY", "ANTHROPIC_API_KEY",
	    "GEMINI_API_KEY", "OLLAMA_API_KEY", one[0] != '\0' ? one : NULL);
	/* including those of servers that this run does not use */
	for (size_t i = 0; i < n; i++) {
		char *key = xasprintf("provider.%s.api_key_env", names[i]);

		one = conf_str(r->conf, key);
		argv_add(secrets, one[0] != '\0' ? one : NULL);
		free(key);
	}
	for (int i = 0; i < SLOTS; i++) {
		struct child_opts *c = &r->hub.slot[i].cmd;

		if (i == SLOT_MEM && !conf_bool(r->conf, "memory.enabled"))
			continue;
		c->commands = conf_list(r->conf, keys[i], &n);
		if (n == 0)
			return err_set(e, ST_CONFIG, "%s is empty; name at "
			    "least one command", keys[i]);
		for (size_t k = 0; k < n; k++)
			if (check_program(r->conf, keys[i], c->commands[k],
			    e) < 0)
				return -1;
		flags_of(r, (enum slot_id)i);
		c->flags = r->hub.slot[i].flags.v;
		if (i != SLOT_PROVIDER)
			c->unset = secrets->v;
	}
	return 0;
}

/* ---- the first records ---- */

/* Append the AGENTS.md files from where we were started up to the root. */
static void
put_agents(const struct run *r, struct buf *b)
{
	bool within = r->dir != NULL && is_beneath(r->dir, r->root) &&
	    r->root[1] != '\0';
	char *at = xstrdup(within ? r->dir : r->root), raw[FILES_MAX + 1];
	size_t top = strlen(r->root), room;
	struct stat st;

	while ((room = FILES_MAX - num_min(FILES_MAX, b->len)) > 0) {
		char *path = xasprintf("%s/AGENTS.md", at), *real = NULL;
		const char *shown = path + top + 1;
		int fd = file_open_regular(AT_FDCWD, path, &st);

		/* Follow a link to another text in the repository (AGENTS.md
		 * is often CLAUDE.md), but not one that leads out of it or to
		 * something else. */
		if (fd < 0 && errno == ELOOP)
			real = realpath(path, NULL);
		if (real != NULL && is_beneath(real, r->root) &&
		    slice_ends(slice_of(real), ".md"))
			fd = file_open_regular(AT_FDCWD, real, &st);
		ssize_t n = fd >= 0 ? pread(fd, raw, room + 1, 0) : 0;
		if (n > 0) {
			buf_fmt(b, "%s%s of this repository:\n\n",
			    b->len > 0 ? "\n" : "", shown);
			put_cut(b, (struct slice){ raw, (size_t)n },
			    st.st_size, room, shown);
		}
		file_close(fd);
		FREE(path, real);
		if (strlen(at) <= top)
			break;
		*strrchr(at, '/') = '\0';
	}
	free(at);
}

static int
context_message(struct run *r, struct child *memory)
{
	struct buf b = BUF_INIT(1 << 20), said = BUF_INIT(BRIEF_MAX);
	int rc = 0;

	put_agents(r, &b);
	skills_list(r->conf, r->root, &b);
	if (memory != NULL) {
		long long left = child_communicate(memory,
		    &(struct slice){ "", 0 }, file_now_ms() + BRIEF_MS, &said);
		child_end(memory, left > 0 ? BRIEF_MS : 0);
	}
	if (said.len > 0)
		buf_fmt(&b, "%sWhat is remembered of earlier work here (ask "
		    "search_memory for more):\n\n%s", b.len > 0 ? "\n" : "",
		    said.p);
	if (b.len > 0)
		rc = setup_context(&r->hub, buf_view(&b), NULL, false);
	bufs_release(BUFS(&b, &said));
	return rc;
}

int
setup_config(struct hub *h, const char *key, const char *value)
{
	return hub_put(h, "{'type':'config','set':{'$':@}}", slice_of(key),
	    slice_of(value));
}

int
setup_header(struct run *r)
{
	const char *model = conf_str(r->conf, "provider.model");
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	const char *mode = r->mode;
	const struct track *k = &r->track;
	const struct opts *o = &r->o;
	struct hub *h = &r->hub;

	if (r->headed)
		return 0;
	r->headed = true;
	if (r->session.size > 0) {
		/* what differs from the session takes effect from here */
		if ((k->mode == NULL || strcmp(mode, k->mode) != 0) &&
		    setup_config(h, "agent.mode", mode) < 0)
			return -1;
		/* a fork has no model of a foreign session */
		bool own = o->model != NULL ||
		    (r->foreign != NULL && o->fork == NULL);
		return own && (k->model == NULL ||
		    strcmp(model, k->model) != 0) ?
		    setup_config(h, "provider.model", model) : 0;
	}
	char *mark = origin_begin(&b, r->session.id, r->root);
	scan_put(&b, ",'mode':@", slice_of(mode));
	if (model[0] != '\0')
		scan_put(&b, ",'model':@", slice_of(model));
	if (mark != NULL)
		scan_put(&b, ",'mark':@", slice_of(mark));
	buf_addc(&b, '}');
	free(mark);
	return hub_commit(h, &b);
}

int
setup_session(struct run *r, const char *task, struct err *e)
{
	const struct track *k = &r->track;
	bool first = k->last == R_OTHER;	/* nothing was said so far */
	struct child *memory = NULL;
	struct hub *h = &r->hub;
	int rc = -1;

	if (setup_header(r) < 0)
		goto out;
	/* meanwhile tool and provider report what they offer */
	if (first && (task != NULL || r->o.chat) &&
	    conf_bool(r->conf, "memory.enabled"))
		memory = context_ask(r->root, task, r->secrets.v);
	hub_ask(h, SLOT_TOOL, false);
	if (!first || r->o.chat)
		hub_ask(h, SLOT_PROVIDER, false);
	/* The system message needs no stage and must come before the task,
	 * whatever happens to that; the mode may have changed since. */
	bool ready = hub_wait(h, 0) == 0;
	if (first && k->mode != NULL && strcmp(k->mode, r->mode) != 0 &&
	    read_system(r, k->mode, e) < 0) {
		if (memory != NULL)
			child_end(memory, 100);
		return -1;
	}
	if (first && hub_put(h, "{'role':'system','content':@}",
	    buf_view(&r->system)) < 0)
		goto out;
	int told = k->last == R_SYSTEM ? context_message(r, memory) : 0;
	memory = NULL;
	if (told == 0 && ready)
		rc = hub_sync(h, SLOT_GUARD);
out:
	if (memory != NULL)
		child_end(memory, 100);
	return rc == 0 ? 0 : err_set(e, ST_BUG, "%s", h->failed ?
	    h->err.text : "interrupted");
}

int
setup_task(struct hub *h, const char *task, const char *images, bool steering)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);
	const char *contract = contract_of(h, task);

	if (h->track->undone != NULL) {
		char *text = xasprintf(TEXT_UNDONE, h->track->undone);

		hub_put(h, "{'role':'user','content':@,'meta':{'by':'loop'}}",
		    slice_of(text));
		free(text);
	}
	scan_put(&b, "{'role':'user','content':");
	put_content(&b, task, images, h);
	scan_put(&b, ",'meta':{'by':'user'");
	if (steering)
		scan_put(&b, ",'steering':true");
	else if (contract != NULL)
		scan_put(&b, ",'contract':@", slice_of(contract));
	buf_adds(&b, "}}");
	return hub_commit(h, &b) < 0 ? -1 : hub_sync(h, SLOT_GUARD);
}
