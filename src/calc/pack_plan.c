/* The chunk shape of a packed store and the memory that making it takes. */
#include <stdlib.h>

#include "base/size.h"
#include "calc/pack.h"
#include "kernels/kernels.h"

/* A stripe of rows has at least this, and about this: on 1000 Genomes and HapMap
 * data size and speed are the same from here to twice as much, and worse below. */
#define STRIPE_BYTES (1 << 20)
#define MIN_VARIANTS 1000
#define MAX_VARIANTS 65536
#define MAX_SAMPLES 65536
/* blosc's end, and what 32-bit readers can take. */
#define MAX_CHUNK_BYTES INT32_MAX
/* What is known of a site, beside its genotypes: struct gt_site, texts with
 * their starts, and the same again encoded.  Typical, for sizing only. */
#define SITE_BYTES (sizeof(struct gt_site) + 160)

/* most: no more variants than this will come, -1 = not known.  A small store's
 * chunks end where it ends: padding takes memory and time. */
static int64_t choose_variants(int64_t row_bytes, int64_t most)
{
    int64_t v = gt_ceil_div(gt_ceil_div(STRIPE_BYTES, row_bytes), 1000) * 1000;

    v = v < MIN_VARIANTS ? MIN_VARIANTS : v > MAX_VARIANTS ? MAX_VARIANTS : v;
    return most < 0 || v <= most ? v : most > 0 ? most : 1;
}

/* All samples in one chunk while that stays narrow, else equal parts. */
static int64_t choose_samples(int64_t n)
{
    int64_t parts = gt_ceil_div(n, MAX_SAMPLES);

    return gt_ceil_div(gt_ceil_div(n, parts), 4) * 4;
}

static int shape(struct gt_pack_plan *plan, const struct gt_source_info *info, const struct gt_pack_opts *opts, struct gt_err *err)
{
    int64_t n_samples = info->n_samples, all = gt_ceil_div(n_samples, 4) * 4;
    int64_t most = info->n_variants >= 0 ? info->n_variants : info->n_variants_max;

    if (opts->chunk_variants < 0 || opts->chunk_samples < -1)
        return gt_fail(err, GT_USAGE, "chunks must be positive");
    if (opts->chunk_samples > 0 && opts->chunk_samples % 4 && opts->chunk_samples < n_samples)
        return gt_fail(err, GT_USAGE, "chunks of %lld samples: four samples share a byte, so the number must be a multiple of 4",
                       (long long)opts->chunk_samples);
    plan->chunk_variants = opts->chunk_variants ? opts->chunk_variants : choose_variants(all / 4, most);
    plan->chunk_samples = opts->chunk_samples == -1 ? all : opts->chunk_samples ? opts->chunk_samples : choose_samples(n_samples);
    if (plan->chunk_samples > all)
        plan->chunk_samples = all;
    plan->sample_chunks = gt_ceil_div(n_samples, plan->chunk_samples);
    return 0;
}

/* room: what the input leaves for a stripe. */
static int does_not_fit(const struct gt_pack_plan *plan, const struct gt_engine *engine, const struct gt_source_info *info, int64_t room,
                        struct gt_err *err)
{
    char samples[GT_NUM_LEN], variants[GT_NUM_LEN], needs[GT_NUM_LEN], limit[GT_NUM_LEN], has[GT_NUM_LEN];
    double fits = (double)plan->chunk_variants * (double)room / (double)plan->stripe_bytes * 0.9;

    gt_format_size(limit, engine->limits.memory);
    if (fits < 1 && info->read_bytes > plan->memory) {
        gt_fail(err, GT_NOFIT, "reading '%s' takes %s for a chunk, and %s of memory leave %s for that and for packing", info->name,
                gt_format_size(needs, info->read_bytes), limit, gt_format_size(has, engine->budget.limit));
        gt_hint(err, "give more with --memory");
        return GT_NOFIT;
    }
    gt_fail(err, GT_NOFIT, "a stripe of %s variants x %s samples takes %s, and %s of memory leave %s for it",
            gt_format_count(variants, plan->chunk_variants), gt_format_count(samples, info->n_samples),
            gt_format_size(needs, plan->stripe_bytes), limit, gt_format_size(has, room));
    if (fits >= 1)
        gt_hint(err, "use --chunks variants=%lld, or more --memory", (long long)fits);
    else
        gt_hint(err, "give more with --memory");
    return GT_NOFIT;
}

/* Rows as read, one genotype chunk cut out of them and one coder's room, all
 * encoded chunks (no smaller than raw, at worst), and the sites. */
static bool stripe_bytes(const struct gt_pack_plan *plan, int64_t n_samples, int64_t *bytes)
{
    int64_t row = gt_ceil_div(n_samples, 4), rows, chunk, stored, sites;

    if (!gt_mul_i64(plan->chunk_variants, row + 1, &rows) || !gt_mul_i64(plan->chunk_variants, plan->chunk_samples / 4, &chunk) ||
        !gt_mul_i64(chunk, plan->sample_chunks, &stored) || !gt_mul_i64(plan->chunk_variants, (int64_t)SITE_BYTES, &sites))
        return false;
    if (chunk > MAX_CHUNK_BYTES || rows > INT64_MAX / 8 || stored > INT64_MAX / 8 || sites > INT64_MAX / 8)
        return false;
    *bytes = rows + (plan->sample_chunks > 1 ? chunk : 0) + chunk + stored + stored / 64 + sites + GT_KERNEL_PAD;
    return true;
}

int gt_pack_plan_make(struct gt_pack_plan *plan, const struct gt_engine *engine, const struct gt_source_info *info,
                      const struct gt_pack_opts *opts, struct gt_err *err)
{
    int64_t room;
    int rc;

    *plan = (struct gt_pack_plan){.stripes = -1};
    if (info->n_samples <= 0)
        return gt_fail(err, GT_INPUT, "'%s' has no samples to pack", info->name);
    rc = shape(plan, info, opts, err);
    if (rc)
        return rc;
    if (!stripe_bytes(plan, info->n_samples, &plan->stripe_bytes))
        return gt_fail(err, GT_USAGE, "chunks of %lld variants x %lld samples are larger than 2 GiB", (long long)plan->chunk_variants,
                       (long long)plan->chunk_samples);
    if (info->n_variants >= 0)
        plan->stripes = gt_ceil_div(info->n_variants, plan->chunk_variants);
    plan->memory = engine->budget.limit / 2;
    room = engine->budget.limit - info->read_bytes;
    room = room < plan->memory ? room : plan->memory;
    return plan->stripe_bytes > room ? does_not_fit(plan, engine, info, room, err) : 0;
}
