/* main.c - hamr-mem: full-text memory of what was said. */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "commands/commands.h"
#include "index/index.h"

static int
run(const struct opts *o, struct err *e)
{
	switch (o->command) {
	case CMD_STAGE: return index_files(&(struct stage){
		.files = (const char *const *)o->args,
		.nfiles = o->nargs }, o, NULL, e);
	case CMD_SAVE: return command_save(o, e);
	case CMD_SEARCH: return command_search(o, e);
	case CMD_LIST: return command_list(o, e);
	case CMD_SHOW: return command_show(o, e);
	case CMD_FORGET: return command_forget(o, e);
	case CMD_BRIEF: return command_brief(o, e);
	case CMD_STATS: return command_stats(o, e);
	case CMD_CHECK: return command_check(o, e);
	case CMD_REBUILD: return command_rebuild(o, e);
	case CMD_EXPORT: return command_export(o, e);
	case CMD_IMPORT: return command_import(o, e);
	}
	return err_set(e, ST_BUG, "no such command");
}

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
	int status = run(&o, &e);
	free(o.tag);
	free(o.stage.set);
	return status < 0 ? (int)err_report(&e) : status;
}
