#include "geno/vcz_write/vcz_shape.h"

#include <string.h>

#include "arrays/zarr/shard_length.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/vcz_write/vcz_internal.h"
#include "kernels/kernels.h"

/* A row group of packed rows has at least this, and about this: on 1000 Genomes and HapMap
 * data size and speed are the same from here to twice as much, and worse below.  It
 * grows to TALLEST times that. */
#define ROW_GROUP_BYTES (1 << 20)
#define TALLEST 8
#define MIN_VARIANTS 1000
#define MAX_VARIANTS 65536 /* times what it grows */
#define MAX_SAMPLES 65536
/* Calls: what bio2zarr has. */
#define CALLS_SAMPLES 10000
#define CALLS_BYTES (16 << 20) /* of call_genotype, where it has grown */
#define CALLS_TALLEST 64
/* Site arrays are that many times as tall as packed genotypes, and twice that where there would be too many. */
#define SITES_TALLER 8
#define MAX_SITES (1 << 17) /* times what row groups grow */
/* blosc's end, and what 32-bit readers can take. */
#define MAX_CHUNK_BYTES INT32_MAX
/* What is known of a site in the buffers of the writer: numbers, texts, and the chunk that
 * is made of them.  Typical, for sizing only. */
#define SITE_BYTES 64
/* The same in a block: struct gt_site, and texts with their starts. */
#define SITE_IN_BLOCK (sizeof(struct gt_site) + 80)

/* --- how many files ---------------------------------------------------------------- */

struct count {
    const struct gt_vcz_request *request;
    const struct gt_geno_info *info;
    int64_t variants; /* that are likely; -1 = any number */
    int64_t memory;   /* for row groups and site arrays */
    int *status;      /* of what failed when a codec was looked at */
    struct gt_err *err;
};

static bool any_length(const struct gt_geno_info *info)
{
    const int64_t *length = (const int64_t *)(const void *)info->contig_lengths.data;

    for (size_t i = 0; i < info->contig_lengths.len / sizeof *length; i++)
        if (length[i] > 0)
            return true;
    return false;
}

static int64_t family_arrays(const struct gt_geno_info *info)
{
    int64_t n = 0;

    for (int c = 0; c < GT_FAM_COLUMNS && info->plink_ids.n; c++)
        n += gt_fam_needed(info, (enum gt_fam_column)c);
    return n;
}

/* Two columns of alleles, and one chunk of each table. */
static int64_t count_files(const struct gt_vcz_shape *s, const struct count *c)
{
    bool packed = c->request->layout == GT_VCZ_PACKED, lengths = any_length(c->info);
    int64_t genotypes = packed ? 1 : 3, sites = packed ? 9 : 8, regions = !c->request->stream && c->variants > 0;
    int64_t family = family_arrays(c->info), arrays = genotypes + sites + 3 + lengths + regions + family;
    int64_t tables = (c->info->samples.n > 0) + family + (c->info->contigs.n > 0) * (1 + lengths) + 1 + regions;
    int64_t row_groups = gt_ceil_div(c->variants, s->chunk_variants), rows = gt_ceil_div(c->variants, s->site_variants);

    return genotypes * row_groups * gt_ceil_div(c->info->n_samples, s->chunk_samples) + (sites + packed) * rows + tables +
           (c->request->zarr_format == 3 ? 1 + arrays : 3 + 2 * arrays);
}

/* Where nothing is known of their number it is taken to be large, and not the largest. */
#define GENOTYPES 25e9

static bool too_many(const struct gt_vcz_shape *s, const struct count *c)
{
    struct count likely = *c;

    if (c->variants < 0)
        likely.variants = (int64_t)(GENOTYPES / (double)c->info->n_samples) + 1;
    return count_files(s, &likely) > GT_VCZ_FILES;
}

/* --- memory -------------------------------------------------------------------------- */

/* Of a site, for alleles after the second, which are "" as a rule: four zeros on their way into a chunk, and as such on their way to the
 * store where nothing compresses them, with room for that to grow. */
