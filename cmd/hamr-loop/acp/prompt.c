/* prompt.c - turn an editor's prompt into records. */
#include <string.h>
#include <sys/stat.h>

#include "base/image.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "internal.h"

#define DIGITS "0123456789"
#define PARTS_MAX (REC_MAX - ((size_t)1 << 20))

struct prompt {
	struct worker *s;
	struct buf text, context;
	struct buf images;	/* parts, a comma before each */
};

/* The path of a file:// URI or a plain absolute path; the caller frees it.
 * NULL: something else. */
static char *
path_of(const char *uri)
{
	struct buf b = BUF_INIT((size_t)1 << 16);

	if (strncmp(uri, "file://", 7) == 0)
		uri += 7;
	if (uri[0] != '/')
		return NULL;
	for (; *uri != '\0' && *uri != '#' && *uri != '?'; uri++)
		if (*uri == '%' && num_hex(uri[1]) >= 0 &&
		    num_hex(uri[2]) >= 0) {
			buf_addc(&b, (char)(num_hex(uri[1]) * 16 +
			    num_hex(uri[2])));
			uri += 2;
		} else {
			buf_addc(&b, *uri);
		}
	if (b.over || strlen(b.p) != b.len ||
	    utf8_check(b.p, b.len) < b.len) {
		buf_release(&b);
		return NULL;
	}
	return buf_detach(&b);
}

/* Append the lines that a URI selects, by "#L3", "#L3-7", "#L3-L7" or "#L3:7".
 */
static void
put_lines(struct buf *b, const char *uri)
{
	const char *from = strstr(uri, "#L"), *to;
	size_t n;

	if (from == NULL || (n = strspn(from += 2, DIGITS)) == 0)
		return;
	to = from + n;
	to += strspn(to, "-:");
	to += *to == 'L';
	size_t more = strspn(to, DIGITS);
	buf_fmt(b, more > 0 ? " (lines %.*s-%.*s)" : " (line %.*s)", (int)n,
	    from, (int)more, to);
}

/* The path relative to the root, as the tools name it. */
static const char *
from_root(const struct worker *s, const char *path)
{
	const char *root = s->root != NULL ? s->root : s->cwd;
	size_t n = strlen(root);

	return strncmp(path, root, n) == 0 && path[n] == '/' ? path + n + 1 :
	    path;
}

static const char *
take_link(struct prompt *p, struct slice block)
{
	char *uri = scan_strdup(scan_get(block, "uri"));
	char *name = scan_strdup(scan_get(block, "name"));
	char *path = uri != NULL ? path_of(uri) : NULL;
	bool good = uri != NULL && name != NULL;
	struct buf *b = &p->text;
	struct stat st;

	/* a blank on both sides: blocks follow each other without one */
	if (good && b->len > 0 &&
	    strchr(" \t\n([{<\"'", b->p[b->len - 1]) == NULL)
		buf_addc(b, ' ');
	if (good && path != NULL && stat(path, &st) == 0 &&
	    S_ISREG(st.st_mode)) {
		/* @path, as a person would type it */
		buf_addc(b, '@');
		for (const char *c = from_root(p->s, path); *c != '\0'; c++) {
			if (strchr(" \t\n\\", *c) != NULL)
				buf_addc(b, '\\');
			buf_addc(b, *c);
		}
		put_lines(b, uri);
		buf_addc(b, ' ');
	} else if (good) {
		buf_fmt(b, "[%s](%s) ", name, uri);
	}
	FREE(path, name, uri);
	return good ? NULL : "a resource_link needs a uri and a name";
}

