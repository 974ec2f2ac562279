/* VCF Zarr: call_genotype and the arrays of sites, one stripe of chunks at a time. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/size.h"
#include "out/calls.h"
#include "zarr/group.h"

#define CALLS "blosc:zstd:1:bitshuffle"
#define NUMBERS "blosc:zstd:1:shuffle"
#define TEXTS "zstd:1"

enum {
    GENOTYPE,
    PHASED,
    MASK,
    CONTIG,
    POSITION,
    LENGTH,
    ID,
    ID_MASK,
    ALLELE,
    QUALITY,
    FILTER,
    SITE_ARRAYS, /* all before have the axis "variants" */
    CONTIG_ID = SITE_ARRAYS,
    CONTIG_LENGTH,
    FILTER_ID,
    SAMPLE_ID,
    REGIONS,
    ARRAYS
};

static const struct {
    const char *path, *dims[3], *codec;
    enum gt_type type;
} layouts[ARRAYS] = {
    [GENOTYPE] = {"call_genotype", {"variants", "samples", "ploidy"}, CALLS, GT_I8},
    [PHASED] = {"call_genotype_phased", {"variants", "samples"}, CALLS, GT_BOOL},
    [MASK] = {"call_genotype_mask", {"variants", "samples", "ploidy"}, CALLS, GT_BOOL},
    [CONTIG] = {"variant_contig", {"variants"}, NUMBERS, GT_I32},
    [POSITION] = {"variant_position", {"variants"}, NUMBERS, GT_I32},
    [LENGTH] = {"variant_length", {"variants"}, NUMBERS, GT_I32},
    [ID] = {"variant_id", {"variants"}, TEXTS, GT_STRING},
    [ID_MASK] = {"variant_id_mask", {"variants"}, CALLS, GT_BOOL},
    [ALLELE] = {"variant_allele", {"variants", "alleles"}, TEXTS, GT_STRING},
    [QUALITY] = {"variant_quality", {"variants"}, NUMBERS, GT_F32},
    [FILTER] = {"variant_filter", {"variants", "filters"}, CALLS, GT_BOOL},
    [CONTIG_ID] = {"contig_id", {"contigs"}, TEXTS, GT_STRING},
    [CONTIG_LENGTH] = {"contig_length", {"contigs"}, NUMBERS, GT_I64},
    [FILTER_ID] = {"filter_id", {"filters"}, TEXTS, GT_STRING},
    [SAMPLE_ID] = {"sample_id", {"samples"}, TEXTS, GT_STRING},
    [REGIONS] = {"region_index", {"region_index_values", "region_index_fields"}, NUMBERS, GT_I32},
};

struct vcz {
    struct gt_calls_sink base;
    struct gt_vcz_opts opts;
    struct gt_store *store;
    struct gt_array *array[ARRAYS];
    struct json_object *attrs;
    struct gt_strs contigs, filters, samples;
    struct gt_buf lengths; /* int64_t of contigs */
    int64_t n_samples, n_variants, alleles, columns;
    struct gt_buf regions;                   /* int32_t[6] each */
    uint16_t call[32];                       /* alleles of one call, by the bits of gt_call_alleles */
    uint64_t quad_call[256], quad_mask[256]; /* of four unphased biallelic ones, by packed byte */
};

/* In bytes[0]: the encoded chunks of a stripe, each behind this. */
struct record {
    int array;
    int64_t column;
    size_t n;
};

enum { OUT, RAW, STORED, SCRATCH }; /* uses of the buffers of a stripe */

/* --- metadata --------------------------------------------------------------- */

static void make_tables(struct vcz *vcz)
{
    for (unsigned bits = 0; bits < 32; bits++) {
        struct gt_alleles a = gt_call_alleles(bits, vcz->opts.phased);
        vcz->call[bits] = (uint16_t)((uint8_t)a.first | (uint8_t)a.second << 8);
    }
    for (unsigned byte = 0; byte < 256; byte++)
        for (unsigned i = 0; i < 4; i++) {
            unsigned code = byte >> 2 * i & 3;
            vcz->quad_call[byte] |= (uint64_t)vcz->call[code] << 16 * i;
            vcz->quad_mask[byte] |= (uint64_t)(code == 3 ? 0x0101 : 0) << 16 * i;
        }
}

