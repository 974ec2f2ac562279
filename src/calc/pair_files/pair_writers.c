#include "calc/pair_files/pair_writers.h"

#include <stdlib.h>
#include <string.h>

#include "calc/pair_files/pair_writers_internal.h"
#include "storage/text/text_file.h"

static bool is_binary(const struct gt_pairs_opts *opts)
{
    return opts->format == GT_PAIRS_NPY || opts->format == GT_PAIRS_CONDENSED || opts->format == GT_PAIRS_GRM ||
           (opts->format == GT_PAIRS_PLINK && opts->shape >= GT_PLINK_BIN);
}

int gt_pairs_open(struct gt_sink **out, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err)
{
    int status = opts->format == GT_PAIRS_COUNTS      ? gt_counts_open(out, opts, path, err)
                 : opts->format == GT_PAIRS_UNRELATED ? gt_unrelated_open(out, opts, path, err)
                 : opts->list                         ? gt_selected_open(out, opts, path, err)
                 : opts->neighbours                   ? gt_nearest_open(out, opts, path, err)
                 : opts->format == GT_PAIRS_ZARR      ? gt_pairs_zarr_open(out, opts, path, err)
                 : is_binary(opts)                    ? gt_binary_open(out, opts, path, err)
                                                      : gt_table_open(out, opts, path, err);
    if (!status)
        (*out)->wants = gt_pairs_wants(opts);
    return status;
}

/* Text of a square whose upper triangle is zeros is that of the lower one. */
static enum gt_sink_part part_of(const struct gt_pairs_opts *opts)
{
    switch (opts->format) {
    case GT_PAIRS_CONDENSED:
        return GT_PART_UPPER;
    case GT_PAIRS_LIST:
        return opts->neighbours || opts->rectangle ? GT_PART_SQUARE : GT_PART_LOWER;
    case GT_PAIRS_TRIANGLE:
    case GT_PAIRS_UNRELATED:
    case GT_PAIRS_KIN0:
        return GT_PART_LOWER;
    case GT_PAIRS_COUNTS:
    case GT_PAIRS_GRM:
        return GT_PART_LOWER_DIAGONAL;
    case GT_PAIRS_PLINK:
        if (gt_plink_is_square0(opts->shape))
            return GT_PART_LOWER_DIAGONAL;
        if (gt_plink_is_triangle(opts->shape))
            return opts->diagonal ? GT_PART_LOWER_DIAGONAL : GT_PART_LOWER;
        return GT_PART_SQUARE;
    default:
        return GT_PART_SQUARE;
    }
}

struct gt_sink_wants gt_pairs_wants(const struct gt_pairs_opts *opts)
{
    static const char *const distance[] = {"distance", NULL}, *const pairs[] = {"distance", "n", NULL},
                             *const kin0[] = {"n", "hethet", "ibs0", "distance", NULL};
    struct gt_sink_wants wants = {.part = part_of(opts), .planes = distance, .self = opts->self};
    wants.check_ids = opts->format == GT_PAIRS_PHYLIP ? gt_phylip_check_ids
                      : opts->format == GT_PAIRS_PLINK || opts->format == GT_PAIRS_GRM || opts->format == GT_PAIRS_KIN0 ? gt_check_plink_ids
                                                                                                                        : NULL;
    wants.limited = !opts->list && ((opts->limits.given && (opts->format == GT_PAIRS_LIST || opts->format == GT_PAIRS_KIN0)) ||
                                    opts->format == GT_PAIRS_UNRELATED);
    wants.least = opts->format == GT_PAIRS_UNRELATED ? opts->limits.max : opts->limits.min;
    wants.kept = opts->neighbours;
    wants.kept_bytes = gt_nearest_pair_bytes();
    if (opts->format == GT_PAIRS_COUNTS)
        wants.planes = opts->counts, wants.counts = true;
    else if (opts->format == GT_PAIRS_KIN0 || opts->format == GT_PAIRS_LIST)
        wants.planes = opts->format == GT_PAIRS_KIN0 ? kin0 : pairs, wants.lines = opts->format == GT_PAIRS_KIN0 ? 4 : 2;
    else if (opts->format == GT_PAIRS_GRM)
        wants.planes = pairs;
    else if (opts->format == GT_PAIRS_UNRELATED)
        wants.memory = gt_unrelated_memory;
    else if (opts->format == GT_PAIRS_ZARR)
        wants.memory = gt_pairs_zarr_memory, wants.width = opts->width;
    return wants;
}

/* --- ids in addition ----------------------------------------------------------------- */

int gt_id_file_plan(struct gt_id_file *ids, const struct gt_pairs_opts *opts, const char *path, struct gt_err *err)
{
    struct gt_str name = {0};
    if (gt_is_stream(path))
        return GT_OK;
    const bool plink = opts->format == GT_PAIRS_PLINK || opts->format == GT_PAIRS_GRM;
    ids->style = !plink ? GT_IDS_PLAIN : opts->fid_header ? GT_IDS_PLINK2 : GT_IDS_PLINK;
    size_t n = strlen(path);
    bool of_bin = plink && gt_ends_with(path, ".bin"); /* as PLINK calls it */
    gt_str_addn(&name, path, of_bin ? n - strlen(".bin") : n);
    gt_str_add(&name, ".id");
    int status = gt_str_check(&name, err);
    ids->path = status ? NULL : name.s;
    return status;
}

int gt_id_file_write(struct gt_id_file *file, const struct gt_sink_subject *subject, struct gt_err *err)
{
    struct gt_str text = {0};
    int status = gt_check_ids(subject->rows, err);
    if (status || !file->path || !subject->head)
        return status;
    gt_ids_text(&text, subject->rows, subject->plink_ids, file->style);
    status = gt_str_check(&text, err);
    if (!status)
        status = gt_outfile_open(&file->file, file->path, false, err);
    if (!status)
        status = gt_text_put(&file->file, &text, 0, err);
    gt_str_release(&text);
    return status;
}

void gt_id_file_free(struct gt_id_file *file)
{
    gt_outfile_abort(&file->file);
    free(file->path);
}
