#include "config.h"

#include "geno/source/join_samples.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/model/packed.h"
#include "geno/model/ploidy.h"
#include "geno/samples/pedigree.h"
#include "geno/select/filter.h"
#include "geno/source/join_internal.h"
#include "kernels/kernels.h"

/* --- blocks ----------------------------------------------------------------------------- */

static void give_back(struct gt_side *side)
{
    if (side->block)
        gt_stage_release(side->block);
    side->block = NULL;
}

static void count_calls(struct gt_select_stats *sum, const struct gt_select_stats *block)
{
    sum->half_calls += block->half_calls;
    sum->haploid_calls += block->haploid_calls;
    sum->polyploid_calls += block->polyploid_calls;
    sum->het_haploid_calls += block->het_haploid_calls;
}

/* To a block with a variant that was not delivered; GT_END after the last. */
static int step(struct gt_side *side, struct gt_select_stats *stats, struct gt_err *err)
{
    int status = side->ended ? GT_END : GT_OK;
    while (!status && (!side->block || side->at == side->block->n)) {
        give_back(side);
        side->at = 0;
        status = side->inputs->stage.ops->next(&side->inputs->stage, &side->block, err);
        side->block = status ? NULL : side->block;
        side->ended = status == GT_END;
        if (!status)
            count_calls(stats, &side->block->stats);
    }
    return status;
}

/* All sides to their next variants: *n of them are there of each.  GT_END when all have ended. */
static int step_all(struct gt_joined *r, struct gt_select_stats *stats, int64_t *n, struct gt_err *err)
{
    int ended = -1, more = -1;
    *n = INT64_MAX;
    for (int i = 0; i < r->n; i++) {
        struct gt_side *side = &r->side[i];
        int status = step(side, stats, err);
        if (status && status != GT_END)
            return status;
        *(status ? &ended : &more) = i;
        if (!status && side->block->n - side->at < *n)
            *n = side->block->n - side->at;
    }
    return ended < 0 ? GT_OK : more < 0 ? GT_END : gt_joined_refuse_more(r, ended, more, err);
}

/* Rows of all samples in the place of those of the first side. */
static int widen(struct gt_joined *r, struct gt_block *block, struct gt_err *err)
{
    const size_t stride = ((size_t)r->base.info.n_samples + 3) / 4;
    struct gt_buf rows = {.budget = block->rows.budget};
    int64_t sample = 0;
    int status = gt_buf_resize(&rows, (size_t)block->n * stride + GT_KERNEL_PAD, err);
    if (status)
        return status;
    memset(rows.data, 0, rows.len);
    for (int i = 0; i < r->n; i++) {
        const int64_t samples = gt_joined_info(r, i)->n_samples;
        for (int64_t v = 0; v < block->n; v++)
            gt_put_codes(rows.data + (size_t)v * stride, sample, gt_block_row(r->side[i].block, r->side[i].at + v), samples);
        sample += samples;
    }
    gt_buf_release(&block->rows);
    block->rows = rows;
    block->stride = stride;
    return GT_OK;
}

/* A row of two bits a sample that a site may have, of which `get` is one side's: the sides that have it, next to each other. */
static int join_bits(const struct gt_joined *r, struct gt_block *block, int64_t v,
                     const uint8_t *(*get)(const struct gt_block *, const struct gt_site *),
                     int (*add)(struct gt_block *, struct gt_site *, uint8_t **, struct gt_err *), struct gt_err *err)
{
    uint8_t *row = NULL;
    int64_t sample = 0;
    int status = GT_OK;
    for (int i = 0; i < r->n && !status; i++) {
        const struct gt_side *side = &r->side[i];
        const uint8_t *bits = get(side->block, gt_side_site(side, v));
        status = bits && !row ? add(block, &gt_block_sites(block)[v], &row, err) : GT_OK;
        if (bits && !status)
            gt_put_codes(row, sample, bits, gt_joined_info(r, i)->n_samples);
        sample += gt_joined_info(r, i)->n_samples;
    }
    return status;
}

