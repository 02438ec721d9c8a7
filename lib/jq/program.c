/* program.c - libjq: runs a user's jq program in its own process.
 *
 * libjq aborts when memory runs out, and a program may loop forever, so it
 * never runs in the calling process: a child serves the program over a socket.
 * Only the child loads the library, as that costs start-up time.
 */
#include <errno.h>
#include <fcntl.h>
#include <jq.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "definitions.h"
#include "json/scan.h"
#include "libc/so.h"
#include "program.h"

#define SECONDS 2		/* of processor time for one input */
#define BYTES_A_SECOND ((size_t)1 << 20)	/* jq is far faster */
/* A filter sees one record, an importer may have to keep a whole file. */
#define MEMORY(importer) ((size_t)((importer) ? 2 : 1) << 30)

#define FD 0			/* the socket, in its own process */
#define BLOCK ((size_t)64 << 10)

/* ---- frames ----
 *
 * In both directions: a tag byte, the length as 32 bits in the machine's
 * order, the payload.  More may be queued than were asked for.  The child
 * sends a program_event, with its text as the payload, or one of the first two
 * tags here. */

#define HEAD 5			/* bytes of a frame before its payload */

enum {
	TAG_READY = PROGRAM_END + 1,	/* the program compiles */
	TAG_BAD,		/* it does not: why */
	TAG_INPUT,		/* 64 bits, the line it begins on (0: unknown),
				 * then checked JSON */
	TAG_LAST		/* the end of the input */
};

struct frames {
	struct buf in, out;
	size_t at;		/* what of in has been taken */
};

/* Queue a frame; its payload is in two parts. */
static void
frames_put(struct frames *f, int tag, struct slice head, struct slice rest)
{
	uint32_t n = (uint32_t)(head.n + rest.n);

	buf_addc(&f->out, (char)tag);
	buf_add(&f->out, &n, sizeof n);
	buf_slice(&f->out, head);
	buf_slice(&f->out, rest);
}

/* Take the next frame; its payload is valid until the next fill.  False: it is
 * not complete yet. */
static bool
frames_take(struct frames *f, int *tag, struct slice *payload)
{
	uint32_t n;

	if (f->in.len - f->at < HEAD)
		return false;
	const char *p = f->in.p + f->at;
	memcpy(&n, p + 1, sizeof n);
	if (f->in.len - f->at - HEAD < n)
		return false;
	*tag = (unsigned char)*p;
	*payload = (struct slice){ p + HEAD, n };
	f->at += HEAD + n;
	return true;
}

/* Read more from fd: read(2)'s answer. */
static ssize_t
frames_fill(struct frames *f, int fd)
{
	ssize_t n;

	if (f->at > 0)
		buf_drop(&f->in, f->at);
	f->at = 0;
	buf_reserve(&f->in, BLOCK);
	do
		n = read(fd, f->in.p + f->in.len, BLOCK);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		f->in.len += (size_t)n;
	return n;
}

/* ---- the child: libjq ---- */

/* A text for libjq's parser; the first members are the same in 1.5 to 1.8. */
struct locfile {
	jv name;
	const char *text;
	int length;
};

int jq_parse(struct locfile *source, void *answer);
int jq_parse_library(struct locfile *source, void *answer);

/* The functions we use, with the types of jq's own header. */
#define FUNCTIONS(F) \
	F(jq_init) F(jq_teardown) F(jq_set_error_cb) F(jq_set_attr) \
	F(jq_parse) F(jq_compile_args) F(jq_start) F(jq_next) \
	F(jq_set_input_cb) \
	F(jv_get_kind) F(jv_copy) F(jv_free) F(jv_equal) F(jv_invalid) \
	F(jv_invalid_has_msg) F(jv_invalid_get_msg) F(jv_null) F(jv_bool) \
	F(jv_number) F(jv_number_value) F(jv_array) F(jv_array_length) \
	F(jv_array_get) F(jv_array_append) F(jv_string) F(jv_string_sized) \
	F(jv_string_length_bytes) F(jv_string_value) F(jv_object) \
	F(jv_object_set) F(jv_object_iter) F(jv_object_iter_next) \
	F(jv_object_iter_valid) F(jv_object_iter_key) \
	F(jv_object_iter_value) F(jv_dump_string)

