/* main.c - hamr-mem: full-text memory of what was said. */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "commands/commands.h"
#include "index/index.h"

int
main(int argc, char **argv)
{
	struct opts o;
	struct err e = { .status = ST_OK };

	err_program("hamr-mem");
	signal(SIGXFSZ, SIG_IGN);	/* a size limit is a full disk */
	umask(077);			/* memories are private */
	if (opts_read(&o, argc, argv, &e) < 0)
		return err_report(&e);
	/* a key that is set is to exist, also where the command needs none */
	if (o.command != CMD_STAGE && o.stage.nset > 0) {
		struct stage_args set = o.stage;

		set.no_config = true;
		struct conf *conf = stage_conf(&set, NULL, &e);
		if (conf == NULL)
			return err_report(&e);
		conf_free(conf);
	}
	int status = ST_BUG;
	switch (o.command) {
	case CMD_STAGE:
		status = index_files(&(struct stage){
		    .files = (const char *const *)o.args,
		    .nfiles = o.nargs }, &o, NULL, &e);
		break;
	case CMD_SAVE: status = command_save(&o, &e); break;
	case CMD_SEARCH: status = command_search(&o, &e); break;
	case CMD_LIST: status = command_list(&o, &e); break;
	case CMD_SHOW: status = command_show(&o, &e); break;
	case CMD_FORGET: status = command_forget(&o, &e); break;
	case CMD_BRIEF: status = command_brief(&o, &e); break;
	case CMD_STATS: status = command_stats(&o, &e); break;
	case CMD_CHECK: status = command_check(&o, &e); break;
	case CMD_REBUILD: status = command_rebuild(&o, &e); break;
	case CMD_EXPORT: status = command_export(&o, &e); break;
	case CMD_IMPORT: status = command_import(&o, &e); break;
	}
	free(o.tag);
	free(o.stage.set);
	return status < 0 ? (int)err_report(&e) : status;
}
