/* main.c - hamr-mem: full-text memory of what was said. */
#include <sys/stat.h>

#include "base/err.h"
#include "base/mem.h"
#include "index/index.h"

int
main(int argc, char **argv)
{
	struct opts o;
	struct err e = { .status = ST_OK };
	int status = -1;

	err_program("hamr-mem");
	umask(077);			/* memories are private */
	if (opts_read(&o, argc, argv, &e) < 0)
		goto out;
	/* a key that is set must exist, even if the command needs none */
	if (o.command != NULL && o.stage.nset > 0) {
		struct stage_args set = o.stage;

		set.no_config = true;
		struct conf *conf = stage_conf(&set, NULL, &e);
		if (conf == NULL)
			goto out;
		conf_free(conf);
	}
	struct stage s = { .files = (const char *const *)o.args,
		.nfiles = o.nargs };
	status = o.command == NULL ? index_files(&s, &o, NULL, &e) :
	    o.command(&o, &e);
out:
	FREE(o.tag, o.stage.set);
	return status < 0 ? (int)err_report(&e) : status;
}
