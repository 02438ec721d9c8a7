/* script.c - reads scripts. */
#include <ctype.h>
#include <err.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "req.h"
#include "script.h"

enum { INCLUDES = 8 };

struct load {
	struct script *s;
	const char *file;
	int line, depth;
	long times;
};

static _Noreturn void
bad(const struct load *l, const char *why, const char *what)
{
	errx(2, "%s:%d: %s: %s", l->file, l->line, why, what);
}

/* The number, or word for -1, that *arg starts with; *arg goes past it. */
static long
number(const struct load *l, const char **arg, const char *word)
{
	char *end;
	size_t n = strcspn(*arg, " ");
	long v = -1;

	if (!word || n != strlen(word) || strncmp(*arg, word, n)) {
		v = strtol(*arg, &end, 10);
		if (end == *arg || end != *arg + n || v < 0)
			bad(l, "not a number", *arg);
	}
	*arg += n;
	*arg += **arg == ' ';
	return v;
}

static void
unescape(const struct load *l, struct buf *b, const char *s)
{
	static const char from[] = "nrt\\", to[] = "\n\r\t\\";
	unsigned x;
	char c;

	for (; *s; s++) {
		const char *at;

		c = *s;
		if (c == '\\' && s[1] == 'x' && isxdigit((unsigned char)s[2])
		    && isxdigit((unsigned char)s[3])) {
			sscanf(s + 2, "%2x", &x);
			c = (char)x;
			s += 3;
		} else if (c == '\\') {
			at = s[1] ? strchr(from, s[1]) : NULL;
			if (!at)
				bad(l, "unknown escape", s);
			c = to[at - from];
			s++;
		}
		bytes_put(b, &c, 1);
	}
}

/* The bytes of name, a path relative to the file l reads. */
static void
slurp(const struct load *l, const char *name, struct buf *b)
{
	const char *slash = l->line ? strrchr(l->file, '/') : NULL;
	struct buf path = {0};
	char part[8192];
	size_t n;
	FILE *f;

	if (slash && *name != '/')
		bytes_put(&path, l->file, (size_t)(slash + 1 - l->file));
	bytes_puts(&path, name);
	f = fopen(path.p, "r");
	if (!f)
		err(2, "%s", path.p);
	while ((n = fread(part, 1, sizeof part, f)))
		bytes_put(b, part, n);
	if (ferror(f))
		err(2, "%s", path.p);
	fclose(f);
	free(path.p);
	bytes_put(b, "", 0);
}

static struct op *
add(struct script *s, enum verb verb, long n, long ms)
{
	s->ops = xresize(s->ops, (s->nops + 1) * sizeof *s->ops);
	s->ops[s->nops] = (struct op){.verb = verb, .n = n, .ms = ms};
	return &s->ops[s->nops++];
}

/* event, line, body, text, raw, file: told apart by their first letter */
static void
add_bytes(struct load *l, char kind, const char *arg)
{
	struct script *s = l->s;
	struct op *op = add(s, kind == 'r' ? RAW : BYTES, l->times, 0);

	if (kind == 'e') {
		s->kind = "text/event-stream";
		bytes_puts(&op->data, "data: ");
	}
	if (kind == 'f')
		slurp(l, arg, &op->data);
	else if (kind == 't' || kind == 'r')
		unescape(l, &op->data, arg);
	else
		bytes_puts(&op->data, arg);
	if (kind == 'e' || kind == 'l')
		bytes_puts(&op->data, kind == 'e' ? "\n\n" : "\n");
	if (l->times == FOREVER && !op->data.n)
		bad(l, "nothing, forever", arg);
	s->endless |= l->times == FOREVER;
	s->total += op->data.n * (size_t)(l->times == FOREVER ? 0 : l->times);
}

static enum verb
verb_of(const char *word)
{
	static const struct { const char *name; enum verb verb; } names[] = {
		{"head", HEAD}, {"reset", RESET}, {"close", CLOSE},
		{"hang", HANG}, {"end", END},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i].name, word))
			return names[i].verb;
	return NOTHING;
}

/* The directives about the whole answer.  False: it is none of them. */
static bool
set(const struct load *l, const char *word, const char *arg)
{
	struct script *s = l->s;

	if (!strcmp(word, "path")) {
		s->path = xcopy(arg);
	} else if (!strcmp(word, "method")) {
		s->method = xcopy(arg);
	} else if (!strcmp(word, "status")) {
		s->status = (int)number(l, &arg, NULL);
		s->reason = xcopy(*arg ? arg : "Scripted");
	} else if (!strcmp(word, "header")) {
		s->typed |= !strncasecmp(arg, "content-type:", 13);
		bytes_puts(&s->headers, arg);
		bytes_puts(&s->headers, "\r\n");
	} else if (!strcmp(word, "chunked")) {
		s->chunked = true;
		s->chunk = *arg ? (size_t)number(l, &arg, NULL) : 0;
	} else if (!strcmp(word, "length")) {
		s->length = !strcmp(arg, "none") ? NONE
			: number(l, &arg, "auto");
	} else if (!strcmp(word, "cut")) {
		s->cut = number(l, &arg, "each");
		s->cut_act = verb_of(arg);
		if (s->cut_act < RESET)
			bad(l, "not close, reset, hang or end", arg);
	} else if (!strcmp(word, "http10")) {
		s->http10 = true;
	} else if (!strcmp(word, "bare")) {
		s->bare = true;
	} else if (!strcmp(word, "rawhead")) {
		s->rawhead = true;
	} else if (!strcmp(word, "always")) {
		s->always = true;
	} else {
		return false;
	}
	return true;
}

