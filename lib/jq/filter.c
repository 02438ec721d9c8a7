/* filter.c - libjq: a jq program served in a process of its own. */
#include <errno.h>
#include <fcntl.h>
#include <jq.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "filter.h"
#include "libc/so.h"
#include "base/num.h"
#include "json/scan.h"
#include "base/utf8.h"

#define BYTES_A_SECOND ((size_t)1 << 20)	/* far less than it does */

#define FD 0			/* the socket, in its own process */
#define BLOCK ((size_t)64 << 10)

/* ---- frames ---- */

#define HEAD 5			/* bytes of a frame before its payload */

void
frames_init(struct frames *f)
{
	*f = (struct frames){ .in = BUF_INIT(BUF_RECORD_MAX * 2),
		.out = BUF_INIT(BUF_RECORD_MAX * 2) };
}

void
frames_release(struct frames *f)
{
	bufs_release(BUFS(&f->in, &f->out));
}

void
frames_put(struct frames *f, char tag, struct slice head, struct slice rest)
{
	uint32_t n = (uint32_t)(head.n + rest.n);

	buf_addc(&f->out, tag);
	buf_add(&f->out, &n, sizeof n);
	buf_slice(&f->out, head);
	buf_slice(&f->out, rest);
}

bool
frames_take(struct frames *f, char *tag, struct slice *payload)
{
	const char *p;
	uint32_t n;

	if (f->in.len - f->at < HEAD)
		return false;
	p = f->in.p + f->at;
	memcpy(&n, p + 1, sizeof n);
	if (f->in.len - f->at - HEAD < n)
		return false;
	*tag = *p;
	*payload = (struct slice){ p + HEAD, n };
	f->at += HEAD + n;
	return true;
}

ssize_t
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

/* ---- libjq ---- */

/* The functions we use, with the types of jq's own header. */
#define FUNCTIONS(F) \
	F(jq_init) F(jq_teardown) F(jq_set_error_cb) F(jq_set_attr) \
	F(jq_compile_args) F(jq_start) F(jq_next) F(jq_set_input_cb) \
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
	const struct filter_job *job;
	struct lib f;
	jq_state *jq;
	struct frames wire;
	struct buf why, text;
	bool last;		/* no more inputs */
	size_t given;		/* bytes of all inputs */
	jv input;		/* the one in hand, for FILTER_SAME */
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
put(struct server *s, char tag, struct slice payload)
{
	frames_put(&s->wire, tag, payload, SLICE(""));
	if (s->wire.out.len >= BLOCK)
		flush(s);
}

/* ---- checked bytes to values ---- */

struct build {
	struct server *s;
	const char *seen;	/* lines are counted up to here */
	size_t line;		/* 0: not wanted */
};

static jv
to_string(struct build *b, struct slice val)
{
	struct slice plain = scan_plain(val);

	if (plain.p == NULL) {
		buf_reset(&b->s->text);
		scan_str(val, &b->s->text);
		plain = buf_view(&b->s->text);
	}
	return b->s->f.jv_string_sized(plain.n > 0 ? plain.p : "",
	    (int)plain.n);
}