/* Sets which calls of a site have two ALTs and which are phased, if one of the sides knows. */
static int join_hets(const struct gt_joined *r, struct gt_block *block, int64_t v, struct gt_err *err)
{
    struct gt_site *site = &gt_block_sites(block)[v];
    site->hets = site->phases = 0;
    for (int i = 0; i < r->n; i++)
        site->multiallelic |= gt_side_site(&r->side[i], v)->multiallelic;
    int status = join_bits(r, block, v, gt_block_hets, gt_block_add_hets, err);
    return status ? status : join_bits(r, block, v, gt_block_phases, gt_block_add_phases, err);
}

/* Of a site the alleles of calls, where all inputs tell them. */
static int join_calls(const struct gt_joined *r, struct gt_block *block, int64_t v, struct gt_err *err)
{
    struct gt_site *site = &gt_block_sites(block)[v];
    uint8_t *row = NULL;
    int64_t sample = 0;
    int status = GT_OK;
    site->calls = 0;
    for (int i = 0; i < r->n && !status && (r->base.info.has & GT_HAS_ALTS); i++) {
        const struct gt_side *side = &r->side[i];
        const uint8_t *calls = gt_block_calls(side->block, gt_side_site(side, v));
        status = calls && !row ? gt_block_add_calls(block, site, r->base.info.n_samples, &row, err) : GT_OK;
        if (calls && !status)
            memcpy(row + 2 * sample, calls, 2 * (size_t)gt_joined_info(r, i)->n_samples);
        sample += gt_joined_info(r, i)->n_samples;
    }
    return status;
}

/* Names that the first input has met on its way. */
static int take_names(struct gt_strs *to, const struct gt_strs *from, struct gt_err *err)
{
    int status = GT_OK;
    while (to->n < from->n && !status)
        status = gt_strs_add(to, gt_strs_get(from, to->n), strlen(gt_strs_get(from, to->n)), err);
    return status;
}

static int make_block(struct gt_joined *r, struct gt_block *block, struct gt_err *err)
{
    struct gt_select_stats stats = {0};
    int64_t n;
    int status = step_all(r, &stats, &n, err);
    for (int i = 1; i < r->n && !status; i++)
        status = gt_joined_check_sites(r, i, n, err);
    if (status)
        return status;
    const struct gt_side *first = &r->side[0];
    block->stride = first->block->stride;
    status = gt_block_append(block, first->block, first->at, n, err);
    if (!status)
        status = widen(r, block, err);
    block->hets.len = block->calls.len = block->phases.len = 0;
    for (int64_t v = 0; v < n && !status; v++) {
        status = join_hets(r, block, v, err);
        status = status ? status : join_calls(r, block, v, err);
    }
    if (!status)
        status = take_names(&r->base.info.contigs, &gt_joined_info(r, 0)->contigs, err);
    if (!status)
        status = take_names(&r->base.info.filters, &gt_joined_info(r, 0)->filters, err);
    block->first = r->delivered;
    block->virtual_offset = UINT64_MAX;
    block->stats = stats;
    for (int i = 0; i < r->n; i++)
        r->side[i].at += n;
    r->delivered += n;
    return status ? status : gt_filter_block(r->base.filter, block, err);
}

static void joined_release(struct gt_stage *stage, struct gt_block *block)
{
    (void)stage;
    gt_block_release(block);
    free(block);
}

static int take_warnings(struct gt_joined *r, struct gt_err *err)
{
    int status = GT_OK;
    for (int i = 0; i < r->n; i++) {
        const struct gt_strs *warnings = &r->side[i].inputs->tables.warnings;
        for (size_t *at = &r->side[i].warned; *at < warnings->n && !status; ++*at)
            status = gt_strs_add(&r->base.warnings, gt_strs_get(warnings, *at), strlen(gt_strs_get(warnings, *at)), err);
    }
    return status;
}

static int joined_next(struct gt_stage *stage, struct gt_block **out, struct gt_err *err)
{
    struct gt_joined *r = (struct gt_joined *)stage;
    struct gt_block *block = gt_alloc(1, sizeof *block, err);
    if (!block)
        return GT_FAIL;
    gt_block_init(block, &r->base.engine->budget);
    int status = make_block(r, block, err);
    block->owner = stage;
    if (status)
        gt_stage_release(block);
    else
        *out = block;
    if (status != GT_END)
        return status;
    r->base.counted = r->delivered;
    status = take_warnings(r, err);
    return status ? status : GT_END;
}

