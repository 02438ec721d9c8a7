/* mention.c - what a person's message names with @path. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "image.h"
#include "mem.h"
#include "mention.h"

#define IMAGES_MAX 8
#define BLANK " \t\n"
#define BEFORE BLANK "([{<\"'"	/* what an @ may stand behind */
#define ENDS ".,;:!?)]}>\"'"	/* what may end a sentence behind a path */

struct found {
	struct json *parts;
	size_t n;
	bool vision, anywhere;
	struct ui *ui;
};

/* The word behind an @, its backslashes taken away; *p is moved behind. */
static char *
word(const char **p)
{
	char *w = xmalloc(strlen(*p) + 1);
	size_t n = 0;

	while (**p != '\0' && strchr(BLANK, **p) == NULL) {
		if (**p == '\\' && (*p)[1] != '\0')
			(*p)++;
		w[n++] = *(*p)++;
	}
	w[n] = '\0';
	return w;
}

/* Does the true path lie beneath the working directory? */
static bool
is_beneath(const char *path)
{
	char *real = realpath(path, NULL), *here = realpath(".", NULL);
	size_t n = here != NULL ? strlen(here) : 0;
	bool yes = real != NULL && n > 0 && strncmp(real, here, n) == 0 &&
	    (real[n] == '/' || here[n - 1] == '/');

	free(real);
	free(here);
	return yes;
}

/* A plain file of that name that may be shown; -1: none. */
static int
open_named(const struct found *f, const char *name)
{
	const char *home = getenv("HOME");
	struct stat st;
	char *path;
	int fd;

	if (f->anywhere && strncmp(name, "~/", 2) == 0 && home != NULL)
		path = xasprintf("%s%s", home, name + 1);
	else
		path = xstrdup(name);
	fd = f->anywhere || is_beneath(path) ? open(path, O_RDONLY |
	    O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	free(path);
	return fd;
}

static void
add_image(struct found *f, const char *name, const struct image *im,
    struct slice bytes)
{
	struct buf b = BUF_INIT(2 * IMAGE_BYTES_MAX);

	buf_fmt(&b, "{\"type\":\"image_url\",\"image_url\":{\"url\":"
	    "\"data:%s;base64,", im->mime);
	base64_add(&b, bytes.p, bytes.n);
	buf_adds(&b, "\"}}");
	json_raw(f->parts, NULL, buf_view(&b));
	f->n++;
	ui_note(f->ui, "  %s is shown to the model: %s, %lu x %lu", name,
	    im->name, im->width, im->height);
	buf_release(&b);
}

/* Its first bytes say whether it is an image. */
static bool
is_image(int fd)
{
	char head[65536];
	ssize_t n = pread(fd, head, sizeof head, 0);
	struct image im;

	return n > 0 && image_probe(&im, (struct slice){ head, (size_t)n });
}

static void
take(struct found *f, const char *name, int fd)
{
	struct buf b = BUF_INIT(IMAGE_BYTES_MAX);
	struct image im;

	if (!is_image(fd))
		return;
	if (!f->vision)
		ui_note(f->ui, "  %s is not shown: the model sees no images "
		    "(provider.vision)", name);
	else if (f->n == IMAGES_MAX)
		ui_note(f->ui, "  %s is not shown: %d images are enough for "
		    "one message", name, IMAGES_MAX);
	else if (file_read_fd(fd, name, &b, NULL) < 0)
		ui_note(f->ui, "  %s is not shown: it is larger than %zu "
		    "bytes; name a smaller copy", name, IMAGE_BYTES_MAX);
	else if (image_probe(&im, buf_view(&b)))
		add_image(f, name, &im, buf_view(&b));
	buf_release(&b);
}

/* The name as it stands, else without what ends the sentence. */
static void
look(struct found *f, char *name)
{
	size_t n = strlen(name);
	int fd = n > 0 ? open_named(f, name) : -1;

	while (fd < 0 && n > 1 && strchr(ENDS, name[n - 1]) != NULL) {
		name[--n] = '\0';
		fd = open_named(f, name);
	}
	if (fd < 0)
		return;
	take(f, name, fd);
	close(fd);
}

void
mention_content(struct json *o, const char *text, bool vision, bool anywhere,
    struct ui *u)
{
	struct found f = { .parts = json_array(), .vision = vision,
		.anywhere = anywhere, .ui = u };
	struct json *first = json_object();

	json_str(first, "type", "text");
	json_str(first, "text", text);
	json_add(f.parts, NULL, first);
	for (const char *p = text; (p = strchr(p, '@')) != NULL; ) {
		bool begins = p == text || strchr(BEFORE, p[-1]) != NULL;
		char *name;

		p++;
		if (!begins)
			continue;
		name = word(&p);
		look(&f, name);
		free(name);
	}
	if (f.n > 0) {
		json_add(o, "content", f.parts);
	} else {
		json_str(o, "content", text);
		json_free(f.parts);
	}
}
