/* adapter_window.c - how large an adapter's program says the window is. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "mem.h"
#include "num.h"

#include "adapter_in.h"

char *
adapter_window_path(const struct adapter *ad, const char *model)
{
	static const char mark[] = "{model}";
	struct buf out = BUF_INIT(1 << 20);
	const char *p = ad->window, *at;
	char *path;

	if (p == NULL || (*p != '/' && *p != '?'))
		return NULL;
	while ((at = strstr(p, mark)) != NULL) {
		buf_add(&out, p, (size_t)(at - p));
		api_path_name(model, &out);
		p = at + strlen(mark);
	}
	buf_adds(&out, p);
	path = xmemdup0(out.p, out.len);
	buf_release(&out);
	return path;
}

long long
adapter_window_told(const struct adapter *ad)
{
	int64_t n;

	return ad->window != NULL && num_i64(ad->window, strlen(ad->window),
	    &n) && n > 0 ? n : 0;
}

long long
adapter_window(struct adapter *ad, struct slice answer, const char *model,
    struct failure *f)
{
	struct slice all;
	int64_t n;

	ad->made = 0;
	buf_reset(&ad->in);
	buf_adds(&ad->in, "{\"model\":");
	scan_quote(&ad->in, model, strlen(model));
	buf_adds(&ad->in, ",\"window\":[");
	buf_slice(&ad->in, answer);
	buf_adds(&ad->in, "]}");
	if (adapter_ask(ad, "window", f) < 0)
		return -1;
	all = ad->out.len > 0 ? buf_view(&ad->out) : SLICE("null");
	while (all.n > 0 && all.p[all.n - 1] == '\n')
		all.n--;
	if (scan_value(&ad->scan, all.p, all.n) == 0 &&
	    scan_kind(all) == SCAN_NULL)
		return 0;
	if (scan_int(all, &n) && n > 0)
		return n;
	failure_set(f, "server", false, false, "%s: window: it gives no whole "
	    "number of tokens but %.*s", ad->path,
	    (int)(all.n < 60 ? all.n : 60), all.p);
	return -1;
}
