/* toml.c - fuzz: what is read as TOML, written down and read again, is the
 * same; and any text as a setting of the configuration. */
#include "conf/conf.h"
#include "fuzz.h"
#include "conf/toml.h"

/* Keys come with their whole path, so headers of tables need no line. */
static int
write_down(void *ctx, const struct toml_event *ev, struct err *e)
{
	struct buf *out = ctx;

	(void)e;
	HOLDS(ev->nkey > 0);
	if (ev->v == NULL)
		return 0;
	toml_path(out, ev->key, ev->nkey);
	buf_adds(out, " = ");
	toml_show(out, ev->v);
	buf_addc(out, '\n');
	return 0;
}

static void
as_setting(const char *p, size_t n)
{
	char *text = fuzz_copy("", n + 1);
	const char *set[1] = { text };
	struct conf_opts o = { .none = true, .set = set, .nset = 1,
		.quiet = true };
	struct buf b = BUF_INIT(1 << 24);
	struct conf *c;
	struct err e;

	memcpy(text, p, n);
	text[n] = '\0';
	c = conf_load(&o, &e);
	if (c != NULL)
		conf_print(c, &b);
	else
		HOLDS(e.text[0] != '\0');
	conf_free(c);
	buf_release(&b);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf once = BUF_INIT(1 << 24), twice = BUF_INIT(1 << 24);
	uint8_t how = fuzz_byte(&data, &n);
	char *p = fuzz_copy(data, n);
	struct err e = { 0 };

	if (how % 4 == 0) {
		as_setting(p, n);
	} else if (toml_parse("f", p, n, write_down, &once, &e) == 0) {
		buf_adds(&once, "");
		buf_adds(&twice, "");
		HOLDS(toml_parse("f", once.p, once.len, write_down, &twice,
		    &e) == 0);
		fuzz_same(&once, &twice);
	} else {
		HOLDS(e.status == ST_CONFIG && e.text[0] != '\0');
	}
	buf_release(&once);
	buf_release(&twice);
	free(p);
	return 0;
}
