/* The small tables of a VCF Zarr group, and arrays made from runs of variants on a contig: variant_contig, whose type depends on the
 * number of contigs, and region_index. */
#include <string.h>

#include "core/base/size.h"
#include "geno/vcz_write/vcz_internal.h"
#include "storage/codec/vlen.h"

const struct gt_strs *vcz_filters(const struct gt_vcz *vcz)
{
    return vcz->info->filters.n ? &vcz->info->filters : &vcz->filters;
}

/* Tables are one chunk as they stand; what is added later makes further chunks, so
 * that nothing that was sent changes. */
static int new_table(struct gt_vcz *vcz, int which, enum gt_type type, int64_t rows, struct gt_err *err)
{
    return vcz_new_array(vcz, which, type, &rows, (int64_t[]){rows ? rows : 64}, NULL, err);
}

static bool any_length(const struct gt_vcz *vcz)
{
    const int64_t *length = (const int64_t *)(const void *)vcz->lengths.data;

    for (size_t i = 0; i < vcz->lengths.len / sizeof *length; i++)
        if (length[i] > 0)
            return true;
    return false;
}

int vcz_new_tables(struct gt_vcz *vcz, struct gt_err *err)
{
    int64_t contigs = (int64_t)vcz->contigs.n;
    int status = new_table(vcz, VCZ_SAMPLE_ID, GT_STRING, vcz->n_samples, err);

    status = status ? status : new_table(vcz, VCZ_CONTIG_ID, GT_STRING, contigs, err);
    if (!status && any_length(vcz))
        status = new_table(vcz, VCZ_CONTIG_LENGTH, GT_I64, contigs, err);
    for (int c = 0; c < GT_FAM_COLUMNS && !status; c++)
        if (gt_fam_needed(vcz->info, (enum gt_fam_column)c))
            status = new_table(vcz, VCZ_FAMILY + c, GT_STRING, vcz->n_samples, err);
    if (!status && vcz->opts.layout == GT_VCZ_FIELDS)
        status = new_table(vcz, VCZ_FILTER_TEXT, GT_STRING, (int64_t)vcz->filters.n, err);
    return status ? status : new_table(vcz, VCZ_FILTER_ID, GT_STRING, (int64_t)vcz->filters.n, err);
}

static int put_texts(struct gt_vcz *vcz, int which, const struct gt_strs *texts, bool sent, struct gt_err *err)
{
    size_t chunk = (size_t)vcz->array[which]->chunk[0];
    int status = 0;

    for (size_t from = sent ? chunk : 0; from < texts->n && !status; from += chunk) {
        size_t left = texts->n - from;
        status = gt_vlen_pack(texts, from, left < chunk ? left : chunk, chunk, &vcz->own[VCZ_RAW], err);
        status = status ? status : vcz_put_raw(vcz, which, (int64_t)(from / chunk), 0, err);
    }
    return status;
}

/* Unknown lengths are -1, VCF Zarr's missing. */
static int put_lengths(struct gt_vcz *vcz, const struct gt_buf *lengths, int64_t n, bool sent, struct gt_err *err)
{
    int64_t known = (int64_t)(lengths->len / sizeof(int64_t)), chunk;
    int status = 0;

    if (!vcz->array[VCZ_CONTIG_LENGTH])
        return 0;
    chunk = vcz->array[VCZ_CONTIG_LENGTH]->chunk[0];
    for (int64_t from = sent ? chunk : 0; from < n && !status; from += chunk) {
        status = gt_buf_resize(&vcz->own[VCZ_RAW], (size_t)chunk * sizeof(int64_t), err);
        if (status)
            return status;
        int64_t *to = (int64_t *)(void *)vcz->own[VCZ_RAW].data;
        for (int64_t i = from; i < from + chunk; i++) {
            int64_t length = i < known ? ((const int64_t *)(const void *)lengths->data)[i] : 0;
            to[i - from] = length > 0 ? length : i < n ? -1 : 0;
        }
        status = vcz_put_raw(vcz, VCZ_CONTIG_LENGTH, from / chunk, 0, err);
    }
    return status;
}

static int put_samples(struct gt_vcz *vcz, struct gt_err *err)
{
    int status = put_texts(vcz, VCZ_SAMPLE_ID, &vcz->info->samples, false, err);

    for (int c = 0; c < GT_FAM_COLUMNS && !status; c++) {
        struct gt_strs texts = {.budget = vcz->budget};
        if (!vcz->array[VCZ_FAMILY + c])
            continue;
        status = gt_fam_texts(vcz->info, (enum gt_fam_column)c, &texts, err);
        status = status ? status : put_texts(vcz, VCZ_FAMILY + c, &texts, false, err);
        gt_strs_release(&texts);
    }
    return status;
}

/* Filters that the header lacks have none. */
static int put_filter_texts(struct gt_vcz *vcz, struct gt_err *err)
{
    const struct gt_strs *known = &vcz->info->filter_texts;
    struct gt_strs texts = {.budget = vcz->budget};
    int status = 0;

    for (size_t i = 0; i < vcz->filters.n && !status; i++) {
        const char *text = i < known->n ? gt_strs_get(known, i) : "";
        status = gt_strs_add(&texts, text, strlen(text), err);
    }
    status = status ? status : put_texts(vcz, VCZ_FILTER_TEXT, &texts, false, err);
    gt_strs_release(&texts);
    return status;
}