static enum gt_type contig_type(size_t n)
{
    return n <= INT8_MAX ? GT_I8 : n <= INT16_MAX ? GT_I16 : GT_I32;
}

/* Extents of an array along its axes, whole and in a chunk. */
static int extents(const struct vcz *vcz, int which, int64_t *shape, int64_t *chunk)
{
    int64_t tables[] = {(int64_t)vcz->contigs.n, (int64_t)vcz->contigs.n, (int64_t)vcz->filters.n, vcz->n_samples,
                        (int64_t)(vcz->regions.len / (6 * sizeof(int32_t)))};
    int ndim = 1;

    if (which >= SITE_ARRAYS) {
        shape[0] = chunk[0] = tables[which - SITE_ARRAYS];
        shape[1] = chunk[1] = 6;
        return which == REGIONS ? 2 : 1;
    }
    shape[0] = vcz->n_variants;
    chunk[0] = vcz->base.stripe;
    shape[1] = chunk[1] = which == ALLELE ? vcz->alleles : which == FILTER ? (int64_t)vcz->filters.n : vcz->n_samples;
    shape[2] = chunk[2] = 2;
    if (which <= MASK) {
        chunk[1] = vcz->opts.chunk_samples;
        ndim = which == PHASED ? 2 : 3;
    } else if (which == ALLELE || which == FILTER) {
        ndim = 2;
    }
    return ndim;
}

static int make_array(struct vcz *vcz, int which, struct gt_err *err)
{
    struct gt_array_spec spec = {.path = layouts[which].path,
                                 .type = which == CONTIG ? contig_type(vcz->contigs.n) : layouts[which].type,
                                 .codec = vcz->opts.codec ? vcz->opts.codec : layouts[which].codec,
                                 .fill_zero = which == ALLELE};
    spec.ndim = extents(vcz, which, spec.shape, spec.chunk);
    for (int i = 0; i < spec.ndim; i++)
        spec.dim_names[i] = layouts[which].dims[i];
    return gt_array_new(&vcz->array[which], vcz->store, &spec, vcz->opts.zarr_format, err);
}

static int make_attrs(struct vcz *vcz, struct gt_err *err)
{
    vcz->attrs = json_object_new_object();
    bool ok = gt_json_set(vcz->attrs, "vcf_zarr_version", json_object_new_string("0.4")) &&
              gt_json_set(vcz->attrs, "source", json_object_new_string("gt-utils " PACKAGE_VERSION)) &&
              gt_json_set(vcz->attrs, "vcf_meta_information", json_object_new_array());
    return ok ? gt_attrs_add_history(vcz->attrs, vcz->opts.history, err) : gt_no_memory(err);
}

static int put_meta(struct vcz *vcz, size_t arrays, struct gt_err *err)
{
    return gt_group_put_meta(vcz->store, vcz->opts.zarr_format, vcz->attrs, vcz->array, arrays, err);
}

static int put_tables(struct vcz *vcz, struct gt_err *err)
{
    int status;
    (void)((status = gt_array_write_strings(vcz->array[CONTIG_ID], &vcz->contigs, err)) ||
           (status = gt_array_write_all(vcz->array[CONTIG_LENGTH], vcz->lengths.data, err)) ||
           (status = gt_array_write_strings(vcz->array[FILTER_ID], &vcz->filters, err)) ||
           (status = gt_array_write_strings(vcz->array[SAMPLE_ID], &vcz->samples, err)));
    return status;
}

