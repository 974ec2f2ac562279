#include "calc/pair_files/tree_and_heatmap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc/pair_files/tree_and_heatmap_internal.h"
#include "core/base/mem.h"
#include "storage/text/id_text.h"
#include "storage/text/text_file.h"

struct drawn {
    struct gt_sink base;
    const struct gt_drawn_opts *opts;
    struct gt_sink *main; /* NULL: none */
    int plane;            /* "distance" among those of a tile */
    bool any_sites;
    struct gt_strs ids;
    struct gt_buf triangle; /* calc/cluster/cluster.h */
    struct gt_outfile tree, plot;
};

/* Of a triangle it is the one that is wanted; of a square the lower one. */
static bool is_upper(const struct drawn *sink)
{
    return sink->base.wants.part == GT_PART_UPPER;
}

static int find_distance(const char *const *planes)
{
    int k = 0;
    while (planes[k] && strcmp(planes[k], "distance") != 0)
        k++;
    return k;
}

static int drawn_begin(struct gt_sink *base, const struct gt_sink_subject *subject, struct gt_err *err)
{
    struct drawn *sink = (struct drawn *)base;
    const int64_t n = (int64_t)subject->rows->n;
    sink->ids.budget = sink->triangle.budget = subject->budget;
    sink->any_sites = subject->sites > 0;
    int status = gt_check_ids(subject->rows, err);
    if (!status)
        status = gt_strs_copy(&sink->ids, subject->rows, err);
    if (!status)
        status = gt_buf_resize(&sink->triangle, gt_triangle_at(n, 0) * sizeof(double), err);
    if (status || !sink->main)
        return status;
    status = sink->main->ops->begin(sink->main, subject, err);
    base->cell_bytes = sink->main->cell_bytes;
    return status;
}

static int drawn_format(struct gt_sink *base, const struct gt_tile *tile, struct gt_buf *bytes, struct gt_err *err)
{
    struct gt_sink *main = ((struct drawn *)base)->main;
    return main && main->ops->format ? main->ops->format(main, tile, bytes, err) : GT_OK;
}

static void keep_lower(struct drawn *sink, const struct gt_tile *tile)
{
    double *triangle = (double *)(void *)sink->triangle.data;
    for (int64_t i = 0; i < tile->rows; i++) {
        const int64_t row = tile->row + i, end = tile->column + tile->columns, last = end < row ? end : row;
        if (tile->column < last)
            memcpy(triangle + gt_triangle_at(row, tile->column), tile->planes[sink->plane] + i * tile->columns,
                   (size_t)(last - tile->column) * sizeof *triangle);
    }
}

static void keep_upper(struct drawn *sink, const struct gt_tile *tile)
{
    double *triangle = (double *)(void *)sink->triangle.data;
    for (int64_t i = 0; i < tile->rows; i++) {
        const int64_t row = tile->row + i, first = tile->column > row ? tile->column : row + 1;
        const double *values = tile->planes[sink->plane] + i * tile->columns - tile->column;
        for (int64_t column = first; column < tile->column + tile->columns; column++)
            triangle[gt_triangle_at(column, row)] = values[column];
    }
}

static int drawn_write(struct gt_sink *base, const struct gt_tile *tile, const struct gt_buf *bytes, struct gt_err *err)
{
    struct drawn *sink = (struct drawn *)base;
    if (is_upper(sink))
        keep_upper(sink, tile);
    else
        keep_lower(sink, tile);
    return sink->main ? sink->main->ops->write(sink->main, tile, bytes, err) : GT_OK;
}

/* --- when all came ------------------------------------------------------------------ */

static int check_finite(const struct drawn *sink, struct gt_err *err)
{
    const double *value = (const double *)(const void *)sink->triangle.data;
    for (size_t i = 1; i < sink->ids.n; i++)
        for (size_t j = 0; j < i; j++, value++)
            if (!isfinite(*value)) {
                gt_fail(err, GT_INPUT, "a tree needs a finite distance for every pair; that of '%s' and '%s' is %s",
                        gt_strs_get(&sink->ids, j), gt_strs_get(&sink->ids, i), isnan(*value) ? "nan" : "inf");
                gt_hint(err, sink->any_sites ? "--mind excludes samples without data" : "the input has nothing to compare");
                return GT_INPUT;
            }
    return GT_OK;
}

static int write_tree(struct drawn *sink, struct gt_err *err)
{
    struct gt_buf joins = {.budget = sink->triangle.budget};
    double *triangle = (double *)(void *)sink->triangle.data;
    const int64_t n = (int64_t)sink->ids.n;
    int status = check_finite(sink, err);
    if (!status)
        status = sink->opts->method == GT_TREE_NJ ? gt_cluster_neighbours(triangle, n, &joins, err)
                                                  : gt_cluster_average(triangle, n, &joins, err);
    if (!status)
        status = gt_newick_write(&sink->tree, &joins, &sink->ids, err);
    gt_buf_release(&joins);
    return status;
}

static int drawn_finish(struct gt_sink *base, struct gt_err *err)
{
    struct drawn *sink = (struct drawn *)base;
    struct gt_outfile *const files[] = {sink->opts->plot ? &sink->plot : NULL, sink->opts->tree ? &sink->tree : NULL};
    int status = sink->opts->plot ? gt_heatmap_write(&sink->plot, sink->opts, &sink->triangle, &sink->ids, err) : GT_OK;
    if (!status && sink->opts->tree) /* uses the triangle up */
        status = write_tree(sink, err);
    if (!status && sink->main)
        status = sink->main->ops->finish(sink->main, err);
    return status ? status : gt_outfile_commit_all(files, 2, err);
}

static void drawn_free(struct gt_sink *base)
{
    struct drawn *sink = (struct drawn *)base;
    if (sink->main)
        sink->main->ops->free(sink->main);
    gt_outfile_abort(&sink->tree);
    gt_outfile_abort(&sink->plot);
    gt_strs_release(&sink->ids);
    gt_buf_release(&sink->triangle);
    free(sink);
}

/* --- opening ---------------------------------------------------------------------------- */

struct gt_sink_wants gt_drawn_wants(const struct gt_drawn_opts *opts, const struct gt_sink_wants *main)
{
    static const char *const distance[] = {"distance", NULL};
    struct gt_sink_wants wants = {.part = GT_PART_LOWER, .planes = distance};
    if (main)
        wants = *main;
    wants.triangles = opts->plot ? 2 : 1;
    wants.held = opts->plot ? gt_heatmap_bytes() : 0;
    return wants;
}

int gt_drawn_open(struct gt_sink **out, const struct gt_drawn_opts *opts, struct gt_sink *main, struct gt_err *err)
{
    static const struct gt_sink_ops ops = {drawn_begin, drawn_format, drawn_write, drawn_finish, drawn_free};
    struct drawn *sink = gt_alloc(1, sizeof *sink, err);
    if (!sink)
        return GT_FAIL;
    sink->base = (struct gt_sink){
        .ops = &ops, .order = main ? main->order : GT_TILES_ANY, .wants = gt_drawn_wants(opts, main ? &main->wants : NULL)};
    sink->opts = opts;
    sink->plane = find_distance(sink->base.wants.planes);
    int status = opts->tree ? gt_text_open(&sink->tree, opts->tree, NULL, err) : GT_OK;
    if (!status && opts->plot)
        status = gt_picture_open(&sink->plot, opts->plot, opts->picture, err);
    sink->main = status ? NULL : main;
    if (status)
        drawn_free(&sink->base);
    else
        *out = &sink->base;
    return status;
}