struct lib {
#define MEMBER(name) __typeof__(name) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

struct server {
	bool importer;
	struct lib f;
	jq_state *jq;
	struct frames wire;
	struct buf why, text;
	bool last;		/* no more inputs */
	size_t given;		/* bytes of all inputs */
	jv input;		/* the current one, for PROGRAM_SAME */
	const char *seen;	/* its lines are counted up to here */
	size_t line;		/* 0: not wanted */
};

/* The process ends when the other side is gone. */
static void
flush(struct server *s)
{
	if (file_write_all(FD, s->wire.out.p, s->wire.out.len) < 0)
		_exit(0);
	buf_reset(&s->wire.out);
}

static void
put(struct server *s, int tag, struct slice payload)
{
	frames_put(&s->wire, tag, payload, SLICE(""));
	if (s->wire.out.len >= BLOCK)
		flush(s);
}

/* ---- checked bytes to values ---- */

static jv
to_string(struct server *s, struct slice val)
{
	struct slice plain = scan_plain(val);

	if (plain.p == NULL) {
		buf_reset(&s->text);
		scan_str(val, &s->text);
		plain = buf_view(&s->text);
	}
	return s->f.jv_string_sized(plain.n > 0 ? plain.p : "", (int)plain.n);
}

/* depth is that of val itself; the whole input is at 1. */
static jv
to_value(struct server *s, struct slice val, int depth, bool in_list)
{
	const struct lib *f = &s->f;
	enum scan_kind kind = scan_kind(val);
	struct slice key, v;
	size_t line = 0;
	double d = 0;
	jv out;

	if (s->line > 0 && kind == SCAN_OBJECT &&
	    (depth == 1 || (depth == 3 && in_list))) {
		s->line += slice_newlines((struct slice){ s->seen,
		    (size_t)(val.p - s->seen) });
		s->seen = val.p;
		line = s->line;
	}
	switch (kind) {
	case SCAN_STRING: return to_string(s, val);
	case SCAN_TRUE: case SCAN_FALSE: return f->jv_bool(kind == SCAN_TRUE);
	case SCAN_NUMBER:
		/* out of range: the greatest, as jq itself reads it */
		if (!num_double(val.p, val.n, &d))
			d = *val.p == '-' ? -1.7976931348623157e308 :
			    1.7976931348623157e308;
		return f->jv_number(d);
	case SCAN_ARRAY:
		out = f->jv_array();
		for (struct walk w = walk_of(val); walk_next(&w, NULL, &v); )
			out = f->jv_array_append(out,
			    to_value(s, v, depth + 1, true));
		return out;
	case SCAN_OBJECT:
		out = f->jv_object();
		for (struct walk w = walk_of(val); walk_next(&w, &key, &v); ) {
			struct slice quoted = { key.p - 1, key.n + 2 };
			jv k = to_string(s, quoted);

			out = f->jv_object_set(out, k,
			    to_value(s, v, depth + 1, false));
		}
		if (line > 0)
			out = f->jv_object_set(out, f->jv_string("_line"),
			    f->jv_number((double)line));
		return out;
	default: return f->jv_null();
	}
}

/* ---- values to bytes ---- */

static void
print_string(struct server *s, jv v, struct buf *out)
{
	const char *p = s->f.jv_string_value(v);
	size_t n = (size_t)s->f.jv_string_length_bytes(s->f.jv_copy(v));

	if (n > 0 && memchr(p, '\0', n) != NULL) {
		buf_reset(&s->text);
		utf8_clean(&s->text, p, n);
		scan_quote(out, s->text.p, s->text.len);
	} else
		scan_quote(out, p, n);
}

static bool
print(struct server *s, jv v, struct buf *out, int depth)
{
	const struct lib *f = &s->f;
	bool ok = depth <= SCAN_DEPTH;
	double d;
	jv el;

	switch (ok ? f->jv_get_kind(v) : JV_KIND_NULL) {
	case JV_KIND_TRUE: buf_adds(out, "true"); break;
	case JV_KIND_FALSE: buf_adds(out, "false"); break;
	case JV_KIND_NUMBER:
		d = f->jv_number_value(v);
		if (fabs(d) < 1e15 && d == floor(d)) {
			buf_fmt(out, "%.0f", d);
			break;
		}
		el = f->jv_dump_string(f->jv_copy(v), 0);
		buf_adds(out, f->jv_string_value(el));
		f->jv_free(el);
		break;
	case JV_KIND_STRING: print_string(s, v, out); break;
	case JV_KIND_ARRAY:
		buf_addc(out, '[');
		for (int i = 0, n = f->jv_array_length(f->jv_copy(v));
		    i < n && ok; i++) {
			if (i > 0)
				buf_addc(out, ',');
			el = f->jv_array_get(f->jv_copy(v), i);
			ok = print(s, el, out, depth + 1);
			f->jv_free(el);
		}
		buf_addc(out, ']');
		break;
	case JV_KIND_OBJECT:
		buf_addc(out, '{');
		for (int i = f->jv_object_iter(v), n = 0;
		    f->jv_object_iter_valid(v, i) && ok;
		    i = f->jv_object_iter_next(v, i)) {
			if (n++ > 0)
				buf_addc(out, ',');
			el = f->jv_object_iter_key(v, i);
			print_string(s, el, out);
			f->jv_free(el);
			buf_addc(out, ':');
			el = f->jv_object_iter_value(v, i);
			ok = print(s, el, out, depth + 1);
			f->jv_free(el);
		}
		buf_addc(out, '}');
		break;
	default: buf_adds(out, "null"); break;
	}
	return ok && !out->over;
}

/* ---- the program ---- */

/* Restart the limit of processor time until the next input.  The program may
 * use earlier inputs only at the end, so their size adds time. */
static void
rearm(const struct server *s)
{
	time_t more = (time_t)(s->given / BYTES_A_SECOND);
	struct itimerval t = { .it_value = { .tv_sec = SECONDS + more } };

	setitimer(ITIMER_PROF, &t, NULL);
}

static bool
next_input(struct server *s, jv *out)
{
	struct slice payload;
	uint64_t line;
	int tag;

	if (s->last)
		return false;
	if (s->wire.at == s->wire.in.len) {
		put(s, PROGRAM_NEED, SLICE(""));
		flush(s);
	}
	while (!frames_take(&s->wire, &tag, &payload))
		if (frames_fill(&s->wire, FD) <= 0)
			_exit(0);
	s->last = tag == TAG_LAST;
	if (s->last)
		return false;
	s->given += payload.n;
	rearm(s);
	memcpy(&line, payload.p, sizeof line);
	s->seen = payload.p + sizeof line;
	s->line = s->importer ? (size_t)line : 0;
	*out = to_value(s, slice_from(payload, sizeof line), 1, false);
	return true;
}

/* `input` and `inputs` of the program.  A filter has one input at a time; it,
 * too, needs this: libjq 1.6 calls what it happens to find. */
static jv
give_input(jq_state *jq, void *self)
{
	struct server *s = self;
	jv v;

	(void)jq;
	return s->importer && next_input(s, &v) ? v : s->f.jv_invalid();
}

static void
take_why(void *self, jv msg)
{
	struct server *s = self;

	if (s->why.len == 0) {
		if (s->f.jv_get_kind(msg) == JV_KIND_STRING)
			buf_adds(&s->why, s->f.jv_string_value(msg));
		else
			print(s, msg, &s->why, 1);
	}
	s->f.jv_free(msg);
}

static void
run(struct server *s, jv input)
{
	jv v;

	s->input = s->importer ? s->f.jv_null() : s->f.jv_copy(input);
	s->f.jq_start(s->jq, input, 0);
	for (;;) {
		struct buf text = BUF_INIT(BUF_RECORD_MAX);

		v = s->f.jq_next(s->jq);
		if (s->f.jv_get_kind(v) == JV_KIND_INVALID)
			break;
		if (!s->importer && s->f.jv_equal(s->f.jv_copy(v),
		    s->f.jv_copy(s->input)))
			put(s, PROGRAM_SAME, SLICE(""));
		else if (print(s, v, &text, 1))
			put(s, PROGRAM_VALUE, buf_view(&text));
		else
			put(s, PROGRAM_ERROR,
			    SLICE("a result too deep or too large"));
		buf_release(&text);
		s->f.jv_free(v);
	}
	if (s->f.jv_invalid_has_msg(s->f.jv_copy(v))) {
		buf_reset(&s->why);
		take_why(s, s->f.jv_invalid_get_msg(s->f.jv_copy(v)));
		put(s, PROGRAM_ERROR, buf_view(&s->why));
	}
	s->f.jv_free(v);
	s->f.jv_free(s->input);
	put(s, PROGRAM_DONE, SLICE(""));
}

/* ---- starting ---- */

static const char *
load(struct lib *f)
{
	void *lib = SO_OPEN("libjq.so.1");

	if (lib == NULL)
		return "libjq.so.1 is not installed; install libjq1";
#define LOAD(name) \
	SO_FIND(f->name, lib, name); \
	if (f->name == NULL) \
		return "libjq.so.1 has no " #name;
	FUNCTIONS(LOAD)
#undef LOAD
	return NULL;
}

/* What jq_parse_library() cannot be given: libjq calls it. */
static struct {
	const char *program;
	__typeof__(jq_parse) *parse;
} hook;

/* Replaces libjq's own function, as ours comes first: its only library is jq's
 * built-in definitions.  For all of them libjq 1.6 takes 20 ms, and half the
 * time of a long program. */
int
jq_parse_library(struct locfile *source, void *answer)
{
	struct slice all = { source->text, (size_t)source->length };
	char *few = NULL;

	if (strstr(hook.program, "builtins") == NULL && slice_starts(all,
	    "def halt_error: halt_error(5);\ndef error: error(.);\n")) {
		few = xmalloc(all.n);
		source->text = few;
		source->length = (int)definitions_used(all,
		    slice_of(hook.program), few);
	}
	int errors = hook.parse(source, answer);
	source->text = all.p;
	source->length = (int)all.n;
	free(few);
	return errors;
}

/* Set an empty module path: without one, `import` aborts in libjq 1.6. */
static bool
compile(struct server *s, const char *text, const char *vars)
{
	const struct lib *f = &s->f;

	s->jq = f->jq_init();
	if (s->jq == NULL)
		return false;
	f->jq_set_error_cb(s->jq, take_why, s);
	f->jq_set_attr(s->jq, f->jv_string("JQ_LIBRARY_PATH"), f->jv_array());
	f->jq_set_attr(s->jq, f->jv_string("JQ_ORIGIN"), f->jv_string("/"));
	f->jq_set_attr(s->jq, f->jv_string("PROGRAM_ORIGIN"),
	    f->jv_string("/"));
	hook.parse = f->jq_parse;
	hook.program = text;
	if (!f->jq_compile_args(s->jq, text,
	    to_value(s, slice_of(vars), 1, false)))
		return false;
	f->jq_set_input_cb(s->jq, give_input, s);
	return true;
}

static void
limit(int what, rlim_t n)
{
	struct rlimit r = { n, n };

	setrlimit(what, &r);
}

/* Serve the program on descriptor fd until the other side closes it.  Gives up
 * the environment, all other descriptors and the right to open more. */
__attribute__((noreturn))
static void
serve(const char *text, const char *vars, bool importer, int fd)
{
	static const int back[] = { SIGPIPE, SIGPROF, SIGABRT, SIGSEGV };
	static char *nothing[] = { NULL };
	struct server s = { .importer = importer };
	int null = open("/dev/null", O_RDWR);
	jv v;

	bufs_init(BUFS(&s.wire.in, &s.wire.out, &s.why, &s.text),
	    BUF_RECORD_MAX * 2);
	/* from here on the program has no descriptor but fd, as FD */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof back / sizeof *back; i++)
		signal(back[i], SIG_DFL);
	dup2(fd, FD);
	dup2(null, 1);
	dup2(null, 2);
	close_range(3, ~0u, 0);
	environ = nothing;	/* libjq falls over a NULL there */
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	const char *missing = load(&s.f);
	limit(RLIMIT_NOFILE, 0);
#if !defined(__SANITIZE_ADDRESS__)	/* its shadow memory takes terabytes */
	limit(RLIMIT_AS, MEMORY(importer));
#endif
	rearm(&s);
	if (missing != NULL || !compile(&s, text, vars)) {
		put(&s, TAG_BAD, missing != NULL ? slice_of(missing) :
		    buf_view(&s.why));
		flush(&s);
		_exit(0);
	}
	put(&s, TAG_READY, SLICE(""));
	while (next_input(&s, &v))
		run(&s, v);
	flush(&s);
	_exit(0);
}

