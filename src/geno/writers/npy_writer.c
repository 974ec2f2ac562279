/* Dosages as a NumPy array. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/outfile.h"
#include "core/engine/trace.h"
#include "geno/writers/geno_writers.h"
#include "kernels/kernels.h"
#include "storage/text/id_text.h"
#include "storage/text/npy_head.h"
#include "storage/text/text_file.h"

struct npy {
    struct gt_calls_sink base;
    struct gt_outfile file, ids;
    int64_t n_samples, variants;
    int64_t declared; /* variants in the header as first written; -1 = not known then */
    bool formats;     /* and does not write */
};

int64_t gt_npy_variant_bytes(int64_t n_samples)
{
    return n_samples;
}

static size_t head_of(const struct npy *npy, int64_t variants, char head[GT_NPY_HEAD])
{
    char shape[64];
    snprintf(shape, sizeof shape, "(%lld, %lld)", (long long)variants, (long long)npy->n_samples);
    return gt_npy_head(head, "|i1", shape, false);
}

static int write_ids(struct npy *npy, const struct gt_geno_info *info, struct gt_err *err)
{
    struct gt_str text = {0};
    int status = gt_check_ids(&info->samples, err);

    gt_ids_text(&text, &info->samples, NULL, GT_IDS_PLAIN);
    if (!status)
        status = gt_text_put(&npy->ids, &text, 0, err);
    gt_str_release(&text);
    return status;
}

static int begin(struct gt_calls_sink *base, const struct gt_geno_info *info, struct gt_err *err)
{
    struct npy *npy = (struct npy *)base;
    char head[GT_NPY_HEAD];

    npy->n_samples = info->n_samples;
    npy->declared = info->n_variants;
    base->variant_bytes = gt_npy_variant_bytes(info->n_samples);
    if (npy->declared < 0 && npy->file.in_place && !npy->formats) {
        gt_fail(err, GT_INPUT, "a .npy header needs the number of variants, which is not known before the end");
        gt_hint(err, "write to a file: -o FILE.npy");
        return GT_INPUT;
    }
    int status = npy->ids.path ? write_ids(npy, info, err) : 0;
    size_t n = head_of(npy, npy->declared < 0 ? 0 : npy->declared, head);
    return status ? status : gt_outfile_write(&npy->file, head, n, err);
}

static int format(struct gt_calls_sink *base, const struct gt_calls *calls, struct gt_buf bytes[GT_CALLS_BUFS], struct gt_err *err)
{
    const struct npy *npy = (const struct npy *)base;
    const struct gt_block *block = &calls->block;
    size_t n = (size_t)npy->n_samples;
    int status = gt_buf_resize(&bytes[0], (size_t)block->n * n + GT_KERNEL_PAD, err);

    if (status)
        return status;
    bytes[0].len = (size_t)block->n * n;
    for (int64_t v = 0; v < block->n; v++)
        gt_kernels()->unpack_i8(gt_block_row(block, v), npy->n_samples, (int8_t *)bytes[0].data + (size_t)v * n);
    return 0;
}

static int write_bytes(struct gt_calls_sink *base, const struct gt_calls *calls, const struct gt_buf bytes[GT_CALLS_BUFS],
                       struct gt_err *err)
{
    struct npy *npy = (struct npy *)base;

    npy->variants += calls->block.n;
    gt_trace_bytes((int64_t)bytes[0].len);
    return gt_outfile_write(&npy->file, bytes[0].data, bytes[0].len, err);
}

static int finish(struct gt_calls_sink *base, struct gt_err *err)
{
    struct npy *npy = (struct npy *)base;
    struct gt_outfile *const files[] = {&npy->ids, &npy->file};
    char head[GT_NPY_HEAD];
    int status = 0;

    if (npy->variants != npy->declared && npy->file.in_place)
        status = gt_fail(err, GT_INPUT, "%lld variants read, but the header says %lld", (long long)npy->variants, (long long)npy->declared);
    else if (npy->variants != npy->declared)
        status = gt_outfile_pwrite(&npy->file, head, head_of(npy, npy->variants, head), 0, err);
    return status ? status : gt_outfile_commit_all(files, 2, err);
}

static void npy_free(struct gt_calls_sink *base)
{
    struct npy *npy = (struct npy *)base;

    gt_outfile_abort(&npy->file);
    gt_outfile_abort(&npy->ids);
    free(npy);
}

static int open_ids(struct npy *npy, const char *path, struct gt_err *err)
{
    struct gt_str name = {0};
    int status;

    gt_str_addf(&name, "%s.id", path);
    status = gt_str_check(&name, err);
    if (!status)
        status = gt_outfile_open(&npy->ids, name.s, false, err);
    gt_str_release(&name);
    return status;
}

int gt_sink_npy(struct gt_calls_sink **out, const char *path, struct gt_err *err)
{
    static const struct gt_calls_sink_ops ops = {begin, format, write_bytes, finish, npy_free};
    struct npy *npy = gt_alloc(1, sizeof *npy, err);
    int status;

    if (!npy)
        return GT_FAIL;
    npy->base.ops = &ops;
    npy->base.results = 1;
    npy->formats = !path;
    status = gt_outfile_open(&npy->file, path ? path : "/dev/null", true, err);
    if (!status && path && !gt_is_stream(path))
        status = open_ids(npy, path, err);
    if (status) {
        npy_free(&npy->base);
        return status;
    }
    *out = &npy->base;
    return 0;
}