static bool
makes_bytes(const char *word)
{
	static const char *const names[] = {
		"event", "line", "body", "text", "raw", "file",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], word))
			return true;
	return false;
}

static void load_file(struct script *s, const struct load *from,
		      const char *name);

static void
directive(struct load *l, const char *line)
{
	size_t n = strcspn(line, " ");
	const char *arg = line + n + (line[n] == ' ');
	char word[16];
	long v;

	snprintf(word, sizeof word, "%.*s", (int)n, line);
	if (makes_bytes(word)) {
		add_bytes(l, *word, arg);
	} else if (l->times != 1) {
		bad(l, "cannot be repeated", line);
	} else if (!strcmp(word, "repeat")) {
		l->times = number(l, &arg, "forever");
		directive(l, arg);
		l->times = 1;
	} else if (!strcmp(word, "split")) {
		v = number(l, &arg, "each");
		add(l->s, SPLIT, v, *arg ? number(l, &arg, NULL) : 0);
	} else if (!strcmp(word, "sleep")) {
		add(l->s, SLEEP, 0, number(l, &arg, NULL));
	} else if (!strcmp(word, "include")) {
		load_file(l->s, l, arg);
	} else if (verb_of(word) && verb_of(word) != END) {
		l->s->broken |= verb_of(word) != HEAD;
		add(l->s, verb_of(word), 0, 0);
	} else if (!set(l, word, arg)) {
		bad(l, "unknown directive", line);
	}
}

static void
load_text(struct load *l, char *text)
{
	for (char *line = text, *end; line && *line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		l->line++;
		if (*line && *line != '#')
			directive(l, line);
	}
}

static void
load_file(struct script *s, const struct load *from, const char *name)
{
	struct load l = {.s = s, .file = name, .times = 1};
	struct buf text = {0};
	char *slash, *path = NULL;

	if (from && from->depth == INCLUDES)
		bad(from, "too many includes, one in the other", name);
	if (from)
		l.depth = from->depth + 1;
	slurp(from ? from : &l, name, &text);
	slash = from ? strrchr(from->file, '/') : NULL;
	if (slash && *name != '/') {
		if (asprintf(&path, "%.*s%s", (int)(slash + 1 - from->file),
			     from->file, name) < 0)
			err(1, "out of memory");
		l.file = path;
	}
	load_text(&l, text.p);
	free(path);
	free(text.p);
}

static void
script_init(struct script *s, const char *file, const char *text)
{
	struct load l = {.s = s, .file = "httpd", .times = 1};
	char *copy;

	*s = (struct script){.status = 200, .length = UNSET,
			     .kind = "application/json"};
	if (file) {
		load_file(s, NULL, file);
	} else {
		copy = xcopy(text);
		load_text(&l, copy);
		free(copy);
	}
	if (s->length == UNSET)
		s->length = s->http10 ? NONE : AUTO;
	if (s->endless && s->length == AUTO && !s->chunked && !s->rawhead)
		errx(2, "%s: an endless answer needs chunked or length", file);
}

static bool
script_fits(const struct script *s, const struct req *r)
{
	bool fits = true;
	char *bare;

	if (s->path) {
		bare = xcopy(r->path);
		bare[strcspn(bare, "?")] = '\0';
		fits = !fnmatch(s->path, r->path, 0)
			|| !fnmatch(s->path, bare, 0);
		free(bare);
	}
	return fits && (!s->method || !strcmp(s->method, r->method));
}

void
scripts_init(struct scripts *ss, char *const *files, size_t n)
{
	ss->n = n;
	ss->v = xresize(NULL, n * sizeof *ss->v);
	for (size_t i = 0; i < n; i++)
		script_init(&ss->v[i], files[i], NULL);
	script_init(&ss->lost, NULL, "status 404 Not Found\n"
		"body {\"error\":{\"message\":\"no script for this path\"}}\n");
	script_init(&ss->spent, NULL, "status 500 Internal Server Error\n"
		"body {\"error\":{\"message\":\"all scripts are used\"}}\n");
}

struct script *
scripts_pick(struct scripts *ss, const struct req *r)
{
	struct script *last = NULL;

	for (size_t i = 0; i < ss->n; i++) {
		struct script *s = &ss->v[i];

		if (!script_fits(s, r))
			continue;
		if (!s->uses || s->always)
			return s;
		last = s;
	}
	if (!last)
		return &ss->lost;
	return ss->once ? &ss->spent : last;
}

int
scripts_place(const struct scripts *ss, const struct script *s)
{
	bool own = s == &ss->lost || s == &ss->spent;

	return own ? 0 : (int)(s - ss->v) + 1;
}