static int64_t further_alleles(const struct count *c)
{
    const int64_t columns = c->info->two_alleles ? 2 : gt_max_i64(c->info->alleles, 2), raw = 4 * (columns - 2);
    const bool compressed = !c->request->codec || strcmp(c->request->codec, "none") != 0;
    return c->request->layout == GT_VCZ_PACKED && compressed ? raw / 16 : 3 * raw;
}

/* Of inputs whose mean is known.  Records of VCF also have INFO, which is left out; of arrays that are wide, some chunks were looked at. */
static int64_t site_texts(const struct gt_geno_info *info)
{
    return info->n_variants < 0 || (info->alleles && !info->mean_alleles) ? 0 : gt_geno_info_site_texts(info);
}

/* False: larger than can be. */
static bool count_buffers(struct gt_vcz_shape *s, const struct count *c)
{
    bool packed = c->request->layout == GT_VCZ_PACKED;
    int64_t n_samples = c->info->n_samples, row = gt_ceil_div(n_samples, 4), width = packed ? s->chunk_samples / 4 : 2 * s->chunk_samples;
    int64_t parts = gt_ceil_div(n_samples, s->chunk_samples), rows, chunk, stored, sites;

    if (!gt_mul_i64(s->chunk_variants, row + (int64_t)SITE_IN_BLOCK + site_texts(c->info), &rows) ||
        !gt_mul_i64(s->chunk_variants, width, &chunk) || !gt_mul_i64(chunk, parts, &stored) ||
        !gt_mul_i64(s->site_variants, 2 * SITE_BYTES + further_alleles(c) + site_texts(c->info), &sites))
        return false;
    if (chunk > MAX_CHUNK_BYTES || rows > INT64_MAX / 8 || stored > INT64_MAX / 8 || sites > INT64_MAX / 8)
        return false;
    /* rows, a chunk of them, the same encoded, and all that are: twice for the moment in which that grows */
    s->row_group_bytes = rows + (parts > 1 || !packed ? chunk : 0) + 2 * chunk + 2 * stored + stored / 64 + GT_KERNEL_PAD;
    s->site_bytes = sites;
    return true;
}

/* What codecs take is known of the largest array of each kind: genotypes, numbers, texts. */
static int count_codecs(struct gt_vcz_shape *s, const struct count *c, struct gt_err *err)
{
    const struct gt_vcz_request *request = c->request;
    bool packed = request->layout == GT_VCZ_PACKED;
    const int64_t genotypes[] = {s->chunk_variants, packed ? gt_ceil_div(s->chunk_samples, 4) : s->chunk_samples, 2};
    const int64_t sites[] = {s->site_variants > 0 ? s->site_variants : 1};
    const int64_t samples[] = {c->info->n_samples > 0 ? c->info->n_samples : 1};
    const struct gt_vcz_opts opts = {.layout = request->layout,
                                     .codec = request->codec,
                                     .zarr_format = request->zarr_format,
                                     .inner_variants = s->inner_variants,
                                     .inner_samples = s->inner_samples};
    int64_t numbers, texts;
    int status = vcz_chunk_work(&opts, packed ? VCZ_DOSAGE : VCZ_GENOTYPE, genotypes, &s->codec_bytes, err);

    status = status ? status : vcz_chunk_work(&opts, VCZ_POSITION, sites, &numbers, err);
    status = status ? status : vcz_chunk_work(&opts, VCZ_ID, sites, &texts, err);
    status = status ? status : vcz_chunk_work(&opts, VCZ_SAMPLE_ID, samples, &s->table_bytes, err);
    if (status)
        return status;
    s->row_group_bytes += s->codec_bytes;
    s->site_bytes += numbers > texts ? numbers : texts;
    return 0;
}

/* n row groups at a time. */
static bool fits(struct gt_vcz_shape *s, const struct count *c, int n)
{
    if (!count_buffers(s, c))
        return false;
    *c->status = *c->status ? *c->status : count_codecs(s, c, c->err);
    return !*c->status && s->row_group_bytes <= (c->memory - s->site_bytes) / n;
}

/* --- choosing -------------------------------------------------------------------------- */

