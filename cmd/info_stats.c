/* --stats: counts of genotypes a sample or a variant, of any genotype input. */
#include "cmd/info.h"

#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "engine/flow.h"
#include "geno/source.h"
#include "kernels/kernels.h"

struct stats {
    struct gt_cli *cli;
    struct gt_source *source;
    struct gt_outfile *out;
    int64_t samples, variants;
    struct gt_buf totals; /* int64_t [sample][code], for --stats samples */
};

struct item {
    struct gt_block *block;
    struct gt_str text;
    struct gt_buf counts; /* uint32_t [variant or sample][code] */
    struct gt_buf sums;   /* uint32_t, see count_samples */
};

static int on_read(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct stats *s = ctx;
    (void)ticket;
    return gt_source_next(s->source, &((struct item *)data)->block, err);
}

static void on_release(void *ctx, void *data)
{
    struct item *item = data;
    (void)ctx;
    gt_str_release(&item->text);
    gt_buf_release(&item->counts);
    gt_buf_release(&item->sums);
}

static void add_rates(struct gt_str *out, const int64_t counts[4])
{
    int64_t called = counts[0] + counts[1] + counts[2], n = called + counts[3];

    gt_str_addf(out, "%lld\t%lld\t%.6g\t%lld\t%lld\t%lld\t", (long long)called, (long long)counts[3],
                n ? (double)counts[3] / (double)n : 0.0, (long long)counts[0], (long long)counts[1], (long long)counts[2]);
    if (called)
        gt_str_addf(out, "%.6g", (double)counts[1] / (double)called);
    else
        gt_str_add(out, "nan");
}

/* n rows of four counters. */
static int count_room(const struct stats *s, struct gt_buf *counts, int64_t n, struct gt_err *err)
{
    counts->budget = &s->cli->engine.budget;
    return gt_buf_resize(counts, (size_t)n * 4 * sizeof(uint32_t), err);
}

/* --- variants ------------------------------------------------------------------- */

static void add_site(struct gt_str *out, const struct gt_block *block, const struct gt_site *site)
{
    const char *contig = site->contig >= 0 ? gt_strs_get(&block->contigs, (size_t)site->contig) : ".";

    gt_str_addf(out, "%s\t%lld\t%s\t", contig, (long long)site->position, gt_strs_get(&block->ids, site->id));
    for (int32_t a = 0; a < site->n_alleles; a++)
        gt_str_addf(out, "%s%s", a == 0 ? "" : a == 1 ? "\t" : ",", gt_strs_get(&block->alleles, site->first_allele + (uint32_t)a));
    gt_str_add(out, site->n_alleles < 2 ? "\t.\t" : "\t");
}

static int commit_variants(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct stats *s = ctx;
    struct item *item = data;
    struct gt_block *block = item->block;
    int status;

    (void)ticket;
    gt_str_clear(&item->text);
    for (int64_t v = 0; v < block->n; v++) {
        int64_t counts[4], called, alt;
        for (int c = 0; c < 4; c++)
            counts[c] = ((const uint32_t *)item->counts.data)[4 * v + c];
        called = counts[0] + counts[1] + counts[2];
        alt = counts[1] + 2 * counts[2];
        add_site(&item->text, block, &gt_block_sites(block)[v]);
        add_rates(&item->text, counts);
        if (called)
            gt_str_addf(&item->text, "\t%.6g\t%.6g\n", (double)alt / (2.0 * (double)called),
                        (double)(alt < 2 * called - alt ? alt : 2 * called - alt) / (2.0 * (double)called));
        else
            gt_str_add(&item->text, "\tnan\tnan\n");
    }
    status = info_write(s->out, &item->text, err);
    gt_source_done(s->source, block);
    return status;
}

static int work_variants(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct stats *s = ctx;
    struct item *item = data;
    int status = count_room(s, &item->counts, item->block->n, err);

    (void)ticket;
    for (int64_t v = 0; v < item->block->n && !status; v++) {
        int64_t counts[4];
        gt_kernels()->count_codes(gt_block_row(item->block, v), s->samples, counts);
        for (int c = 0; c < 4; c++)
            ((uint32_t *)item->counts.data)[4 * v + c] = (uint32_t)counts[c];
    }
    return status;
}

/* --- samples ---------------------------------------------------------------------- */

/* Bytes of rows are added up as four counters of 8 bits each, for codes 1, 2 and 3,
 * and spread out before they can overflow. */
static void spread(uint32_t *sums[3], size_t bytes, int64_t samples, uint32_t *counts)
{
    for (int code = 1; code <= 3; code++)
        for (int64_t i = 0; i < samples; i++)
            counts[4 * i + code] += sums[code - 1][i / 4] >> (8 * (i % 4)) & 0xFF;
    memset(sums[0], 0, 3 * bytes * sizeof **sums);
}

static void count_samples(const struct gt_block *block, int64_t samples, uint32_t *all, uint32_t *counts)
{
    size_t bytes = (size_t)(samples + 3) / 4;
    uint32_t lanes[3][256] = {{0}}, *sums[3] = {all, all + bytes, all + 2 * bytes};
    int pending = 0;

    for (unsigned b = 0; b < 256; b++)
        for (unsigned i = 0; i < 4; i++)
            if (b >> (2 * i) & 3)
                lanes[(b >> (2 * i) & 3) - 1][b] |= 1u << (8 * i);
    for (int64_t v = 0; v < block->n; v++) {
        const uint8_t *row = gt_block_row(block, v);
        for (size_t i = 0; i < bytes; i++) {
            sums[0][i] += lanes[0][row[i]];
            sums[1][i] += lanes[1][row[i]];
            sums[2][i] += lanes[2][row[i]];
        }
        if (++pending == 255) {
            spread(sums, bytes, samples, counts);
            pending = 0;
        }
    }
    spread(sums, bytes, samples, counts);
}