static int begin(struct gt_calls_sink *base, const struct gt_source_info *info, struct gt_err *err)
{
    struct vcz *vcz = (struct vcz *)base;
    int status = 0;

    if (info->n_variants < 0)
        return gt_fail(err, GT_FAIL, "the number of variants must be known");
    vcz->n_samples = info->n_samples;
    vcz->n_variants = info->n_variants;
    if (base->stripe > vcz->n_variants)
        base->stripe = vcz->n_variants;
    if (vcz->opts.chunk_samples > vcz->n_samples)
        vcz->opts.chunk_samples = vcz->n_samples;
    vcz->columns = gt_ceil_div(vcz->n_samples, vcz->opts.chunk_samples);
    base->variant_bytes = 8 * vcz->opts.chunk_samples + 2 * vcz->n_samples + 512;
    vcz->contigs.budget = vcz->filters.budget = vcz->samples.budget = info->samples.budget;
    if ((status = gt_strs_copy(&vcz->contigs, &info->contigs, err)) || (status = gt_strs_copy(&vcz->filters, &info->filters, err)) ||
        (status = gt_strs_copy(&vcz->samples, &info->samples, err)) || (status = make_attrs(vcz, err)) ||
        (status = gt_buf_append(&vcz->lengths, info->contig_lengths.data, info->contig_lengths.len, err)))
        return status;
    for (int a = 0; a < REGIONS && !status; a++)
        status = make_array(vcz, a, err);
    if (!status && vcz->opts.stream)
        status = put_meta(vcz, REGIONS, err);
    return status ? status : put_tables(vcz, err);
}

/* --- chunks -------------------------------------------------------------------- */

static int add_chunk(const struct vcz *vcz, int which, int64_t stripe, int64_t column, struct gt_buf *bytes, struct gt_err *err)
{
    const int64_t index[3] = {stripe, column, 0};
    int status = gt_array_encode(vcz->array[which], &bytes[RAW], &bytes[STORED], bytes + SCRATCH, err);
    struct record record = {which, column, bytes[STORED].len};

    if (status) {
        gt_fail_prefix(err, "%s/%lld", layouts[which].path, (long long)index[0]);
        return status;
    }
    status = gt_buf_append(&bytes[OUT], &record, sizeof record, err);
    return status ? status : gt_buf_append(&bytes[OUT], bytes[STORED].data, bytes[STORED].len, err);
}

/* One row of genotypes of samples [from, from + n), from % 4 == 0 unless general. */
static void call_row(const struct vcz *vcz, const struct gt_calls *calls, int64_t v, int64_t from, int64_t n, bool mask, uint8_t *to)
{
    const struct gt_block *block = &calls->block;
    const uint8_t *row = gt_block_row(block, v);
    const uint8_t *phase = calls->phase.len ? calls->phase.data + (size_t)v * block->stride : NULL;
    const uint8_t *second =
        calls->second.len && gt_block_sites(block)[v].multiallelic ? calls->second.data + (size_t)v * block->stride : NULL;
    int64_t s = from;

    if (from % 4 == 0 && (mask || (!phase && !second)))
        for (; s + 4 <= from + n; s += 4)
            memcpy(to + 2 * (s - from), mask ? &vcz->quad_mask[row[s / 4]] : &vcz->quad_call[row[s / 4]], 8);
    for (; s < from + n; s++) {
        int shift = (int)(s % 4) * 2;
        unsigned bits = row[s / 4] >> shift & 3;
        uint16_t pair = bits == 3 ? 0x0101 : 0;
        if (!mask) {
            bits |= phase ? (phase[s / 4] >> shift & 1u) << 2 : 0;
            bits |= second ? (second[s / 4] >> shift & 3u) << 3 : 0;
            pair = vcz->call[bits];
        }
        memcpy(to + 2 * (s - from), &pair, 2);
    }
}

