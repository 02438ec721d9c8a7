/* mcp_result.c - turn an MCP server's answer to a call into a result. */

#include "files/files.h"
#include "json/scan.h"
#include "root/output.h"
#include "run/command.h"

#include "mcp.h"

#define IMAGES_MAX ((size_t)20 << 20)	/* of one result */

void
mcp_result(const struct tool *t, struct slice result, struct result *r)
{
	struct slice parts = scan_get(result, "content"), el;
	struct slice structured = scan_get(result, "structuredContent");
	struct buf text = BUF_INIT(8 * MCP_LINE_MAX);
	struct buf unused = BUF_INIT(8 * MCP_LINE_MAX);
	struct output out;

	for (struct walk w = walk_elements(parts);
	    walk_next(&w, NULL, &el); ) {
		struct slice type = scan_get(el, "type");

		buf_end_line(&text);
		if (!scan_str_is(type, "image")) {
			if (!scan_str_is(type, "text") ||
			    !scan_str(scan_get(el, "text"), &text))
				buf_slice(&text, el);
			continue;
		}
		/* Check the bytes, as view_image does: an image that the
		 * provider refuses would stay in the transcript and be refused
		 * with each request.  If it is bad, a line says why. */
		struct buf data = BUF_INIT(MCP_LINE_MAX);
		struct buf bytes = BUF_INIT(MCP_LINE_MAX);
		struct image im;
		if (!scan_str(scan_get(el, "data"), &data) ||
		    data.len == 0 || !base64_take(&bytes, buf_view(&data)))
			buf_adds(&text, "[an image that is not shown: its "
			    "data is not valid base64]");
		else if (!image_probe(&im, buf_view(&bytes)))
			buf_adds(&text, "[an image that is not shown: it is "
			    "not a PNG, JPEG, GIF or WebP image]");
		else if (!conf_bool(t->conf, "provider.vision"))
			buf_fmt(&text, "[%s, %zu bytes; the model does not "
			    "see images]", im.mime, bytes.len);
		else if (bytes.len > IMAGE_BYTES_MAX)
			buf_fmt(&text, "[an image that is not shown: it is "
			    "larger than %zu bytes]", IMAGE_BYTES_MAX);
		else if (r->images.len + data.len > IMAGES_MAX)
			buf_fmt(&text, "[an image that is not shown: the "
			    "images of this result are larger than %zu MiB]",
			    IMAGES_MAX >> 20);
		else
			image_part(&r->images, &im, buf_view(&bytes));
		bufs_release(BUFS(&data, &bytes));
	}
	if (text.len == 0 && r->images.len == 0 && structured.p != NULL)
		buf_slice(&text, structured);
	else if (scan_kind(parts) != SCAN_ARRAY)
		buf_slice(&text, result);	/* as it is */
	/* cut to the cap; the whole text is kept, as for bash */
	output_init(&out, t->output_cap);
	output_add(&out, text.p, text.len, &unused);
	output_add(&out, NULL, 0, &unused);
	command_text(&out, "", t->files->root.fd, t->output_cap, r);
	r->is_error = scan_true(scan_get(result, "isError"));
	output_release(&out);
	bufs_release(BUFS(&unused, &text));
}
