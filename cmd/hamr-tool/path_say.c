/* path_say.c - names and faults in words. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "scan.h"
#include "utf8.h"

#include "path.h"

int
fault_set(struct fault *f, const char *code, const char *fmt, ...)
{
	char text[sizeof f->err.text];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	f->code = code;
	err_set(&f->err, ST_NO, "%s", text);
	return -1;
}

int
fault_sys(struct fault *f, const char *what, const char *rel)
{
	int no = errno;
	const char *code = "denied";
	char *name = path_name(rel);

	if (no == ENOSPC || no == EDQUOT || no == EFBIG || no == EIO)
		code = "storage_full";
	else if (no == ENOENT || no == ENOTDIR || no == ENAMETOOLONG ||
	    no == ELOOP)
		code = "not_found";
	fault_set(f, code, "%s: %s: %s", name, what, strerror(no));
	free(name);
	return -1;
}

void
path_show(struct buf *out, const char *rel)
{
	size_t n = strlen(rel);
	struct buf clean = BUF_INIT(BUF_RECORD_MAX);
	bool odd;

	if (n == 0) {
		buf_addc(out, '.');
		return;
	}
	odd = utf8_clean(&clean, rel, n);
	for (size_t i = 0; i < n; i++)
		odd |= (unsigned char)rel[i] < ' ' || rel[i] == 0x7f;
	if (odd)
		scan_quote(out, clean.p, clean.len);
	else
		buf_add(out, rel, n);
	buf_release(&clean);
}

char *
path_name(const char *rel)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	path_show(&b, rel);
	return buf_detach(&b);
}
