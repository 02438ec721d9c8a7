/* keys.c - decode the bytes of a terminal into keys. */
#include <stddef.h>
#include <string.h>

#include "base/ctrl.h"
#include "base/utf8.h"
#include "keys.h"

#define ESC '\033'
#define ESC_MS 50		/* after it a lone ESC is the key */
#define PIECE_MS 1000		/* the rest of a sequence, over a slow line */
#define TOGETHER_MS 20		/* bytes this close came together */
#define RESUMED_MS 100		/* a line end is not Enter but pasted */
#define STALLED_MS 1000		/* text this soon continues the paste */
#define MARKED_MS 2000		/* then Ctrl-C ends a paste */
#define ANSWER_MAX ((size_t)64 << 10)
#define PASTE_END "\033[201~"

/* Modifiers, as xterm and kitty count them, less one. */
#define SHIFT 1u
#define ALT 2u
#define CTRL 4u
#define SUPER (8u | 16u)
#define META 32u
#define CAPS 64u

#define KEYPAD 57399		/* kitty's own numbers */

/* What the bytes at the front were decoded to. */
enum made { MADE_KEY, MADE_NOTHING, MADE_WAIT };

void
keys_init(struct keys *k, const char *type)
{
	static const char *const unmarked[] = { "linux", "dumb", "vt", "ansi",
		"cons25", "unknown", NULL };

	*k = (struct keys){ .in = BUF_INIT(2 * KEYS_PASTE_MAX),
		.text = BUF_INIT(4 * KEYS_PASTE_MAX) };
	k->marks_pastes = type != NULL && type[0] != '\0';
	for (size_t i = 0; k->marks_pastes && unmarked[i] != NULL; i++)
		if (strncmp(type, unmarked[i], strlen(unmarked[i])) == 0)
			k->marks_pastes = false;
}

void
keys_release(struct keys *k)
{
	bufs_release(BUFS(&k->in, &k->text));
}

void
keys_add(struct keys *k, struct slice bytes, long long now_ms)
{
	if (bytes.n == 0)
		return;
	k->soon = (k->texted && now_ms - k->at < TOGETHER_MS) ||
	    (!k->marks_pastes && now_ms - k->pasted_at < RESUMED_MS);
	k->held = k->held && now_ms - k->pasted_at < STALLED_MS;
	k->broken = keys_stalled(k, now_ms) && slice_is(bytes, "\003");
	k->at = now_ms;
	if (k->done > 0) {
		buf_drop(&k->in, k->done);
		k->seen -= k->seen < k->done ? k->seen : k->done;
		k->done = 0;
	}
	buf_slice(&k->in, bytes);
	if (k->in.over) {		/* keys are not being taken */
		buf_reset(&k->in);
		k->seen = 0;
	}
}

static enum made
named(struct key *key, enum key_name name, unsigned mods)
{
	*key = (struct key){ .name = name, .alt = (mods & ALT) != 0,
		.ctrl = (mods & CTRL) != 0 };
	return MADE_KEY;
}

/* ---- text ---- */

void
keys_clean(struct buf *out, struct slice text)
{
	const char *p = text.p;
	size_t n = text.n;

	for (size_t i = 0, len; i < n; i += len) {
		const unsigned char *c = (const unsigned char *)p + i;

		len = utf8_len(c, n - i);
		if (len == 0) {
			len = 1;
			buf_adds(out, "\xef\xbf\xbd");
		} else if (*c == '\r') {
			buf_addc(out, '\n');
			len += i + 1 < n && c[1] == '\n';
		} else if (*c == '\n' || *c == '\t' ||
		    (*c >= ' ' && *c != 0x7f && !(*c == 0xc2 && c[1] < 0xa0))) {
			buf_add(out, c, len);
		}
	}
}

/* The paste is complete; its last line end is left to the person. */
static enum made
paste_key(struct keys *k, size_t n, struct key *key)
{
	keys_clean(&k->text, (struct slice){ k->in.p + k->done, n });
	k->done += n;
	*key = (struct key){ .name = KEY_PASTE,
		.text = k->too_long ? (struct slice){ NULL, 0 } :
		    buf_view(&k->text) };
	k->held = key->text.n > 0 && key->text.p[key->text.n - 1] == '\n';
	key->text.n -= k->held;
	k->held = k->held && k->paste == KEYS_UNMARKED;
	k->paste = KEYS_PLAIN;
	k->too_long = false;
	return MADE_KEY;
}

