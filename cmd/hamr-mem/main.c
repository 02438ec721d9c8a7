/* main.c - hamr-mem: full-text memory of what was said. */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "commands/commands.h"
#include "index/index.h"

int
main(int argc, char **argv)
{
	static int (*const commands[])(const struct opts *, struct err *) = {
		[CMD_SAVE] = command_save, [CMD_SEARCH] = command_search,
		[CMD_LIST] = command_list, [CMD_SHOW] = command_show,
		[CMD_FORGET] = command_forget, [CMD_BRIEF] = command_brief,
		[CMD_STATS] = command_stats, [CMD_CHECK] = command_check,
		[CMD_REBUILD] = command_rebuild,
		[CMD_EXPORT] = command_export, [CMD_IMPORT] = command_import };
	struct opts o;
	struct err e = { .status = ST_OK };

	err_program("hamr-mem");
	signal(SIGXFSZ, SIG_IGN);	/* a size limit is a full disk */
	umask(077);			/* memories are private */
	if (opts_read(&o, argc, argv, &e) < 0)
		return err_report(&e);
	/* a key that is set must exist, even if the command needs none */
	if (o.command != CMD_STAGE && o.stage.nset > 0) {
		struct stage_args set = o.stage;

		set.no_config = true;
		struct conf *conf = stage_conf(&set, NULL, &e);
		if (conf == NULL)
			return err_report(&e);
		conf_free(conf);
	}
	struct stage s = { .files = (const char *const *)o.args,
		.nfiles = o.nargs };
	int status = o.command == CMD_STAGE ? index_files(&s, &o, NULL, &e) :
	    commands[o.command](&o, &e);
	free(o.tag);
	free(o.stage.set);
	return status < 0 ? (int)err_report(&e) : status;
}
