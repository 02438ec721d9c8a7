/* doctor_peer.c - what our other programs know about this machine. */
#include <stdlib.h>
#include <string.h>

#include "doctor_in.h"
#include "mem.h"
#include "peer.h"

#define PEER_MS 10000
#define SAID_MAX ((size_t)256 << 10)

struct args {
	const char **v;
	size_t n, cap;
};

static void
add(struct args *a, const char *word)
{
	a->v = xgrow(a->v, a->n, &a->cap, sizeof *a->v);
	a->v[a->n++] = word;
}

static void
add_two(struct args *a, const char *flag, const char *value)
{
	if (value == NULL)
		return;
	add(a, flag);
	add(a, value);
}

/* Flags of ours that another program must see to judge the same. */
static void
add_ours(struct args *a, const struct opts *o)
{
	if (o->no_config)
		add(a, "--no-config");
	for (size_t i = 0; i < o->nset; i++)
		add_two(a, "-o", o->set[i]);
}

/* The first line a program says, on either output, and its status. */
static char *
first_line(const char *command, const char *const *args, size_t n,
    int *status)
{
	struct buf b = BUF_INIT(SAID_MAX);
	struct err e;
	char *line;

	*status = peer_run(command, args, n, PEER_MS, PEER_ERR_OUT, &b,
	    &e);
	line = xmemdup0(buf_view(&b).p, strcspn(buf_view(&b).p, "\n"));
	buf_release(&b);
	return line;
}

void
doctor_stages(struct doctor *d)
{
	static const char *const names[] = { "hamr-compact", "hamr-guard",
		"hamr-provider", "hamr-tool", "hamr-mem" };
	const char *const version[] = { "-V" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int status;
		char *line = first_line(names[i], version, 1, &status);

		if (status != 0)
			dr_say(d, MISSING, names[i], "does not run; install "
			    "hamr again");
		else if (strcmp(line, "hamr " HAMR_VERSION) != 0)
			dr_say(d, NOTE, names[i], "is \"%s\", and hamr-loop "
			    "hamr " HAMR_VERSION "; install both from one "
			    "place", line);
		else
			dr_say(d, FINE, names[i], "%s", line);
		free(line);
	}
}

/* Its own words say best why none does. */
void
doctor_server(struct doctor *d)
{
	const struct opts *o = d->o;
	const char *url = o->base_url != NULL ? o->base_url :
	    conf_str(d->c, "provider.base_url"), *why;
	struct args a = { NULL, 0, 0 };
	int status;
	char *line;

	if (o->replay != NULL) {
		dr_say(d, FINE, "model server", "none is asked: the answers "
		    "of %s are", o->replay);
		return;
	}
	add(&a, "--models");
	add(&a, "-q");
	add_ours(&a, o);
	add_two(&a, "--provider", o->provider);
	add_two(&a, "--model", o->model);
	add_two(&a, "--base-url", o->base_url);
	line = first_line("hamr-provider", a.v, a.n, &status);
	why = strncmp(line, "hamr-provider: ", 15) == 0 ? line + 15 : line;
	if (status == 0)
		dr_say(d, FINE, "model server", "%s answers; first model: %s",
		    url[0] != '\0' ? url : "one on this machine",
		    line[0] != '\0' ? line : "none");
	else if (status > 128 || why == line)
		dr_say(d, MISSING, "model server", "none answers%s%s; start "
		    "one, or name it: hamr-loop --base-url http://HOST:PORT/v1 "
		    "--model NAME", url[0] != '\0' ? " at " : "", url);
	else
		dr_say(d, MISSING, "model server", "%s; start one, or name "
		    "another: hamr-loop --base-url http://HOST:PORT/v1 "
		    "--model NAME", why);
	free(line);
	free(a.v);
}

void
doctor_sandbox(struct doctor *d)
{
	struct args a = { NULL, 0, 0 };
	struct buf b = BUF_INIT(SAID_MAX);
	struct err e;
	const char *p;
	int status;

	add(&a, "--sandbox-status");
	add_two(&a, "--root", d->root);
	add_ours(&a, d->o);
	status = peer_run("hamr-tool", a.v, a.n, PEER_MS, PEER_ERR_NONE, &b,
	    &e);
	p = buf_view(&b).p;
	if (status != 0 || *p == '\0')
		dr_say(d, NOTE, "sandbox", "hamr-tool --sandbox-status says "
		    "nothing");
	while (status == 0 && *p != '\0') {
		size_t n = strcspn(p, "\n");

		dr_say(d, FINE, "sandbox", "%.*s", (int)n, p);
		p += n + (p[n] == '\n');
	}
	buf_release(&b);
	free(a.v);
}
