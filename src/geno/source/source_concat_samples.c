/* --concat samples: all inputs become one reader. */
#include "config.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/slice.h"
#include "geno/source/join_samples.h"
#include "geno/source/source_internal.h"

/* Each input as a source of its own, with what concerns single calls. */
static int open_side(struct gt_source *source, const struct gt_source_opts *from, bool again, int i, struct gt_source **side,
                     struct gt_err *err)
{
    const struct gt_select_opts *all = &source->select;
    struct gt_select_opts rules = GT_SELECT_ALL;
    rules.haploid = all->haploid;
    rules.half_call = all->half_call;
    rules.polyploid = all->polyploid;
    rules.sex = all->sex;
    rules.sites = all->sites;
    const struct gt_source_opts opts = {.paths = from->paths + i,
                                        .n_paths = 1,
                                        .opened = i ? NULL : from->opened,
                                        .array = from->array,
                                        .select = &rules,
                                        .fields = GT_SITE_ALL | (source->fields & GT_SITE_HETS),
                                        .again = again};
    int status = gt_source_open(side, source->engine, &opts, err);
    if (!status)
        source->size = source->size < 0 || (*side)->size <= 0 ? -1 : source->size + (*side)->size;
    return status;
}

int gt_source_open_beside(struct gt_source *source, const struct gt_source_opts *opts, bool again, struct gt_err *err)
{
    const int n = opts->n_paths;
    if (source->fields & GT_SITE_RECORD)
        return gt_fail(err, GT_USAGE, "--concat samples puts dosages side by side, and --layout vcz keeps whole records");
    struct gt_slice axes[GT_SLICE_AXES] = {{0}};
    int status = source->select.slice ? gt_slice_parse(source->select.slice, axes, GT_SLICE_AXES, err) : GT_OK;
    if (!status && axes[2].given)
        status = gt_fail(err, GT_USAGE, "--concat samples puts dosages side by side, and --slice takes one allele of each call");
    if (status)
        return status;
    struct gt_source **sides = gt_alloc((size_t)n, sizeof *sides, err);
    int opened = 0;
    status = sides ? GT_OK : GT_FAIL;
    for (; opened < n && !status; opened += !status)
        status = open_side(source, opts, again, opened, &sides[opened], err);
    if (!status) {
        struct gt_reader *reader;
        status = gt_reader_join_samples(&reader, source->engine, sides, n, err);
        if (!status)
            gt_source_init_piece(&source->pieces[source->n++], reader);
        opened = 0;
    }
    while (opened > 0)
        gt_source_free(sides[--opened]);
    free(sides);
    source->select.sex_counts = source->select.sex;
    source->select.sex = source->select.sites = NULL; /* done */
    source->fields &= ~(unsigned)GT_SITE_COLUMNS;
    return status;
}
