/* Statistics of samples: blocks are counted on the workers, group by group, and
 * added up in order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/stats/code_counts.h"
#include "calc/stats/stats.h"
#include "calc/stats/stats_internal.h"
#include "core/base/le.h"
#include "core/base/mem.h"
#include "core/engine/flow.h"
#include "geno/model/ploidy.h"

struct samples_run {
    struct stats_run base;
    struct gt_sample_stats *stats;
};

/* A block in one group. */
struct part {
    struct gt_code_counts tested, other; /* codes at the sites of F, and at the rest of those that are not collapsed */
    int64_t n_tested, n_other, n_collapsed;
    int64_t n_on_y;       /* of all of them */
    int64_t expected;     /* over the sites of F */
    struct gt_buf missed; /* int64_t a sample: what was expected of those at which it is missing */
    struct gt_buf extra;  /* struct extra a sample */
};

struct extra {
    int32_t hets;       /* calls of two different ALTs, which the codes have as homozygous */
    uint32_t collapsed; /* calls at collapsed sites */
};

struct samples_item {
    struct gt_block *block;
    struct stats_scratch scratch;
    struct gt_stats_totals totals;
    struct part *part;
    int n_parts;
};

double gt_sample_f(const struct gt_sample_stats *s)
{
    double expected = gt_sample_expected(s), rest = (double)s->f_sites - expected;
    return rest > 0 ? ((double)s->f_hom - expected) / rest : NAN;
}

/* --- a row --------------------------------------------------------------------------- */

/* Bit 2k is set if sample first + k, k in [0, 32), has code 1 or 3.  Reads up to seven bytes past the end of the row; these bits are
 * not samples. */
static uint64_t samples_with(const uint8_t *row, int64_t first, int64_t n, unsigned code)
{
    const uint64_t present = n - first < 32 ? ((uint64_t)1 << 2 * (n - first)) - 1 : ~(uint64_t)0;
    const uint64_t x = gt_le64(row + first / 4);
    return (code == 1 ? x & ~(x >> 1) : x & x >> 1) & 0x5555555555555555u & present;
}

static void add_missed(struct part *part, const struct stats_row *row, int64_t expected)
{
    int64_t *missed = (int64_t *)part->missed.data;
    for (int64_t first = 0; first < row->n; first += 32)
        for (uint64_t hit = samples_with(row->codes, first, row->n, 3); hit; hit &= hit - 1)
            missed[first + __builtin_ctzll(hit) / 2] += expected;
}

static void add_hets(struct part *part, const struct stats_row *row)
{
    struct extra *extra = (struct extra *)part->extra.data;
    for (int64_t first = 0; first < row->n; first += 32)
        for (uint64_t hit = samples_with(row->hets, first, row->n, 1); hit; hit &= hit - 1)
            extra[first + __builtin_ctzll(hit) / 2].hets++;
}

static void count_collapsed(struct part *part, const struct stats_row *row)
{
    struct extra *extra = (struct extra *)part->extra.data;
    part->n_collapsed++;
    for (int64_t s = 0; s < row->n; s++)
        extra[s].collapsed += (row->codes[s / 4] >> s % 4 * 2 & 3) != 3;
}

__extension__ typedef unsigned __int128 wide;

/* 1 - 2p(1 - p) in units of 2^-32, the same on any machine. */
static int64_t expected_homozygous(int64_t alt, int64_t all)
{
    return ((int64_t)1 << 32) - (int64_t)(((wide)alt * (wide)(all - alt) << 33) / ((wide)all * (wide)all));
}

static void count_tested(struct part *part, const struct stats_row *row, const int64_t counts[STATS_COUNTS])
{
    int64_t expected = expected_homozygous(counts[ALT_ALLELES], 2 * (row->n - counts[MISSING]));
    part->n_tested++;
    part->expected += expected;
    gt_code_counts_add(&part->tested, row->codes);
    if (counts[MISSING])
        add_missed(part, row, expected);
}

/* tested: the site is one of F where the group has both alleles. */
static void count_row(struct part *part, const struct stats_row *row, bool tested)
{
    int64_t counts[STATS_COUNTS];
    stats_count(row, counts);
    if (tested && (counts[HET] || (counts[HOM_REF] && counts[HOM_ALT]))) {
        count_tested(part, row, counts);
        return;
    }
    part->n_other++;
    gt_code_counts_add(&part->other, row->codes);
    if (row->hets)
        add_hets(part, row);
}

/* --- a block ------------------------------------------------------------------------- */

static int zeroed(struct gt_buf *buf, struct gt_budget *budget, size_t bytes, struct gt_err *err)
{
    buf->budget = budget;
    int status = gt_buf_resize(buf, bytes, err);
    if (!status)
        memset(buf->data, 0, bytes);
    return status;
}

static int start_part(struct part *part, struct gt_budget *budget, int64_t n, struct gt_err *err)
{
    part->n_tested = part->n_other = part->n_collapsed = part->n_on_y = part->expected = 0;
    int status = gt_code_counts_start(&part->tested, budget, n, err);
    status = status ? status : gt_code_counts_start(&part->other, budget, n, err);
    status = status ? status : zeroed(&part->missed, budget, (size_t)n * sizeof(int64_t), err);
    return status ? status : zeroed(&part->extra, budget, (size_t)n * sizeof(struct extra), err);
}

static int read_block(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct samples_run *run = ctx;
    (void)task;
    return gt_source_next(run->base.source, &((struct samples_item *)data)->block, err);
}

