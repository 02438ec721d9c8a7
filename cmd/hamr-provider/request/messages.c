/* messages.c - the messages of a request, as chat completions have them. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "record/msg.h"

#include "messages.h"

#define ID_LENGTH 9		/* of Mistral's models */
#define NAME_LENGTH 64		/* of OpenAI's functions */
#define IMAGE "[image omitted: this model cannot see images]"
#define IMAGE_BELOW "[image: in the message after the results]"
#define IMAGES_ABOVE "[images of the results above]"

/* A call of the preceding assistant message, and its result. */
struct open_call {
	struct slice id;	/* a JSON string */
	char *made;		/* or an id that we made up; quoted */
	struct slice result;	/* a whole tool message, or {NULL, 0} */
};

struct printer {
	const struct messages_rules *rules;
	struct buf *out;
	size_t n;		/* messages printed */
	const char *no_image;	/* what replaces an image; NULL: nothing */
	struct open_call *v;
	size_t nopen, cap;
	struct pairing pairing;	/* tags are places in v */
	struct map *ids;	/* as messages_cache has them */
	struct scan scan;
	struct buf tmp;
};

static void
begin(struct printer *p)
{
	buf_adds(p->out, p->n++ > 0 ? ",{" : "{");
}

static void
member(struct printer *p, struct slice key, struct slice val)
{
	bool first = p->out->p[p->out->len - 1] == '{';

	scan_put(p->out, first ? "'$':" : ",'$':", key);
	if (p->rules->plain_names && slice_is(key, "name") &&
	    scan_kind(val) == SCAN_STRING)
		messages_safe_name(val, NAME_LENGTH, p->out);
	else
		buf_slice(p->out, val);
}

/* ---- ids and names that any server takes ---- */

/* The id as this API takes it: always the same nine letters and digits (quoted)
 * for an id that it does not; NULL: as it is. */
static char *
fit_id(const struct messages_rules *rules, struct slice val)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct buf id = BUF_INIT(BUF_RECORD_MAX);
	uint64_t hash = 14695981039346656037u;	/* FNV-1a */
	char text[ID_LENGTH];

	scan_str(val, &id);
	bool fits = !rules->short_ids || id.len == ID_LENGTH;
	for (size_t i = 0; i < id.len; i++) {
		hash = (hash ^ (unsigned char)id.p[i]) * 1099511628211u;
		fits = fits && (isalnum((unsigned char)id.p[i]) ||
		    (!rules->short_ids && strchr("_-", id.p[i]) != NULL));
	}
	for (size_t i = 0; i < ID_LENGTH; i++, hash /= 62)
		text[i] = digits[hash % 62];
	buf_release(&id);
	return fits || !(rules->short_ids || rules->plain_ids) ? NULL :
	    xasprintf("\"%.*s\"", ID_LENGTH, text);
}

void
messages_safe_name(struct slice word, size_t max, struct buf *out)
{
	struct buf b = BUF_INIT(BUF_RECORD_MAX);

	scan_str(word, &b);
	for (size_t i = 0; i < b.len; i++)
		if (!isalnum((unsigned char)b.p[i]) && b.p[i] != '-')
			b.p[i] = '_';
	scan_quote(out, buf_view(&b).p, num_min(b.len, max));
	buf_release(&b);
}

/* ---- past calls, as every server can read them ---- */

static bool
is_name(struct slice val)
{
	return scan_kind(val) == SCAN_STRING && val.n > 2;
}

static void
print_function(struct printer *p, struct slice fn)
{
	bool named = is_name(scan_get(fn, "name"));
	struct slice args = scan_get(fn, "arguments"), key, val;

	member(p, SLICE("function"), SLICE("{"));
	if (!named)
		member(p, SLICE("name"), SLICE("\"unknown\""));
	for (struct walk w = walk_of(scan_only(SCAN_OBJECT, fn));
	    walk_next(&w, &key, &val); )
		if (!scan_key_is(key, "arguments") &&
		    (named || !scan_key_is(key, "name")))
			member(p, key, val);
	/* a string that holds an object: servers crash on anything else */
	member(p, SLICE("arguments"), SLICE(""));
	if (msg_object(&p->scan, args, &p->tmp))
		buf_slice(p->out, args);
	else
		scan_quote(p->out, p->tmp.p, p->tmp.len);
	buf_addc(p->out, '}');
}

/* An id as JSON; anything else is the empty string. */
static struct slice
id_of(struct slice val)
{
	return scan_kind(val) == SCAN_STRING ||
	    scan_kind(val) == SCAN_NUMBER ? val : SLICE("\"\"");
}

