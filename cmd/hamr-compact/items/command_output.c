/* command_output.c - stage 0: strips what only a screen needs from command
 * output.
 *
 * Reads ECMA-48 escape sequences by hand: no library on our list does.
 */
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

#include "command_output.h"

#define BLANKS 2	/* blank lines kept in a row */
#define REPEATS 3	/* fewer repeats are shorter than the mark */
#define FRAMES 2	/* frames of dependencies kept from a run of them */
#define BLANK " \t\r"	/* removed at the end of a line */

/* The length of the escape sequence at p, an ESC; none passes a line's end. */
static size_t
escape_len(const char *p, size_t n)
{
	size_t i = 2;

	if (n < 2)
		return n;
	if (p[1] == '[') {		/* CSI: parameters, a final byte */
		while (i < n && p[i] >= 0x20 && p[i] < 0x40)
			i++;
		return i < n && p[i] >= 0x40 && p[i] < 0x7f ? i + 1 : i;
	}
	if (strchr("]PX^_", p[1]) != NULL) {	/* OSC, DCS: to BEL or ST */
		for (; i < n; i++)
			if (p[i] == '\a')
				return i + 1;
			else if (p[i] == '\033')
				return i + 1 < n && p[i + 1] == '\\' ? i + 2 :
				    i;
		return i;
	}
	while (i <= n && p[i - 1] >= 0x20 && p[i - 1] < 0x30)
		i++;			/* nF sequences: ESC ( B */
	return i <= n ? i : n;
}

/* A line as a terminal shows it: text after a CR overwrites what was there. */
static void
overwrite(struct buf *line, struct buf *tmp, struct slice s)
{
	buf_reset(line);
	while (s.n > 0) {
		struct slice seg = slice_part(s, 0, slice_find(s, 0, "\r"));
		size_t chars = utf8_count(seg.p, seg.n), covered = 0, n;

		for (; covered < line->len && chars-- > 0; covered += n) {
			n = utf8_len((const unsigned char *)line->p + covered,
			    line->len - covered);
			n = n > 0 ? n : 1;
		}
		buf_reset(tmp);
		buf_slice(tmp, seg);
		if (covered < line->len)
			buf_add(tmp, line->p + covered, line->len - covered);
		buf_reset(line);
		buf_slice(line, buf_view(tmp));
		if (seg.n == s.n)
			break;
		s = slice_from(s, seg.n + 1);
	}
}

/* What was just written, to compare the next line with. */
struct run {
	struct buf *out;
	size_t last, lastlen;	/* the last line written, in out */
	size_t blanks, repeats, frames;
	bool source;		/* the next line may be a frame's source */
};

static void
end_repeats(struct run *r)
{
	if (r->repeats >= REPEATS)
		buf_fmt(r->out, "[last line repeated %zu more times]\n",
		    r->repeats);
	else
		for (size_t i = 0; i < r->repeats; i++) {
			buf_reserve(r->out, r->lastlen + 1);
			buf_add(r->out, r->out->p + r->last, r->lastlen);
			buf_addc(r->out, '\n');
		}
	r->repeats = 0;
}

static void
end_frames(struct run *r)
{
	if (r->frames > FRAMES)
		buf_fmt(r->out, "[%zu more frame%s in dependencies]\n",
		    r->frames - FRAMES, r->frames == FRAMES + 1 ? "" : "s");
	r->frames = 0;
	r->source = false;
}

/* True if the line belongs to a run of stack frames in dependencies and is left
 * out. */
static bool
in_frames(struct run *r, struct slice s)
{
	static const char *const folders[] = { "node_modules/",
		"site-packages/", "dist-packages/", "node:internal/",
		"/.cargo/registry/", "/rustc/" };
	struct slice text = slice_trim_start(s, " \t");
	bool frame = slice_starts(text, "at ") ||
	    slice_starts(text, "File \""), in = false;

	for (size_t i = 0; frame && i < sizeof folders / sizeof *folders; i++)
		in |= slice_has(text, folders[i]);
	if (in) {
		r->source = slice_has(s, "File \"");
		return ++r->frames > FRAMES;
	}
	if (r->source && s.n > 4 && memcmp(s.p, "    ", 4) == 0) {
		r->source = false;
		return r->frames > FRAMES;
	}
	end_frames(r);
	return false;
}

void
clean_output(struct buf *out, struct slice text)
{
	struct buf plain = BUF_INIT(BUF_RECORD_MAX), line = plain;
	struct buf tmp = plain;
	struct run r = { .out = out };
	struct slice s;
	bool ended = true;

	buf_reserve(out, text.n);
	while (slice_line(&text, &s)) {
		ended = text.p[-1] == '\n';
		if (memchr(s.p, '\033', s.n) != NULL) {
			buf_reset(&plain);
			for (size_t at = 0, esc; at < s.n; at = esc) {
				esc = slice_find(s, at, "\033");
				buf_slice(&plain, slice_part(s, at, esc));
				esc += escape_len(s.p + esc, s.n - esc);
			}
			s = buf_view(&plain);
		}
		s = slice_trim_end(s, BLANK);
		if (memchr(s.p, '\r', s.n) != NULL) {
			overwrite(&line, &tmp, s);
			s = slice_trim_end(buf_view(&line), BLANK);
		}
		if (s.n > 0 && r.lastlen == s.n && r.blanks == 0 &&
		    r.frames == 0 && memcmp(out->p + r.last, s.p, s.n) == 0) {
			r.repeats++;
			continue;
		}
		end_repeats(&r);
		if (in_frames(&r, s))
			continue;
		r.blanks = s.n == 0 ? r.blanks + 1 : 0;
		if (r.blanks > BLANKS)
			continue;
		r.last = out->len;
		r.lastlen = s.n;
		buf_slice(out, s);
		if (ended)
			buf_addc(out, '\n');
	}
	ended |= r.repeats == 0;
	end_repeats(&r);
	if (!ended)
		out->len--;	/* a last line without an LF */
	end_frames(&r);
	bufs_release(BUFS(&plain, &line, &tmp));
}