/* How many bytes at the end are an incomplete character. */
static size_t
begun(const char *p, size_t n)
{
	for (size_t k = 1; k <= 3 && k <= n; k++)
		if (utf8_begins((const unsigned char *)p + n - k, k))
			return k;
	return 0;
}

/* No end mark was found; the last `keep` bytes may begin one. */
static void
paste_goes_on(struct keys *k, size_t keep)
{
	size_t n = k->in.len - k->done;

	keep = keep < n ? keep : n;
	k->seen = k->in.len - keep;
	if (n > KEYS_PASTE_MAX || k->too_long) {
		k->too_long = true;
		k->done = k->seen;
	}
}

static enum made
marked(struct keys *k, struct key *key)
{
	size_t from = k->seen > k->done ? k->seen : k->done;
	size_t end = slice_find(buf_view(&k->in), from, PASTE_END);

	if (end < k->in.len) {
		k->marks_pastes = true;
		paste_key(k, end - k->done, key);
		k->done += strlen(PASTE_END);
		return MADE_KEY;
	}
	paste_goes_on(k, strlen(PASTE_END) - 1);
	if (!k->broken)
		return MADE_WAIT;
	/* Ctrl-C, instead of the end that does not come, ends no more */
	paste_key(k, k->in.len - 1 - k->done, key);
	k->done = k->in.len;
	return MADE_KEY;
}

static bool
is_typed(unsigned char c)
{
	return (c >= ' ' && c != 0x7f) || c == '\t' || c == '\r' || c == '\n';
}

/* Is a run of bytes with line ends a paste?  If the terminal marks pastes, a
 * single line end at their start or end is Enter. */
static bool
is_pasted(const struct keys *k, const char *p, size_t n)
{
	size_t ends = 0, others = 0, inside = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\r' || p[i] == '\n') {
			if (p[i] == '\n' && i > 0 && p[i - 1] == '\r')
				continue;
			ends++;
			inside += i > 0 && i + 1 < n &&
			    !(i + 2 == n && p[i + 1] == '\n');
		} else if (p[i] != '\t') {
			others++;
		}
	}
	if (ends == 0)
		return false;
	if (k->marks_pastes)
		return others > 0 && (ends > 1 || inside > 0);
	return others > 0 || k->soon;
}

static const char *const line_ends[] = { "\r", "\n", "\r\n", NULL };

/* Characters up to a TAB or a line end, without an incomplete last one; or the
 * TAB or line end. */
static enum made
typed(struct keys *k, long long now, struct key *key)
{
	const char *p = k->in.p + k->done;
	size_t n = 0, left = k->in.len - k->done;

	while (n < left && is_typed((unsigned char)p[n]))
		n++;
	if (k->held && (k->soon || !slice_in((struct slice){ p, n },
	    line_ends))) {
		k->held = false;
		return named(key, KEY_NEWLINE, 0);
	}
	k->held = false;
	if (is_pasted(k, p, n)) {
		k->paste = KEYS_UNMARKED;
		return MADE_NOTHING;
	}
	if (*p == '\t' || *p == '\r' || *p == '\n') {
		k->done += 1 + (*p == '\r' && n > 1 && p[1] == '\n');
		k->texted = false;
		return named(key, *p == '\t' ? KEY_TAB : *p == '\r' ?
		    KEY_ENTER : KEY_NEWLINE, 0);
	}
	for (left = n, n = 0; n < left && p[n] != '\t' && p[n] != '\r' &&
	    p[n] != '\n'; )
		n++;
	if (k->done + n == k->in.len && now - k->at < ESC_MS)
		n -= begun(p, n);
	if (n == 0)
		return MADE_WAIT;
	keys_clean(&k->text, (struct slice){ p, n });
	k->done += n;
	k->texted = true;
	*key = (struct key){ .name = KEY_TEXT, .text = buf_view(&k->text) };
	return k->text.len > 0 ? MADE_KEY : MADE_NOTHING;
}

void
keys_drop_line_end(struct keys *k)
{
	k->held = false;
	if (k->in.len > k->done && slice_in(slice_from(buf_view(&k->in),
	    k->done), line_ends))
		k->done = k->in.len;
}

