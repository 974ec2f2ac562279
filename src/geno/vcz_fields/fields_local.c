/* Local alleles, as in bio2zarr: call_LA lists the alleles of a call, each once and in ascending order, including REF; call_LAD and
 * call_LPL have the values of AD and PL for these alleles and their genotypes.  Padding is -2; a record without AD or PL
 * has -1. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/le.h"
#include "core/engine/memory_plan.h"
#include "geno/vcz_fields/fields_internal.h"

enum { NONE = -2 };

/* --- which fields ------------------------------------------------------------------------ */

/* The array of a FORMAT field that has a local form; -1: there is none, or not of whole numbers. */
static int field_of(const struct gt_fields *fields, const char *name)
{
    const int64_t at = gt_names_find(fields->format_names, name, strlen(name));
    return at < 0 || fields->arrays[at].left_out || fields->arrays[at].kind != GT_COLUMN_INT ? -1 : (int)at;
}

static int clash(const struct gt_fields *fields, const char *name, struct gt_err *err)
{
    gt_fail(err, GT_INPUT, "'%s': FORMAT/%s already exists, and --local-alleles would write it again", fields->info->name, name);
    gt_hint(err, "exclude it with --fields");
    return GT_INPUT;
}

/* call_AD becomes call_LAD. */
static int make(struct gt_fields *fields, const char *name, const char *local, int32_t values, const char *axis, struct gt_err *err)
{
    const int at = field_of(fields, name);
    if (at < 0)
        return 0;
    const int64_t other = gt_names_find(fields->format_names, local, strlen(local));
    if (other >= 0 && !fields->arrays[other].left_out)
        return clash(fields, local, err);
    struct fields_array *a = &fields->arrays[at];
    struct gt_str path = {0}, axis_name = {0}, description = {0};
    gt_str_addf(&path, "call_%s", local);
    gt_str_add(&axis_name, axis);
    gt_str_addf(&description, "%s (local-alleles)", a->description);
    free(a->path);
    free(a->axis_name);
    int status = gt_str_take(&path, &a->path, err);
    status = gt_str_take(&axis_name, &a->axis_name, err) || status;
    status = gt_str_take(&description, &a->own_description, err) || status ? GT_FAIL : GT_OK;
    a->axis = AXIS_LOCAL;
    a->local = values;
    return status;
}

int fields_make_local(struct gt_fields *fields, struct gt_err *err)
{
    if (!fields->opts.local_alleles)
        return 0;
    if (fields->arrays[FIELD_GENOTYPE].left_out)
        return gt_fail(err, GT_USAGE, "--local-alleles needs genotypes, and %s '%s' has none",
                       gt_names_find(fields->format_names, "GT", 2) < 0 ? "the header of" : "what --fields keeps of", fields->info->name);
    const int64_t other = gt_names_find(fields->format_names, "LA", 2);
    if (other >= 0 && !fields->arrays[other].left_out)
        return clash(fields, "LA", err);
    fields->arrays[FIELD_LOCAL].left_out = false;
    const int pl = field_of(fields, "PL");
    const char *axis = pl >= 0 && fields->arrays[pl].axis != AXIS_GENOTYPES ? "local_dim" : "local_genotypes";
    int status = make(fields, "AD", "LAD", 2, "local_alleles_AD", err);
    return status ? status : make(fields, "PL", "LPL", 3, axis, err);
}

/* --- values ------------------------------------------------------------------------------- */

/* Item i of k at `row`. */
static inline int32_t item(const uint8_t *row, int size, int64_t k, int64_t i)
{
    if (i >= k)
        return NONE;
    return size == 1 ? (int8_t)row[i] : size == 2 ? (int16_t)gt_le16(row + 2 * i) : (int32_t)gt_le32(row + 4 * i);
}

