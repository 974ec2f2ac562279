#include "geno/source/site_compare.h"

#include "core/engine/memory_plan.h"

struct side {
    struct gt_source *source;
    struct gt_block *block;
    int64_t at; /* in the block */
};

/* To the next site; GT_END after the last. */
static int step(struct side *side, struct gt_err *err)
{
    int status = GT_OK;
    while (!status && (!side->block || side->at == side->block->n)) {
        if (side->block)
            gt_source_done(side->source, side->block);
        side->block = NULL;
        side->at = 0;
        status = gt_source_next(side->source, &side->block, err);
    }
    return status;
}

static const struct gt_site *site_of(const struct side *side)
{
    return &gt_block_sites(side->block)[side->at];
}

static const char *contig_of(const struct side *side)
{
    return gt_site_contig(side->block, site_of(side));
}

static int hint(struct gt_err *err)
{
    gt_hint(err, "both inputs need the same variants; see bcftools isec");
    return GT_INPUT;
}

static int compare(const struct side *a, const struct side *b, struct gt_err *err)
{
    const char *first = gt_source_info(a->source)->name, *second = gt_source_info(b->source)->name;
    const unsigned has = gt_source_info(a->source)->has & gt_source_info(b->source)->has;
    switch (gt_site_differs(a->block, site_of(a), b->block, site_of(b), has)) {
    case GT_SITE_OTHER_PLACE:
        gt_fail(err, GT_INPUT, "'%s' has %s:%lld where '%s' has %s:%lld", first, contig_of(a), (long long)site_of(a)->position, second,
                contig_of(b), (long long)site_of(b)->position);
        return hint(err);
    case GT_SITE_OTHER_ALLELES:
        gt_fail(err, GT_INPUT, "'%s' and '%s' have different alleles, or another order of them, at %s:%lld", first, second, contig_of(a),
                (long long)site_of(a)->position);
        return hint(err);
    default:
        return GT_OK;
    }
}

static int compare_all(struct side *a, struct side *b, struct gt_err *err)
{
    for (int status = GT_OK; !status; a->at++, b->at++) {
        int first = step(a, err), second = first > 0 ? GT_OK : step(b, err);
        if (first > 0 || second > 0)
            return first > 0 ? first : second;
        if (first && second)
            return GT_OK;
        if (first || second) {
            const struct side *more = first ? b : a;
            gt_fail(err, GT_INPUT, "'%s' continues at %s:%lld, but '%s' has ended", gt_source_info(more->source)->name, contig_of(more),
                    (long long)site_of(more)->position, gt_source_info(first ? a->source : b->source)->name);
            return hint(err);
        }
        if ((status = compare(a, b, err)))
            return status;
    }
    return GT_OK;
}

int gt_sources_agree(struct gt_engine *engine, struct gt_source *a, struct gt_source *b, struct gt_err *err)
{
    struct side first = {.source = a}, second = {.source = b};
    struct gt_allotment reading[] = {
        {.name = "reading", .minimum = gt_source_info(a)->read_minimum, .preferred = gt_source_info(a)->read_preferred},
        {.name = "reading the other input", .minimum = gt_source_info(b)->read_minimum, .preferred = gt_source_info(b)->read_preferred}};
    int status = gt_memory_plan_fit(reading, 2, engine, err);
    if (status)
        return status;
    gt_source_set_memory(a, reading[0].size);
    gt_source_set_memory(b, reading[1].size);
    status = compare_all(&first, &second, err);
    if (first.block)
        gt_source_done(a, first.block);
    if (second.block)
        gt_source_done(b, second.block);
    if (!status)
        status = gt_source_rewind(a, err);
    return status ? status : gt_source_rewind(b, err);
}
