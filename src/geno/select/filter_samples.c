/* Which samples a filter keeps, and their sexes. */
#include "config.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "geno/select/filter_internal.h"

const uint32_t *gt_filter_samples(const struct gt_filter *f, int64_t *n)
{
    *n = f->n_samples;
    return f->samples;
}

const struct gt_sexes *gt_filter_sexes(const struct gt_filter *f)
{
    return f->sexes;
}

const struct gt_sex_rows *gt_filter_sex_rows(const struct gt_filter *f)
{
    return f->sexes ? &f->who : NULL;
}

/* An option, or a consumer, for which sexes matter that the input may know. */
static bool counts_by_sex(const struct gt_filter *f)
{
    const struct gt_select_opts *o = &f->opts;
    const bool sited = (~f->input->has & (GT_HAS_DOSAGES | GT_HAS_CONTIGS | GT_HAS_POSITIONS)) == 0;
    return sited && !o->haplotypes && (o->by_sex || gt_filters_given(o, GT_FILTER_BY_SEX));
}

int gt_filter_open_sexes(struct gt_filter *f, struct gt_err *err)
{
    const char *from = f->opts.sex ? f->opts.sex : f->opts.sex_counts;
    if (from)
        return gt_sexes_new(&f->sexes, from, f->input, err);
    return counts_by_sex(f) ? gt_sexes_of_input(&f->sexes, f->input, err) : GT_OK;
}

int gt_filter_index_samples(struct gt_filter *f, struct gt_err *err)
{
    free(f->keep);
    free(f->haplotypes);
    f->keep = NULL;
    f->haplotypes = NULL;
    gt_sex_rows_release(&f->who);
    int status = gt_sex_rows_make(&f->who, f->sexes, f->samples, f->n_samples, err);
    if (status || !f->samples)
        return status;
    f->keep = gt_alloc((size_t)f->input->n_samples, 1, err);
    f->haplotypes = gt_alloc((size_t)f->n_samples, 2 * sizeof *f->haplotypes, err);
    if (!f->keep || !f->haplotypes)
        return GT_FAIL;
    for (int64_t i = 0; i < f->n_samples; i++) {
        f->keep[f->samples[i]] = 1;
        f->haplotypes[2 * i] = 2 * f->samples[i];
        f->haplotypes[2 * i + 1] = 2 * f->samples[i] + 1;
    }
    return 0;
}

int gt_filter_mind(struct gt_filter *f, const double *missing, struct gt_select_stats *stats, struct gt_err *err)
{
    uint32_t *kept = gt_alloc((size_t)f->n_samples, sizeof *kept, err);
    int64_t n = 0;
    if (!kept)
        return GT_FAIL;
    for (int64_t i = 0; i < f->n_samples; i++) {
        uint32_t s = f->samples ? f->samples[i] : (uint32_t)i;
        if (missing[s] <= f->opts.mind)
            kept[n++] = s;
    }
    stats->dropped_mind += f->n_samples - n;
    if (n == f->n_samples) {
        free(kept);
        return 0;
    }
    free(f->samples);
    f->samples = kept;
    f->n_samples = n;
    int status = gt_filter_index_samples(f, err);
    return status || n ? status : gt_fail(err, GT_INPUT, "--mind leaves no sample of '%s'", f->input->name);
}