/* The alleles of a call in order, the second one NONE where it is the first again.  True: the call is haploid. */
static inline bool alleles_of(const uint8_t *call, struct gt_column_shape form, int32_t la[2])
{
    const uint32_t x = (uint32_t)item(call, form.size, form.k, 0), y = (uint32_t)item(call, form.size, form.k, 1);
    const uint32_t minimum = x < y ? x : y, most = x < y ? y : x; /* those below 0 are the largest */
    la[0] = (int32_t)minimum < 0 ? NONE : (int32_t)minimum;
    la[1] = (int32_t)most < 0 || most == minimum ? NONE : (int32_t)most;
    return (int32_t)y == NONE;
}

static inline int64_t genotype(int64_t a, int64_t b)
{
    return b * (b + 1) / 2 + a;
}

/* A row of `n` local values: of each allele, or of the genotypes of both; `haploid`: the row has a value for each allele. */
static inline void values_of(const uint8_t *row, struct gt_column_shape form, const int32_t la[2], bool haploid, int n, int32_t *to)
{
    const int64_t a = la[0], b = la[1];
    to[0] = to[1] = to[n - 1] = NONE;
    if (a >= 0)
        to[0] = item(row, form.size, form.k, n == 2 || haploid ? a : genotype(a, a));
    if (b >= 0)
        to[1] = item(row, form.size, form.k, n == 2 ? b : genotype(a, b));
    if (b >= 0 && n == 3)
        to[2] = item(row, form.size, form.k, genotype(b, b));
}

/* A row of the array `a` of sample r of variant v. */
static inline void local_row(const struct gt_column *calls, const struct gt_column *column, int n, int64_t n_alleles, int64_t v, int64_t r,
                             int32_t *to)
{
    const int64_t at = v * calls->rows + r;
    int32_t la[2];
    const bool haploid = alleles_of(calls->data.data + at * calls->form.k * calls->form.size, calls->form, la);
    if (!column) {
        memcpy(to, la, sizeof la);
        return;
    }
    /* some callers write the likelihoods of diploid genotypes for haploid calls too */
    const uint8_t *row = column->data.data + at * column->form.k * column->form.size;
    values_of(row, column->form, la, haploid && item(row, column->form.size, column->form.k, n_alleles) == NONE, n, to);
}

#define PUT_ROWS(type)                                                                                                                     \
    do {                                                                                                                                   \
        type *out = (type *)(void *)to;                                                                                                    \
        for (int64_t r = 0; r < rows; r++) {                                                                                               \
            local_row(calls, column, n, n_alleles, v, from + r, x);                                                                        \
            for (int i = 0; i < n; i++)                                                                                                    \
                *out++ = (type)x[i];                                                                                                       \
        }                                                                                                                                  \
    } while (0)

static void put_rows(const struct gt_column *calls, const struct gt_column *column, int n, int64_t n_alleles, int64_t v, int64_t from,
                     int64_t rows, int size, uint8_t *to)
{
    int32_t x[3];
    if (column && column->absent.data[v])
        memset(to, 0xff, (size_t)(rows * n * size)); /* -1 */
    else if (size == 1)
        PUT_ROWS(int8_t);
    else if (size == 2)
        PUT_ROWS(int16_t);
    else
        PUT_ROWS(int32_t);
}

int fields_local_chunk(const struct gt_fields_row_group *s, int array, int size, int64_t from, int64_t width, struct gt_buf *raw,
                       struct gt_err *err)
{
    const struct gt_fields *fields = s->fields;
    const struct gt_column *calls = &s->columns[FIELD_GENOTYPE], *column = array == FIELD_LOCAL ? NULL : &s->columns[array];
    const int n = fields->arrays[array].local;
    const int64_t rows = calls->rows - from < width ? calls->rows - from : width, row = width * n * size;
    const int64_t bytes = gt_bytes_mul(row, fields->height);
    int status = gt_buf_resize(raw, (size_t)bytes, err);
    if (status)
        return status;
    if (raw->len && (calls->variants < fields->height || rows < width))
        memset(raw->data, 0, raw->len);
    for (int64_t v = 0; v < calls->variants; v++)
        put_rows(calls, column, n, gt_block_sites(s->block)[v].n_alleles, v, from, rows, size, raw->data + v * row);
    return 0;
}
