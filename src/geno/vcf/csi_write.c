#include "geno/vcf/csi_write.h"

#include <errno.h>
#include <htslib/hts.h>
#include <htslib/tbx.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/le.h"
#include "core/base/mem.h"

enum { MIN_SHIFT = 14, MOST_LEVELS = 9 };

struct gt_csi {
    hts_idx_t *index;
    bool named;
    struct gt_buf numbers; /* int32_t in the index, by contig; -1 = not seen */
    struct gt_buf names;   /* of those seen, each with its NUL */
    int32_t n;             /* that were seen */
    int32_t last;          /* number of the contig of the last record; -1 = there was none */
    int64_t begin;         /* where that begins */
    const char *fault;
};

/* Bins must reach to the end of the longest contig; of some the length is not known. */
static int levels(const struct gt_geno_info *info)
{
    int64_t longest = INT32_MAX;
    int n = 0;

    for (size_t i = 0; (i + 1) * sizeof longest <= info->contig_lengths.len; i++) {
        int64_t length = ((const int64_t *)(const void *)info->contig_lengths.data)[i];
        longest = length > longest ? length : longest;
    }
    while (n < MOST_LEVELS && (int64_t)1 << (MIN_SHIFT + 3 * n) < longest + 256)
        n++;
    return n;
}

int gt_csi_new(struct gt_csi **out, const struct gt_geno_info *info, bool named, uint64_t start, struct gt_err *err)
{
    struct gt_csi *csi = gt_alloc(1, sizeof *csi, err);

    if (!csi)
        return GT_FAIL;
    hts_set_log_level(HTS_LOG_OFF);
    csi->named = named;
    csi->last = -1;
    csi->numbers.budget = csi->names.budget = info->contigs.budget;
    csi->index = hts_idx_init(named ? 0 : (int)info->contigs.n, HTS_FMT_CSI, start, MIN_SHIFT, levels(info));
    if (!csi->index) {
        gt_csi_free(csi);
        return gt_no_memory(err);
    }
    *out = csi;
    return 0;
}

void gt_csi_free(struct gt_csi *csi)
{
    if (!csi)
        return;
    if (csi->index)
        hts_idx_destroy(csi->index);
    gt_buf_release(&csi->numbers);
    gt_buf_release(&csi->names);
    free(csi);
}

static int number_of(struct gt_csi *csi, int32_t contig, const char *name, int32_t *number, struct gt_err *err)
{
    static const int32_t unseen = -1;
    int status = 0;

    if (!csi->named) {
        *number = contig;
        return 0;
    }
    while (csi->numbers.len / sizeof unseen <= (size_t)contig && !status)
        status = gt_buf_append(&csi->numbers, &unseen, sizeof unseen, err);
    if (status)
        return status;
    int32_t *numbers = (int32_t *)(void *)csi->numbers.data;
    if (numbers[contig] < 0) {
        status = gt_buf_append(&csi->names, name, strlen(name) + 1, err);
        numbers[contig] = csi->n++;
    }
    *number = numbers[contig];
    return status;
}

int gt_csi_add(struct gt_csi *csi, int32_t contig, const char *name, int64_t begin, int64_t end, uint64_t to, struct gt_err *err)
{
    int32_t number = 0, before = csi->n;
    int status = csi->fault ? 0 : number_of(csi, contig, name, &number, err);

    if (status || csi->fault)
        return status;
    const bool next = number != csi->last, again = next && csi->named && csi->n == before;
    if (again || (!csi->named && number < csi->last) || (!next && begin < csi->begin)) {
        csi->fault = "its records are not in order";
        return 0;
    }
    errno = 0;
    if (hts_idx_push(csi->index, number, begin, end, to, 1) < 0) {
        if (errno == ENOMEM)
            return gt_no_memory(err);
        csi->fault = errno == ERANGE ? "a position is beyond what an index can hold" : "htslib cannot index one of its records";
    }
    csi->last = number;
    csi->begin = begin;
    return 0;
}

const char *gt_csi_fault(const struct gt_csi *csi)
{
    return csi->fault;
}

/* What tabix keeps of a VCF: its columns and the names. */
static int set_names(struct gt_csi *csi, struct gt_err *err)
{
    const uint32_t head[] = {TBX_VCF, 1, 2, 0, '#', 0, (uint32_t)csi->names.len};
    struct gt_buf meta = {.budget = csi->names.budget};
    int status = gt_buf_resize(&meta, sizeof head, err);

    for (size_t i = 0; i < sizeof head / sizeof *head && !status; i++)
        gt_le_put(meta.data + 4 * i, head[i], 4);
    if (!status)
        status = gt_buf_append(&meta, csi->names.data, csi->names.len, err);
    if (!status && hts_idx_set_meta(csi->index, (uint32_t)meta.len, meta.data, 1) < 0)
        status = gt_no_memory(err);
    gt_buf_release(&meta);
    return status;
}

int gt_csi_save(struct gt_csi *csi, uint64_t end, const char *path, struct gt_err *err)
{
    int status = csi->named ? set_names(csi, err) : 0;

    if (!status && hts_idx_finish(csi->index, end) < 0)
        status = gt_no_memory(err);
    if (!status && hts_idx_save_as(csi->index, NULL, path, HTS_FMT_CSI) < 0)
        status = gt_fail(err, GT_FAIL, "cannot write the index '%s'", path);
    return status;
}
