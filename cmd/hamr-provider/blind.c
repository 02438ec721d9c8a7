/* blind.c - what is said to a model that sees no images. */
#include "blind.h"
#include "msg.h"
#include "rec.h"
#include "scan.h"

#define TOLD "[an image stands here; it is not shown, as the model sees no " \
	"images]"

static bool
is_image(struct slice part)
{
	return scan_str_is(scan_get(part, "type"), "image_url");
}

/* Append the parts' texts, a line each; false: one is neither text nor
 * image. */
static bool
as_text(struct slice content, struct buf *text)
{
	struct slice part;
	struct walk w;

	walk_in(&w, content);
	while (walk_next(&w, NULL, &part)) {
		if (text->len > 0 && text->p[text->len - 1] != '\n')
			buf_addc(text, '\n');
		if (is_image(part))
			buf_adds(text, TOLD);
		else if (!scan_str(scan_kind(part) == SCAN_STRING ? part :
		    scan_get(part, "text"), text))
			return false;
	}
	return true;
}

static void
as_parts(struct slice content, struct buf *out)
{
	struct slice part;
	struct walk w;
	size_t n = 0;

	buf_addc(out, '[');
	walk_in(&w, content);
	while (walk_next(&w, NULL, &part)) {
		buf_adds(out, n++ > 0 ? "," : "");
		if (is_image(part))
			buf_adds(out, "{\"type\":\"text\",\"text\":\"" TOLD
			    "\"}");
		else
			buf_slice(out, part);
	}
	buf_addc(out, ']');
}

void
blind_content(struct slice content, struct buf *out)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (!msg_has_image(content))
		buf_slice(out, content);
	else if (as_text(content, &text))
		scan_quote(out, text.p, text.len);
	else
		as_parts(content, out);
	buf_release(&text);
}
