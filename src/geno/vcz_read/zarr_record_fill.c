/* Fills the records of a task's block with the values of all columns (geno/model/record_columns.h).
 *
 * Sites are filtered first, so only kept rows are gathered.  Strings are read before numbers, since they determine the length of a
 * record.  A chunk is released as soon as its rows have been copied; if memory allows, caches keep chunks for the tasks that
 * share them.  Tasks start with different columns, so that concurrent threads decode different chunks. */
#include <string.h>

#include "geno/select/filter.h"
#include "geno/vcz_read/zarr_records.h"

/* Variant of a kept row: its site has the row index until the record index is set. */
static int64_t variant_of(const struct zr_item *item, int64_t j)
{
    return zr_record_of(item, gt_block_sites(&item->block)[j].record);
}

/* The rows [*from, to) of the block whose variants are in row `row` of the grid of `a`, from *from on. */
static int64_t rows_end(const struct zr_item *item, const struct gt_array *a, int64_t from, int64_t *row)
{
    int64_t to = from;

    *row = variant_of(item, from) / a->unit[0];
    while (to < item->block.n && variant_of(item, to) / a->unit[0] == *row)
        to++;
    return to;
}

/* Part of a chunk: of a column of it. */
struct part {
    int64_t sample, n_samples; /* first one, and how many; of INFO 0, 1 */
    int64_t value, n_values;   /* likewise of the values of a sample */
    int64_t column;            /* of samples */
};

static struct part part_of(const struct zr_field *field, int64_t number)
{
    const struct gt_array *a = field->column.array;
    const int axis = zr_of_calls(field) ? 2 : 1;
    const int64_t deep = a->ndim > axis ? gt_array_units(a, axis) : 1, unit = a->ndim > axis ? a->unit[axis] : 1;
    struct part part = {.n_samples = 1, .column = number / deep, .value = number % deep * unit};
    int64_t left = zr_width(field) - part.value;

    part.n_values = left < unit ? left : unit;
    if (zr_of_calls(field)) {
        part.sample = part.column * a->unit[1];
        left = a->shape[1] - part.sample;
        part.n_samples = left < a->unit[1] ? left : a->unit[1];
    }
    return part;
}

static inline void copy_some(uint8_t *to, const uint8_t *from, size_t n)
{
    switch (n) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    default:
        memcpy(to, from, n);
    }
}

/* Numbers of a row of a chunk, from `row` on, into a record's column at `to`. */
static void copy_numbers(const struct zr_field *field, const struct part *part, const uint8_t *row, uint8_t *to)
{
    const struct gt_array *a = field->column.array;
    const size_t size = a->dtype.size, width = (size_t)zr_width(field) * size, n = (size_t)part->n_values * size;
    const size_t unit = (size_t)(a->ndim > (zr_of_calls(field) ? 2 : 1) ? a->unit[a->ndim - 1] : 1) * size;

    to += (size_t)part->value * size;
    if (field->take_from.len) {
        const uint32_t *from = (const uint32_t *)(const void *)field->take_from.data + part->column,
                       *take = (const uint32_t *)(const void *)field->take.data;
        for (uint32_t i = from[0]; i < from[1]; i++)
            copy_some(to + take[2 * i] * width, row + take[2 * i + 1] * unit, n);
    } else if (unit == width) {
        memcpy(to + (size_t)part->sample * width, row, (size_t)part->n_samples * width);
    } else {
        for (int64_t s = 0; s < part->n_samples; s++)
            copy_some(to + (size_t)(part->sample + s) * width, row + (size_t)s * unit, n);
    }
}

static int gather_numbers(struct zarr_reader *r, struct zr_item *item, size_t i, struct gt_err *err)
{
    const struct zr_field *field = zr_fields(r) + i;
    const struct gt_array *a = field->column.array;
    const size_t at = r->record_columns.list[i].at, row_bytes = a->unit_bytes / (size_t)a->unit[0];
    struct zr_held *held = &item->fields[i];
    int64_t row;
    int status = 0;

    for (int64_t j = 0, to; j < item->block.n && !status; j = to) {
        to = rows_end(item, a, j, &row);
        for (int64_t c = 0; c < held->columns && !status; c++) {
            struct gt_chunk **chunk = &held->chunk[(row - held->first) * held->columns + c];
            const struct part part = part_of(field, c);
            if (!*chunk) /* of samples that are not kept */
                continue;
            status = gt_cache_decode(zr_field_cache(r, field), *chunk, item->scratch, err);
            for (int64_t k = j; k < to && !status; k++) {
                const struct gt_record_body *raw = (const struct gt_record_body *)(const void *)item->block.records.data + k;
                copy_numbers(field, &part, (*chunk)->raw.data + (size_t)(variant_of(item, k) - row * a->unit[0]) * row_bytes,
                             item->block.texts.data + raw->from + at);
            }
            gt_cache_give(zr_field_cache(r, field), *chunk);
            *chunk = NULL;
        }
    }
    return status;
}