/* ---- keys by their code ---- */

static enum made
with_text(struct keys *k, struct key *key, enum key_name name,
    unsigned long cp, unsigned mods)
{
	named(key, name, mods);
	utf8_put(&k->text, cp);
	key->text = buf_view(&k->text);
	return MADE_KEY;
}

/* Ctrl and a character that is in ASCII: some of them are other keys.  A
 * control byte is one of @ to _. */
static enum made
control(struct keys *k, struct key *key, unsigned long c, unsigned mods)
{
	if (c >= 'A' && c <= 'Z')
		c += 'a' - 'A';
	switch (c) {
	case 'm': return named(key, KEY_ENTER, 0);
	case 'j': return named(key, KEY_NEWLINE, 0);
	case 'i': return named(key, KEY_TAB, 0);
	case 'h': return named(key, KEY_BACKSPACE, 0);
	case '[': return named(key, KEY_ESC, 0);
	case '/': case '7': case '-':	/* _'s key, or sent for it */
		c = '_';
	}
	return with_text(k, key, KEY_CTRL, c, mods & ~CTRL);
}

/* What CSI or SS3 and a letter, CSI n ~ and kitty's CSI n u stand for. */
static enum made
by_sequence(char final, unsigned long n, unsigned mods, struct key *key)
{
	static const struct {
		char final;
		unsigned long n;
		enum key_name name;
	} all[] = {
		{ 'A', 0, KEY_UP }, { 'B', 0, KEY_DOWN }, { 'C', 0, KEY_RIGHT },
		{ 'D', 0, KEY_LEFT }, { 'F', 0, KEY_END }, { 'H', 0, KEY_HOME },
		{ 'M', 0, KEY_ENTER }, { 'Z', 0, KEY_BACKTAB },
		{ '~', 1, KEY_HOME }, { '~', 7, KEY_HOME }, { '~', 4, KEY_END },
		{ '~', 8, KEY_END }, { '~', 3, KEY_DELETE },
		{ 'u', 57417, KEY_LEFT }, { 'u', 57418, KEY_RIGHT },
		{ 'u', 57419, KEY_UP }, { 'u', 57420, KEY_DOWN },
		{ 'u', 57423, KEY_HOME }, { 'u', 57424, KEY_END },
		{ 'u', 57426, KEY_DELETE },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].final == final && all[i].n == n)
			return named(key, all[i].name, mods);
	return MADE_NOTHING;
}

/* The character that a key makes with Shift or Caps Lock. */
static unsigned long
shifted_of(unsigned long code, unsigned long shifted, unsigned mods)
{
	bool letter = code >= 'a' && code <= 'z';

	if ((mods & SHIFT) != 0 && shifted != 0)
		return shifted;
	if (letter && ((mods & SHIFT) != 0) != ((mods & CAPS) != 0))
		return code - ('a' - 'A');
	return code;
}

static enum made
by_code(struct keys *k, struct key *key, unsigned long code,
    unsigned long shifted, unsigned long base, unsigned mods)
{
	/* of the keypad, from KEYPAD on */
	static const char keypad[] = "0123456789./*-+\r=,";
	unsigned held = mods & (SHIFT | ALT | CTRL);
	bool pad = code >= KEYPAD && code < KEYPAD + sizeof keypad - 1;

	if (mods & SUPER)
		return MADE_NOTHING;
	if (pad)
		code = (unsigned char)keypad[code - KEYPAD];
	if (pad && code != '\r')
		return with_text(k, key, KEY_TEXT, code, 0);
	switch (code) {
	case '\r':
		return named(key, held ? KEY_NEWLINE : KEY_ENTER, 0);
	case '\t':
		return named(key, held & SHIFT ? KEY_BACKTAB : KEY_TAB, 0);
	case 033:
		return named(key, KEY_ESC, 0);
	case '\b': case 0x7f:
		return named(key, KEY_BACKSPACE, held);
	}
	if (code >= 0xe000 && code <= 0xf8ff)
		return by_sequence('u', code, held, key);
	if (held & (CTRL | ALT)) {
		code = code >= 0x80 && base != 0 ? base :
		    shifted_of(code, shifted, held);
		if ((held & CTRL) == 0)
			return with_text(k, key, KEY_ALT, code, 0);
		return code >= ' ' && code < 0x7f ?
		    control(k, key, code, held) : MADE_NOTHING;
	}
	code = shifted_of(code, shifted, mods);
	if (code < ' ' || (code >= 0x7f && code < 0xa0))
		return MADE_NOTHING;
	k->texted = true;
	return with_text(k, key, KEY_TEXT, code, 0);
}

