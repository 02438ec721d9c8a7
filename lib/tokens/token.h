/* token.h - estimates how many tokens a text has (chapter 8.1).
 *
 * Uses a class-bigram table of integers, so every machine gets the same count.
 * Sums are in 1/64 token and additive: to continue with the next piece of a
 * text, pass the same *prev (its last byte; at first TOKEN_START).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum token_family { TOK_MODERN, TOK_O200K, TOK_CL100K, TOK_QWEN25, TOK_LLAMA3,
	TOK_LLAMA2, TOK_CLAUDE2 };

#define TOKEN_START '\n'

uint64_t token_sum(enum token_family f, const char *p, size_t n,
    unsigned *prev);

/* The sum of a whole text that has to fit: never less than a token for 16
 * bytes, though some pairs in the table weigh nothing ("xxx"). */
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