/* A text of a field that is decoded. */
static const char *text_of(const struct zr_field *field, const struct zr_held *held, int64_t v, int64_t sample, int64_t k)
{
    const struct gt_array *a = field->column.array;
    const int axis = zr_of_calls(field) ? 2 : 1;
    const int64_t row = v / a->unit[0], wide = axis == 2 ? a->unit[1] : 1, unit = a->ndim > axis ? a->unit[axis] : 1;
    const int64_t deep = a->ndim > axis ? gt_array_units(a, axis) : 1;
    const struct gt_chunk *chunk = held->chunk[(row - held->first) * held->columns + sample / wide * deep + k / unit];

    return gt_chunk_text(chunk, (size_t)(((v - row * a->unit[0]) * wide + sample % wide) * unit + k % unit));
}

static int decode_texts(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    int status = 0;

    for (size_t i = 0; i < r->n_fields; i++)
        for (size_t k = 0; k < item->fields[i].n && zr_is_text(zr_fields(r) + i) && !status; k++)
            if (item->fields[i].chunk[k])
                status = gt_cache_decode(zr_field_cache(r, zr_fields(r) + i), item->fields[i].chunk[k], item->scratch, err);
    return status;
}

/* All texts of a variant after one another; starts: a uint32_t for each column of texts. */
static int gather_texts(struct zarr_reader *r, struct zr_item *item, int64_t v, struct gt_err *err)
{
    int64_t n_kept;
    const uint32_t *kept = gt_filter_samples(r->base.filter, &n_kept);
    int status = 0;

    item->record_texts.len = item->record_starts.len = 0;
    for (size_t i = 0; i < r->n_fields && !status; i++) {
        const struct zr_field *field = zr_fields(r) + i;
        const uint32_t start = (uint32_t)item->record_texts.len;
        if (!zr_is_text(field))
            continue;
        const int64_t n = zr_of_calls(field) ? n_kept : 1, width = zr_width(field);
        status = gt_buf_append(&item->record_starts, &start, sizeof start, err);
        for (int64_t s = 0; s < n && !status; s++)
            for (int64_t k = 0; k < width && !status; k++) {
                const char *text = text_of(field, &item->fields[i], v, zr_of_calls(field) && kept ? kept[s] : s, k);
                const size_t len = strlen(text) + 1;
                if (item->record_texts.cap < item->record_texts.len + len)
                    status = gt_buf_reserve(&item->record_texts, 2 * (item->record_texts.len + len), err);
                status = status ? status : gt_buf_append(&item->record_texts, text, len, err);
            }
    }
    if (!status && item->record_texts.len > INT32_MAX - r->record_columns.fixed)
        status = gt_fail(err, GT_INPUT, "'%s': variant %lld has more than 2 GiB of strings", r->base.info.name, (long long)v + 1);
    return status;
}

/* A record for each row that stays, numbers still to come. */
static int add_records(struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    struct gt_block *block = &item->block;
    const struct gt_record_columns *columns = &r->record_columns;
    int status = gt_buf_reserve(&block->texts, (size_t)block->n * columns->fixed + 64, err);

    for (int64_t j = 0; j < block->n && !status; j++) {
        struct gt_site *site = gt_block_sites(block) + j;
        const uint32_t row = site->record;
        uint8_t *to;
        status = gather_texts(r, item, variant_of(item, j), err);
        const struct gt_record_body raw = {.columns = columns, .n = (columns->fixed + item->record_texts.len + 7) / 8 * 8};
        status = status ? status : gt_block_add_record(block, site, &raw, &to, err);
        if (status)
            return status;
        site->record = row; /* until all is gathered */
        if (item->record_texts.len)
            memcpy(to + columns->fixed, item->record_texts.data, item->record_texts.len);
        for (size_t i = 0, t = 0; i < columns->n; i++)
            if (columns->list[i].type == GT_STRING) {
                uint32_t start = ((const uint32_t *)(const void *)item->record_starts.data)[t++] + (uint32_t)columns->fixed;
                memcpy(to + columns->list[i].at, &start, sizeof start);
            }
    }
    return status;
}

void zr_records_mark(struct zarr_reader *r, struct zr_item *item)
{
    for (int64_t j = 0; j < item->block.n && zr_wants_records(r) && item->block.sites.len; j++)
        gt_block_sites(&item->block)[j].record = (uint32_t)j;
}

int zr_gather_records(struct zarr_reader *r, struct zr_item *item, int64_t task, struct gt_err *err)
{
    int status = 0;

    if (zr_wants_records(r) && item->block.n > 0) {
        status = decode_texts(r, item, err);
        status = status ? status : add_records(r, item, err);
        for (size_t k = 0; k < r->n_fields && !status; k++) {
            const size_t i = ((size_t)task + k) % r->n_fields;
            if (!zr_is_text(zr_fields(r) + i) && !zr_fields(r)[i].recount)
                status = gather_numbers(r, item, i, err);
        }
        for (int64_t j = 0; j < item->block.n; j++)
            gt_block_sites(&item->block)[j].record = (uint32_t)j;
        status = status ? status : zr_count_alleles(r, item, err);
    }
    zr_give_records(r, item);
    return status;
}
