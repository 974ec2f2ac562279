/* --rm-dup: removes rows with the same position, REF and set of ALTs (ignoring case) except the first, as
 * bcftools norm -d exact.
 *
 * Sites are sorted, so only hashes of the alleles at the current position are kept in memory, counted in the
 * budget. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "core/base/mem.h"
#include "geno/source/source_internal.h"

struct dedup {
    struct gt_stage stage;
    struct gt_budget *budget;
    enum gt_rm_dup rule;
    bool haplotypes;
    struct gt_names *seen; /* the alleles at the place, when there are several rows; else NULL */
    XXH128_hash_t first;   /* of the alleles of the first of them */
    struct gt_locus locus; /* contig INT32_MIN: there was none yet */
    XXH3_state_t *state;
};

static struct dedup *of_stage(struct gt_stage *stage)
{
    return (struct dedup *)stage;
}

static void forget(struct dedup *d)
{
    gt_names_free(d->seen);
    d->seen = NULL;
    d->locus.contig = INT32_MIN;
}

static void dedup_needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    gt_stage_needs_of_in(stage, fields | GT_SITE_POS | GT_SITE_ALLELES, needs);
}

static int dedup_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct gt_start own = {.fields = start->fields | GT_SITE_POS | GT_SITE_ALLELES, .memory = start->memory, .deal = start->deal};
    start->at = NULL; /* what stays depends on the variants before it */
    forget(of_stage(stage));
    stage->stats.dropped_dup = 0;
    return stage->in->ops->start(stage->in, &own, err);
}

/* An allele in capitals. */
static XXH128_hash_t hash_allele(XXH3_state_t *state, const char *text)
{
    char some[256];
    XXH3_128bits_reset(state);
    for (size_t n; *text; text += n) {
        for (n = 0; n < sizeof some && text[n]; n++)
            some[n] = text[n] >= 'a' && text[n] <= 'z' ? (char)(text[n] - 'a' + 'A') : text[n];
        XXH3_128bits_update(state, some, n);
    }
    return XXH3_128bits_digest(state);
}

static XXH128_hash_t key_of(struct dedup *d, const struct gt_block *block, const struct gt_site *site)
{
    XXH128_hash_t sum = {0, 0}; /* of hashes, which order does not change; REF's is turned, to be no ALT's */
    for (int32_t a = 0; a < site->n_alleles; a++) {
        const XXH128_hash_t one = hash_allele(d->state, gt_strs_get(&block->alleles, site->first_allele + (size_t)a));
        sum.low64 += a ? one.low64 : one.high64;
        sum.high64 += a ? one.high64 : one.low64;
    }
    return sum;
}

static int add_key(struct gt_names *seen, const XXH128_hash_t *key, bool *twice, struct gt_err *err)
{
    int64_t had = -1;
    int status = gt_names_add(seen, (const char *)key, sizeof *key, 0, &had, err);
    *twice = had >= 0;
    return status;
}

/* Was a row like this one there before?  It is, from now on.  Places that are not known (0) are all different. */
static int is_twice(struct dedup *d, const struct gt_block *block, const struct gt_site *site, bool *twice, struct gt_err *err)
{
    const bool known = site->contig >= 0 && site->position > 0;
    int status = GT_OK;
    *twice = false;
    if (!known || site->contig != d->locus.contig || site->position != d->locus.position) {
        forget(d);
        if (known) {
            d->first = key_of(d, block, site);
            d->locus = (struct gt_locus){site->contig, site->position};
        }
        return GT_OK;
    }
    const XXH128_hash_t key = key_of(d, block, site);
    if (!d->seen) {
        d->seen = gt_names_new(d->budget, err);
        status = d->seen ? add_key(d->seen, &d->first, twice, err) : GT_FAIL;
    }
    return status ? status : add_key(d->seen, &key, twice, err);
}

static int refuse(const struct dedup *d, const struct gt_block *block, const struct gt_site *site, struct gt_err *err)
{
    struct gt_str alleles = {0};
    for (int32_t a = 0; a < site->n_alleles && a < 4; a++)
        gt_str_addf(&alleles, " %.20s", gt_strs_get(&block->alleles, site->first_allele + (size_t)a));
    gt_fail(err, GT_INPUT, "'%s' has duplicated variants at %s:%lld%s%s", d->stage.info->name, gt_site_contig(block, site),
            (long long)site->position, alleles.s ? alleles.s : "", site->n_alleles > 4 ? " ..." : "");
    gt_str_release(&alleles);
    gt_hint(err, "keep the first with --rm-dup force-first");
    return GT_INPUT;
}

static int drop_duplicates(struct dedup *d, struct gt_block *block, struct gt_err *err)
{
    struct gt_site *sites = gt_block_sites(block);
    const int64_t n = block->n;
    int64_t out = 0;
    for (int64_t v = 0; v < n; v++) {
        bool twice;
        int status = is_twice(d, block, &sites[v], &twice, err);
        if (!status && twice && d->rule == GT_DUP_ERROR)
            status = refuse(d, block, &sites[v], err);
        if (status)
            return status;
        if (!twice)
            gt_block_move_row(block, v, out++);
    }
    d->stage.stats.dropped_dup += n - out;
    return out < n ? gt_block_cut(block, out, d->stage.info, d->haplotypes, err) : GT_OK;
}

static int dedup_next(struct gt_stage *stage, struct gt_block **out, struct gt_err *err)
{
    int status = stage->in->ops->next(stage->in, out, err);
    if (!status && (status = drop_duplicates(of_stage(stage), *out, err)) != 0)
        gt_stage_release(*out);
    return status;
}

static void dedup_checkpoint(const struct gt_stage *stage, struct gt_checkpoint *checkpoint)
{
    stage->in->ops->checkpoint(stage->in, checkpoint);
    checkpoint->input = -1;
}

static void dedup_close(struct gt_stage *stage)
{
    struct dedup *d = of_stage(stage);
    forget(d);
    XXH3_freeState(d->state);
    free(d);
}

int gt_dedup_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err)
{
    static const struct gt_stage_ops ops = {dedup_needs, dedup_start, dedup_next, NULL, gt_stage_stop_in, dedup_close, dedup_checkpoint};
    struct dedup *d = gt_alloc(1, sizeof *d, err);
    if (!d)
        return GT_FAIL;
    d->stage = gt_stage_over(*last, &ops);
    d->budget = &inputs->engine->budget;
    d->rule = inputs->select.rm_dup;
    d->haplotypes = inputs->select.haplotypes;
    d->locus.contig = INT32_MIN;
    d->state = XXH3_createState();
    if (!d->state) {
        free(d);
        return gt_no_memory(err);
    }
    inputs->tables.info.n_variants = -1;
    *last = &d->stage;
    return GT_OK;
}