static int work_samples(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct stats *s = ctx;
    struct item *item = data;
    int status = count_room(s, &item->counts, s->samples, err);

    (void)ticket;
    if (!status)
        status = count_room(s, &item->sums, gt_ceil_div(s->samples, 4), err); /* three of the four */
    if (status)
        return status;
    memset(item->counts.data, 0, item->counts.len);
    memset(item->sums.data, 0, item->sums.len);
    count_samples(item->block, s->samples, (uint32_t *)item->sums.data, (uint32_t *)item->counts.data);
    return GT_OK;
}

static int commit_samples(void *ctx, int64_t ticket, void *data, struct gt_err *err)
{
    struct stats *s = ctx;
    struct item *item = data;
    int64_t *totals = (int64_t *)s->totals.data;

    (void)ticket;
    (void)err;
    for (int64_t i = 0; i < 4 * s->samples; i++)
        totals[i] += ((const uint32_t *)item->counts.data)[i];
    s->variants += item->block->n;
    gt_source_done(s->source, item->block);
    return GT_OK;
}

static int print_samples(struct stats *s, struct gt_err *err)
{
    const struct gt_source_info *info = gt_source_info(s->source);
    struct gt_str text = {0};
    int status = GT_OK;

    for (int64_t i = 0; i < s->samples && !status; i++) {
        int64_t *counts = (int64_t *)s->totals.data + 4 * i;
        counts[0] = s->variants - counts[1] - counts[2] - counts[3];
        gt_str_addf(&text, "%s\t", gt_strs_get(&info->samples, (size_t)i));
        add_rates(&text, counts);
        gt_str_add(&text, "\n");
        if (text.len > 1 << 16) {
            status = info_write(s->out, &text, err);
            gt_str_clear(&text);
        }
    }
    if (!status)
        status = info_write(s->out, &text, err);
    gt_str_release(&text);
    return status;
}

/* --- both --------------------------------------------------------------------------- */

static int open_source(struct stats *s, const char *array, unsigned fields, struct gt_err *err)
{
    struct gt_source_opts opts = {.paths = s->cli->operands,
                                  .n_paths = s->cli->n_operands,
                                  .array = array,
                                  .fields = fields,
                                  .memory = s->cli->engine.budget.limit / 2};
    int status = gt_source_open(&s->source, &s->cli->engine, &opts, err);

    if (!status)
        s->samples = gt_source_info(s->source)->n_samples;
    return status;
}

static int run_flow(struct stats *s, size_t ticket_bytes, int (*work)(void *, int64_t, void *, struct gt_err *),
                    int (*commit)(void *, int64_t, void *, struct gt_err *), struct gt_err *err)
{
    struct gt_flow_ops ops = {.name = "stats",
                              .read_name = "next",
                              .work_name = "count",
                              .item_size = sizeof(struct item),
                              .read = on_read,
                              .work = work,
                              .release = on_release};
    struct gt_flow_opts opts = {.tickets = -1, .readers = 1, .ticket_bytes = ticket_bytes, .max_items = s->cli->engine.limits.threads + 1};

    return gt_flow_run(&s->cli->engine, &ops, &opts, s, commit, err);
}

static int say(struct gt_outfile *out, const char *line, struct gt_err *err)
{
    return gt_outfile_write(out, line, strlen(line), err);
}

int info_stats_samples(struct gt_cli *cli, const char *array, struct gt_outfile *out, struct gt_err *err)
{
    struct stats s = {.cli = cli, .out = out};
    int status = open_source(&s, array, GT_SITE_NONE, err);

    if (!status) {
        s.totals.budget = &cli->engine.budget;
        status = gt_buf_resize(&s.totals, (size_t)s.samples * 4 * sizeof(int64_t), err);
    }
    if (!status) {
        memset(s.totals.data, 0, s.totals.len);
        status = run_flow(&s, (size_t)s.samples * 20, work_samples, commit_samples, err);
    }
    if (!status)
        status = say(out, "sample\tcalled\tmissing\tmissing_rate\thom_ref\thet\thom_alt\theterozygosity\n", err);
    if (!status)
        status = print_samples(&s, err);
    gt_source_free(s.source);
    gt_buf_release(&s.totals);
    return status;
}

int info_stats_variants(struct gt_cli *cli, const char *array, struct gt_outfile *out, struct gt_err *err)
{
    struct stats s = {.cli = cli, .out = out};
    int status = open_source(&s, array, GT_SITE_POS | GT_SITE_ALLELES | GT_SITE_ID, err);

    if (!status)
        status = say(
            out,
            "contig\tposition\tid\tref\talt\tcalled\tmissing\tmissing_rate\thom_ref\thet\thom_alt\theterozygosity\talt_frequency\tmaf\n",
            err);
    if (!status)
        status = run_flow(&s, 1 << 20, work_variants, commit_variants, err);
    gt_source_free(s.source);
    return status;
}