/* --- the reader -------------------------------------------------------------------------- */

static struct gt_stage_needs needs_of(const struct gt_side *side)
{
    const struct gt_stage *stage = &side->inputs->stage;
    struct gt_stage_needs needs;
    stage->ops->needs(stage, side->inputs->start.fields, &needs);
    return needs;
}

static void joined_needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    const struct gt_joined *r = (const struct gt_joined *)stage;
    *needs = (struct gt_stage_needs){0};
    for (int i = 0; i < r->n; i++) {
        const struct gt_stage_needs one = needs_of(&r->side[i]);
        needs->minimum = gt_bytes_add(needs->minimum, one.minimum);
        needs->preferred = gt_bytes_add(needs->preferred, one.preferred);
        needs->block = gt_max_i64(needs->block, one.block);
    }
    const int64_t calls = fields & GT_SITE_CALLS ? 3 * r->base.info.n_samples : 0;
    const int64_t alleles = fields & GT_SITE_ALLELES ? gt_geno_info_block_alleles(&r->base.info) : 0;
    const int64_t rows = gt_bytes_mul(
        needs->block + 2,
        calls + alleles + (fields & GT_SITE_PHASES ? 3 : 2) * ((r->base.info.n_samples + 3) / 4 + 64)); /* wide ones, in turn */
    needs->minimum = gt_bytes_add(needs->minimum, rows);
    needs->preferred = gt_bytes_add(needs->preferred, gt_bytes_mul(rows, 2));
}

static int joined_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct gt_joined *r = (struct gt_joined *)stage;
    int status = GT_OK;
    struct gt_stage_needs needs;
    joined_needs(stage, start->fields, &needs);
    const int64_t more = gt_max_i64(0, start->memory - needs.minimum) / (2 * r->n);
    for (int i = 0; i < r->n && !status; i++) {
        struct gt_side *side = &r->side[i];
        struct gt_start begin = {.fields = side->inputs->start.fields, .memory = needs_of(side).minimum + more};
        give_back(side);
        side->at = 0;
        side->ended = false;
        status = side->inputs->stage.ops->start(&side->inputs->stage, &begin, err);
    }
    r->delivered = 0;
    return status;
}

static void joined_stop(struct gt_stage *stage)
{
    struct gt_joined *r = (struct gt_joined *)stage;
    for (int i = 0; i < r->n; i++) {
        give_back(&r->side[i]);
        r->side[i].inputs->stage.ops->stop(&r->side[i].inputs->stage);
    }
}

static void joined_close(struct gt_stage *stage)
{
    struct gt_joined *r = (struct gt_joined *)stage;
    joined_stop(stage);
    for (int i = 0; i < r->n; i++)
        gt_chain_close(&r->side[i].inputs->stage, NULL);
    free(r->side);
    gt_reader_base_release(&r->base);
    free(r);
}

/* --- opening ----------------------------------------------------------------------------- */

static int add_samples(struct gt_joined *r, struct gt_names *seen, int i, struct gt_err *err)
{
    const struct gt_geno_info *in = gt_joined_info(r, i);
    int status = GT_OK;
    for (size_t s = 0; s < in->samples.n && !status; s++) {
        const char *id = gt_strs_get(&in->samples, s);
        int64_t had = -1;
        status = gt_names_add(seen, id, strlen(id), i, &had, err);
        if (!status && had >= 0)
            status = gt_fail(err, GT_INPUT, "sample '%s' is in both '%s' and '%s'", id, gt_joined_info(r, (int)had)->name, in->name);
        if (!status)
            status = gt_strs_add(&r->base.info.samples, id, strlen(id), err);
    }
    return status;
}

