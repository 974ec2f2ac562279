/* --concat samples: all inputs become one reader. */
#include "config.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/slice.h"
#include "geno/source/join_samples.h"
#include "geno/source/source_internal.h"

/* Each input with tables of its own, and with what concerns single calls. */
static int open_side(struct gt_concat *c, const struct gt_source_opts *from, bool again, int i, struct gt_concat **side, struct gt_err *err)
{
    const struct gt_select_opts *all = &c->select;
    struct gt_select_opts rules = GT_SELECT_ALL;
    rules.ploidy = all->ploidy;
    rules.half_call = all->half_call;
    rules.polyploid = all->polyploid;
    rules.sex = all->sex;
    rules.sites = all->sites;
    const struct gt_source_opts opts = {.paths = from->paths + i,
                                        .n_paths = 1,
                                        .opened = i ? NULL : from->opened,
                                        .array = from->array,
                                        .select = &rules,
                                        .fields = GT_SITE_ALL | (c->start.fields & (GT_SITE_HETS | GT_SITE_CALLS | GT_SITE_PHASES)),
                                        .again = again};
    int status = gt_inputs_open(side, c->engine, &opts, err);
    if (!status)
        c->extent.size = c->extent.size < 0 || (*side)->extent.size <= 0 ? -1 : c->extent.size + (*side)->extent.size;
    return status;
}

int gt_concat_add_samples(struct gt_concat *c, const struct gt_source_opts *opts, bool again, struct gt_err *err)
{
    const int n = opts->n_paths;
    if (c->start.fields & GT_SITE_RECORD)
        return gt_fail(err, GT_USAGE, "--concat samples cannot be combined with --layout vcz");
    struct gt_slice axes[GT_SLICE_AXES] = {{0}};
    int status = c->select.slice ? gt_slice_parse(c->select.slice, axes, GT_SLICE_AXES, err) : GT_OK;
    if (!status && axes[2].given)
        status = gt_fail(err, GT_USAGE, "--concat samples cannot be combined with a --slice of the ploidy axis");
    if (status)
        return status;
    struct gt_concat **sides = gt_alloc((size_t)n, sizeof *sides, err);
    int opened = 0;
    status = sides ? GT_OK : GT_FAIL;
    for (; opened < n && !status; opened += !status)
        status = open_side(c, opts, again, opened, &sides[opened], err);
    if (!status) {
        struct gt_reader *reader;
        status = gt_reader_join_samples(&reader, c->engine, sides, n, err);
        status = status ? status : gt_concat_add(c, reader, err);
        opened = 0;
    }
    while (opened > 0)
        gt_chain_close(&sides[--opened]->stage, NULL);
    free(sides);
    c->select.sex_counts = c->select.sex;
    c->select.sex = c->select.sites = NULL; /* done */
    c->start.fields &= ~(unsigned)GT_SITE_COLUMNS;
    return status;
}