/* ---- the parent ---- */

struct program {
	const char *name;
	pid_t pid;
	int fd;
	size_t memory;		/* what it may map */
	bool last;		/* no more inputs will be given */
	int error;		/* why something could not be sent */
	struct frames wire;
	program_waiter *wait;	/* NULL: block */
	void *wait_ctx;
	bool given_up;		/* wait returned nonzero */
};

static int
reap(struct program *p)
{
	int st = 0;

	close(p->fd);
	p->fd = -1;
	while (p->pid > 0 && waitpid(p->pid, &st, 0) < 0 && errno == EINTR)
		continue;
	p->pid = 0;
	return st;
}

/* The process is gone: had it finished?  If not, why? */
static int
gone(struct program *p, struct err *e)
{
	int st = p->pid != 0 ? reap(p) : 0;

	if (p->given_up)
		return err_set(e, ST_DATA, "%s: given up", p->name);
	if (WIFSIGNALED(st) && WTERMSIG(st) == SIGPROF)
		return err_set(e, ST_DATA, "%s: stopped, it takes too "
		    "long; does it loop?", p->name);
	if (WIFSIGNALED(st))
		return err_set(e, ST_DATA, "%s: libjq ended with \"%s\"; did "
		    "it need more than %zu MiB of memory?", p->name,
		    strsignal(WTERMSIG(st)), p->memory >> 20);
	if (p->error != 0) {
		errno = p->error;
		return err_sys(e, ST_SYSTEM, "%s: cannot send it input",
		    p->name);
	}
	if (p->last && p->wire.in.len == p->wire.at)
		return PROGRAM_END;
	return err_set(e, ST_DATA, "%s: it ended early", p->name);
}

