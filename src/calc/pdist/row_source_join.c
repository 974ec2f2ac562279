/* Samples of one row source as rows, those of another as columns: rows of both side by side. */
#include <stdlib.h>
#include <string.h>

#include "calc/pdist/row_source.h"
#include "core/base/mem.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"

struct side {
    struct gt_row_source *row_source;
    struct gt_rows rows; /* that came, of which `used` are used up */
    const void *held;
    int64_t used;
    size_t bytes; /* of a row */
};

struct join {
    struct gt_row_source base;
    struct gt_engine *engine;
    struct side side[2];
    size_t column_at, stride; /* in bytes */
};

static int start(struct gt_row_source *base, const struct gt_row_source_opts *opts, struct gt_err *err)
{
    struct join *join = (struct join *)base;
    struct gt_row_source *a = join->side[0].row_source, *b = join->side[1].row_source;
    const int64_t rest = opts->memory - a->info.read_minimum - b->info.read_minimum;
    struct gt_row_source_opts half = *opts;
    half.keep = opts->keep / 2;
    half.memory = a->info.read_minimum + rest / 2;
    int status = a->ops->start(a, &half, err);
    half.memory = b->info.read_minimum + rest / 2;
    return status ? status : b->ops->start(b, &half, err);
}

static int read_side(struct side *side, struct gt_err *err)
{
    if (side->held && side->used < side->rows.n)
        return GT_OK;
    if (side->held)
        side->row_source->ops->done(side->row_source, side->held);
    side->held = NULL;
    side->used = 0;
    return side->row_source->ops->next(side->row_source, &side->rows, &side->held, err);
}

static int differ(const struct join *join, struct gt_err *err)
{
    return gt_fail(err, GT_INPUT, "'%s' and '%s' have different numbers of variants", join->side[0].row_source->info.name,
                   join->side[1].row_source->info.name);
}

static void copy_side(struct side *side, int64_t n, size_t stride, uint8_t *out)
{
    for (int64_t k = 0; k < n; k++)
        memcpy(out + (size_t)k * stride, (const uint8_t *)side->rows.data + (size_t)(side->used + k) * side->rows.stride, side->bytes);
    side->used += n;
}

static int next(struct gt_row_source *base, struct gt_rows *rows, const void **held, struct gt_err *err)
{
    struct join *join = (struct join *)base;
    struct side *a = &join->side[0], *b = &join->side[1];
    int first = read_side(a, err), second = first > 0 ? GT_OK : read_side(b, err);
    if (first > 0 || second > 0)
        return first > 0 ? first : second;
    if (first || second)
        return first && second ? GT_END : differ(join, err);
    const int64_t left = a->rows.n - a->used, other = b->rows.n - b->used, n = left < other ? left : other;
    struct gt_buf *both;
    *rows = (struct gt_rows){.stride = join->stride, .n = n, .first = a->rows.first + a->used};
    if (gt_row_source_rows_new(&both, &join->engine->budget, (size_t)n * join->stride, err))
        return GT_FAIL;
    memset(both->data, 0, both->len);
    copy_side(a, n, join->stride, both->data);
    copy_side(b, n, join->stride, both->data + join->column_at);
    rows->data = both->data;
    *held = both;
    return GT_OK;
}

static int rewind_row_source(struct gt_row_source *base, struct gt_err *err)
{
    struct join *join = (struct join *)base;
    int status = GT_OK;
    for (int k = 0; k < 2 && !status; k++)
        status = join->side[k].row_source->ops->rewind(join->side[k].row_source, err);
    return status;
}

static void free_row_source(struct gt_row_source *base)
{
    struct join *join = (struct join *)base;
    for (int k = 0; k < 2; k++) {
        struct side *side = &join->side[k];
        if (side->held)
            side->row_source->ops->done(side->row_source, side->held);
        if (side->row_source)
            side->row_source->ops->free(side->row_source);
    }
    free(join);
}

static int check(const struct gt_row_source_info *a, const struct gt_row_source_info *b, struct gt_err *err)
{
    char m[GT_NUM_LEN], n[GT_NUM_LEN];
    if (a->rows != b->rows)
        return gt_fail(err, GT_INPUT, "'%s' has genotypes but '%s' does not: they cannot be compared",
                       a->rows == GT_ROWS_PACKED ? a->name : b->name, a->rows == GT_ROWS_PACKED ? b->name : a->name);
    if (a->sites >= 0 && b->sites >= 0 && a->sites != b->sites)
        return gt_fail(err, GT_INPUT, "'%s' has %s %s, but '%s' has %s", a->name, gt_format_count(m, a->sites),
                       a->rows == GT_ROWS_PACKED ? "variants" : "columns", b->name, gt_format_count(n, b->sites));
    if (a->ploidy != b->ploidy) {
        gt_fail(err, GT_INPUT, "'%s' is haploid, but '%s' is diploid", a->ploidy < b->ploidy ? a->name : b->name,
                a->ploidy < b->ploidy ? b->name : a->name);
        gt_hint(err, "--ploidy 2 counts haploid calls as homozygous");
        return GT_INPUT;
    }
    if (!a->samples || !b->samples)
        return gt_fail(err, GT_INPUT, "'%s' has nothing to compare", a->samples ? b->name : a->name);
    return GT_OK;
}

static size_t bytes_of(const struct gt_row_source_info *info, int64_t samples)
{
    return info->rows == GT_ROWS_PACKED ? (size_t)gt_ceil_div(samples, 4) : (size_t)samples * sizeof(double);
}

int gt_row_source_join(struct gt_row_source **out, struct gt_engine *engine, struct gt_row_source *rows, struct gt_row_source *columns,
                       struct gt_err *err)
{
    static const struct gt_row_source_ops ops = {start, next, gt_row_source_rows_done, rewind_row_source, free_row_source};
    const int64_t at = gt_ceil_div(rows->info.samples, GT_PAIR_STEP) * GT_PAIR_STEP;
    int status = check(&rows->info, &columns->info, err);
    if (status)
        return status;
    struct join *join = gt_alloc(1, sizeof *join, err);
    if (!join)
        return GT_FAIL;
    join->base.ops = &ops;
    join->base.info = rows->info;
    join->base.info.divisible = false;
    join->engine = engine;
    join->side[0] = (struct side){.row_source = rows, .bytes = bytes_of(&rows->info, rows->info.samples)};
    join->side[1] = (struct side){.row_source = columns, .bytes = bytes_of(&columns->info, columns->info.samples)};
    join->column_at = bytes_of(&rows->info, at);
    join->stride = join->column_at + join->side[1].bytes;
    struct gt_row_source_info *info = &join->base.info;
    info->samples = at + columns->info.samples;
    info->rectangle = rows->info.samples;
    info->column_ids = columns->info.ids;
    info->whole = rows->info.whole && columns->info.whole;
    info->sites = rows->info.sites < 0 ? columns->info.sites : rows->info.sites;
    info->row_bytes = rows->info.row_bytes + columns->info.row_bytes + join->stride;
    info->read_minimum = gt_bytes_add(rows->info.read_minimum, columns->info.read_minimum);
    info->read_preferred = gt_bytes_add(rows->info.read_preferred, columns->info.read_preferred);
    *out = &join->base;
    return GT_OK;
}
