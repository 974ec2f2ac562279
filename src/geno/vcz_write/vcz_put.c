/* Chunks to the store, on the thread that puts. */
#include <string.h>

#include "geno/vcz_write/vcz_internal.h"

static int put_chunk(struct gt_vcz *vcz, int array, int64_t row, int64_t column, const struct gt_buf *stored, struct gt_err *err)
{
    int64_t index[GT_MAX_DIMS] = {row, column};
    int status = gt_array_put(vcz->array[array], index, stored, err);

    if (status)
        return status;
    vcz->stats.files++;
    vcz->stats.bytes_all += (int64_t)stored->len;
    if (array < VCZ_SITES)
        vcz->stats.bytes_genotypes += (int64_t)stored->len;
    return 0;
}

int vcz_put_raw(struct gt_vcz *vcz, int array, int64_t row, int64_t column, struct gt_err *err)
{
    struct gt_buf *own = vcz->own;
    int status = gt_array_encode(vcz->array[array], &own[VCZ_RAW], &own[VCZ_STORED], own + VCZ_SCRATCH, err);

    return status ? status : put_chunk(vcz, array, row, column, &own[VCZ_STORED], err);
}

/* --- alleles and filters ------------------------------------------------------------ */

static struct vcz_ragged *ragged_of(struct gt_vcz *vcz, int array)
{
    return array == VCZ_ALLELE ? &vcz->alleles : array == VCZ_FILTER ? &vcz->filter_columns : NULL;
}

int vcz_set_reach(struct vcz_ragged *ragged, int64_t row, int64_t columns, struct gt_err *err)
{
    size_t had = ragged->reach.len, n = ((size_t)row + 1) * sizeof(int32_t);
    int status = n > had ? gt_buf_reserve(&ragged->reach, n + n / 2, err) : 0;

    if (status)
        return status;
    if (n > had) {
        memset(ragged->reach.data + had, 0, n - had);
        ragged->reach.len = n;
    }
    ((int32_t *)(void *)ragged->reach.data)[row] = (int32_t)columns;
    ragged->seen = columns > ragged->seen ? columns : ragged->seen;
    return 0;
}

/* The encoded chunk of a row that has nothing in a column. */
static int make_none(struct gt_vcz *vcz, struct vcz_ragged *ragged, struct gt_err *err)
{
    const struct gt_array *array = vcz->array[ragged->array];
    size_t n = (size_t)array->chunk[0] * (size_t)array->chunk[1], bytes = array->dtype.type == GT_STRING ? 4 + 4 * n : n;
    struct gt_buf *raw = &vcz->own[VCZ_RAW];
    uint32_t count = (uint32_t)n;
    int status;

    if (ragged->none.len)
        return 0;
    status = gt_buf_resize(raw, bytes, err);
    if (status)
        return status;
    memset(raw->data, 0, bytes);
    if (array->dtype.type == GT_STRING)
        memcpy(raw->data, &count, 4);
    return gt_array_encode(array, raw, &ragged->none, vcz->own + VCZ_SCRATCH, err);
}

static int put_none(struct gt_vcz *vcz, struct vcz_ragged *ragged, int64_t row, int64_t column, struct gt_err *err)
{
    int status = make_none(vcz, ragged, err);

    return status ? status : put_chunk(vcz, ragged->array, row, column, &ragged->none, err);
}

static int64_t reach_of(const struct vcz_ragged *ragged, int64_t row)
{
    int64_t reach = ((const int32_t *)(const void *)ragged->reach.data)[row];

    return reach > ragged->declared ? reach : ragged->declared;
}

int vcz_even_out(struct gt_vcz *vcz, struct vcz_ragged *ragged, int64_t row, struct gt_err *err)
{
    int status = 0;

    for (int64_t c = ((const int32_t *)(const void *)ragged->reach.data)[row]; c < ragged->declared && !status; c++)
        status = put_none(vcz, ragged, row, c, err);
    return status;
}

int vcz_fill_out(struct gt_vcz *vcz, struct vcz_ragged *ragged, int64_t columns, struct gt_err *err)
{
    int64_t rows = (int64_t)(ragged->reach.len / sizeof(int32_t));
    int status = 0;

    for (int64_t row = 0; row < rows && !status; row++)
        for (int64_t c = reach_of(ragged, row); c < columns && !status; c++)
            status = put_none(vcz, ragged, row, c, err);
    return status;
}

/* --- what a row group brought ------------------------------------------------------------- */

static int put_record(struct gt_vcz *vcz, const struct vcz_record *record, const struct gt_buf *data, struct gt_err *err)
{
    if (record->what == VCZ_RUNS) {
        vcz->stats.variants += record->row;
        return gt_buf_append(&vcz->runs, data->data, data->len, err);
    }
    if (record->what == VCZ_REACH)
        return vcz_set_reach(ragged_of(vcz, record->array), record->row, record->column, err);
    return put_chunk(vcz, record->array, record->row, record->column, data, err);
}

static bool is_of_sites(const struct vcz_record *record)
{
    return record->what == VCZ_REACH || (record->what == VCZ_CHUNK && record->array >= VCZ_SITES);
}

int vcz_put_records(struct gt_vcz *vcz, const struct gt_buf *out, bool sites, struct gt_err *err)
{
    struct vcz_record record;
    int status = 0;

    for (size_t at = 0; at < out->len && !status; at += sizeof record + record.n) {
        memcpy(&record, out->data + at, sizeof record);
        const struct gt_buf data = {.data = out->data + at + sizeof record, .len = record.n, .cap = record.n};
        if (sites || !is_of_sites(&record))
            status = put_record(vcz, &record, &data, err);
        else
            status = gt_buf_append(&vcz->early, out->data + at, sizeof record + record.n, err);
    }
    return status;
}