void
program_queue(struct program *p, struct slice json, size_t line)
{
	uint64_t no = line;

	frames_put(&p->wire, TAG_INPUT, (struct slice){ (const char *)&no,
	    sizeof no }, json);
}

void
program_last(struct program *p)
{
	p->last = true;
	frames_put(&p->wire, TAG_LAST, SLICE(""), SLICE(""));
}

void
program_wait(struct program *p, program_waiter *wait, void *ctx)
{
	p->wait = wait;
	p->wait_ctx = ctx;
}

/* Wait for the next frame; false: there are no more.  Kills the process if its
 * results are no longer wanted. */
static bool
take(struct program *p, int *tag, struct slice *payload)
{
	while (!frames_take(&p->wire, tag, payload)) {
		struct pollfd fd = { p->fd, POLLIN, 0 };

		while (p->wait != NULL && fd.revents == 0)
			if (p->wait(p->wait_ctx, &fd, 1, -1) != 0 &&
			    fd.revents == 0) {
				p->given_up = true;
				kill(p->pid, SIGKILL);
				return false;
			}
		if (frames_fill(&p->wire, p->fd) <= 0)
			return false;
	}
	return true;
}

int
program_next(struct program *p, struct slice *text, struct err *e)
{
	struct buf *out = &p->wire.out;
	int event;

	*text = SLICE("");
	if (p->pid == 0)
		return gone(p, e);
	/* send what is queued; the next read finds out if the peer is dead or
	 * cannot be reached */
	for (size_t done = 0; done < out->len; ) {
		ssize_t n = send(p->fd, out->p + done, out->len - done,
		    MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			if (errno != EPIPE && errno != ECONNRESET)
				p->error = errno;
			shutdown(p->fd, SHUT_RDWR);
			break;
		}
		done += (size_t)n;
	}
	buf_reset(out);
	return take(p, &event, text) ? event : gone(p, e);
}

