/* filter.c - libjq: a jq program served in a process of its own. */
#include <dlfcn.h>
#include <jq.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "buf.h"
#include "filter.h"
#include "filter_jail.h"
#include "filter_wire.h"
#include "num.h"
#include "scan.h"
#include "utf8.h"

#define BYTES_A_SECOND ((size_t)1 << 20)	/* far less than it does */

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
	struct filter_wire wire;
	struct buf why, text;
	bool last;		/* no more inputs */
	size_t given;		/* bytes of all inputs */
	jv input;		/* the one in hand, for FILTER_SAME */
};

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

static size_t
line_of(struct build *b, const char *p)
{
	while ((b->seen = memchr(b->seen, '\n', (size_t)(p - b->seen))) !=
	    NULL) {
		b->seen++;
		b->line++;
	}
	b->seen = p;
	return b->line;
}

/* depth is that of val itself; the whole input is at 1. */
static jv
to_value(struct build *b, struct slice val, int depth, bool in_list)
{
	const struct lib *f = &b->s->f;
	enum scan_kind kind = scan_kind(val);
	struct slice key, v;
	struct walk w;
	size_t line = 0;
	double d = 0;
	jv out;

	if (b->line > 0 && kind == SCAN_OBJECT &&
	    (depth == 1 || (depth == 3 && in_list)))
		line = line_of(b, val.p);
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
		walk_in(&w, val);
		while (walk_next(&w, NULL, &v))
			out = f->jv_array_append(out,
			    to_value(b, v, depth + 1, true));
		return out;
	case SCAN_OBJECT:
		out = f->jv_object();
		walk_in(&w, val);
		while (walk_next(&w, &key, &v)) {
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

static void
print_number(struct server *s, jv v, struct buf *out)
{
	double d = s->f.jv_number_value(v);
	jv text;

	if (fabs(d) < 1e15 && d == floor(d)) {
		buf_fmt(out, "%.0f", d);
		return;
	}
	text = s->f.jv_dump_string(s->f.jv_copy(v), 0);
	buf_adds(out, s->f.jv_string_value(text));
	s->f.jv_free(text);
}

static bool
print(struct server *s, jv v, struct buf *out, int depth)
{
	const struct lib *f = &s->f;
	bool ok = depth <= SCAN_DEPTH;
	jv el;

	switch (ok ? f->jv_get_kind(v) : JV_KIND_NULL) {
	case JV_KIND_TRUE: buf_adds(out, "true"); break;
	case JV_KIND_FALSE: buf_adds(out, "false"); break;
	case JV_KIND_NUMBER: print_number(s, v, out); break;
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
	struct slice payload;
	struct build b = { .s = s };
	uint64_t line;

	if (s->last || filter_take(&s->wire, &payload) == FILTER_LAST) {
		s->last = true;
		return false;
	}
	s->given += payload.n;
	rearm(s);
	memcpy(&line, payload.p, sizeof line);
	payload = (struct slice){ payload.p + sizeof line,
		payload.n - sizeof line };
	b.seen = payload.p;
	b.line = s->job->importer ? (size_t)line : 0;
	*out = to_value(&b, payload, 1, false);
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
put_result(struct server *s, jv v)
{
	struct buf text = BUF_INIT(BUF_RECORD_MAX);

	if (!s->job->importer && s->f.jv_equal(s->f.jv_copy(v),
	    s->f.jv_copy(s->input)))
		filter_put(&s->wire, FILTER_SAME, SLICE(""));
	else if (print(s, v, &text, 1))
		filter_put(&s->wire, FILTER_VALUE, buf_view(&text));
	else
		filter_put(&s->wire, FILTER_ERROR, SLICE("a result too deep or too large"));
	buf_release(&text);
	s->f.jv_free(v);
}

static void
run(struct server *s, jv input)
{
	jv v;

	s->input = s->job->importer ? s->f.jv_null() : s->f.jv_copy(input);
	s->f.jq_start(s->jq, input, 0);
	for (;;) {
		v = s->f.jq_next(s->jq);
		if (s->f.jv_get_kind(v) == JV_KIND_INVALID)
			break;
		put_result(s, v);
	}
	if (s->f.jv_invalid_has_msg(s->f.jv_copy(v))) {
		buf_reset(&s->why);
		take_why(s, s->f.jv_invalid_get_msg(s->f.jv_copy(v)));
		filter_put(&s->wire, FILTER_ERROR, buf_view(&s->why));
	}
	s->f.jv_free(v);
	s->f.jv_free(s->input);
	filter_put(&s->wire, FILTER_DONE, SLICE(""));
}

/* ---- starting ---- */

static const char *
load(struct lib *f)
{
	void *lib = dlopen("libjq.so.1", RTLD_NOW);

	if (lib == NULL)
		return "libjq.so.1 is not installed; install libjq1";
#define LOAD(name) \
	*(void **)&f->name = dlsym(lib, #name); \
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

void
filter_serve(const struct filter_job *job, int fd)
{
	struct server s = { .job = job, .why = BUF_INIT(BUF_RECORD_MAX),
		.text = BUF_INIT(BUF_RECORD_MAX) };
	const char *missing;
	jv v;

	filter_wire_init(&s.wire);
	filter_withdraw(fd);
	missing = load(&s.f);
	filter_confine(job->memory);
	rearm(&s);
	if (missing != NULL || !compile(&s)) {
		filter_put(&s.wire, FILTER_BAD, missing != NULL ? slice_of(missing) :
		    buf_view(&s.why));
		filter_flush(&s.wire);
		_exit(0);
	}
	filter_put(&s.wire, FILTER_READY, SLICE(""));
	while (next_input(&s, &v))
		run(&s, v);
	filter_flush(&s.wire);
	_exit(0);
}