/* Is the id the current call's?  It is if no other call has claimed it. */
static bool
claim(struct printer *p, struct slice id)
{
	uint64_t self = (uint64_t)p->n << 32 | (p->nopen + 1);

	buf_reset(&p->tmp);
	scan_str(id, &p->tmp);
	uint64_t *owner = map_put(p->ids, buf_view(&p->tmp), NULL);
	if (*owner == 0)
		*owner = self;
	return *owner == self;
}

/* Print a call (an object).  If it has no id, or an earlier call has the same
 * one, its id is made of the message's number and the call's place in it. */
static void
print_call(struct printer *p, struct slice call)
{
	struct slice fn = scan_get(call, "function"), key, val;
	bool stripped = !p->rules->carry && scan_get(call, "carry").p != NULL;
	bool typed = is_name(scan_get(call, "type"));
	struct slice own = id_of(scan_get(call, "id"));
	char *id = fit_id(p->rules, own);
	bool fresh = *own.p == '"' && own.n > 2 &&
	    claim(p, id != NULL ? slice_of(id) : own);

	pairing_call(&p->pairing, own, p->nopen);
	for (size_t place = p->nopen + 1; !fresh; place++) {
		char *made = xasprintf("\"call_%zu_%zu\"", p->n, place);

		xset(&id, fit_id(p->rules, slice_of(made)));
		if (id == NULL)
			id = made;
		else
			free(made);
		fresh = claim(p, slice_of(id));
	}
	GROW(p->v, p->nopen, p->cap);
	p->v[p->nopen++] = (struct open_call){ .id = own, .made = id };
	buf_addc(p->out, '{');
	if (id != NULL)
		member(p, SLICE("id"), slice_of(id));
	if (!typed)
		member(p, SLICE("type"), SLICE("\"function\""));
	for (struct walk w = walk_of(call); walk_next(&w, &key, &val); )
		if (scan_key_is(key, "function"))
			print_function(p, fn);
		else if (!(stripped && scan_key_is(key, "carry")) &&
		    !(id != NULL && scan_key_is(key, "id")) &&
		    (typed || !scan_key_is(key, "type")))
			member(p, key, val);
	if (fn.p == NULL)
		print_function(p, fn);
	buf_addc(p->out, '}');
}

/* ---- content ---- */

static bool
is_content(struct slice val)
{
	struct walk w = walk_elements(val);

	return scan_kind(val) == SCAN_STRING || walk_key(&w, NULL);
}

/* What to send as the content of a message of no assistant.  Some templates,
 * as that of Ministral 3, fail on an empty user message. */
static struct slice
sent_content(struct slice m)
{
	struct slice content = scan_get(m, "content");
	bool user = scan_str_is(scan_get(m, "role"), "user");

	if (is_content(content) && !(user && content.n == 2))
		return content;
	return user ? SLICE("\"(empty)\"") : SLICE("\"\"");
}

/* Print the content; a line of text may replace each image.  Text alone becomes
 * one string: some servers accept nothing else. */
static void
print_content(struct printer *p, struct slice content)
{
	struct buf *text = &p->tmp;
	struct slice part;
	bool only_text = true;	/* and images */

	member(p, SLICE("content"), SLICE(""));
	if (p->no_image == NULL || !msg_has_image(content)) {
		buf_slice(p->out, content);
		return;
	}
	buf_reset(text);
	for (struct walk w = walk_of(content); walk_next(&w, NULL, &part); ) {
		if (text->len > 0 && text->p[text->len - 1] != '\n')
			buf_addc(text, '\n');
		if (scan_str_is(scan_get(part, "type"), "image_url"))
			buf_adds(text, p->no_image);
		else
			only_text &= scan_str(scan_kind(part) == SCAN_STRING ?
			    part : scan_get(part, "text"), text);
	}
	if (only_text) {
		scan_quote(p->out, text->p, text->len);
		return;
	}
	buf_addc(p->out, '[');
	for (struct walk w = walk_of(content); walk_next(&w, NULL, &part); ) {
		bool image = scan_str_is(scan_get(part, "type"), "image_url");

		scan_put(p->out, image ? "${'type':'text','text':@}" : "$$",
		    scan_comma(p->out), image ? slice_of(p->no_image) : part);
	}
	buf_addc(p->out, ']');
}

/* ---- messages ---- */

