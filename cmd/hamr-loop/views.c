/* views.c - what is shown of sessions without running one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export.h"
#include "inspect.h"
#include "sessions.h"
#include "state.h"
#include "term.h"
#include "views.h"

char *
views_dir(const char *root, bool create, struct err *e)
{
	char *dir = state_folder(root, "sessions", create, e);

	if (dir == NULL && e->status == ST_NOINPUT)
		err_set(e, ST_NOINPUT, "no session in %s yet; start one with "
		    "a task", root);
	return dir;
}

static int
list_sessions(const struct opts *o, const char *root, struct err *e)
{
	char *dir = views_dir(root, false, e);
	struct buf b = BUF_INIT((size_t)64 << 20);
	int rc = dir == NULL ? -1 : sessions_list(dir, o->json, &b, e);

	if (rc == 0 && term_write(STDOUT_FILENO, buf_view(&b), o->json ?
	    TERM_JSON : TERM_TEXT) < 0)
		rc = err_sys(e, ST_SYSTEM, "stdout");
	buf_release(&b);
	free(dir);
	return rc;
}

/* The budget is the configuration's where there is no session yet. */
static int
inspect_session(const struct opts *o, const char *root, struct err *e)
{
	bool budget = strcmp(o->inspect, "budget") == 0;
	char *dir = views_dir(root, false, e), *path = NULL;
	int rc = -1;

	if (dir != NULL)
		path = sessions_path(dir, root, o->id, e);
	if (path != NULL || (budget && o->id == NULL))
		rc = inspect(o, o->inspect, path, e);
	free(path);
	free(dir);
	return rc;
}

static int
export_session(const struct opts *o, const char *root, struct err *e)
{
	struct buf b = BUF_INIT((size_t)1 << 40);
	char *dir = views_dir(root, false, e), *path = NULL;
	int rc = -1;

	if (dir != NULL)
		path = sessions_path(dir, root, o->id, e);
	if (path != NULL)
		rc = strcmp(o->export, "html") == 0 ?
		    export_html(path, &b, e) :
		    strcmp(o->export, "atif") == 0 ?
		    export_atif(path, &b, e) : export_openai(path, &b, e);
	if (rc == 0 && term_write(STDOUT_FILENO, buf_view(&b),
	    strcmp(o->export, "html") == 0 ? TERM_TEXT : TERM_JSON) < 0)
		rc = err_sys(e, ST_SYSTEM, "stdout");
	buf_release(&b);
	free(path);
	free(dir);
	return rc;
}

int
views_show(const struct opts *o, const char *root, struct err *e)
{
	if (o->sessions)
		return list_sessions(o, root, e);
	return o->inspect != NULL ? inspect_session(o, root, e) :
	    export_session(o, root, e);
}