static const char *
take_image(struct prompt *p, struct slice data)
{
	struct buf text = BUF_INIT(2 * IMAGE_BYTES_MAX);
	struct buf bytes = BUF_INIT(IMAGE_BYTES_MAX);
	const char *why = NULL;
	struct image im;

	if (!scan_str(data, &text) || text.over)
		why = text.over ? "an image is too large" :
		    "an image needs data";
	else if (!base64_take(&bytes, buf_view(&text)))
		why = bytes.over ? "an image is too large" :
		    "an image's data is not base64";
	else if (!image_probe(&im, buf_view(&bytes)))
		why = "an image must be PNG, JPEG, GIF or WebP";
	else
		buf_fmt(&p->images, ",{\"type\":\"image_url\",\"image_url\":"
		    "{\"url\":\"data:%s;base64,%s\"}}", im.mime, text.p);
	bufs_release(BUFS(&text, &bytes));
	return why;
}

/* Take a resource: text goes before the task; of other content, only images are
 * taken. */
static const char *
take_resource(struct prompt *p, struct slice resource)
{
	struct slice text = scan_get(resource, "text");
	char *uri = scan_strdup(scan_get(resource, "uri"));
	char *path = uri != NULL ? path_of(uri) : NULL;
	const char *why = NULL;
	const char *name = path != NULL ? from_root(p->s, path) : uri;

	if (uri == NULL) {
		why = "a resource needs a uri";
	} else if (scan_kind(text) == SCAN_STRING) {
		buf_adds(&p->context, name);
		put_lines(&p->context, uri);
		buf_adds(&p->context, ", as it is in the editor:\n\n");
		scan_str(text, &p->context);
		buf_adds(&p->context, "\n");
		/* after a blank, /init is a path, not a command */
		buf_fmt(&p->text, "%s%s ", p->text.len == 0 ||
		    strchr(" \n", p->text.p[p->text.len - 1]) == NULL ? " " :
		    "", name);
	} else if (scan_kind(scan_get(resource, "blob")) != SCAN_STRING) {
		why = "a resource needs text or a blob";
	} else if (take_image(p, scan_get(resource, "blob")) != NULL) {
		buf_fmt(&p->text, " [%s is attached, but is not text] ", name);
	}
	FREE(path, uri);
	return why;
}

int
prompt_send(struct worker *s, struct slice prompt, struct err *e)
{
	struct prompt p = { .s = s };
	struct walk w = walk_elements(prompt);
	const char *why = NULL;
	struct slice block;
	size_t n = 0;

	bufs_init(BUFS(&p.text, &p.context, &p.images), PARTS_MAX);
	for (; why == NULL && walk_next(&w, NULL, &block); n++) {
		struct slice type = scan_get(block, "type");

		if (scan_str_is(type, "text"))
			why = scan_str(scan_get(block, "text"), &p.text) ||
			    p.text.over ? NULL : "a text block needs text";
		else if (scan_str_is(type, "image"))
			why = take_image(&p, scan_get(block, "data"));
		else if (scan_str_is(type, "resource_link"))
			why = take_link(&p, block);
		else if (scan_str_is(type, "resource"))
			why = take_resource(&p, scan_get(block, "resource"));
		else
			why = scan_str_is(type, "audio") ?
			    "audio is not supported" :
			    "a block of an unknown type";
	}
	struct slice text = buf_view(&p.text);
	if (why == NULL && slice_trim(text).n + p.images.len == 0)
		why = "the prompt is empty";
	if (p.text.over || p.context.over || p.images.over)
		why = "the prompt is too long";
	if (why == NULL && p.context.len > 0)
		worker_send(s, "{'role':'user','content':@,"
		    "'meta':{'by':'context'}}", buf_view(&p.context));
	if (why != NULL && n == 0)
		err_set(e, ST_USAGE, "%s", why);
	else if (why != NULL)
		err_set(e, ST_USAGE, "prompt[%zu]: %s", n - 1, why);
	else if (p.images.len == 0)
		worker_send(s, "{'role':'user','content':@,"
		    "'meta':{'by':'user'}}", text);
	else
		worker_send(s, "{'role':'user','content':[{'type':'text',"
		    "'text':@}$]}", text, buf_view(&p.images));
	bufs_release(BUFS(&p.text, &p.context, &p.images));
	return why != NULL ? -1 : 0;
}
