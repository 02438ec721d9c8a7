/* token.h - how many tokens a text has, estimated (chapter 8.1).
 *
 * The class-bigram table: integers only, so every machine gives the same
 * count.  Sums are in 1/64 token and additive: pass on *prev (start: 5, the
 * class of LF) to go on with the next piece of one text.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum token_family { TOK_MODERN, TOK_O200K, TOK_CL100K, TOK_QWEN25, TOK_LLAMA3,
	TOK_LLAMA2, TOK_CLAUDE2 };

#define TOKEN_START 5

uint64_t token_sum(enum token_family f, const char *p, size_t n,
    unsigned *prev);

/* A whole text, for what has to fit: never less than a token for 16 bytes,
 * though the table has pairs that weigh nothing ("xxx"). */
#define TOKEN_LEAST 4
static inline uint64_t
token_at_least(uint64_t sum, size_t n)
{
	return sum > n * TOKEN_LEAST ? sum : n * TOKEN_LEAST;
}

uint64_t token_text(enum token_family f, const char *p, size_t n);

/* By model name; TOK_MODERN when unknown or NULL. */
enum token_family token_family(const char *model);
/* By the family's own name ("modern", "o200k", ...); -1 when unknown. */
int token_family_named(const char *name);

/* Rounded whole tokens of one text. */
uint64_t token_count(enum token_family f, const char *p, size_t n);
