/* chat_open.c - the chat's session begins. */
#include "chat_in.h"

int
chat_open(struct chat *c, const char *task)
{
	if (c->open)
		return 0;
	if (run_open(c->run, &c->err) < 0 ||
	    run_begin(c->run, task, &c->err) < 0) {
		c->failed = true;
		run_end(c->run);
		return -1;
	}
	c->open = true;
	c->run->hub.listen = true;
	c->run->hub.chat = true;
	return 0;
}
