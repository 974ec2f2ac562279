#include "calc/pca/pca_model.h"

#include <string.h>

#include "core/engine/memory_plan.h"

/* Of a variant: id and alleles, with where they stand. */
enum { TEXT_BYTES = 64 };

void gt_svd_model_init(struct gt_svd_model *model, struct gt_budget *budget)
{
    *model = (struct gt_svd_model){0};
    struct gt_buf *const bufs[] = {&model->values, &model->loadings, &model->means, &model->weights, &model->contig, &model->position};
    struct gt_strs *const lists[] = {&model->contigs, &model->ids, &model->alleles};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        bufs[i]->budget = budget;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        lists[i]->budget = budget;
}

void gt_svd_model_release(struct gt_svd_model *model)
{
    struct gt_buf *const bufs[] = {&model->values, &model->loadings, &model->means, &model->weights, &model->contig, &model->position};
    struct gt_strs *const lists[] = {&model->contigs, &model->ids, &model->alleles};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        gt_buf_release(bufs[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        gt_strs_release(lists[i]);
}

/* Lists of texts grow by half. */
int64_t gt_svd_model_bytes(int64_t variants, int64_t k)
{
    const int64_t each = gt_bytes_mul(k + 4, (int64_t)sizeof(double)) + TEXT_BYTES;
    return gt_bytes_add(gt_bytes_mul(variants, each + TEXT_BYTES), 1 << 20);
}

static int add_text(struct gt_strs *list, const char *text, struct gt_err *err)
{
    return gt_strs_add(list, text, strlen(text), err);
}

static int add_texts(struct gt_svd_model *model, struct gt_names *contigs, const struct gt_block *block, const struct gt_site *site,
                     struct gt_err *err)
{
    const char *name = site->contig >= 0 ? gt_strs_get(&block->contigs, (size_t)site->contig) : NULL;
    int64_t number = -1;
    int status = name ? gt_names_number(contigs, &model->contigs, name, strlen(name), &number, err) : GT_OK;
    const int32_t contig = (int32_t)number;
    if (!status)
        status = gt_buf_append(&model->contig, &contig, sizeof contig, err);
    if (!status)
        status = gt_buf_append(&model->position, &site->position, sizeof site->position, err);
    if (!status)
        status = add_text(&model->ids, gt_strs_get(&block->ids, site->id), err);
    for (uint32_t a = 0; a < 2 && !status; a++)
        status = add_text(&model->alleles, (int32_t)a < site->n_alleles ? gt_strs_get(&block->alleles, site->first_allele + a) : "", err);
    return status;
}

int gt_svd_model_add(struct gt_svd_model *model, struct gt_names *contigs, const struct gt_block *block, int64_t v,
                     const struct gt_svd_loading *loading, struct gt_err *err)
{
    int status = add_texts(model, contigs, block, &gt_block_sites(block)[v], err);
    if (!status)
        status = gt_buf_append(&model->means, &loading->mean, sizeof loading->mean, err);
    if (!status)
        status = gt_buf_append(&model->weights, &loading->weight, sizeof loading->weight, err);
    if (!status)
        status = gt_buf_append(&model->loadings, loading->loadings, (size_t)model->k * sizeof *loading->loadings, err);
    model->n += !status;
    return status;
}
