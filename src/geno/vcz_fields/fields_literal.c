/* The values -1 and -2 in integer fields.  VCF Zarr uses them for "missing" and "fill", so SVLEN=-1 and SVLEN=. would be the same;
 * array literal_variant_SVLEN is true where -1 or -2 is a value. */
#include "config.h"

#include <string.h>

#include "core/base/mem.h"
#include "geno/vcz_fields/fields_internal.h"

/* The array of marks for array `of`. */
static int make(struct gt_fields *fields, int of, struct gt_err *err)
{
    struct fields_array *a = &fields->arrays[fields->n];
    struct gt_str path = {0}, description = {0};
    *a = fields->arrays[of];
    a->kind = GT_COLUMN_BOOL;
    a->literal_of = of;
    gt_str_addf(&path, "literal_%s", a->path);
    gt_str_addf(&description, "true where -1 or -2 in %s is a value, not missing or fill", a->path);
    int status = gt_str_take(&path, &a->path, err);
    a->axis_name = gt_strdup(a->axis_name, err);
    status = gt_str_take(&description, &a->own_description, err) || status;
    fields->arrays[of].literal = fields->n++;
    return status || !a->axis_name ? GT_FAIL : GT_OK;
}

int fields_make_literals(struct gt_fields *fields, struct gt_err *err)
{
    const int n = fields->n;
    int status = 0;
    for (int i = FIELDS_FIXED; i < n && !status; i++)
        if (fields->arrays[i].kind == GT_COLUMN_INT && !fields->arrays[i].left_out && !fields->arrays[i].local)
            status = make(fields, i, err);
    return status;
}

/* The marks of the record, and of those before it that have none. */
static int put_marks(struct gt_fields_row_group *s, int array, int64_t variant, int64_t n, struct gt_err *err)
{
    struct gt_column *column = &s->columns[array];
    int status = column->variants ? 0 : gt_column_begin(column, (struct gt_column_shape){1, n}, s->block->n, err);
    while (column->variants < variant && !status)
        status = gt_column_none(column, err);
    return status ? status : gt_column_bools(column, s->delims.data, n, err);
}

int fields_end_literals(struct gt_fields_row_group *s, struct gt_err *err)
{
    int status = 0;
    for (int i = FIELDS_FIXED; i < s->fields->n; i++)
        while (s->fields->arrays[i].literal_of && s->columns[i].variants && s->columns[i].variants < s->block->n && !status)
            status = gt_column_none(&s->columns[i], err);
    return status;
}

int fields_ints(struct gt_fields_row_group *s, int array, int32_t *values, int64_t n, struct gt_err *err)
{
    struct gt_column *column = &s->columns[array];
    const int literal = s->fields->arrays[array].literal;
    const int64_t all = column->rows * n;
    int64_t found = 0;
    int status = s->negative ? gt_buf_resize(&s->delims, (size_t)all, err) : 0;
    for (int64_t i = 0; i < all && s->negative && !status; i++)
        found += s->delims.data[i] = fields_is_literal((uint32_t)values[i]);
    s->literals[array] += found;
    if (found && literal && !status)
        status = put_marks(s, literal, column->variants, n, err);
    return status ? status : gt_column_ints(column, values, n, err);
}

int fields_add_unmarked(struct gt_fields *fields, int array, struct gt_err *err)
{
    const size_t n = fields->chunks.len / sizeof(struct fields_chunk);
    const int64_t parts = fields->arrays[array].calls ? fields->parts : 1;
    struct gt_buf marked = {.budget = &fields->engine->budget};
    int status = gt_buf_zeros(&marked, (size_t)fields->row_groups, err);
    for (size_t i = 0; i < n && !status; i++) {
        const struct fields_chunk *chunk = (const struct fields_chunk *)(const void *)fields->chunks.data + i;
        if (chunk->array == array)
            marked.data[chunk->row_group] = 1;
    }
    for (int64_t row_group = 0; row_group < fields->row_groups && !status; row_group++)
        for (int64_t part = 0; part < parts && !marked.data[row_group] && !status; part++) {
            const struct fields_chunk chunk = {.array = array, .part = (int32_t)part, .row_group = row_group, .absent = -1};
            status = gt_buf_append(&fields->chunks, &chunk, sizeof chunk, err);
        }
    gt_buf_release(&marked);
    return status;
}
