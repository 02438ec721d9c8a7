/* ini.c - sections, keys and values */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ini.h"

/* Drop the blanks at both ends, in place. */
static char *
trim(char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	size_t len = strlen(s);
	while (len > 0 && isspace((unsigned char)s[len - 1]))
		len--;
	s[len] = '\0';
	return s;
}

/* End the line where a comment begins. */
static void
cut_comment(char *s)
{
	for (; *s != '\0'; s++) {
		if (*s == '#' || *s == ';') {
			*s = '\0';
			return;
		}
	}
}

/* Take the quotes off a value.  Returns NULL if only one is there. */
static char *
unquote(char *s)
{
	if (*s != '"')
		return s;
	size_t len = strlen(s);
	if (len < 2 || s[len - 1] != '"')
		return NULL;
	s[len - 1] = '\0';
	return s + 1;
}

static int
add(struct ini *ini, const char *section, const char *key, const char *value)
{
	if (ini->len == ini->room) {
		size_t room = ini->room ? 2 * ini->room : 16;
		void *p = realloc(ini->entries, room * sizeof(*ini->entries));
		if (p == NULL)
			return -1;
		ini->entries = p;
		ini->room = room;
	}

	struct ini_entry *e = &ini->entries[ini->len++];
	e->section = strdup(section);
	e->key = strdup(key);
	e->value = strdup(value);
	return e->section && e->key && e->value ? 0 : -1;
}

/* One "key = value".  Returns NULL, or what is wrong with it. */
static const char *
read_entry(struct ini *ini, const char *section, char *line)
{
	char *equals = strchr(line, '=');
	if (equals == NULL)
		return "neither a [section] nor key = value";
	*equals = '\0';

	char *key = trim(line);
	if (*key == '\0')
		return "no key before the =";
	char *value = unquote(trim(equals + 1));
	if (value == NULL)
		return "a quote is not closed";
	return add(ini, section, key, value) == 0 ? NULL : "out of memory";
}

/* One "[section]".  Returns NULL, or what is wrong with it. */
static const char *
read_section(char **section, char *line)
{
	size_t len = strlen(line);
	if (line[len - 1] != ']')
		return "a [section] is not closed";
	line[len - 1] = '\0';

	char *name = strdup(trim(line + 1));
	if (name == NULL)
		return "out of memory";
	free(*section);
	*section = name;
	return NULL;
}

int
ini_read(struct ini *ini, FILE *in)
{
	char *section = strdup("");
	char *buf = NULL;
	size_t size = 0;

	ini->error = section ? NULL : "out of memory";
	ini->error_line = 0;
	while (ini->error == NULL && getline(&buf, &size, in) != -1) {
		ini->error_line++;
		cut_comment(buf);
		char *line = trim(buf);
		if (*line == '[')
			ini->error = read_section(&section, line);
		else if (*line != '\0')
			ini->error = read_entry(ini, section, line);
	}
	if (ini->error == NULL && ferror(in))
		ini->error = "cannot be read";

	free(buf);
	free(section);
	return ini->error ? -1 : 0;
}

const char *
ini_get(const struct ini *ini, const char *section, const char *key)
{
	for (size_t i = ini->len; i-- > 0;) {
		const struct ini_entry *e = &ini->entries[i];
		if (strcmp(e->section, section) == 0 && strcmp(e->key, key) == 0)
			return e->value;
	}
	return NULL;
}

void
ini_release(struct ini *ini)
{
	for (size_t i = 0; i < ini->len; i++) {
		free(ini->entries[i].section);
		free(ini->entries[i].key);
		free(ini->entries[i].value);
	}
	free(ini->entries);
	*ini = (struct ini){0};
}