static int add_info(struct gt_joined *r, int i, struct gt_err *err)
{
    struct gt_geno_info *all = &r->base.info;
    const struct gt_geno_info *in = gt_joined_info(r, i);
    int status = gt_ploidy_join(&all->ploidy, in, err);
    if (status)
        return status;
    char a[GT_THINGS_LEN], b[GT_NUM_LEN];
    if (i && all->n_variants >= 0 && in->n_variants >= 0 && all->n_variants != in->n_variants)
        return gt_fail(err, GT_INPUT, "'%s' has %s and '%s' has %s", gt_joined_info(r, 0)->name,
                       gt_format_things(a, all->n_variants, "variant"), in->name, gt_format_count(b, in->n_variants));
    all->n_samples += in->n_samples;
    all->has = i ? (all->has & in->has) | ((all->has | in->has) & GT_HAS_OF_ONE) : in->has;
    all->has &= ~(unsigned)(GT_HAS_RECORDS | GT_HAS_COLUMNS);
    gt_geno_info_join_alleles(all, in, i == 0);
    all->open_contigs |= in->open_contigs;
    all->n_variants = all->n_variants >= 0 ? all->n_variants : in->n_variants;
    r->base.stage.can_restart = (!i || r->base.stage.can_restart) && r->side[i].inputs->stage.can_restart;
    return GT_OK;
}

/* Families, where one of the sides knows them. */
static int add_families(struct gt_joined *r, struct gt_err *err)
{
    struct gt_strs texts[GT_FAM_COLUMNS] = {0};
    bool any = false;
    int status = GT_OK;
    for (int i = 0; i < r->n; i++)
        any |= gt_joined_info(r, i)->plink_ids.n > 0 || gt_joined_info(r, i)->pedigree.n > 0;
    for (int c = 0; c < GT_FAM_COLUMNS && any; c++) {
        texts[c].budget = r->base.info.samples.budget;
        for (int i = 0; i < r->n && !status; i++)
            status = gt_fam_texts(gt_joined_info(r, i), (enum gt_fam_column)c, &texts[c], err);
    }
    if (any && !status)
        status = gt_fam_take(&r->base.info, texts, err);
    for (int c = 0; c < GT_FAM_COLUMNS; c++)
        gt_strs_release(&texts[c]);
    return status;
}

static int set_tables(struct gt_joined *r, struct gt_err *err)
{
    struct gt_geno_info *all = &r->base.info;
    const struct gt_geno_info *first = gt_joined_info(r, 0);
    struct gt_names *seen = gt_names_new(all->samples.budget, err);
    struct gt_str name = {0};
    int status = seen ? GT_OK : GT_FAIL;
    all->n_variants = -1;
    for (int i = 0; i < r->n && !status; i++) {
        status = add_samples(r, seen, i, err);
        status = status ? status : add_info(r, i, err);
    }
    gt_names_free(seen);
    all->n_variants_max = all->n_variants >= 0 ? all->n_variants : first->n_variants_max;
    all->n_variants_guess = first->n_variants_guess;
    status = status ? status : add_families(r, err);
    status = status ? status : gt_strs_copy(&all->contigs, &first->contigs, err);
    status = status ? status : gt_strs_copy(&all->filters, &first->filters, err);
    status = status ? status : gt_strs_copy(&all->header, &first->header, err);
    status = status ? status : gt_buf_append(&all->contig_lengths, first->contig_lengths.data, first->contig_lengths.len, err);
    gt_str_addf(&name, "%s (and %d more, side by side)", first->name, r->n - 1);
    const int named = gt_str_take(&name, &all->name, err);
    status = status ? status : named;
    all->to_utf8 = first->to_utf8;
    all->kind = gt_strdup(first->kind, err);
    return status ? status : all->kind ? GT_OK : GT_FAIL;
}

int gt_reader_join_samples(struct gt_reader **out, struct gt_engine *engine, struct gt_concat **sides, int n, struct gt_err *err)
{
    static const struct gt_stage_ops ops = {joined_needs, joined_start, joined_next, joined_release, joined_stop, joined_close, NULL};
    struct gt_joined *r = gt_alloc(1, sizeof *r, err);
    if (r)
        r->side = gt_alloc((size_t)n, sizeof *r->side, err);
    for (int i = 0; i < n && (!r || !r->side); i++)
        gt_chain_close(&sides[i]->stage, NULL);
    if (!r || !r->side) {
        free(r);
        return GT_FAIL;
    }
    gt_reader_init(&r->base, &ops, engine, true);
    r->base.recounts = true;
    for (; r->n < n; r->n++)
        r->side[r->n].inputs = sides[r->n];
    int status = set_tables(r, err);
    if (status)
        joined_close(&r->base.stage);
    else
        *out = &r->base;
    return status;
}
