/* editor.c - fuzz: bytes of a terminal as keys, whole and in pieces, and the
 * input they edit: rows that fit, a text that is UTF-8. */
#include "fuzz.h"
#include "base/utf8.h"
#include "screen/editor.h"
#include "term/term.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

static void
list(void *arg, enum complete_kind kind, struct slice command,
    struct candidates *out)
{
	(void)arg;
	candidates_add(out, kind == COMPLETE_COMMAND ? "/model" : "a/b c", "x");
	candidates_add(out, command.p != NULL ? "model" : "/mode", NULL);
}

/* No controls but SGR and CHA, no row too wide. */
static void
check_rows(struct slice rows, size_t columns)
{
	struct slice line;

	HOLDS(utf8_check(rows.p, rows.n) == rows.n);
	while (slice_line(&rows, &line)) {
		bool absolute = false;

		for (size_t i = 0; i < line.n; i++) {
			if (line.p[i] != '\033') {
				HOLDS((unsigned char)line.p[i] >= ' ');
				continue;
			}
			for (i += 2; line.p[i] < '@'; i++)
				HOLDS(i < line.n);
			HOLDS(line.p[i] == 'm' || line.p[i] == 'G');
			absolute = true;
		}
		HOLDS(absolute || term_width(line) < (columns > 3 ? columns :
		    3));
	}
}

static void
check(struct editor *e, size_t columns, size_t max_rows)
{
	struct buf rows = BUF_INIT(1 << 24);
	size_t row, column;
	char *text = editor_text(e);

	HOLDS(utf8_check(text, strlen(text)) == strlen(text));
	HOLDS(strpbrk(text, "\033\r\x1a\x7f") == NULL);
	editor_draw(e, columns, max_rows, &rows, &row, &column);
	HOLDS(slice_newlines(buf_view(&rows)) < (max_rows > 0 ? max_rows : 1));
	HOLDS(row <= slice_newlines(buf_view(&rows)));
	HOLDS(column < (columns > 3 ? columns : 3));
	check_rows(buf_view(&rows), columns);
	buf_release(&rows);
	free(text);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	term_open_clusters();
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct editor_options o = { .prompt = "> ", .complete = { list, NULL } };
	uint8_t rule = fuzz_byte(&data, &n), columns = fuzz_byte(&data, &n);
	char *p = fuzz_copy(data, n);
	long long now = 0;
	struct editor *e;
	struct keys k;
	struct key key;
	size_t at = 0;

	o.colour = columns & 1;
	keys_init(&k, rule & 1 ? "xterm" : "linux");
	e = editor_new(&o);
	for (size_t i = 0; at < n || i == 0 || keys_wait(&k, now) >= 0; i++) {
		size_t len = at < n ? fuzz_piece(rule, i, n - at) : 0;

		keys_add(&k, (struct slice){ p + at, len }, now);
		at += len;
		while (keys_next(&k, now, &key)) {
			HOLDS(utf8_check(key.text.p, key.text.n) ==
			    key.text.n || key.name == KEY_REPLY);
			if (editor_key(e, &key) == EDITOR_SEND)
				free(editor_take(e));
			check(e, columns, columns % 7);
		}
		now += at < n ? (rule & 2 ? 30 : 3) : 3000;
	}
	editor_free(e);
	keys_release(&k);
	free(p);
	return 0;
}