/* ---- starting and ending ---- */

/* The first line of libjq's message, without its program's name.  A line number
 * in it goes first; its advice to shell users is dropped. */
static void
refused(const struct program *p, struct slice why, struct err *e)
{
	static const char at[] = " at <top-level>, line ", shell[] =
	    " (Unix shell quoting issues?)";
	char *whole = xmemdup0(why.p, why.n), *text = whole;

	if (strncmp(text, "jq: error: ", 11) == 0)
		text += 11;
	text[strcspn(text, "\n")] = '\0';
	char *where = strstr(text, at);
	char *aside = strstr(text, shell);
	if (where == NULL) {
		err_set(e, ST_USAGE, "%s: %s", p->name, text[0] != '\0' ?
		    text : "does not compile");
	} else {
		const char *line = where + sizeof at - 1;
		int n = (int)strspn(line, "0123456789");

		*where = '\0';
		if (aside != NULL)
			*aside = '\0';
		err_set(e, ST_USAGE, "%s:%.*s: %s", p->name, n, line, text);
	}
	free(whole);
}

struct program *
program_new(const char *name, const char *text, const char *vars,
    bool importer, struct err *e)
{
	struct program *p = xcalloc(1, sizeof *p);
	struct slice why;
	int fd[2], tag;

	p->name = name;
	p->fd = -1;
	p->memory = MEMORY(importer);
	bufs_init(BUFS(&p->wire.in, &p->wire.out), BUF_RECORD_MAX * 2);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0) {
		err_sys(e, ST_SYSTEM, "socketpair");
		program_free(p);
		return NULL;
	}
	p->pid = fork();
	if (p->pid == 0) {
		close(fd[0]);
		serve(text, vars, importer, fd[1]);
	}
	close(fd[1]);
	p->fd = fd[0];
	if (p->pid < 0) {
		p->pid = 0;
		err_sys(e, ST_SYSTEM, "fork");
	} else if (!take(p, &tag, &why)) {
		gone(p, e);
	} else if (tag == TAG_READY) {
		return p;
	} else {
		refused(p, why, e);
	}
	program_free(p);
	return NULL;
}

void
program_free(struct program *p)
{
	if (p == NULL)
		return;
	if (p->pid > 0)
		kill(p->pid, SIGKILL);
	if (p->fd >= 0)
		reap(p);
	bufs_release(BUFS(&p->wire.in, &p->wire.out));
	free(p);
}

int
program_run(struct program *p, struct slice json, struct buf *out,
    struct err *e)
{
	struct slice text;
	bool given = false;
	int ev, r = 0;

	while ((ev = program_next(p, &text, e)) >= 0 && ev != PROGRAM_DONE &&
	    ev != PROGRAM_END) {
		if (ev == PROGRAM_NEED && !given) {
			program_queue(p, json, 0);
			given = true;
		} else if (ev == PROGRAM_ERROR) {
			r = 1;
			err_set(e, ST_DATA, "%s: %.*s", p->name,
			    (int)(text.n < 300 ? text.n : 300), text.p);
		} else if (ev != PROGRAM_NEED) {
			buf_slice(out, ev == PROGRAM_SAME ? json : text);
			buf_addc(out, '\n');
		}
	}
	return ev < 0 ? -1 : r;
}
