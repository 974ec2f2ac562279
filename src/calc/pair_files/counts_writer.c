/* Files of pair counts (calc/pairs/counts_file.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "calc/pair_files/pair_writers_internal.h"
#include "calc/pairs/counts_file.h"
#include "core/base/le.h"
#include "core/base/mem.h"

struct counts_sink {
    struct gt_sink base;
    struct gt_counts_head head;
    struct gt_outfile file;
    XXH3_state_t *hash;
    int bits[GT_MAX_PLANES]; /* of each plane, see gt_counts_bits */
};

static int put(struct counts_sink *sink, const void *data, size_t n, struct gt_err *err)
{
    if (n)
        XXH3_64bits_update(sink->hash, data, n);
    return gt_outfile_write(&sink->file, data, n, err);
}

static int counts_begin(struct gt_sink *base, const struct gt_sink_subject *subject, struct gt_err *err)
{
    struct counts_sink *sink = (struct counts_sink *)base;
    struct gt_counts_head *head = &sink->head;
    struct gt_buf bytes = {.budget = subject->rows->budget};
    *head = (struct gt_counts_head){.flags = head->flags,
                                    .samples = (int64_t)subject->rows->n,
                                    .first = subject->first,
                                    .last = subject->last,
                                    .sites = subject->sites,
                                    .digest = subject->digest,
                                    .width = gt_counts_width(subject->sites)};
    for (const char *const *name = subject->planes; *name; name++) {
        sink->bits[head->n_planes] = gt_counts_bits(*name);
        head->width = sink->bits[head->n_planes] ? 8 : head->width;
        strncpy(head->plane[head->n_planes++], *name, GT_COUNTS_NAME - 1);
    }
    sink->base.cell_bytes = (int64_t)head->n_planes * head->width;
    XXH3_64bits_reset(sink->hash);
    int status = gt_counts_put_head(&bytes, head, subject->rows, subject->ranges, err);
    if (!status)
        status = put(sink, bytes.data, bytes.len, err);
    gt_buf_release(&bytes);
    return status;
}

static int too_large(double value, int bits, int width, struct gt_err *err)
{
    if (!bits)
        return gt_fail(err, GT_FAIL, "a count is %g, which is not an integer of %d bytes", value, width);
    gt_fail(err, GT_INPUT, "a weighted sum of %g is too large to be exact in double precision", ldexp(value, -bits));
    gt_hint(err, "count one chromosome at a time and add the counts with --merge --sum");
    return GT_INPUT;
}

/* A sum of 2^53 may have been rounded already. */
static int put_numbers(uint8_t **at, const double *values, int64_t n, int width, int bits, struct gt_err *err)
{
    const double most = width == 4 ? INT32_MAX : 0x1p53 - 1;
    for (int64_t j = 0; j < n; j++) {
        const double value = ldexp(values[j], bits);
        if (!(fabs(value) <= most) || value != rint(value))
            return too_large(value, bits, width, err);
        *at = gt_le_put(*at, (uint64_t)(int64_t)value, width);
    }
    return GT_OK;
}

static int counts_format(struct gt_sink *base, const struct gt_tile *tile, struct gt_buf *bytes, struct gt_err *err)
{
    const struct counts_sink *sink = (const struct counts_sink *)base;
    const struct gt_counts_head *head = &sink->head;
    int64_t n = (gt_counts_before(head, tile->row + tile->rows) - gt_counts_before(head, tile->row)) * head->width;
    int status = gt_buf_resize(bytes, (size_t)n, err);
    uint8_t *at = bytes->data;
    for (int64_t i = 0; i < tile->rows; i++)
        for (int k = 0; k < head->n_planes && !status; k++)
            status = put_numbers(&at, tile->planes[k] + i * tile->columns, tile->row + i + 1, head->width, sink->bits[k], err);
    return status;
}

static int counts_write(struct gt_sink *base, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    (void)tile;
    return put((struct counts_sink *)base, bytes->data, bytes->len, err);
}

static int counts_finish(struct gt_sink *base, struct gt_err *err)
{
    struct counts_sink *sink = (struct counts_sink *)base;
    uint8_t sum[8];
    gt_le_put(sum, XXH3_64bits_digest(sink->hash), 8);
    int status = gt_outfile_write(&sink->file, sum, sizeof sum, err);
    return status ? status : gt_outfile_commit(&sink->file, err);
}

static void counts_free(struct gt_sink *base)
{
    struct counts_sink *sink = (struct counts_sink *)base;
    gt_outfile_abort(&sink->file);
    XXH3_freeState(sink->hash);
    free(sink);
}

int gt_counts_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err)
{
    static const struct gt_sink_ops ops = {counts_begin, counts_format, counts_write, counts_finish, counts_free};
    struct counts_sink *sink = gt_alloc(1, sizeof *sink, err);
    if (!sink)
        return GT_FAIL;
    sink->base.ops = &ops;
    sink->head.flags = opts->counts_flags;
    sink->hash = XXH3_createState();
    int status = sink->hash ? gt_outfile_open(&sink->file, path, true, err) : gt_no_memory(err);
    if (status)
        counts_free(&sink->base);
    else
        *out = &sink->base;
    return status;
}