/* The source's own tables may grow on another thread until all row groups were put. */
int vcz_put_tables(struct gt_vcz *vcz, struct gt_err *err)
{
    const struct gt_geno_info *info = vcz->info;
    const struct gt_strs *contigs = vcz->begun ? &info->contigs : &vcz->contigs;
    bool sent = vcz->begun && vcz->contigs.n;
    int status = vcz->begun ? 0 : put_samples(vcz, err);

    status = status ? status : put_texts(vcz, VCZ_CONTIG_ID, contigs, sent, err);
    status = status ? status : put_lengths(vcz, vcz->begun ? &info->contig_lengths : &vcz->lengths, (int64_t)contigs->n, sent, err);
    if (!status && vcz->array[VCZ_FILTER_TEXT])
        status = put_filter_texts(vcz, err);
    const struct gt_strs *filters = vcz->begun ? vcz_filters(vcz) : &vcz->filters;
    status = status ? status : vcz_check_texts(vcz, "FILTER", filters, err);
    return status ? status : put_texts(vcz, VCZ_FILTER_ID, filters, vcz->begun, err);
}

/* --- by runs ------------------------------------------------------------------------ */

static int too_many_contigs(int64_t limit, struct gt_err *err)
{
    gt_fail(err, GT_INPUT, "more contigs than the %lld that the start of the stream declared", (long long)limit + 1);
    gt_hint(err, "write a directory or .zip, or add the missing ##contig lines to the header");
    return GT_INPUT;
}

/* One chunk of variant_contig; *run and *used say where in the runs it starts, and are moved on. */
static int make_contigs(struct gt_vcz *vcz, size_t *run, int64_t *used, struct gt_err *err)
{
    const struct vcz_run *runs = (const struct vcz_run *)(const void *)vcz->runs.data;
    const struct gt_array *array = vcz->array[VCZ_CONTIG];
    size_t n = vcz->runs.len / sizeof *runs, size = array->dtype.size;
    int64_t left = array->chunk[0], limit = size == 4 ? INT32_MAX : (1 << (8 * size - 1)) - 1;
    int status = gt_buf_resize(&vcz->own[VCZ_RAW], array->chunk_bytes, err);
    uint8_t *to = vcz->own[VCZ_RAW].data;

    if (status)
        return status;
    memset(to, 0, array->chunk_bytes);
    while (left && *run < n) {
        if (runs[*run].contig > limit)
            return too_many_contigs(limit, err);
        memcpy(to, &runs[*run].contig, size); /* little endian */
        to += size;
        left--;
        if (++*used == runs[*run].n) {
            ++*run;
            *used = 0;
        }
    }
    return 0;
}

/* Variants of a chunk of the site arrays. */
static int64_t site_chunk(const struct gt_vcz *vcz)
{
    return vcz->array[VCZ_POSITION] ? vcz->array[VCZ_POSITION]->chunk[0] : vcz->opts.site_variants;
}

int vcz_new_contigs(struct gt_vcz *vcz, struct json_object *attrs, struct gt_err *err)
{
    const int64_t shape = vcz->stats.variants, chunk = site_chunk(vcz);

    return vcz_new_array(vcz, VCZ_CONTIG, vcz_contig_type(vcz->info->contigs.n), &shape, &chunk, attrs, err);
}

int vcz_put_contigs(struct gt_vcz *vcz, int64_t first_row, struct gt_err *err)
{
    int64_t used = 0;
    size_t run = 0, n = vcz->runs.len / sizeof(struct vcz_run);
    int status = 0;

    for (int64_t row = first_row; run < n && !status; row++) {
        status = make_contigs(vcz, &run, &used, err);
        status = status ? status : vcz_put_raw(vcz, VCZ_CONTIG, row, 0, err);
    }
    return status;
}

/* Of what can be read alone of them. */
static int64_t site_unit(const struct gt_vcz *vcz)
{
    return vcz->opts.layout != GT_VCZ_PACKED && vcz->opts.inner_variants ? vcz->opts.inner_variants : site_chunk(vcz);
}

static void set_number(uint8_t *row, int column, size_t size, int64_t value)
{
    memcpy(row + (size_t)column * size, &value, size); /* little endian */
}

/* Rows (chunk of the site arrays, contig, start, end, largest end, variants), one a contig
 * in a row_group.  They are as fine as the genotypes are cut. */
int vcz_new_regions(struct gt_vcz *vcz, struct gt_err *err)
{
    const int64_t shape[] = {(int64_t)(vcz->runs.len / sizeof(struct vcz_run)), 6};

    return shape[0] ? vcz_new_array(vcz, VCZ_REGIONS, vcz->wide_positions ? GT_I64 : GT_I32, shape, shape, NULL, err) : 0;
}

int vcz_put_regions(struct gt_vcz *vcz, struct gt_err *err)
{
    const struct vcz_run *runs = (const struct vcz_run *)(const void *)vcz->runs.data;
    const int64_t n = (int64_t)(vcz->runs.len / sizeof *runs);
    size_t size = vcz->wide_positions ? 8 : 4;
    int64_t at = 0;
    int status;

    if (!n)
        return 0;
    status = gt_buf_resize(&vcz->own[VCZ_RAW], vcz->array[VCZ_REGIONS]->chunk_bytes, err);
    for (int64_t i = 0; i < n && !status; i++) {
        uint8_t *row = vcz->own[VCZ_RAW].data + (size_t)i * 6 * size;
        const int64_t values[] = {at / site_unit(vcz), runs[i].contig, runs[i].start, runs[i].end, runs[i].max_end, runs[i].n};
        for (int k = 0; k < 6; k++)
            set_number(row, k, size, values[k]);
        at += runs[i].n;
    }
    return status ? status : vcz_put_raw(vcz, VCZ_REGIONS, 0, 0, err);
}