/* All samples in one chunk while that stays narrow, else equal parts. */
static int64_t choose_samples(const struct gt_vcz_request *request, int64_t n)
{
    int64_t all = request->layout == GT_VCZ_PACKED ? gt_ceil_div(n, 4) * 4 : n, parts = gt_ceil_div(n, MAX_SAMPLES),
            m = request->chunk_samples;

    if (m == 0)
        m = request->layout == GT_VCZ_PACKED ? gt_ceil_div(gt_ceil_div(n, parts), 4) * 4 : CALLS_SAMPLES;
    return m < 0 || m >= n ? all : m;
}

/* taller: times the least height. */
static int64_t row_group_height(const struct gt_vcz_request *request, const struct gt_vcz_shape *s, int64_t n_samples, int64_t taller)
{
    int64_t row = gt_ceil_div(n_samples, 4), most = CALLS_BYTES / (MIN_VARIANTS * 2 * s->chunk_samples), height;

    if (request->chunk_variants)
        return request->chunk_variants;
    if (request->layout == GT_VCZ_CALLS)
        return MIN_VARIANTS * (taller <= most ? taller : most > 0 ? most : 1);
    height = gt_ceil_div(gt_ceil_div(ROW_GROUP_BYTES * taller, row), 1000) * 1000;
    return height < MIN_VARIANTS ? MIN_VARIANTS : height > MAX_VARIANTS * taller ? MAX_VARIANTS * taller : height;
}

/* Other tools address all arrays of a store of calls by one number of a chunk, and who
 * reads a stream holds one row group: sites go with the genotypes there.  Else they are as many
 * row groups tall as `taller` says, or as tall as there are variants. */
static int64_t site_height(const struct count *c, int64_t row_group, int64_t most, int64_t taller)
{
    if (c->request->stream || c->request->layout == GT_VCZ_CALLS)
        return row_group;
    while (taller > 1 && row_group > most / taller)
        taller--;
    if (c->info->n_variants > 0 && c->info->n_variants <= row_group * taller)
        return c->info->n_variants;
    return row_group * taller;
}

static int64_t most_variants(const struct gt_geno_info *info)
{
    return info->n_variants >= 0 ? info->n_variants : info->n_variants_max;
}

/* Chunks end where the data end: padding takes memory and time. */
static void set_height(struct gt_vcz_shape *s, const struct count *c, int64_t taller, int64_t sites_taller)
{
    int64_t most = most_variants(c->info);

    s->chunk_variants = row_group_height(c->request, s, c->info->n_samples, taller);
    if (most >= 0 && s->chunk_variants > most && !c->request->chunk_variants)
        s->chunk_variants = most > 0 ? most : 1;
    s->site_variants = site_height(c, s->chunk_variants, MAX_SITES * taller, sites_taller);
}

/* As low as may be, for as few files as they should be; no taller than four row groups fit
 * with, and sites no taller than one does. */
static void choose_height(struct gt_vcz_shape *s, const struct count *c)
{
    int64_t tallest = c->request->layout == GT_VCZ_PACKED ? TALLEST : CALLS_TALLEST;

    for (int64_t sites = SITES_TALLER; sites > 0; sites /= 2) {
        set_height(s, c, 1, sites);
        if (fits(s, c, 1))
            break;
    }
    while (!c->request->chunk_variants && s->chunk_variants > MIN_VARIANTS && !fits(s, c, 1))
        s->site_variants = s->chunk_variants = s->chunk_variants / 2 < MIN_VARIANTS ? MIN_VARIANTS : s->chunk_variants / 2;
    for (int64_t taller = 1; taller <= tallest && !c->request->stream && too_many(s, c); taller *= 2)
        for (int64_t sites = SITES_TALLER; sites <= 2 * SITES_TALLER && too_many(s, c); sites *= 2) {
            struct gt_vcz_shape next = *s;
            set_height(&next, c, taller, sites);
            if (!fits(&next, c, 4))
                return;
            *s = next;
        }
}

static int64_t likely_variants(const struct gt_geno_info *info)
{
    if (info->n_variants >= 0 || info->n_variants_max >= 0)
        return info->n_variants >= 0 ? info->n_variants : info->n_variants_max;
    return info->n_variants_guess > 0 ? info->n_variants_guess : -1;
}

