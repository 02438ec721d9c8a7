/* mcp_content.c - the content of a tool message, as MCP has it. */
#include <stdlib.h>
#include <string.h>

#include "scan.h"

#include "mcp_serve.h"

/* data:MIME;base64,DATA as an image part; false when it is none. */
static bool
put_image(struct json *parts, const char *url)
{
	const char *semi = strchr(url, ';'), *comma = strchr(url, ',');
	struct json *o;

	if (strncmp(url, "data:", 5) != 0 || semi == NULL || comma == NULL ||
	    semi > comma)
		return false;
	o = json_object();
	json_str(o, "type", "image");
	json_str(o, "data", comma + 1);
	json_slice(o, "mimeType", (struct slice){ url + 5,
	    (size_t)(semi - url) - 5 });
	json_add(parts, NULL, o);
	return true;
}

static void
put_text(struct json *parts, struct slice text)
{
	struct json *o = json_object();

	json_str(o, "type", "text");
	json_raw(o, "text", text);
	json_add(parts, NULL, o);
}

struct json *
mcp_content(struct slice content)
{
	struct json *parts = json_array();
	struct slice el;
	struct walk w;

	if (scan_kind(content) == SCAN_STRING)
		put_text(parts, content);
	walk_in(&w, scan_kind(content) == SCAN_ARRAY ? content :
	    SLICE("[]"));
	while (walk_next(&w, NULL, &el)) {
		char *url = scan_strdup(scan_get(scan_get(el, "image_url"),
		    "url"));
		struct slice text = scan_get(el, "text");

		if (url != NULL)
			put_image(parts, url);
		else if (scan_kind(text) == SCAN_STRING)
			put_text(parts, text);
		free(url);
	}
	return parts;
}