static int format_calls(const struct vcz *vcz, const struct gt_calls *calls, int64_t stripe, struct gt_buf *bytes, struct gt_err *err)
{
    int64_t width = vcz->opts.chunk_samples;
    int status = 0;

    for (int64_t c = 0; c < vcz->columns && !status; c++) {
        int64_t from = c * width, n = vcz->n_samples - from < width ? vcz->n_samples - from : width;
        for (int which = GENOTYPE; which <= MASK && !status; which++) {
            size_t row = (size_t)width * (which == PHASED ? 1 : 2);
            status = gt_buf_resize(&bytes[RAW], (size_t)vcz->base.stripe * row, err);
            if (status)
                return status;
            memset(bytes[RAW].data, 0, bytes[RAW].len);
            for (int64_t v = 0; v < calls->block.n; v++) {
                uint8_t *to = bytes[RAW].data + (size_t)v * row;
                if (which == PHASED)
                    memset(to, vcz->opts.phased, (size_t)n);
                else
                    call_row(vcz, calls, v, from, n, which == MASK, to);
            }
            status = add_chunk(vcz, which, stripe, c, bytes, err);
        }
    }
    return status;
}

static void put_number(uint8_t *to, int64_t i, size_t size, int64_t value)
{
    memcpy(to + (size_t)i * size, &value, size);
}

static void number_column(const struct vcz *vcz, const struct gt_block *block, int which, uint8_t *to)
{
    size_t size = vcz->array[which]->dtype.size;

    for (int64_t v = 0; v < block->n; v++) {
        const struct gt_site *site = gt_block_sites(block) + v;
        if (which == QUALITY)
            memcpy(to + (size_t)v * size, &site->quality, size);
        else if (which == ID_MASK)
            to[v] = strcmp(gt_strs_get(&block->ids, site->id), ".") == 0;
        else if (which == FILTER)
            for (uint32_t f = 0; f < site->filter_n; f++)
                to[(size_t)v * vcz->filters.n + (size_t)((const int32_t *)block->filters.data)[site->filter_from + f]] = 1;
        else
            put_number(to, v, size, which == CONTIG ? site->contig : which == POSITION ? site->position : site->length);
    }
}

static int add_text(struct gt_buf *raw, const char *text, struct gt_err *err)
{
    uint32_t n = (uint32_t)strlen(text);
    int status = gt_buf_append(raw, &n, sizeof n, err);
    return status ? status : gt_buf_append(raw, text, n, err);
}

/* Ids, or alleles with "" where a site has fewer, in the layout of codec/vlen.h. */
static int text_column(const struct vcz *vcz, const struct gt_block *block, int which, struct gt_buf *raw, struct gt_err *err)
{
    int64_t width = which == ALLELE ? vcz->alleles : 1;
    uint32_t count = (uint32_t)(vcz->base.stripe * width);

    raw->len = 0;
    int status = gt_buf_append(raw, &count, sizeof count, err);
    for (int64_t v = 0; v < vcz->base.stripe && !status; v++)
        for (int64_t a = 0; a < width && !status; a++) {
            const struct gt_site *site = v < block->n ? gt_block_sites(block) + v : NULL;
            const char *text = "";
            if (site && which == ID)
                text = gt_strs_get(&block->ids, site->id);
            else if (site && a < site->n_alleles)
                text = gt_strs_get(&block->alleles, site->first_allele + (size_t)a);
            status = add_text(raw, text, err);
        }
    return status;
}

static int format(struct gt_calls_sink *base, const struct gt_calls *calls, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    const struct vcz *vcz = (const struct vcz *)base;
    int64_t stripe = calls->block.first / base->stripe;
    int status;

    bytes[OUT].len = 0;
    status = format_calls(vcz, calls, stripe, bytes, err);
    for (int which = CONTIG; which < SITE_ARRAYS && !status; which++) {
        if (which == ID || which == ALLELE) {
            status = text_column(vcz, &calls->block, which, &bytes[RAW], err);
        } else if (!(status = gt_buf_resize(&bytes[RAW], vcz->array[which]->chunk_bytes, err))) {
            memset(bytes[RAW].data, 0, bytes[RAW].len);
            number_column(vcz, &calls->block, which, bytes[RAW].data);
        }
        status = status ? status : add_chunk(vcz, which, stripe, 0, bytes, err);
    }
    return status;
}

/* --- in order ---------------------------------------------------------------------- */