/* Is this one of our own keys, or a key of responses only? */
static bool
is_private(struct slice key)
{
	return scan_key_is(key, "meta") || scan_key_is(key, "is_error") ||
	    scan_key_is(key, "usage") || scan_key_is(key, "finish_reason") ||
	    scan_key_is(key, "reasoning");
}

/* Print a message, always with a content.  id: the tool_call_id to print
 * (quoted; NULL: the message's own). */
static void
print_plain(struct printer *p, struct slice m, const char *id)
{
	bool has_content = false;
	struct slice key, val;

	begin(p);
	for (struct walk w = walk_of(m); walk_next(&w, &key, &val); ) {
		if (is_private(key) ||
		    (id != NULL && scan_key_is(key, "tool_call_id")))
			continue;
		if (scan_key_is(key, "content")) {
			has_content = true;
			print_content(p, sent_content(m));
		} else
			member(p, key, val);
	}
	if (id != NULL)
		member(p, SLICE("tool_call_id"), slice_of(id));
	if (!has_content)
		print_content(p, sent_content(m));
	buf_addc(p->out, '}');
}

static void
print_details(struct printer *p, struct slice calls)
{
	struct slice call, item;
	size_t n = 0;

	for (struct walk w = walk_elements(calls);
	    walk_next(&w, NULL, &call); )
		for (struct walk list = walk_elements(scan_get(call, "carry"));
		    walk_next(&list, NULL, &item); ) {
			struct slice type = scan_get(item, "type");

			if (!scan_str_is(type, "reasoning.encrypted") &&
			    !scan_str_is(type, "reasoning.text"))
				continue;
			if (n++ == 0)
				member(p, SLICE("reasoning_details"),
				    SLICE("["));
			else
				buf_addc(p->out, ',');
			buf_slice(p->out, item);
		}
	buf_adds(p->out, n > 0 ? "]" : "");
}

static void
print_assistant(struct printer *p, struct slice m)
{
	struct slice calls = scan_get(m, "tool_calls"), key, val;
	struct slice content = scan_get(m, "content");
	bool has = msg_count_calls(calls) > 0;

	begin(p);
	for (struct walk w = walk_of(m); walk_next(&w, &key, &val); )
		if (!is_private(key) && !scan_key_is(key, "tool_calls") &&
		    !scan_key_is(key, "reasoning_content") &&
		    !scan_key_is(key, "content"))
			member(p, key, val);
	print_content(p, is_content(content) ? content : has ?
	    SLICE("null") : SLICE("\"\""));
	val = scan_get(m, "reasoning");
	if (scan_kind(val) != SCAN_STRING)
		val = scan_get(m, "reasoning_content");
	if (has && p->rules->details &&
	    (scan_kind(val) != SCAN_STRING || val.n <= 2))
		/* Kimi and DeepSeek require reasoning, not empty, with every
		 * call, even a compacted one, unless it becomes text */
		val = SLICE("\" \"");
	if (p->rules->reasoning && scan_kind(val) == SCAN_STRING)
		member(p, SLICE("reasoning_content"), val);
	if (p->rules->details)
		print_details(p, calls);
	if (has) {
		member(p, SLICE("tool_calls"), SLICE("["));
		for (struct walk w = walk_of(calls);
		    walk_next(&w, NULL, &val); ) {
			buf_slice(p->out, scan_comma(p->out));
			print_call(p, scan_kind(val) == SCAN_OBJECT ? val :
			    SLICE("{}"));
		}
		buf_addc(p->out, ']');
	}
	buf_addc(p->out, '}');
}

/* Print the results in the order of their calls; make up missing ones.  Their
 * images may follow in a message of the user. */
static void
print_results(struct printer *p)
{
	bool move = p->rules->user_images && p->no_image == NULL;
	struct slice part;
	size_t images = 0;

	if (move)
		p->no_image = IMAGE_BELOW;
	for (size_t i = 0; i < p->nopen; i++) {
		struct open_call *c = &p->v[i];

		if (c->result.p != NULL)
			print_plain(p, c->result, c->made);
		else {
			begin(p);
			scan_put(p->out, "'role':'tool','tool_call_id':$,"
			    "'content':'(no result)'}", c->made != NULL ?
			    slice_of(c->made) : c->id);
		}
		free(c->made);
	}
	for (size_t i = 0; move && i < p->nopen; i++)
		for (struct walk w = walk_elements(scan_get(p->v[i].result,
		    "content")); walk_next(&w, NULL, &part); ) {
			if (!scan_str_is(scan_get(part, "type"), "image_url"))
				continue;
			if (images++ == 0) {
				begin(p);
				scan_put(p->out, "'role':'user','content':"
				    "[{'type':'text','text':'" IMAGES_ABOVE
				    "'}");
			}
			scan_put(p->out, ",$", part);
		}
	buf_adds(p->out, images > 0 ? "]}" : "");
	if (move)
		p->no_image = NULL;
	if (p->nopen > 0)
		pairing_reset(&p->pairing);
	p->nopen = 0;
}

