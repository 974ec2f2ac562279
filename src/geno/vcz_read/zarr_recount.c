/* INFO/AC, AN and AF of some samples, counted from their calls as bcftools view -s and +fill-tags do. */
#include <string.h>

#include "geno/vcz_read/zarr_records.h"

/* How often each allele, REF first, is among the calls; how many that are. */
static int64_t count_alleles(const struct gt_record_columns *columns, const uint8_t *record, int64_t *count, int64_t n_alleles)
{
    const struct gt_record_column *c = &columns->list[0];
    const int64_t n = columns->n_samples * c->width;
    const uint8_t *call = record + c->at;
    int64_t all = 0;

    memset(count, 0, (size_t)n_alleles * sizeof *count);
    for (int64_t i = 0; i < n; i++) {
        const int64_t allele = c->size == 1 ? (int8_t)call[i] : gt_dtype_load_int(c->type, c->size, call + (size_t)i * c->size);
        if (allele < 0 || allele >= n_alleles)
            continue;
        count[allele]++;
        all++;
    }
    return all;
}

/* A value for each ALT. */
static void put_counts(enum zr_recount what, const int64_t *count, int64_t n_alleles, int64_t all, int64_t width, uint8_t *to)
{
    for (int64_t a = 1; a <= width; a++, to += 4) {
        const int32_t n = a < n_alleles ? (int32_t)count[a] : GT_INT_FILL;
        const float fraction = all > 0 && a < n_alleles ? (float)((double)count[a] / (double)all) : 0;
        const uint32_t none = a < n_alleles ? GT_VCF_FLOAT_MISSING : GT_VCF_FLOAT_END;

        if (what == ZR_COUNT_AC)
            memcpy(to, &n, 4);
        else
            memcpy(to, all > 0 && a < n_alleles ? (const void *)&fraction : (const void *)&none, 4);
    }
}

static void put_number(int64_t all, int64_t width, uint8_t *to)
{
    for (int64_t i = 0; i < width; i++, to += 4) {
        const int32_t n = i ? GT_INT_FILL : (int32_t)all;
        memcpy(to, &n, 4);
    }
}

/* Without calls nobody knows. */
static void put_missing(const struct gt_record_column *c, uint8_t *to)
{
    const uint32_t none = c->type == GT_F32 ? GT_VCF_FLOAT_MISSING : (uint32_t)GT_INT_MISSING;

    for (int64_t i = 0; i < c->width; i++, to += 4)
        memcpy(to, &none, 4);
}

int zr_count_alleles(const struct zarr_reader *r, struct zr_item *item, struct gt_err *err)
{
    const struct gt_record_columns *columns = &r->record_columns;
    const bool calls = columns->n && columns->list[0].kind == GT_RECORD_ALLELES;
    bool any = false;
    int status = 0;

    for (size_t i = 0; i < r->n_fields; i++)
        any |= zr_fields(r)[i].recount != ZR_AS_STORED;
    for (int64_t j = 0; j < item->block.n && any && !status; j++) {
        const struct gt_site *site = gt_block_sites(&item->block) + j;
        uint8_t *record = item->block.texts.data + gt_block_record(&item->block, site)->from;
        const int64_t n = site->n_alleles;
        status = gt_buf_resize(&item->record_starts, (size_t)n * sizeof(int64_t), err);
        if (status)
            break;
        int64_t *count = (int64_t *)(void *)item->record_starts.data;
        const int64_t all = calls ? count_alleles(columns, record, count, n) : 0;
        for (size_t i = 0; i < r->n_fields; i++) {
            const struct gt_record_column *c = &columns->list[i];
            const enum zr_recount what = zr_fields(r)[i].recount;
            if (what && !calls)
                put_missing(c, record + c->at);
            else if (what == ZR_COUNT_AN)
                put_number(all, c->width, record + c->at);
            else if (what)
                put_counts(what, count, n, all, c->width, record + c->at);
        }
    }
    return status;
}
