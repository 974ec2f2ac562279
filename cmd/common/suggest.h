/* What a word that is not known is likely to mean: a slip, or the word that
 * another tool has for it. */
#ifndef GT_CMD_SUGGEST_H
#define GT_CMD_SUGGEST_H

#include "cmd/common/options.h"

/* Adds a hint to the error that option `name` (n bytes, without dashes) is unknown;
 * none when nothing is like it. */
void gt_suggest_option(const struct gt_opt_table *table, const char *name, size_t n, struct gt_err *err);
void gt_suggest_letter(const struct gt_opt_table *table, char letter, struct gt_err *err);
/* The operand is no file: is it a value of an option before it, as other programs write it?  Then adds a hint to the error. */
bool gt_suggest_operand(const struct gt_opt_table *table, const char *operand, struct gt_err *err);
/* Adds hints to the error that `text` is none of the values "a|b|c": the value that was probably meant, and all of them. */
void gt_suggest_choice(const char *choices, const char *text, struct gt_err *err);

#endif
