/* view.c - the view_image tool: an image, shown to the model. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

#include "internal.h"

void
image_part(struct buf *out, const struct image *im, struct slice bytes)
{
	buf_fmt(out, "%s{\"type\":\"image_url\",\"image_url\":{\"url\":"
	    "\"data:%s;base64,", out->len > 0 ? "," : "", im->mime);
	base64_add(out, bytes.p, bytes.n);
	buf_adds(out, "\"}}");
}

static void
view(struct files *f, const struct path *p, const char *name, bool vision,
    struct result *r)
{
	struct buf bytes = BUF_INIT(IMAGE_BYTES_MAX + 1);
	struct fault fault = { 0 };
	struct image im;
	int fd = path_open(&f->root, p->rel, O_RDONLY);

	if (fd < 0) {
		fault_sys(&fault, "cannot be read", p->rel);
		files_fault(r, &fault);
	} else if (files_foreign(f, p->rel, &p->st)) {
		result_error(r, "denied", "%s " FOREIGN_WORDS, name);
	} else if (p->st.st_size > (off_t)IMAGE_BYTES_MAX ||
	    file_read_fd(fd, name, &bytes, NULL) < 0 ||
	    bytes.len > IMAGE_BYTES_MAX) {
		result_error(r, "too_large", "%s is larger than %zu bytes; "
		    "make a smaller copy with bash and view that", name,
		    IMAGE_BYTES_MAX);
	} else if (!image_probe(&im, buf_view(&bytes))) {
		result_error(r, "bad_arguments", "%s is not a PNG, JPEG, GIF "
		    "or WebP image; read shows text", name);
	} else {
		buf_fmt(&r->content, "%s: %s, %lu x %lu, %zu bytes%s\n",
		    name, im.name, im.width, im.height, bytes.len, vision ?
		    "" : "; it is not shown, as the model sees no images");
		scan_put(&r->meta, "'mime':@,'width':$,'height':$,",
		    slice_of(im.mime), SCAN_INT((long long)im.width),
		    SCAN_INT((long long)im.height));
		if (vision) {
			image_part(&r->images, &im, buf_view(&bytes));
			r->bytes = (long long)r->content.len +
			    (long long)r->images.len;
		}
	}
	file_close(fd);
	buf_release(&bytes);
}

void
files_view(struct files *f, struct slice args, bool vision,
    struct result *r)
{
	struct buf path = BUF_INIT(BUF_RECORD_MAX);
	struct path p = { 0 };
	char *name = NULL;

	arg_str(args, "path", &path);
	if (!files_find(f, buf_view(&path), &p, r))
		goto out;
	files_path_meta(r, p.rel);
	name = path_name(p.rel);
	if (!p.exists)
		result_error(r, "not_found", "%s does not exist; read its "
		    "folder to see what does", name);
	else if (!S_ISREG(p.st.st_mode))
		result_error(r, "bad_arguments", "%s is %s; name an image "
		    "file", name, S_ISDIR(p.st.st_mode) ? "a folder" :
		    "not a regular file");
	else
		view(f, &p, name, vision, r);
out:
	free(name);
	path_release(&p);
	buf_release(&path);
}
