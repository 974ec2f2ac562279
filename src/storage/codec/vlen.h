/* Variable-length strings: the raw form of a string chunk, before the
 * vlen-utf8 codec, is that codec's own layout: u32 count, then for each item
 * u32 length and bytes (all little endian). */
#ifndef GT_CODEC_VLEN_H
#define GT_CODEC_VLEN_H

#include <stdbool.h>

#include "core/base/budget.h"
#include "core/base/str.h"

/* Appends all items of a raw chunk to `list`.  GT_INPUT when lengths do not add up.  Texts
 * that hold a NUL are not supported, unless `nul`: gt_strs_len has the lengths then. */
int gt_vlen_unpack(const struct gt_buf *raw, bool nul, struct gt_strs *list, struct gt_err *err);
/* Where few of them are not "", those alone: their numbers, uint32_t in order, are in `places`
 * then.  Where they are many *few is false, and nothing is added. */
int gt_vlen_unpack_few(const struct gt_buf *raw, struct gt_strs *list, struct gt_buf *places, bool *few, struct gt_err *err);
/* Writes items [from, from+n) of `list`, then empty strings up to n_items.  GT_INPUT: one is not UTF-8. */
int gt_vlen_pack(const struct gt_strs *list, size_t from, size_t n, size_t n_items, struct gt_buf *raw, struct gt_err *err);

#endif