/* depth is that of val itself; the whole input is at 1. */
static jv
to_value(struct build *b, struct slice val, int depth, bool in_list)
{
	const struct lib *f = &b->s->f;
	enum scan_kind kind = scan_kind(val);
	struct slice key, v;
	size_t line = 0;
	double d = 0;
	jv out;

	if (b->line > 0 && kind == SCAN_OBJECT &&
	    (depth == 1 || (depth == 3 && in_list))) {
		b->line += slice_newlines((struct slice){ b->seen,
		    (size_t)(val.p - b->seen) });
		b->seen = val.p;
		line = b->line;
	}
	switch (kind) {
	case SCAN_STRING: return to_string(b, val);
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
			    to_value(b, v, depth + 1, true));
		return out;
	case SCAN_OBJECT:
		out = f->jv_object();
		for (struct walk w = walk_of(val); walk_next(&w, &key, &v); ) {
			struct slice quoted = { key.p - 1, key.n + 2 };
			jv k = to_string(b, quoted);

			out = f->jv_object_set(out, k,
			    to_value(b, v, depth + 1, false));
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

/* Start the clock anew: so much processor time until the next input.  What
 * was read so far may be worked on at the end, so it gives time too. */
static void
rearm(const struct server *s)
{
	time_t more = (time_t)(s->given / BYTES_A_SECOND);
	struct itimerval t = { .it_value =
	    { .tv_sec = (time_t)s->job->seconds + more } };

	setitimer(ITIMER_PROF, &t, NULL);
}

static bool
next_input(struct server *s, jv *out)
{
	struct build b = { .s = s };
	struct slice payload;
	uint64_t line;
	char tag;

	if (s->last)
		return false;
	if (s->wire.at == s->wire.in.len) {
		put(s, FILTER_MORE, SLICE(""));
		flush(s);
	}
	while (!frames_take(&s->wire, &tag, &payload))
		if (frames_fill(&s->wire, FD) <= 0)
			_exit(0);
	s->last = tag == FILTER_LAST;
	if (s->last)
		return false;
	s->given += payload.n;
	rearm(s);
	memcpy(&line, payload.p, sizeof line);
	b.seen = payload.p + sizeof line;
	b.line = s->job->importer ? (size_t)line : 0;
	*out = to_value(&b, (struct slice){ b.seen, payload.n - sizeof line },
	    1, false);
	return true;
}

/* `input` and `inputs` of the program. */
static jv
give_input(jq_state *jq, void *self)
{
	struct server *s = self;
	jv v;

	(void)jq;
	return next_input(s, &v) ? v : s->f.jv_invalid();
}

/* A filter has one input at a time.  Without this, libjq 1.6 calls what it
 * happens to find. */
static jv
no_input(jq_state *jq, void *self)
{
	struct server *s = self;

	(void)jq;
	return s->f.jv_invalid();
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

	s->input = s->job->importer ? s->f.jv_null() : s->f.jv_copy(input);
	s->f.jq_start(s->jq, input, 0);
	for (;;) {
		struct buf text = BUF_INIT(BUF_RECORD_MAX);

		v = s->f.jq_next(s->jq);
		if (s->f.jv_get_kind(v) == JV_KIND_INVALID)
			break;
		if (!s->job->importer && s->f.jv_equal(s->f.jv_copy(v),
		    s->f.jv_copy(s->input)))
			put(s, FILTER_SAME, SLICE(""));
		else if (print(s, v, &text, 1))
			put(s, FILTER_VALUE, buf_view(&text));
		else
			put(s, FILTER_ERROR,
			    SLICE("a result too deep or too large"));
		buf_release(&text);
		s->f.jv_free(v);
	}
	if (s->f.jv_invalid_has_msg(s->f.jv_copy(v))) {
		buf_reset(&s->why);
		take_why(s, s->f.jv_invalid_get_msg(s->f.jv_copy(v)));
		put(s, FILTER_ERROR, buf_view(&s->why));
	}
	s->f.jv_free(v);
	s->f.jv_free(s->input);
	put(s, FILTER_DONE, SLICE(""));
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

/* A module path of nothing: without one, `import` aborts in libjq 1.6. */
static bool
compile(struct server *s)
{
	const struct lib *f = &s->f;
	struct slice vars = { s->job->vars, strlen(s->job->vars) };
	struct build b = { .s = s };

	s->jq = f->jq_init();
	if (s->jq == NULL)
		return false;
	f->jq_set_error_cb(s->jq, take_why, s);
	f->jq_set_attr(s->jq, f->jv_string("JQ_LIBRARY_PATH"), f->jv_array());
	f->jq_set_attr(s->jq, f->jv_string("JQ_ORIGIN"), f->jv_string("/"));
	f->jq_set_attr(s->jq, f->jv_string("PROGRAM_ORIGIN"),
	    f->jv_string("/"));
	if (!f->jq_compile_args(s->jq, s->job->text,
	    to_value(&b, vars, 1, false)))
		return false;
	f->jq_set_input_cb(s->jq, s->job->importer ? give_input : no_input,
	    s);
	return true;
}

static void
limit(int what, rlim_t n)
{
	struct rlimit r = { n, n };

	setrlimit(what, &r);
}

void
filter_serve(const struct filter_job *job, int fd)
{
	static const int back[] = { SIGPIPE, SIGPROF, SIGABRT, SIGSEGV };
	static char *nothing[] = { NULL };
	struct server s = { .job = job, .why = BUF_INIT(BUF_RECORD_MAX),
		.text = BUF_INIT(BUF_RECORD_MAX) };
	int null = open("/dev/null", O_RDWR);
	const char *missing;
	jv v;

	frames_init(&s.wire);
	/* from here on nothing of the user's can be reached but fd, as FD */
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
	missing = load(&s.f);
	limit(RLIMIT_NOFILE, 0);
#if !defined(__SANITIZE_ADDRESS__)	/* its shadow is terabytes of address */
	limit(RLIMIT_AS, job->memory);
#endif
	rearm(&s);
	if (missing != NULL || !compile(&s)) {
		put(&s, FILTER_BAD, missing != NULL ? slice_of(missing) :
		    buf_view(&s.why));
		flush(&s);
		_exit(0);
	}
	put(&s, FILTER_READY, SLICE(""));
	while (next_input(&s, &v))
		run(&s, v);
	flush(&s);
	_exit(0);
}
