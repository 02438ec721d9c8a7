/* main.c - hamr-loop: the turnkey agent. */
#include <unistd.h>

#include "acp/acp.h"
#include "chat/chat.h"
#include "show/doctor.h"
#include "base/file.h"
#include "base/mem.h"
#include "conf/place.h"
#include "session/sessions.h"
#include "turn/run.h"
#include "show/inspect.h"

static int
dispatch(struct run *r, struct err *e)
{
	if (run_configure(r, e) < 0)
		return -1;
	ui_configure(&r->ui, r->conf);
	if (r->o.word != NULL) {
		/* is WORD of "--resume WORD" a session's id, or the task? */
		struct err why;
		char *dir = sessions_dir(r->root, false, &why);
		char *id = dir != NULL ? sessions_find(dir, r->root, r->o.word,
		    &why) : NULL;
		int settled = opts_settle(&r->o, id != NULL ||
		    why.status == ST_USAGE, e);	/* it begins several */

		FREE(id, dir);
		if (settled < 0)
			return -1;
	}
	if (r->o.trust) {
		if (conf_trust(r->root, e) < 0)
			return -1;
		err_say("%s/.hamr/config.toml is trusted as it is now; once "
		    "it changes it is not", r->root);
		return ST_OK;
	}
	if (r->o.print_config) {
		struct buf b = BUF_INIT((size_t)16 << 20);

		conf_print(r->conf, &b);
		int rc = file_write_all(STDOUT_FILENO, b.p, b.len) < 0 ?
		    err_sys(e, ST_SYSTEM, "stdout") : ST_OK;
		buf_release(&b);
		return rc;
	}
	if (r->o.sessions || r->o.inspect != NULL || r->o.export != NULL)
		return views_show(&r->o, r->root, e);
	if (r->o.doctor)
		return doctor(&r->o, r->conf, r->root, r->broken.text, e);
	if (r->o.dir == NULL && conf_root_is_too_broad(r->root))
		return err_set(e, ST_POLICY, "the root would be %s; go into a "
		    "project, or pass -C %s", r->root, r->root);
	if (turn_check_limits(r->conf, r->o.provider, e) < 0)
		return -1;
	if (r->o.records)
		return chat_records(r, e);
	return r->o.chat ? chat(r, e) : run_task(r, e);
}

/* Does the model take images?  Before there is a session, no repository's
 * configuration counts. */
static bool
takes_images(const struct opts *o)
{
	const struct conf_opts co = { .none = o->no_config, .set = o->set,
		.nset = o->nset, .quiet = true };
	struct err e;
	struct conf *c = conf_load(&co, &e);
	bool takes = c == NULL || conf_bool(c, "provider.vision");

	conf_free(c);
	return takes;
}

int
main(int argc, char **argv)
{
	struct run r = { .session = { .fd = -1, .lock = -1 } };
	struct err e = { ST_BUG, "" };
	int status;

	err_program("hamr-loop");
	mem_return_freed();
	if (opts_read(&r.o, argc, argv, &e) < 0) {
		status = err_report(&e);
	} else if (r.o.acp) {
		status = acp(argc, argv, takes_images(&r.o));
	} else {
		ui_init(&r.ui, &r.track, r.o.json, r.o.quiet);
		status = dispatch(&r, &e);
		if (status < 0)
			status = err_report(&e);
		run_end(&r);
		if (ui_end(&r.ui, &e) < 0 &&
		    (status < ST_DATA || status == ST_INTERRUPTED))
			status = err_report(&e);
		run_release(&r);
	}
	opts_release(&r.o);
	return status;
}