/* ---- sequences ---- */

#define PARAMS 4
#define PARTS 3

/* CSI 97:65:97;5:1u: numbers, and parts of numbers; absent ones are 0. */
static enum made
csi(struct keys *k, const char *p, size_t n, struct key *key)
{
	unsigned long v[PARAMS][PARTS] = { { 0 } };
	size_t i = 0, j = 0;
	char final = p[n - 1];

	for (const char *c = p + 2; c < p + n - 1; c++) {
		if (*c == ';' || *c == ':') {
			j = *c == ':' ? j + 1 : 0;
			i += *c == ';';
		} else if (*c >= '0' && *c <= '9' && i < PARAMS && j < PARTS &&
		    v[i][j] <= 0x10ffff) {
			v[i][j] = v[i][j] * 10 + (unsigned long)(*c - '0');
		}
	}
	/* released; the console's F1; an old mouse */
	if (v[1][1] == 3 || p[2] == '[' || p[2] == 'M')
		return MADE_NOTHING;
	unsigned mods = v[1][0] > 0 && v[1][0] <= 256 ? (unsigned)v[1][0] - 1 :
	    0;
	mods |= mods & META ? ALT : 0;
	switch (final) {
	case 'u':
		return by_code(k, key, v[0][0], v[0][1], v[0][2], mods);
	case '~':
		if (v[0][0] == 27)	/* of a character, its code */
			return by_code(k, key, v[2][0], 0, 0, mods);
		if (v[0][0] != 200)
			return by_sequence('~', v[0][0], mods, key);
		k->paste = KEYS_MARKED;
		k->seen = k->done;
		return MADE_NOTHING;
	case 'I':
		return named(key, KEY_FOCUS_IN, 0);
	case 'O':
		return named(key, KEY_FOCUS_OUT, 0);
	case 'M':				/* a mouse */
		return MADE_NOTHING;
	default:
		return by_sequence(final, 0, mods, key);
	}
}

/* The length of the sequence at p, which begins with ESC and an introducer; 0:
 * incomplete.  *whole is false for one that was broken off. */
static size_t
sequence_length(const char *p, size_t n, bool *whole)
{
	size_t i = 2;

	if (p[1] == 'O')
		return n > 2 ? 3 : 0;
	if (p[1] == '[' && n > 2 && p[2] == '[')	/* the console's F1 */
		return n > 3 ? 4 : 0;
	if (p[1] == '[' && n > 2 && p[2] == 'M')	/* an old mouse */
		return n > 5 ? 6 : 0;
	if (p[1] == '[') {
		while (i < n && i < ANSWER_MAX && p[i] >= ' ' && p[i] < '@')
			i++;
		*whole = i < n && p[i] >= '@' && p[i] <= '~';
		return i == n ? 0 : *whole ? i + 1 : i;
	}
	for (; i < n; i++) {
		if (p[i] == '\a')
			return i + 1;
		if (p[i] == ESC && i + 1 == n)
			return 0;
		if (p[i] == ESC && p[i + 1] == '\\')
			return i + 2;
		*whole = p[i] != ESC && p[i] != 3 && i < ANSWER_MAX;
		if (!*whole)
			return i;
	}
	return 0;
}

