/* history.c - the messages that were sent or set aside, oldest first. */
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "history.h"
#include "json/scan.h"
#include "keys.h"

#define FILE_MAX ((size_t)256 << 20)
#define TOO_MANY (2 * HISTORY_ENTRIES)	/* lines: rewrite the file */
#define LOCK_MS 1000

static void
drop(struct history *h, size_t i)
{
	free(h->v[i]);
	memmove(h->v + i, h->v + i + 1, (--h->n - i) * sizeof *h->v);
}

/* Move a known message to the end; drop the oldest if there is no room. */
static void
append(struct history *h, char *owned)
{
	for (size_t i = h->n; i-- > 0; )
		if (strcmp(h->v[i], owned) == 0)
			drop(h, i);
	if (h->n >= HISTORY_ENTRIES)
		drop(h, 0);
	GROW(h->v, h->n, h->cap);
	h->v[h->n++] = owned;
}

void
history_init(struct history *h, const char *file)
{
	struct buf b = BUF_INIT(FILE_MAX), anew = BUF_INIT(FILE_MAX);
	int fd = file != NULL ? file_open_regular(AT_FDCWD, file, NULL) : -1;
	struct slice rest = { NULL, 0 }, line;
	struct err e;
	size_t n = 0;

	*h = (struct history){ 0 };
	h->file = file != NULL ? xstrdup(file) : NULL;
	if (fd >= 0 && file_read_fd(fd, file, &b, NULL) == 0)
		rest = buf_view(&b);
	file_close(fd);
	for (; slice_line(&rest, &line); n++) {
		struct buf text = BUF_INIT(FILE_MAX);
		struct buf clean = BUF_INIT(4 * FILE_MAX);

		if (scan_is_json(line) && scan_str(line, &text))
			keys_clean(&clean, buf_view(&text));
		if (clean.len > 0)
			append(h, buf_detach(&clean));
		bufs_release(BUFS(&text, &clean));
	}
	for (size_t i = 0; n > TOO_MANY && i < h->n; i++)
		if (strlen(h->v[i]) <= HISTORY_ENTRY_MAX)
			scan_put(&anew, "@\n", slice_of(h->v[i]));
	if (n > TOO_MANY && !anew.over)
		file_replace(file, anew.p, anew.len, 0600, &e);
	bufs_release(BUFS(&b, &anew));
}

void
history_release(struct history *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->v[i]);
	FREE(h->v, h->file);
	*h = (struct history){ 0 };
}

void
history_add(struct history *h, const char *message)
{
	struct buf b = BUF_INIT(8 * HISTORY_ENTRY_MAX);
	char last = '\n';
	struct stat st;
	int fd = -1;

	if (message[strspn(message, " \t\n")] == '\0' ||
	    (h->n > 0 && strcmp(h->v[h->n - 1], message) == 0))
		return;
	append(h, xstrdup(message));
	if (h->file != NULL && strlen(message) <= HISTORY_ENTRY_MAX)
		fd = open(h->file, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC |
		    O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    file_lock(fd, LOCK_MS) == 0) {
		/* a full disk may have cut the last line */
		if (pread(fd, &last, 1, st.st_size - 1) == 1 && last != '\n')
			buf_addc(&b, '\n');
		scan_put(&b, "@\n", slice_of(message));
		file_write_all(fd, b.p, b.len);
	}
	buf_release(&b);
	file_close(fd);
}

/* ---- search ---- */

size_t
history_search(const struct history *h, const char *what, size_t i,
    bool newer)
{
	char *(*find)(const char *, const char *) = strcasestr;
	size_t step = newer ? 1 : (size_t)-1;

	for (const char *p = what; *p != '\0'; p++)
		if (isupper((unsigned char)*p) != 0)
			find = strstr;
	for (i = num_min(i, h->n) + step; i < h->n; i += step)
		if (find(h->v[i], what) != NULL)
			return i;
	return h->n;
}
