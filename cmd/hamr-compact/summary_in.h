/* summary_in.h - what a summary is made of; for summary*.c only. */
#ifndef COMPACT_SUMMARY_IN_H
#define COMPACT_SUMMARY_IN_H

#include "map.h"
#include "summary.h"

#define SENTENCES_SHOWN 6
#define USER_KEPT 600		/* bytes of a user message that is not kept
				 * whole */

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

/* ---- summary_section.c ---- */

/* A section that may take so many bytes more; its title comes with the first
 * line. */
struct section {
	struct buf *out;
	const char *title;
	size_t room;
	struct buf line;	/* in the making */
};

/* Of a text that began at start in out and may have cap bytes, the section so
 * many percent of them. */
struct section section_of(struct buf *out, const char *title, size_t start,
    size_t cap, size_t percent);
/* The line is made: out with it, if there is room. */
bool section_put(struct section *sec);
void section_end(struct section *sec);

/* ---- summary_people.c ---- */

/* Which messages go whole, whatever the section's room. */
struct people_whole {
	bool first;		/* the task */
	bool newest;		/* what the turn in hand is about */
};
void people_print(const struct summary *s, struct people_whole whole,
    struct section *sec);
/* What other sections leave to people's other messages. */
size_t people_least(const struct summary *s, struct people_whole whole);

#endif