/* Decode ESC followed by a character other than ESC. */
static enum made
sequence(struct keys *k, long long now, struct key *key)
{
	static const char mode[] = "\033[?2004;";
	const char *p = k->in.p + k->done;
	size_t n = k->in.len - k->done, len = 0;
	bool begun = n > 1 && p[1] != '\0' && strchr("[O]P_^X", p[1]) != NULL;
	/* ESC and part of a character */
	bool part = n > 1 && utf8_begins((const unsigned char *)p + 1, n - 1);
	bool whole = true;

	if (begun)
		len = sequence_length(p, n, &whole);
	if (len > 0) {
		k->done += len;
		if (!whole)
			return MADE_NOTHING;
		if (p[1] == 'O')
			return by_sequence(p[2], 0, 0, key);
		if (p[1] == '[' && (p[2] < '<' || p[2] > '?') &&
		    strchr("cntxyR", p[len - 1]) == NULL)
			return csi(k, p, len, key);
		/* the answer to a query */
		if (len > sizeof mode && memcmp(p, mode, sizeof mode - 1) == 0)
			k->marks_pastes = strchr("123",
			    p[sizeof mode - 1]) != NULL;
		*key = (struct key){ .name = KEY_REPLY, .text = { p, len } };
		return MADE_KEY;
	}
	if ((n == 1 || begun || part) &&
	    now - k->at < (begun && n > 2 ? PIECE_MS : ESC_MS))
		return MADE_WAIT;
	if (begun && n > 2) {
		k->done += n;
		return MADE_NOTHING;
	}
	/* ESC and a character, or ESC alone */
	const unsigned char *c = (const unsigned char *)p + 1;
	len = utf8_len(c, n - 1);
	k->done += 1 + len;
	if (len == 0)
		return named(key, KEY_ESC, 0);
	if (*c == '\r' || *c == '\n')
		return named(key, KEY_NEWLINE, 0);
	if (*c == '\b' || *c == 0x7f)
		return named(key, KEY_BACKSPACE, ALT);
	if (*c < ' ')
		return control(k, key, *c + '@', ALT);
	return with_text(k, key, KEY_ALT, ctrl_code(c, len), 0);
}

/* Some terminals send ESC ESC [ A for Alt-Up; otherwise the first ESC is a key.
 */
static enum made
escape(struct keys *k, long long now, struct key *key)
{
	const char *p = k->in.p + k->done;
	size_t n = k->in.len - k->done;

	if (n < 2 || p[1] != ESC)
		return sequence(k, now, key);
	if (n == 2 && now - k->at < ESC_MS)
		return MADE_WAIT;
	if (n == 2 || (p[2] != '[' && p[2] != 'O')) {
		k->done++;
		return named(key, KEY_ESC, 0);
	}
	k->done++;
	enum made made = sequence(k, now, key);
	if (made == MADE_WAIT)
		k->done--;
	else if (made == MADE_KEY && key->name != KEY_REPLY)
		key->alt = true;
	return made;
}

bool
keys_next(struct keys *k, long long now_ms, struct key *key)
{
	enum made made;

	do {
		bool is_there = k->done < k->in.len;
		unsigned char c = is_there ? (unsigned char)k->in.p[k->done] :
		    '\0';

		buf_reset(&k->text);
		if (k->paste == KEYS_MARKED) {
			made = marked(k, key);
		} else if (!is_there) {
			made = MADE_WAIT;
		} else if (k->paste == KEYS_UNMARKED) {
			size_t i = k->seen > k->done ? k->seen : k->done;

			while (i < k->in.len &&
			    is_typed((unsigned char)k->in.p[i]))
				i++;
			made = MADE_WAIT;
			if (i == k->in.len && now_ms - k->at < TOGETHER_MS) {
				paste_goes_on(k, 0);
			} else {
				k->pasted_at = k->at;
				made = paste_key(k, i - k->done, key);
			}
		} else if (is_typed(c)) {
			made = typed(k, now_ms, key);
		} else {
			k->texted = k->held = false;
			k->done += c != ESC;
			made = c == ESC ? escape(k, now_ms, key) : c == 0x7f ?
			    named(key, KEY_BACKSPACE, 0) :
			    control(k, key, c + '@', 0);
		}
	} while (made == MADE_NOTHING);
	return made == MADE_KEY;
}

bool
keys_stalled(const struct keys *k, long long now_ms)
{
	return k->paste == KEYS_MARKED && now_ms - k->at >= MARKED_MS;
}

int
keys_wait(const struct keys *k, long long now_ms)
{
	size_t left = k->in.len - k->done;
	long long until = k->at + (k->paste == KEYS_MARKED ? MARKED_MS :
	    k->paste == KEYS_UNMARKED ? TOGETHER_MS :
	    left > 2 && k->in.p[k->done] == ESC ? PIECE_MS : ESC_MS);

	if (k->paste == KEYS_MARKED ? keys_stalled(k, now_ms) : left == 0)
		return -1;
	return until > now_ms ? (int)(until - now_ms) : 0;
}
