/* The model of several ranks: that of each rank behind those of the ranks before it, on rank 0. */
#include <stdlib.h>
#include <string.h>

#include "calc/pca/pca_model.h"
#include "calc/pca/pca_ranks.h"

enum { NUMBERS = 5, LISTS = 3 };

struct parts {
    struct gt_buf *numbers[NUMBERS]; /* contig first */
    struct gt_strs *lists[LISTS];    /* contigs first */
};

static struct parts parts_of(struct gt_svd_model *model)
{
    return (struct parts){{&model->contig, &model->position, &model->means, &model->weights, &model->loadings},
                          {&model->contigs, &model->ids, &model->alleles}};
}

static int send_bytes(struct gt_comm *comm, const void *data, uint64_t n, struct gt_err *err)
{
    int status = gt_comm_send(comm, 0, &n, sizeof n, err);
    return status ? status : gt_comm_send(comm, 0, data, (size_t)n, err);
}

/* Behind what stands in the buffer. */
static int receive_bytes(struct gt_comm *comm, int from, struct gt_buf *buf, struct gt_err *err)
{
    const size_t had = buf->len;
    uint64_t n = 0;
    int status = gt_comm_recv(comm, from, &n, sizeof n, err);
    if (!status)
        status = gt_buf_resize(buf, had + (size_t)n, err);
    return status ? status : gt_comm_recv(comm, from, buf->data + had, (size_t)n, err);
}

static int send_model(struct gt_svd_model *model, struct gt_comm *comm, struct gt_err *err)
{
    const struct parts own = parts_of(model);
    int status = GT_OK;
    for (int i = 0; i < LISTS && !status; i++)
        status = send_bytes(comm, own.lists[i]->text, own.lists[i]->text_len, err);
    for (int i = 0; i < NUMBERS && !status; i++)
        status = send_bytes(comm, own.numbers[i]->data, own.numbers[i]->len, err);
    return status;
}

/* What numbers of the other rank's contigs are here. */
static int map_contigs(struct gt_svd_model *model, struct gt_names *contigs, const struct gt_buf *names, struct gt_buf *map,
                       struct gt_err *err)
{
    int status = GT_OK;
    for (size_t at = 0; at < names->len && !status;) {
        const char *name = (const char *)names->data + at;
        int64_t number;
        status = gt_names_number(contigs, &model->contigs, name, strlen(name), &number, err);
        const int32_t here = (int32_t)number;
        status = status ? status : gt_buf_append(map, &here, sizeof here, err);
        at += strlen(name) + 1;
    }
    return status;
}

static int add_texts(struct gt_strs *list, const struct gt_buf *text, struct gt_err *err)
{
    int status = GT_OK;
    for (size_t at = 0; at < text->len && !status;) {
        const char *one = (const char *)text->data + at;
        status = gt_strs_add(list, one, strlen(one), err);
        at += strlen(one) + 1;
    }
    return status;
}

static int receive_model(struct gt_svd_model *model, struct gt_names *contigs, struct gt_comm *comm, int from, struct gt_err *err)
{
    const struct parts own = parts_of(model);
    struct gt_buf text = {.budget = model->means.budget}, map = {.budget = model->means.budget};
    const size_t had = model->contig.len / sizeof(int32_t);
    int status = receive_bytes(comm, from, &text, err);
    status = status ? status : map_contigs(model, contigs, &text, &map, err);
    for (int i = 1; i < LISTS && !status; i++) {
        text.len = 0;
        status = receive_bytes(comm, from, &text, err);
        status = status ? status : add_texts(own.lists[i], &text, err);
    }
    for (int i = 0; i < NUMBERS && !status; i++)
        status = receive_bytes(comm, from, own.numbers[i], err);
    int32_t *contig = (int32_t *)(void *)model->contig.data;
    model->n = (int64_t)(model->contig.len / sizeof *contig);
    for (size_t i = had; i < (size_t)model->n && !status; i++)
        contig[i] = contig[i] < 0 ? contig[i] : ((const int32_t *)(const void *)map.data)[contig[i]];
    gt_buf_release(&text);
    gt_buf_release(&map);
    return status;
}

int gt_svd_ranks_gather(struct gt_comm *comm, struct gt_svd_model *model, struct gt_names *contigs, struct gt_err *err)
{
    int status = GT_OK;
    if (comm->rank)
        return send_model(model, comm, err);
    for (int r = 1; r < comm->size && !status; r++)
        status = receive_model(model, contigs, comm, r, err);
    return status;
}
