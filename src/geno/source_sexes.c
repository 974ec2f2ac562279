/* What is known of sexes, to be told and counted by. */
#include "config.h"

#include "geno/sex.h"
#include "geno/source_impl.h"

/* The filter of the first input that has X, Y or MT; NULL: none has, or nobody asks. */
static const struct gt_filter *filter_of(const struct gt_source *source)
{
    for (int i = 0; i < source->n; i++)
        if (gt_filter_sexes(source->pieces[i].filter))
            return source->pieces[i].filter;
    return NULL;
}

const struct gt_sexes *gt_source_any_sexes(const struct gt_source *source)
{
    const struct gt_filter *filter = filter_of(source);
    return filter ? gt_filter_sexes(filter) : NULL;
}

const struct gt_sex_rows *gt_source_sex_rows(const struct gt_source *source)
{
    const struct gt_filter *filter = filter_of(source);
    return filter ? gt_filter_sex_rows(filter) : NULL;
}

bool gt_source_sexes(const struct gt_source *source, struct gt_sex_counts *counts)
{
    const struct gt_filter *first = filter_of(source);
    int64_t n;
    if (!first)
        return false;
    const uint32_t *kept = gt_filter_samples(first, &n);
    gt_sexes_count(gt_filter_sexes(first), kept, n, counts);
    for (int i = 0; i < source->n; i++) {
        struct gt_sex_counts one = {0};
        if (gt_filter_sexes(source->pieces[i].filter))
            gt_sexes_count(gt_filter_sexes(source->pieces[i].filter), NULL, 0, &one);
        counts->no_build |= one.no_build;
    }
    return true;
}
