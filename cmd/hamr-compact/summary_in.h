/* summary_in.h - what a summary is made of; for summary.c and its printer. */
#ifndef COMPACT_SUMMARY_IN_H
#define COMPACT_SUMMARY_IN_H

#include "map.h"
#include "summary.h"

#define SENTENCES_SHOWN 6

/* The newest first; indices + 1, 0 at the ends. */
struct link {
	size_t newer, older;
};

struct touched_file {
	char *path;
	size_t edits, writes, reads;
	struct link all;	/* in `changed` or in `read` */
};

struct command {
	char *text;
	bool failed;
	char *error;		/* its first line of error, while it is open */
	struct link all, open;
};

struct user {
	char *text;		/* its beginning */
	size_t len, more;	/* bytes of that; and left out */
};

struct summary {
	size_t upto;
	struct user *users;
	char **contexts;
	size_t nusers, capusers, ncontexts, capcontexts;
	size_t said[SENTENCES_SHOWN], nsaid;	/* nodes, the last ones */
	struct touched_file *files;
	size_t nfiles, capfiles, changed, read;
	struct command *commands;
	size_t ncommands, capcommands, recent, open;
	struct map paths, texts;	/* to index + 1 */
};

#endif