/* Rows (chunk, contig, start, end, largest end, records), one a contig in a chunk. */
static int add_regions(struct vcz *vcz, const struct gt_block *block, struct gt_err *err)
{
    const struct gt_site *site = gt_block_sites(block);
    int status = 0;

    for (int64_t v = 0, end; v < block->n && !status; v = end) {
        int64_t last = 0;
        for (end = v; end < block->n && site[end].contig == site[v].contig; end++) {
            int64_t reach = site[end].position + site[end].length - 1;
            last = reach > last ? reach : last;
        }
        const int32_t row[6] = {(int32_t)(block->first / vcz->base.stripe),
                                site[v].contig,
                                (int32_t)site[v].position,
                                (int32_t)site[end - 1].position,
                                (int32_t)last,
                                (int32_t)(end - v)};
        status = gt_buf_append(&vcz->regions, row, sizeof row, err);
    }
    return status;
}

static int write_chunks(struct gt_calls_sink *base, const struct gt_calls *calls, const struct gt_buf bytes[GT_CALLS_BUFS],
                        struct gt_err *err)
{
    struct vcz *vcz = (struct vcz *)base;
    struct record record;
    int status = 0;

    for (size_t at = 0; at < bytes[OUT].len && !status; at += sizeof record + record.n) {
        memcpy(&record, bytes[OUT].data + at, sizeof record);
        const int64_t index[3] = {calls->block.first / base->stripe, record.column, 0};
        const struct gt_buf stored = {.data = bytes[OUT].data + at + sizeof record, .len = record.n, .cap = record.n};
        status = gt_array_put(vcz->array[record.array], index, &stored, err);
    }
    if (!status && !vcz->opts.stream)
        status = add_regions(vcz, &calls->block, err);
    return status;
}

static int finish(struct gt_calls_sink *base, struct gt_err *err)
{
    struct vcz *vcz = (struct vcz *)base;
    int status = 0;

    if (!vcz->opts.stream) {
        (void)((status = make_array(vcz, REGIONS, err)) || (status = gt_array_write_all(vcz->array[REGIONS], vcz->regions.data, err)) ||
               (status = put_meta(vcz, ARRAYS, err)));
    }
    return status ? status : gt_store_finish(vcz->store, err);
}

static void vcz_free(struct gt_calls_sink *base)
{
    struct vcz *vcz = (struct vcz *)base;
    for (int a = 0; a < ARRAYS; a++)
        gt_array_free(vcz->array[a]);
    json_object_put(vcz->attrs);
    gt_strs_release(&vcz->contigs);
    gt_strs_release(&vcz->filters);
    gt_strs_release(&vcz->samples);
    gt_buf_release(&vcz->lengths);
    gt_buf_release(&vcz->regions);
    gt_store_free(vcz->store);
    free(vcz);
}

int gt_sink_vcz(struct gt_calls_sink **out, struct gt_store *store, const struct gt_vcz_opts *opts, struct gt_err *err)
{
    static const struct gt_calls_sink_ops ops = {begin, format, write_chunks, finish, vcz_free};

    if (opts->chunk_variants < 1 || opts->chunk_samples < 1 || opts->chunk_variants > INT32_MAX / 16 / opts->chunk_samples)
        return gt_fail(err, GT_USAGE, "chunks of %lld x %lld are too large", (long long)opts->chunk_variants,
                       (long long)opts->chunk_samples);
    struct vcz *vcz = gt_alloc(1, sizeof *vcz, err);
    if (!vcz)
        return GT_FAIL;
    vcz->base.ops = &ops;
    vcz->base.fields = GT_SITE_ALL;
    vcz->base.want = (opts->phased ? GT_CALLS_PHASE : 0) | (opts->alts ? GT_CALLS_ALTS : 0);
    vcz->base.stripe = opts->chunk_variants;
    vcz->opts = *opts;
    vcz->store = store;
    vcz->alleles = opts->alts ? 3 : 2;
    make_tables(vcz);
    *out = &vcz->base;
    return 0;
}