static void
print_message(struct printer *p, struct slice m)
{
	struct slice role = scan_get(m, "role");
	struct slice content = scan_get(m, "content");
	bool developer = scan_str_is(role, "developer");
	struct slice part;

	if (scan_str_is(role, "tool")) {
		size_t i = p->nopen == 0 ? (size_t)-1 :
		    pairing_result(&p->pairing, id_of(scan_get(m,
		    "tool_call_id")));
		if (i != (size_t)-1)
			p->v[i].result = m;
	} else if (scan_str_is(role, "assistant"))
		print_assistant(p, m);
	else if (p->n > 0 && !p->rules->system_in_place &&
	    (developer || scan_str_is(role, "system"))) {
		/* in mid-conversation: marked user text */
		begin(p);
		if (scan_kind(content) == SCAN_ARRAY) {
			scan_put(p->out, "'role':'user','content':"
			    "[{'type':'text','text':'[system] '}");
			for (struct walk w = walk_of(content);
			    walk_next(&w, NULL, &part); )
				scan_put(p->out, ",$", part);
			buf_adds(p->out, "]}");
		} else
			scan_put(p->out,
			    "'role':'user','content':'[system] $}",
			    scan_kind(content) != SCAN_STRING ? SLICE("\"") :
			    slice_from(content, 1));
	} else if (developer) {	/* local servers do not know this role */
		begin(p);
		scan_put(p->out, "'role':'system','content':$}",
		    is_content(content) ? content : SLICE("\"\""));
	} else
		print_plain(p, m, NULL);
}

/* ---- all of them ---- */

void
messages_cache_release(struct messages_cache *cache)
{
	bufs_release(BUFS(&cache->source, &cache->printed));
	map_release(&cache->ids);
	*cache = (struct messages_cache){ .n = 0 };
}

size_t
messages_cached(const struct messages_cache *cache, struct slice messages)
{
	const struct buf *s = &cache->source;

	return s->len > 0 && s->len < messages.n &&
	    memcmp(s->p, messages.p, s->len) == 0 ? s->len : 0;
}

void
messages_print(const struct messages_rules *rules, struct slice messages,
    struct messages_cache *cache, struct buf *out)
{
	struct map ids = { NULL, 0, 0 };
	struct printer p = { .rules = rules, .out = out,
		.ids = cache != NULL ? &cache->ids : &ids,
		.no_image = rules->no_images ? IMAGE : NULL,
		.tmp = BUF_INIT(BUF_RECORD_MAX) };
	struct walk w = walk_of(messages);
	size_t from = out->len;
	struct slice m;

	if (cache != NULL && memcmp(&cache->rules, rules, sizeof *rules) == 0 &&
	    messages_cached(cache, messages) > 0) {
		/* continue where the cache ends */
		buf_slice(out, buf_view(&cache->printed));
		p.n = cache->n;
		w.p = messages.p + cache->source.len;
	} else {
		if (cache != NULL) {
			messages_cache_release(cache);
			cache->rules = *rules;
			bufs_init(BUFS(&cache->source, &cache->printed),
			    (size_t)1 << 40);
		}
		buf_addc(out, '[');
	}
	for (;;) {
		size_t at = (size_t)(w.p - messages.p);

		if (!walk_next(&w, NULL, &m))
			break;
		if (scan_kind(scan_get(m, "role")) != SCAN_STRING)
			continue;	/* not a message */
		if (!scan_str_is(scan_get(m, "role"), "tool")) {
			print_results(&p);
			if (cache != NULL) {	/* up to here it is final */
				size_t known = cache->source.len;
				size_t had = cache->printed.len;

				cache->n = p.n;
				buf_add(&cache->source, messages.p + known,
				    at - known);
				buf_add(&cache->printed, out->p + from + had,
				    out->len - from - had);
			}
		}
		print_message(&p, m);
	}
	print_results(&p);
	buf_addc(out, ']');
	map_release(&ids);
	scan_release(&p.scan);
	buf_release(&p.tmp);
	free(p.v);
}
