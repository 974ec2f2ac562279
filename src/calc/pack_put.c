/* Chunks to the store, in stripe order, on the committing thread. */
#include <string.h>

#include "base/size.h"
#include "calc/pack_impl.h"

int pack_put_chunk(struct pack *pack, int array, int64_t row, int64_t column, const struct gt_buf *stored, struct gt_err *err)
{
    int64_t index[GT_MAX_DIMS] = {row, column};
    int rc = gt_array_put(pack->array[array], index, stored, err);

    if (rc)
        return rc;
    pack->stats->bytes_all += (int64_t)stored->len;
    if (array == PACK_DOSAGE)
        pack->stats->bytes_stored += (int64_t)stored->len;
    return 0;
}

static int keep_late(struct pack_ragged *ragged, int64_t stripe, int64_t column, const struct gt_buf *stored, struct gt_err *err)
{
    struct pack_late late = {stripe, column, stored->len};
    int rc = gt_buf_append(&ragged->late, &late, sizeof late, err);

    return rc ? rc : gt_buf_append(&ragged->late, stored->data, stored->len, err);
}

/* The chunk that this and other stripes have where they do not reach a column. */
static int make_none(struct pack *pack, struct pack_ragged *ragged, struct gt_err *err)
{
    const struct gt_array *array = pack->array[ragged->array];
    size_t n = (size_t)array->chunk[0] * (size_t)array->chunk[1];
    size_t bytes = array->dtype.type == GT_STRING ? 4 + 4 * n : n;
    int rc;

    if (ragged->none.len)
        return 0;
    rc = gt_buf_resize(&pack->raw, bytes, err);
    if (rc)
        return rc;
    memset(pack->raw.data, 0, bytes);
    if (array->dtype.type == GT_STRING) {
        uint32_t count = (uint32_t)n;
        memcpy(pack->raw.data, &count, 4);
    }
    return gt_array_encode(array, &pack->raw, &ragged->none, pack->scratch, err);
}

static int put_none(struct pack *pack, struct pack_ragged *ragged, int64_t stripe, int64_t column, struct gt_err *err)
{
    int rc = make_none(pack, ragged, err);

    return rc ? rc : pack_put_chunk(pack, ragged->array, stripe, column, &ragged->none, err);
}

/* After the chunks of `stripe` itself: columns it does not reach, and columns
 * that it is the first to reach. */
static int even_out(struct pack *pack, struct pack_ragged *ragged, int64_t stripe, int64_t columns, struct gt_err *err)
{
    int64_t end = ragged->declared >= 0 ? ragged->declared : ragged->seen;
    int rc = 0;

    for (int64_t c = columns; c < end && !rc; c++)
        rc = put_none(pack, ragged, stripe, c, err);
    if (ragged->declared < 0)
        for (int64_t c = ragged->seen; c < columns && !rc; c++)
            for (int64_t s = 0; s < stripe && !rc; s++)
                rc = put_none(pack, ragged, s, c, err);
    if (columns > ragged->seen)
        ragged->seen = columns;
    return rc;
}

int pack_put_late(struct pack *pack, struct pack_ragged *ragged, int64_t columns, struct gt_err *err)
{
    int64_t from = ragged->declared >= 0 ? ragged->declared : ragged->seen;
    struct pack_late late = {.stripe = -1};
    size_t at = 0;
    int rc = 0;

    if (columns < ragged->seen)
        columns = ragged->seen;
    for (int64_t s = 0; s < pack->stripes; s++)
        for (int64_t c = from; c < columns; c++) {
            struct gt_buf stored = {0};
            if (late.stripe < 0 && at < ragged->late.len)
                memcpy(&late, ragged->late.data + at, sizeof late);
            if (late.stripe != s || late.column != c) {
                rc = put_none(pack, ragged, s, c, err);
            } else {
                stored.data = ragged->late.data + at + sizeof late;
                stored.len = stored.cap = late.n;
                rc = pack_put_chunk(pack, ragged->array, s, c, &stored, err);
                at += sizeof late + late.n;
                late.stripe = -1;
            }
            if (rc)
                return rc;
        }
    ragged->seen = columns;
    return 0;
}

int pack_put_contigs(struct pack *pack, int64_t stripe, const struct gt_buf *runs, size_t *at, int64_t *used, struct gt_err *err)
{
    const struct pack_run *run = (const struct pack_run *)runs->data;
    size_t n = runs->len / sizeof *run, size = pack->array[PACK_CONTIG]->dtype.size;
    int64_t left = pack->plan.chunk_variants, limit = size == 4 ? INT32_MAX : (1 << (8 * size - 1)) - 1;
    int rc = gt_buf_resize(&pack->raw, (size_t)left * size, err);
    uint8_t *to = pack->raw.data;

    if (rc)
        return rc;
    memset(to, 0, (size_t)left * size);
    while (left && *at < n) {
        if (run[*at].contig > limit) {
            gt_fail(err, GT_INPUT, "more contigs than the %lld that a stream could announce", (long long)limit + 1);
            gt_hint(err, "write to a directory or a .zip, or add the ##contig lines that the header lacks");
            return GT_INPUT;
        }
        memcpy(to, &run[*at].contig, size); /* little endian */
        to += size;
        left--;
        if (++*used == run[*at].n) {
            ++*at;
            *used = 0;
        }
    }
    rc = gt_array_encode(pack->array[PACK_CONTIG], &pack->raw, &pack->stored, pack->scratch, err);
    return rc ? rc : pack_put_chunk(pack, PACK_CONTIG, stripe, 0, &pack->stored, err);
}

static int put_encoded(struct pack *pack, int64_t stripe, const struct pack_item *item, struct gt_err *err)
{
    int rc = 0;

    for (size_t i = 0; i < item->n_chunks && !rc; i++) {
        struct pack_chunk chunk = item->chunk[i];
        struct pack_ragged *ragged = chunk.array == PACK_ALLELE   ? &pack->alleles
                                     : chunk.array == PACK_FILTER ? &pack->filter_columns
                                                                  : NULL;
        if (ragged && ragged->declared >= 0 && chunk.column >= ragged->declared)
            rc = keep_late(ragged, stripe, chunk.column, &item->stored[i], err);
        else
            rc = pack_put_chunk(pack, chunk.array, stripe, chunk.column, &item->stored[i], err);
    }
    return rc;
}

int pack_put_stripe(struct pack *pack, int64_t stripe, struct pack_item *item, struct gt_err *err)
{
    size_t at = 0;
    int64_t used = 0;
    int rc = put_encoded(pack, stripe, item, err);

    if (!rc && pack->opts->stream)
        rc = pack_put_contigs(pack, stripe, &item->runs, &at, &used, err);
    else if (!rc)
        rc = gt_buf_append(&pack->runs, item->runs.data, item->runs.len, err);
    rc = rc ? rc : even_out(pack, &pack->alleles, stripe, item->allele_columns, err);
    rc = rc ? rc : even_out(pack, &pack->filter_columns, stripe, item->filter_columns, err);
    pack->stripes++;
    pack->stats->variants += item->variants;
    if (item->allele_columns > pack->stats->max_alleles)
        pack->stats->max_alleles = item->allele_columns;
    return rc;
}
