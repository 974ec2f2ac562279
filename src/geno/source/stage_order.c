/* Are sites in order?  Positions of a contig must not go back, nor may a contig come a second time. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "geno/source/source_internal.h"

struct order {
    struct gt_stage stage;
    struct gt_source_tables *tables;
    const char *required; /* the option that needs sorted sites; NULL: none does */
    bool warned;
    struct gt_locus last;
    struct gt_buf seen; /* a byte for each contig */
};

static int order_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct order *o = (struct order *)stage;
    o->last.contig = -1;
    o->seen.len = 0;
    return stage->in->ops->start(stage->in, start, err);
}

/* Is the site on a contig that others came after?  It has been seen, from now on. */
static int contig_comes_back(struct order *o, int32_t contig, bool *back, struct gt_err *err)
{
    struct gt_buf *seen = &o->seen;
    const size_t had = seen->len, c = (size_t)contig;
    int status = c < had ? GT_OK : gt_buf_resize(seen, o->tables->info.contigs.n, err);
    if (status)
        return status;
    memset(seen->data + had, 0, seen->len - had);
    *back = seen->data[c];
    seen->data[c] = 1;
    return GT_OK;
}

static int refuse(struct order *o, const char *name, const struct gt_site *site, struct gt_err *err)
{
    const struct gt_strs *contigs = &o->tables->info.contigs;
    const char *here = gt_strs_get(contigs, (size_t)site->contig), *before = gt_strs_get(contigs, (size_t)o->last.contig);
    if (o->required) {
        gt_fail(err, GT_INPUT, "%s needs sorted input: in '%s', %s:%lld comes after %s:%lld", o->required, name, here,
                (long long)site->position, before, (long long)o->last.position);
        gt_hint(err, "sort it with 'bcftools sort'");
        return GT_INPUT;
    }
    struct gt_str text = {0};
    gt_str_addf(&text, "'%s' is not sorted: %s:%lld comes after %s:%lld", name, here, (long long)site->position, before,
                (long long)o->last.position);
    o->warned = true;
    return gt_tables_warn(o->tables, &text, err);
}

static int look_at(struct order *o, const char *name, const struct gt_site *site, struct gt_err *err)
{
    bool back = site->contig == o->last.contig && site->position < o->last.position;
    int status = GT_OK;
    if (site->contig < 0 || (size_t)site->contig >= o->tables->info.contigs.n)
        return GT_OK;
    if (site->contig != o->last.contig)
        status = contig_comes_back(o, site->contig, &back, err);
    if (status || back)
        return status ? status : refuse(o, name, site, err);
    o->last = (struct gt_locus){site->contig, site->position};
    return GT_OK;
}

static int order_next(struct gt_stage *stage, struct gt_block **out, struct gt_err *err)
{
    struct order *o = (struct order *)stage;
    int status = stage->in->ops->next(stage->in, out, err);
    if (status)
        return status;
    const struct gt_block *block = *out;
    for (int64_t v = 0; v < block->n && block->sites.len && !o->warned && !status; v++)
        status = look_at(o, block->owner->info->name, &gt_block_sites(block)[v], err);
    if (status)
        gt_stage_release(*out);
    return status;
}

static void order_checkpoint(const struct gt_stage *stage, struct gt_checkpoint *checkpoint)
{
    stage->in->ops->checkpoint(stage->in, checkpoint);
}

static void order_close(struct gt_stage *stage)
{
    gt_buf_release(&((struct order *)stage)->seen);
    free(stage);
}

int gt_order_open(struct gt_stage **last, struct gt_source_tables *tables, const char *required, struct gt_err *err)
{
    static const struct gt_stage_ops ops = {gt_stage_needs_of_in, order_start, order_next,      NULL,
                                            gt_stage_stop_in,     order_close, order_checkpoint};
    struct order *o = gt_alloc(1, sizeof *o, err);
    if (!o)
        return GT_FAIL;
    o->stage = gt_stage_over(*last, &ops);
    o->tables = tables;
    o->required = required;
    o->seen.budget = tables->info.contigs.budget;
    *last = &o->stage;
    return GT_OK;
}