static int count_group(const struct samples_run *run, struct samples_item *item, int g, struct gt_err *err)
{
    const struct gt_block *block = item->block;
    struct part *part = &item->part[g];
    int status = start_part(part, &run->base.engine->budget, run->base.opts->groups[g].n, err);
    for (int64_t v = 0; v < block->n && !status; v++) {
        const struct gt_site *site = gt_block_sites(block) + v;
        struct stats_row row;
        status = stats_row(&run->base, &item->scratch, block, v, g, &row, err);
        part->n_on_y += site->chrom_class == GT_CHROM_Y;
        if (!status && stats_is_collapsed(&run->base, site))
            count_collapsed(part, &row);
        else if (!status)
            count_row(part, &row, stats_is_tested(&run->base, block, site));
    }
    if (status)
        return status;
    gt_code_counts_finish(&part->tested);
    gt_code_counts_finish(&part->other);
    return GT_OK;
}

static int work_samples(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct samples_run *run = ctx;
    struct samples_item *item = data;
    int status = GT_OK;
    (void)task;
    if (!item->part) {
        item->n_parts = run->base.opts->n_groups;
        item->part = gt_alloc((size_t)item->n_parts, sizeof *item->part, err);
        status = item->part ? GT_OK : GT_FAIL;
    }
    for (int g = 0; g < item->n_parts && !status; g++)
        status = count_group(run, item, g, err);
    stats_totals_of(&run->base, item->block, &item->totals);
    return status;
}

/* --- the sums ------------------------------------------------------------------------ */

/* Who is no male misses nothing on Y. */
static void add_sample(const struct part *part, const struct gt_sex_rows *who, int64_t i, int ploidy, struct gt_sample_stats *s)
{
    const struct extra *extra = (const struct extra *)part->extra.data + i;
    int64_t tested[4] = {part->n_tested}, other[4] = {part->n_other};
    for (int code = 1; code < 4; code++) {
        tested[code] = gt_code_counts_get(&part->tested, code)[i];
        other[code] = gt_code_counts_get(&part->other, code)[i];
        tested[0] -= tested[code];
        other[0] -= other[code];
    }
    if (ploidy == GT_HAPLOID) { /* none are tested */
        other[2] += other[1];
        other[1] = 0;
    }
    s->hom_ref += tested[0] + other[0];
    s->het += tested[1] + other[1] + extra->hets;
    s->hom_alt += tested[2] + other[2] - extra->hets;
    s->missing += tested[3] + other[3] + part->n_collapsed - extra->collapsed;
    s->missing -= part->n_on_y && !(who->males[i / 4] >> i % 4 * 2 & 3) ? part->n_on_y : 0;
    s->collapsed += extra->collapsed;
    s->f_sites += part->n_tested - tested[3];
    s->f_hom += tested[0] + tested[2];
    s->f_expected += part->expected - ((const int64_t *)part->missed.data)[i];
}

static int commit_samples(void *ctx, int64_t task, void *data, struct gt_err *err)
{
    struct samples_run *run = ctx;
    struct samples_item *item = data;
    struct gt_sample_stats *to = run->stats;
    (void)task, (void)err;
    for (int g = 0; g < item->n_parts; g++)
        for (int64_t i = 0; i < run->base.opts->groups[g].n; i++)
            add_sample(&item->part[g], &run->base.who[g], i, run->base.ploidy, to++);
    stats_add_totals(&run->base, &item->totals);
    gt_source_done(run->base.source, item->block);
    return GT_OK;
}

static void release_samples(void *ctx, void *data)
{
    struct samples_item *item = data;
    (void)ctx;
    for (int g = 0; item->part && g < item->n_parts; g++) {
        gt_code_counts_release(&item->part[g].tested);
        gt_code_counts_release(&item->part[g].other);
        gt_buf_release(&item->part[g].missed);
        gt_buf_release(&item->part[g].extra);
    }
    free(item->part);
    stats_scratch_release(&item->scratch);
}

int64_t stats_samples_bytes(const struct gt_stats_opts *opts)
{
    enum { SAMPLE_BYTES = 56, GROUP_BYTES = 2560 }; /* tallies count eight words at once */
    int64_t n = 0;
    for (int g = 0; g < opts->n_groups; g++)
        n += opts->groups[g].n;
    return n * SAMPLE_BYTES + opts->n_groups * (int64_t)GROUP_BYTES + 4096;
}

int gt_stats_samples(struct gt_engine *engine, struct gt_source *source, const struct gt_stats_opts *opts, struct gt_sample_stats *stats,
                     struct gt_stats_totals *totals, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {.name = "stats",
                                           .read_name = "collect",
                                           .work_name = "count",
                                           .item_size = sizeof(struct samples_item),
                                           .read = read_block,
                                           .work = work_samples,
                                           .release = release_samples};
    struct samples_run run = {.stats = stats};
    const struct gt_flow_opts how = {.tasks = -1,
                                     .readers = 1,
                                     .task_bytes = (size_t)stats_samples_bytes(opts),
                                     .memory = opts->memory,
                                     .max_items = engine->limits.threads + 1};
    int64_t n = 0;
    for (int g = 0; g < opts->n_groups; g++)
        n += opts->groups[g].n;
    memset(stats, 0, (size_t)n * sizeof *stats);
    int status = stats_begin(&run.base, engine, source, opts, totals, err);
    status = status ? status : gt_flow_run(engine, &ops, &how, &run, commit_samples, err);
    stats_end(&run.base);
    return status;
}