static int check(const struct gt_vcz_request *request, int64_t n_samples, struct gt_err *err)
{
    if (request->chunk_variants < 0 || request->chunk_samples < -1)
        return gt_fail(err, GT_USAGE, "chunks must be positive");
    if (request->layout == GT_VCZ_PACKED && request->chunk_samples > 0 && request->chunk_samples % 4 && request->chunk_samples < n_samples)
        return gt_fail(err, GT_USAGE, "chunks of %lld samples: must be a multiple of 4, since four samples share a byte",
                       (long long)request->chunk_samples);
    return 0;
}

int gt_vcz_shape_shards(struct gt_vcz_shape *shape, const struct gt_geno_info *info, const struct gt_vcz_request *request,
                        struct gt_err *err)
{
    const bool packed = request->layout == GT_VCZ_PACKED;
    if (!request->shard_variants && !request->shard_samples)
        return GT_OK;
    shape->inner_variants = shape->chunk_variants;
    shape->inner_samples = packed ? gt_ceil_div(shape->chunk_samples, 4) * 4 : shape->chunk_samples;
    int status = gt_shard_length(&shape->chunk_variants, "variants", request->shard_variants, most_variants(info),
                                 request->chunk_variants ? 0 : 1, &shape->inner_variants, err);
    return status ? status
                  : gt_shard_length(&shape->chunk_samples, "samples", request->shard_samples, info->n_samples,
                                    request->chunk_samples ? 0
                                    : packed               ? 4
                                                           : 1,
                                    &shape->inner_samples, err);
}

int gt_vcz_shape_choose(struct gt_vcz_shape *shape, const struct gt_geno_info *info, const struct gt_vcz_request *request,
                        struct gt_err *err)
{
    int status = check(request, info->n_samples, err);
    struct gt_vcz_request fixed = *request;
    struct count count = {request, info, likely_variants(info), INT64_MAX / 4, &status, err};

    *shape = (struct gt_vcz_shape){.files = -1};
    if (status)
        return status;
    shape->chunk_samples = choose_samples(request, info->n_samples);
    if (request->shard_variants || request->shard_samples) { /* chunks in shards need not be few */
        set_height(shape, &count, 1, 1);
        status = gt_vcz_shape_shards(shape, info, request, err);
        if (status)
            return status;
        fixed.chunk_variants = shape->chunk_variants;
        count.request = &fixed;
    }
    choose_height(shape, &count);
    if (!status && gt_bytes_add(shape->row_group_bytes, shape->site_bytes) > request->memory) {
        count.memory = request->memory / 2;
        choose_height(shape, &count);
    }
    if (status)
        return status;
    if (!count_buffers(shape, &count))
        return gt_fail(err, GT_USAGE, "chunks of %lld variants x %lld samples are larger than 2 GiB", (long long)shape->chunk_variants,
                       (long long)shape->chunk_samples);
    status = count_codecs(shape, &count, err);
    if (status)
        return status;
    if (count.variants >= 0)
        shape->files = count_files(shape, &count);
    shape->about = info->n_variants < 0 || !info->two_alleles;
    return 0;
}

int gt_vcz_shape_codecs(struct gt_vcz_shape *shape, const struct gt_geno_info *info, const struct gt_vcz_request *request,
                        struct gt_err *err)
{
    const struct count count = {.request = request, .info = info};
    const struct gt_vcz_opts opts = {.layout = request->layout, .codec = request->codec, .zarr_format = request->zarr_format};
    const int64_t texts[] = {gt_ceil_div(gt_bytes_mul(2 * shape->chunk_variants, info->record_bytes), VCZ_TEXT_BYTES) + 1};
    int64_t bytes;
    int status = count_codecs(shape, &count, err);
    status = status ? status : vcz_chunk_work(&opts, VCZ_ID, texts, &bytes, err);
    if (!status && bytes > shape->codec_bytes) { /* of a chunk of ALTs, or of a field, that is most of the text */
        shape->row_group_bytes += bytes - shape->codec_bytes;
        shape->codec_bytes = bytes;
    }
    return status;
}
