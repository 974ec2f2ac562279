/* Values of one field of VCF Zarr for the variants of a row_group.
 *
 * A variant has `rows` rows (its samples; 1 where a value is the variant's own), a row has k
 * values.  k, and the bytes of whole numbers, grow as they must: what stands is laid out anew then.
 * A row with fewer values ends in the fill value (-2, 0x7F800002, ""); a variant that has no such
 * field is missing throughout (-1, 0x7F800001, "."). */
#ifndef GT_CALC_COLUMN_H
#define GT_CALC_COLUMN_H

#include "core/base/budget.h"
#include "storage/codec/dtype.h"

enum gt_column_kind {
    GT_COLUMN_INT,
    GT_COLUMN_FLOAT,
    GT_COLUMN_BOOL,
    GT_COLUMN_MASK, /* true where there is no value */
    GT_COLUMN_CHAR, /* the first character of a text */
    GT_COLUMN_TEXT
};

struct gt_column_shape {
    int size;  /* bytes of an item: 1, 2, 4 or 8 of INT; 0 of TEXT */
    int64_t k; /* 1 or more */
};

struct gt_column {
    enum gt_column_kind kind;
    int64_t rows, variants;
    int64_t planned; /* variants that there is to be room for */
    struct gt_column_shape form;
    struct gt_buf data;   /* items [variants][rows][k]; of CHAR and TEXT uint32_t length and bytes of each value in turn */
    struct gt_buf counts; /* of CHAR and TEXT: uint32_t values of each row */
    struct gt_buf absent; /* a byte for each variant: it has no such field */
    struct gt_buf spare;
};

void gt_column_init(struct gt_column *column, enum gt_column_kind kind, int64_t rows, struct gt_budget *budget);
void gt_column_release(struct gt_column *column);
/* Empty, with room for `variants` in that form. */
int gt_column_begin(struct gt_column *column, struct gt_column_shape form, int64_t variants, struct gt_err *err);

/* The next variant.  values: rows x n, with BCF's missing and end of vector (geno/vcf_number.h), which become -1 and -2 there too. */
int gt_column_ints(struct gt_column *column, int32_t *values, int64_t n, struct gt_err *err);
int gt_column_long(struct gt_column *column, int64_t value, struct gt_err *err); /* of one row */
int gt_column_floats(struct gt_column *column, const uint32_t *bits, int64_t n, struct gt_err *err);
int gt_column_bools(struct gt_column *column, const uint8_t *values, int64_t n, struct gt_err *err);
int gt_column_none(struct gt_column *column, struct gt_err *err); /* it has no such field */
/* Where the next variant's items will stand, rows x n bytes, for the caller to fill in; it counts once it is
 * taken.  NULL: the form as it stands is not n items of one byte, or there is no room. */
uint8_t *gt_column_bytes(struct gt_column *column, int64_t n);
int gt_column_taken(struct gt_column *column, struct gt_err *err);
/* Texts: values of a row one by one, the end of each row, the end of the variant.  GT_INPUT: a text is larger than 2 GiB. */
int gt_column_text(struct gt_column *column, const char *text, size_t n, struct gt_err *err);
int gt_column_row(struct gt_column *column, uint32_t values, struct gt_err *err);
int gt_column_texts_end(struct gt_column *column, struct gt_err *err);

/* Rows [from, from + width) of all variants in another form, no narrower, as a Zarr chunk of `height`
 * variants before it is encoded; what is after the data is zeros. */
int gt_column_chunk(const struct gt_column *column, struct gt_column_shape form, int64_t height, int64_t from, int64_t width,
                    struct gt_buf *raw, struct gt_err *err);
/* The same without a copy, where the column is that chunk as it stands: *view looks at it. */
bool gt_column_is_chunk(const struct gt_column *column, struct gt_column_shape form, int64_t height, int64_t from, int64_t width,
                        struct gt_buf *view);
/* Such a chunk, decoded, in another form: the bytes that gt_column_chunk would have made. */
struct gt_column_part {
    enum gt_column_kind kind;
    int64_t height, width;  /* of the chunk */
    int64_t variants, rows; /* of what is not padding */
    const uint8_t *absent;  /* of the variants */
};
int gt_column_widen(const struct gt_column_part *part, const struct gt_buf *raw, struct gt_column_shape form, struct gt_column_shape to,
                    struct gt_buf *out, struct gt_err *err);

#endif
