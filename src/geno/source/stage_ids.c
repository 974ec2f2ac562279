/* --set-all-var-ids: the IDs of sites are made of their positions and alleles. */
#include "config.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "geno/model/var_ids.h"
#include "geno/source/source_internal.h"

struct ids {
    struct gt_stage stage;
    const char *form;
    bool wanted;
};

/* IDs need not be read. */
static unsigned fields_of(unsigned fields)
{
    return fields & GT_SITE_ID ? (fields & ~(unsigned)GT_SITE_ID) | GT_SITE_POS | GT_SITE_ALLELES : fields;
}

static void ids_needs(const struct gt_stage *stage, unsigned fields, struct gt_stage_needs *needs)
{
    gt_stage_needs_of_in(stage, fields_of(fields), needs);
}

static int ids_start(struct gt_stage *stage, struct gt_start *start, struct gt_err *err)
{
    struct gt_start own = *start;
    ((struct ids *)stage)->wanted = start->fields & GT_SITE_ID;
    own.fields = fields_of(start->fields);
    int status = stage->in->ops->start(stage->in, &own, err);
    start->at = own.at;
    return status;
}

static int make_ids(const struct ids *ids, struct gt_block *block, struct gt_err *err)
{
    struct gt_str id = {0};
    int status = GT_OK;
    gt_strs_clear(&block->ids);
    for (int64_t v = 0; v < block->n && !status; v++) {
        struct gt_site *site = &gt_block_sites(block)[v];
        gt_str_clear(&id);
        gt_var_id_add(&id, ids->form, gt_site_contig(block, site), block, site);
        site->id = (uint32_t)block->ids.n;
        status = gt_str_check(&id, err);
        status = status ? status : gt_strs_add(&block->ids, id.s, id.len, err);
    }
    gt_str_release(&id);
    return status;
}

static int ids_next(struct gt_stage *stage, struct gt_block **out, struct gt_err *err)
{
    const struct ids *ids = (const struct ids *)stage;
    int status = stage->in->ops->next(stage->in, out, err);
    if (status || !ids->wanted || !(*out)->sites.len)
        return status;
    status = make_ids(ids, *out, err);
    if (status)
        gt_stage_release(*out);
    return status;
}

static void ids_checkpoint(const struct gt_stage *stage, struct gt_checkpoint *checkpoint)
{
    stage->in->ops->checkpoint(stage->in, checkpoint);
}

static void ids_close(struct gt_stage *stage)
{
    free(stage);
}

int gt_ids_open(struct gt_stage **last, struct gt_concat *inputs, struct gt_err *err)
{
    static const struct gt_stage_ops ops = {ids_needs, ids_start, ids_next, NULL, gt_stage_stop_in, ids_close, ids_checkpoint};
    struct ids *ids = gt_alloc(1, sizeof *ids, err);
    if (!ids)
        return GT_FAIL;
    ids->stage = gt_stage_over(*last, &ops);
    ids->form = inputs->select.var_ids;
    inputs->tables.info.has |= GT_HAS_IDS;
    *last = &ids->stage;
    return GT_OK;
}
