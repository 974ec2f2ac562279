#include "calc/pca/pca_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

struct call {
    int64_t what, digits, coarse;
    struct gt_svd_moments moments;
};

/* Of one block. */
struct term {
    int64_t block;
    double trace, weights;
};

int gt_svd_call(struct gt_svd_passes *passes, enum gt_svd_call what, const double *columns, struct gt_err *err)
{
    struct gt_comm *comm = &passes->engine->comm;
    struct call call = {what, passes->digits, passes->coarse, passes->moments};
    if (comm->size == 1 || comm->rank > 0)
        return GT_OK;
    int status = gt_comm_broadcast(comm, &call, sizeof call, 0, err);
    if (!status && columns)
        status = gt_comm_broadcast(comm, (double *)(uintptr_t)columns, gt_svd_columns_bytes(passes->plan), 0, err);
    return status;
}

static int answer(struct gt_svd_passes *passes, const struct call *call, double *columns, struct gt_err *err)
{
    passes->digits = (int)call->digits;
    passes->coarse = call->coarse;
    passes->moments = call->moments;
    if (call->what == GT_SVD_CALL_LOOK)
        return gt_svd_look(passes, err);
    int status = gt_comm_broadcast(&passes->engine->comm, columns, gt_svd_columns_bytes(passes->plan), 0, err);
    if (status)
        return status;
    return call->what == GT_SVD_CALL_MULTIPLY ? gt_svd_multiply(passes, columns, NULL, err) : gt_svd_project(passes, columns, NULL, err);
}

int gt_svd_serve(struct gt_svd_passes *passes, struct gt_err *err)
{
    struct gt_buf columns = {.budget = &passes->engine->budget};
    struct call call = {.what = GT_SVD_CALL_LOOK};
    int status = gt_buf_resize(&columns, gt_svd_columns_bytes(passes->plan), err);
    while (!status && call.what != GT_SVD_CALL_END) {
        status = gt_comm_broadcast(&passes->engine->comm, &call, sizeof call, 0, err);
        if (!status && call.what != GT_SVD_CALL_END)
            status = answer(passes, &call, gt_buf_f64(&columns), err);
    }
    gt_buf_release(&columns);
    return status;
}

/* --- the look ---------------------------------------------------------------------------- */

int gt_svd_ranks_note(struct gt_svd_passes *passes, int64_t task, const struct gt_svd_moments *moments, struct gt_err *err)
{
    const struct term term = {gt_block_part_number(&passes->part, task), moments->trace, moments->weights};
    return gt_buf_append(&passes->terms, &term, sizeof term, err);
}

/* In order of blocks. */
static int add_terms(struct gt_svd_passes *passes, const struct gt_buf *all, struct gt_err *err)
{
    const struct term *terms = (const struct term *)(const void *)all->data;
    const int64_t n = (int64_t)(all->len / sizeof *terms);
    struct gt_buf sorted = {.budget = &passes->engine->budget};
    int status = gt_buf_resize(&sorted, all->len, err);
    struct term *to = (struct term *)(void *)sorted.data;
    for (int64_t i = 0; i < n && !status; i++)
        to[terms[i].block] = terms[i];
    for (int64_t b = 0; b < n && !status; b++) {
        passes->moments.trace += to[b].trace;
        passes->moments.weights += to[b].weights;
    }
    gt_buf_release(&sorted);
    return status;
}

int gt_svd_ranks_sum_look(struct gt_svd_passes *passes, struct gt_err *err)
{
    struct gt_comm *comm = &passes->engine->comm;
    struct gt_buf all = {.budget = &passes->engine->budget};
    int64_t counts[] = {passes->moments.used, passes->moments.constant};
    if (comm->size == 1)
        return GT_OK;
    uint64_t *sizes = gt_alloc((size_t)comm->size, sizeof *sizes, err);
    int status = sizes ? gt_comm_reduce_i64(comm, counts, 2, 0, err) : GT_FAIL;
    if (!status)
        status = gt_comm_reduce_u32(comm, gt_buf_u32(&passes->missing), (size_t)passes->plan->samples, 0, err);
    if (!status)
        status = gt_comm_gatherv(comm, passes->terms.data, passes->terms.len, &all, sizes, 0, err);
    passes->moments.used = counts[0];
    passes->moments.constant = counts[1];
    if (!status && comm->rank == 0)
        status = add_terms(passes, &all, err);
    gt_buf_release(&passes->terms);
    gt_buf_release(&all);
    free(sizes);
    return status;
}

/* --- the result ----------------------------------------------------------------------------- */

int gt_svd_ranks_share(struct gt_comm *comm, struct gt_svd_result *result, struct gt_err *err)
{
    struct gt_svd_result all = *result;
    int status = gt_comm_broadcast(comm, &all, sizeof all, 0, err);
    if (status)
        return status;
    all.vectors = result->vectors;
    all.values = result->values;
    *result = all;
    status = gt_comm_broadcast(comm, result->vectors.data, result->vectors.len, 0, err);
    return status ? status : gt_comm_broadcast(comm, result->values.data, result->values.len, 0, err);
}
